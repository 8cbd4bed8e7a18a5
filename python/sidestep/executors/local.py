"""Threads or processes of this machine.

Threads are the default: a run releases the GIL, so that each thread uses a core. Processes are for machines that may
kill some: a killed process loses its batch only, which is made again.
"""

import os
import queue
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from sidestep import _native
from sidestep.errors import ScenarioError, check_jobs
from sidestep.executor_errors import WorkersLost
from sidestep.executors import work as worker
from sidestep.executors._spawn import Spawn
from sidestep.executors.protocol import Batch, Task, Work, as_batch

DEATHS = 3
"""Deaths of processes after which a batch is given up."""


def of_words(words: str, jobs: int | None) -> "Local":
    """Makes an executor from the text behind `local:`."""
    if words not in ("", "threads", "processes"):
        said = f"executor: local: expected local or local:processes, got {words!r}"
        raise ScenarioError.of_call(said, "executor", expected="local or local:processes", got=words)
    return Local(jobs, processes=words == "processes")


class Local:
    """Threads of this process, or processes of this machine.

    `jobs` is the number at a time; default: one per core.
    """

    def __init__(self, jobs: int | None = None, *, processes: bool = False) -> None:
        self.name = "local:processes" if processes else "local"
        check_jobs(jobs)
        self._jobs = jobs or len(os.sched_getaffinity(0))
        self._processes = processes
        self._stop = _native.Stop()
        self._over = threading.Event()

    @property
    def workers(self) -> int:
        """Batches at a time."""
        return self._jobs

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """See `Executor.submit`."""
        self._stop, self._over = _native.Stop(), threading.Event()
        return self._by_processes(work, batches) if self._processes else self._by_threads(work, batches)

    def _by_threads(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        # Daemon threads, and not a pool: a second Ctrl-C must not wait for a run.
        done: queue.SimpleQueue[Batch | BaseException] = queue.SimpleQueue()
        left = iter(batches)
        lock = threading.Lock()
        stop, over = self._stop, self._over

        def run() -> None:
            while not over.is_set():
                with lock:
                    batch = next(left, None)
                if batch is None:
                    return
                try:
                    done.put(as_batch(worker.make(work.shared, batch, work.store, stop)))
                except BaseException as error:
                    done.put(error)
                    return

        for _ in range(min(self._jobs, len(batches))):
            threading.Thread(target=run, daemon=True).start()
        for _ in batches:
            one = done.get()
            if isinstance(one, BaseException):
                self.cancel()
                raise one
            yield one

    def _by_processes(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        waiting = [(batch, 0) for batch in reversed(batches)]
        while waiting and not self._over.is_set():
            running: dict[Future[Batch], tuple[Sequence[Task], int]] = {}
            # A forked process would inherit the locks of this one's threads, without the threads.
            with ProcessPoolExecutor(self._jobs, mp_context=Spawn()) as pool:
                try:
                    yield from self._pool(pool, work, waiting, running)
                except BaseException:
                    # The pool waits for its processes, whose runs may take hours.
                    for process in list((pool._processes or {}).values()):
                        process.terminate()
                    raise
                finally:
                    pool.shutdown(wait=False, cancel_futures=True)

    def _pool(
        self,
        pool: ProcessPoolExecutor,
        work: Work,
        waiting: list[tuple[Sequence[Task], int]],
        running: dict[Future[Batch], tuple[Sequence[Task], int]],
    ) -> Iterator[Batch]:
        """Yields results until all batches are done, or one of the processes dies and the pool with it."""
        while waiting or running:
            # Submits no more than are running: a broken pool reports all submitted batches as possibly done.
            while waiting and len(running) < self._jobs:
                batch, deaths = waiting.pop()
                try:
                    running[pool.submit(work, batch)] = batch, deaths
                except BrokenProcessPool:
                    waiting.append((batch, deaths))
                    break
            broken = not running
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                batch, deaths = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    broken = True
                    if deaths + 1 >= DEATHS:
                        first = batch[0]
                        raise WorkersLost(
                            f"{deaths + 1} processes died with one batch of {len(batch)} runs, whose first is point "
                            f"{first.point}, scheme {first.scheme}, seed {first.seed}"
                        ) from None
                    waiting.append((batch, deaths + 1))
            if broken:
                waiting.extend((batch, deaths + 1) for batch, deaths in running.values())
                return

    def cancel(self) -> None:
        """Stops the runs of threads."""
        self._over.set()
        self._stop.set()

    def close(self) -> None:
        """Does nothing: no resource is held."""
        self.cancel()
