"""Sweep by an executor: takes known records, makes the others, and writes the directory from records."""

import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sidestep import _native
from sidestep.errors import ResultError, RunError, ScenarioError
from sidestep.executor_errors import ExecutorError, WorkersLost
from sidestep.executors._choose import choose
from sidestep.executors.protocol import Batch, Executor, Task, Work
from sidestep.progress import HowFar, Progress, Watcher
from sidestep.storage import Directory, Folder, Objects, Sharing, Unwritable, open_folder

Cache: TypeAlias = "str | os.PathLike[str] | Literal[True] | None"
"""Place of records between calls: a directory or URL; True for the command's (`results/.cache`); None for no cache."""

BATCH_S = 1.0
"""Target time of a batch of tiny runs, in seconds: the cost of sending one is small beside it."""

BATCH_MOST = 250
"""Most runs of a batch: so many records come back at once."""

PACKETS_S = 1e6
"""Packets that a core simulates in a second, with all their hops."""

A_RUN_S = 4e-4
"""Cost of the smallest run, in seconds."""

TELL_S = 0.2


class Partial(KeyboardInterrupt):
    """Ctrl-C. `partial` is the result directory of the received records, or None without any."""

    def __init__(self, partial: Path | None, text: str = "") -> None:
        super().__init__(f"interrupted; the finished runs are in {partial}" if partial else "interrupted")
        self.partial, self.text = partial, text


def run(
    text: str,
    name: str,
    sets: Sequence[str] = (),
    executor: Any = "local",
    out: str | os.PathLike[str] | None = None,
    cache: Cache = None,
    progress: Progress = None,
    *,
    quick: bool = False,
    folder: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
) -> Path:
    """Runs the experiment in `text`, called `name`, changed by `sets` (`key=value` each), and returns its result
    directory.

    `out` is that directory, which must not exist yet; `folder` is the folder of the files that the experiment names;
    `jobs` is the number of runs at a time for an executor of this machine. Errors: `ScenarioError` for an invalid call,
    `RunError` for a run that fails, `ResultError` for files that cannot be written, `ExecutorError` for the executor;
    `Partial` after Ctrl-C.
    """
    plan = _native.Plan.of_text(text, name, list(sets), quick, None if folder is None else Path(folder))
    return carry_out(plan, executor, out, cache, progress, jobs=jobs)[0]


def carry_out(
    plan: _native.Plan,
    executor: Any,
    out: str | os.PathLike[str] | None,
    cache: Cache,
    progress: Progress,
    *,
    jobs: int | None = None,
    force: bool = False,
) -> tuple[Path, str]:
    """Does the same with a plan: returns the result directory and its table as text. `force`: ignore the memory estimate."""
    if out is None:
        said = "out: expected a directory for the results, got none"
        raise ScenarioError.of_call(said, "out", expected="a directory for the results", got="none")
    plan.refuse(Path(out), force)
    chosen = choose(executor, jobs)
    try:
        with Watcher(progress) as watcher:
            return _Sweep(plan, chosen, Path(out), cache, watcher).run()
    finally:
        # An executor passed as an object belongs to the caller.
        if chosen is not executor:
            chosen.close()


