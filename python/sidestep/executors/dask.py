"""Dask: its local cluster, a scheduler with an address, or a client that you have; and so whatever Dask runs on.

A scheduler that is not there is refused within ten seconds. A worker that dies has its batches made again elsewhere, by
Dask itself. When the scheduler goes, `WorkersLost` is raised: what came in is kept.
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
"""Batches that are sent ahead, a worker."""

LOOK_S = 1.0
"""How often it is looked whether the scheduler is there, in seconds."""

TRIES = 5
"""How often a batch is sent again of which nobody is left who knows it."""


def of_words(to: Any, jobs: int | None) -> "Dask":
    """Of the address behind `dask:`, or of a client."""
    return Dask(to or None, jobs)


class Dask:
    """A Dask cluster.

    `to` is a scheduler's address (`tcp://HOST:PORT`), a `distributed.Client` that stays yours, or None for a cluster of
    this machine's processes that ends with the sweep; `jobs` is how many processes that one has.
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
            # Processes that do not run the main script again, as those of LocalCluster would.
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
        """Threads of all workers, as the scheduler knows them now."""
        return sum(int(threads) for threads in self._client.nthreads().values())

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """See `Executor.submit`."""
        self._over = False
        if self.workers == 0:
            # They may be on their way.
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=_answer.LIMIT_S)
        if self.workers == 0:
            raise WorkersLost(f"the Dask scheduler at {self._address} has no worker: start one with `dask worker`")
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        # What all need is sent once to each worker: with a single one it would go when that one dies.
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
                    # With its worker went what all need, which the scheduler cannot make again.
                    shared = self._client.scatter(work.shared, broadcast=True, hash=False)
                    left.append((batch, tries))

    def _look(self) -> int:
        """How many workers there are. Raises when the scheduler is gone."""
        if self._client.status != "running":
            raise self._gone()
        try:
            return self.workers
        except OSError as why:
            raise self._gone() from why

    def _gone(self) -> ExecutorError:
        return WorkersLost(f"the Dask scheduler at {self._address} is gone, and the remaining runs have no workers")

    def _result(self, future: Any) -> Batch | None:
        """What a batch came to. A result that was lost with its worker is made again: Dask's business, and this waits.
        None of a batch that a scheduler which is there has forgotten.
        """
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
        """Takes back what workers have not made; a run that is under way ends on its own."""
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
