"""Dask: its local cluster, a scheduler at an address, or an open client; and so every platform that Dask supports.

A missing scheduler is refused within ten seconds. Dask repeats the batches of a dead worker elsewhere. If the scheduler
dies, `WorkersLost` is raised, and received records are kept.
"""

import os
import queue
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from sidestep.executor_errors import ExecutorError, WorkersLost
from sidestep.executors import _answer
from sidestep.executors import work as worker
from sidestep.executors._registry import package_of
from sidestep.executors.protocol import Batch, Task, Work, as_batch

AHEAD = 4
"""Batches sent in advance, for each thread of a worker."""

LOOK_S = 1.0
"""Interval between checks of the scheduler, in seconds."""

TRIES = 5
"""Most times that a batch is sent again after the scheduler forgot it."""


def of_words(to: Any, jobs: int | None) -> "Dask":
    """Makes an executor from the address behind `dask:`, or from a client."""
    return Dask(to or None, jobs)


class Dask:
    """Dask cluster.

    `to` is a scheduler's address (`tcp://HOST:PORT`), your `distributed.Client`, which stays open, or None for a
    cluster of this machine's processes that ends with the sweep; `jobs` is the number of these processes.
    """

    def __init__(self, to: Any = None, jobs: int | None = None) -> None:
        distributed = package_of("dask")
        self._distributed = distributed
        self._own = not isinstance(to, distributed.Client)
        self._futures: dict[Any, tuple[Sequence[Task], int]] = {}
        self._over = False
        if isinstance(to, distributed.Client):
            self._client, self.name = to, "dask"
        elif to is None:
            self.name = "dask"
            # Processes that do not run the main script again, unlike those of LocalCluster.
            cluster = import_module("distributed.deploy.subprocess").SubprocessCluster(
                host="127.0.0.1", n_workers=jobs or len(os.sched_getaffinity(0)), threads_per_worker=1, dashboard_address=None
            )
            self._client = distributed.Client(cluster)
            self._cluster = cluster
        else:
            self.name = f"dask:{to}"
            what = "the Dask scheduler"
            _answer.listens(what, to)
            self._client = _answer.within(what, to, lambda: distributed.Client(to, timeout=_answer.LIMIT_S - 1))
        scheduler = self._client.scheduler
        self._address = str(scheduler.address) if scheduler is not None else self.name

    @property
    def workers(self) -> int:
        """Threads of all workers that the scheduler knows now."""
        return sum(int(threads) for threads in self._client.nthreads().values())

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """See `Executor.submit`."""
        self._over = False
        if self.workers == 0:
            # They may still be starting.
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=_answer.LIMIT_S)
        if self.workers == 0:
            raise WorkersLost(f"the Dask scheduler at {self._address} has no worker: start one with `dask worker`")
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        # The shared part is sent once to each worker: with a single copy it would be lost with that worker.
        shared = self._client.scatter(work.shared, broadcast=True, hash=False)
        left = [(batch, 0) for batch in reversed(batches)]
        looked = time.monotonic()
        ahead = AHEAD * self.workers
        while (left or self._futures) and not self._over:
            if time.monotonic() - looked > LOOK_S:
                # Workers come and go.
                looked, ahead = time.monotonic(), AHEAD * max(self._look(), 1)
            while left and len(self._futures) < ahead:
                batch, tries = left.pop()
                plain = [tuple(task) for task in batch]
                future = self._client.submit(worker.make, shared, plain, work.store, pure=False)
                self._futures[future] = (batch, tries + 1)
                future.add_done_callback(done.put)
            try:
                future = done.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if future in self._futures:
                batch, tries = self._futures.pop(future)
                made = self._result(future)
                if made is not None:
                    yield made
                elif tries > TRIES:
                    raise WorkersLost(f"the Dask scheduler at {self._address} lost the same runs {tries} times")
                else:
                    # The shared part was lost with its worker, and the scheduler cannot make it again.
                    shared = self._client.scatter(work.shared, broadcast=True, hash=False)
                    left.append((batch, tries))

    def _look(self) -> int:
        """Returns the number of worker threads. Raises when the scheduler has died."""
        if self._client.status != "running":
            raise self._gone()
        try:
            return self.workers
        except OSError as why:
            raise self._gone() from why

    def _gone(self) -> ExecutorError:
        return WorkersLost(f"the Dask scheduler at {self._address} is gone, and the remaining runs have no workers")

    def _result(self, future: Any) -> Batch | None:
        """Returns the result of a batch; waits if Dask makes a lost one again. None if a running scheduler forgot the batch."""
        try:
            plain: Any = future.result()
        except self._distributed.KilledWorker as why:
            raise WorkersLost(f"{why}; several workers died with the same runs") from why
        except ModuleNotFoundError as why:
            raise ExecutorError(
                f"a Dask worker of {self._address} cannot load Sidestep ({why}): install the same version there"
            ) from why
        except ExecutorError:
            raise
        except Exception as why:
            forgotten = future.status in ("cancelled", "lost")
            if not forgotten and self._client.status == "running":
                raise
            try:
                self._look()
            except ExecutorError as gone:
                raise gone from why
            return None
        finally:
            with suppress(Exception):
                future.release()
        return as_batch(plain)

    def cancel(self) -> None:
        """Cancels runs that have not started; running ones end by themselves."""
        self._over = True
        futures, self._futures = list(self._futures), {}
        with suppress(Exception):
            self._client.cancel(futures, force=True)

    def close(self) -> None:
        """Leaves the cluster, or ends the one that was started."""
        self.cancel()
        if self._own:
            with suppress(Exception):
                self._client.close(timeout=2)
            if hasattr(self, "_cluster"):
                with suppress(Exception):
                    self._cluster.close(timeout=5)