class _Sweep:
    """State of one call."""

    def __init__(
        self,
        plan: _native.Plan,
        executor: Executor,
        out: Path,
        cache: Cache,
        watcher: Watcher,
    ) -> None:
        self.plan, self.executor, self.out, self.watcher = plan, executor, out, watcher
        self.began = time.monotonic()
        self.told_s = 0.0
        self.refused: str | None = None
        self.failed: str | None = None
        self.is_default = cache is True
        place = "results/.cache" if cache is True else cache
        self.cache: Folder | None = open_folder(place) if place else None
        self.folders: list[Directory] = []
        if isinstance(self.cache, Directory):
            self.folders.append(self.cache)
        self.spare: Directory | None = None
        self.hops = 0
        if self.cache is not None:
            self.cache.clean()
        self.tasks = [Task(*work) for work in plan.works()]
        self.runs = len(self.tasks)
        self.keys = [task.key for task in self.tasks]
        self.known = self._known(self.tasks)
        self.missing = [task for task in self.tasks if task.key not in self.known]
        self.done = len(self.known)
        self.at_a_time = 0

    def _known(self, tasks: Sequence[Task]) -> set[str]:
        """Returns the keys with a complete record. Records of an object store are fetched here."""
        if self.cache is None:
            return set()
        known: set[str] = set()
        for key in self.cache.there(task.key for task in tasks):
            record = self.cache.get(key)
            if record is None:
                continue
            known.add(key)
            if isinstance(self.cache, Objects):
                self._keep(key, record)
        return known

    def _keep(self, key: str, record: bytes) -> None:
        """Keeps a record in the place that it is collected from: in the cache, or beside it if the cache refuses."""
        if self.folders and self.spare is None:
            try:
                self.folders[0].put(key, record)
                return
            except Unwritable as why:
                self._refused(str(why))
        try:
            self._beside().put(key, record)
        except Unwritable as why:
            raise ResultError(f"cannot keep a record: {why}") from why

    def _beside(self) -> Directory:
        """Returns the folder for records of this call only."""
        if self.spare is None:
            self.spare = Directory(tempfile.mkdtemp(prefix="sidestep-records-"))
            self.folders.append(self.spare)
        return self.spare

    def _refused(self, why: str) -> None:
        if self.refused is None and self.cache is not None:
            self.refused = why
            warnings.warn(f"the cache keeps no further records: {why}; the sweep continues", stacklevel=2)

    def run(self) -> tuple[Path, str]:
        """Makes the missing runs, and collects."""
        try:
            self._tell(last=True)
            if self.missing:
                self._make()
            if self.failed is not None:
                raise RunError(self.failed)
            # With very many points the tasks are half of the memory of this process, and are no longer needed.
            self.tasks, self.missing = [], []
            path, text, is_partial = self._collect()
            if is_partial:
                raise ResultError(f"records of this sweep cannot be read any more: {path} is partial")
        except KeyboardInterrupt as stopped:
            self.executor.cancel()
            partial = self._collect()[:2] if self._came_in() else (None, "")
            self._clean()
            raise Partial(*partial) from stopped
        except BaseException as error:
            self.executor.cancel()
            self._say_kept(error)
            raise
        self._clean()
        return path, text

    def _came_in(self) -> bool:
        """Returns True if any record exists: a thread keeps its record before it reports."""
        return bool(self.done) or any(folder.there(self.keys) for folder in self.folders)

    def _make(self) -> None:
        self._make_missing()
        if self.failed is None and (gone := self._gone()):
            # Deleted records, or a file system that shows them later: they are made once more, and kept here.
            self._refused(f"{self.folders[0].place}: {len(gone)} kept records have disappeared")
            self._beside()
            self.missing = [task for task in self.tasks if task.key in gone]
            self.done = self.runs - len(gone)
            self._make_missing()

    def _gone(self) -> set[str]:
        """Returns the keys of received records that are in no folder now."""
        gone = set(self.keys)
        for folder in self.folders:
            gone -= folder.there(gone)
        return gone

    def _make_missing(self) -> None:
        with ExitStack() as held:
            sharing = self._sharing()
            held.callback(sharing.end)
            work = Work(self.plan.shared(), sharing.store)
            self.at_a_time = self.executor.workers
            for batch in self.executor.submit(work, batched(self.missing, self.at_a_time)):
                self._take(batch)
        left = self.runs - self.done
        if left and self.failed is None:
            raise WorkersLost(f"{self.executor.name} ended with {left} of {self.runs} runs missing")

    def _sharing(self) -> Sharing:
        """Returns the place where workers keep records. A requested cache that refuses writes is refused before any run."""
        if self.cache is None or self.refused is not None:
            return Sharing(self._beside(), claims=False)
        try:
            return Sharing(self.cache)
        except Unwritable as why:
            if not self.is_default:
                raise
            self._refused(str(why))
            return Sharing(self._beside(), claims=False)

    def _take(self, batch: Batch) -> None:
        if batch.refused is not None:
            self._refused(batch.refused)
        for made in batch.made:
            if made.error is not None and self.failed is None:
                # The other runs are still useful: a call without that point finds them.
                self.failed = made.error
            if made.record is None and not made.kept:
                continue
            if made.found:
                self.known.add(made.key)
            if made.record is not None:
                self._keep(made.key, made.record)
            self.done += 1
            self.hops += made.packet_hops
        self._tell()

    def _collect(self) -> tuple[Path, str, bool]:
        path, is_partial, text = self.plan.collect(
            self.out,
            [folder.path for folder in self.folders],
            known=self.known,
            cache=self.cache.place if self.cache is not None else None,
            refused_by_cache=self.refused,
            took_s=time.monotonic() - self.began,
            jobs=self.at_a_time,
            executor=self.executor.name,
        )
        return path, text, is_partial

    def _clean(self) -> None:
        """Removes records that were kept for the result only."""
        if self.spare is not None:
            shutil.rmtree(self.spare.path, ignore_errors=True)

    def _say_kept(self, error: BaseException) -> None:
        """Names the folders of the received records."""
        # Workers keep records too, and may not have reported their last ones.
        holding = {folder.path: len(folder.there(self.keys)) for folder in self.folders}
        there = [path for path, many in holding.items() if many]
        if not there:
            self._clean()
            return
        if isinstance(error, ExecutorError):
            error.kept = max(there, key=lambda path: holding[path])
        places = " and ".join(str(path) for path in there)
        many = f"{sum(holding.values())} of {self.runs} runs"
        error.add_note(f"{many} are kept in {places}: run the same sweep with that cache to continue")

    def _tell(self, *, last: bool = False) -> None:
        elapsed = time.monotonic() - self.began
        whole = self.done == self.runs
        if self.watcher.tell is None or not (last or whole or elapsed - self.told_s >= TELL_S):
            return
        self.told_s = elapsed
        share = self.done / max(self.runs, 1)
        made = self.done - len(self.known)
        left = elapsed * (self.runs - self.done) / made if made and elapsed > 2 else None
        words = f"{self.done}/{self.runs} runs, {share:.0%}, by {self.executor.name}"
        if left is not None and not whole:
            words += f", about {left:.0f} s left"
        self.watcher.tell(
            HowFar(
                finished=self.done,
                runs=self.runs,
                share=share,
                packet_hops=self.hops,
                elapsed_s=elapsed,
                left_s=left,
                line=words,
            )
        )


def batched(tasks: Sequence[Task], workers: int) -> list[list[Task]]:
    """Returns the tasks in order, in batches: large enough to send cheaply, small enough that no worker waits for the last."""
    seconds = [A_RUN_S + task.cost / PACKETS_S for task in tasks]
    # At least eight for each worker, so that workers that finish early have work.
    limit = min(BATCH_S, sum(seconds) / (8 * max(workers, 1)))
    batches: list[list[Task]] = []
    full = 0.0
    for task, cost in zip(tasks, seconds, strict=True):
        if not batches or full + cost > limit or len(batches[-1]) >= BATCH_MOST:
            batches.append([])
            full = 0.0
        batches[-1].append(task)
        full += cost
    return batches
