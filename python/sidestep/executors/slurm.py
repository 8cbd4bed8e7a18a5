"""Slurm, by submitit: a job array whose tasks make a batch each.

The folder of the jobs, the cache and the Python of this process must be on a file system that the nodes share, as is
usual there. A job lost with its node is requeued by Slurm, or else by this executor. A missing `sbatch`, and a
controller that does not answer within ten seconds, are refused.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sidestep.errors import ScenarioError
from sidestep.executor_errors import ExecutorError, NoAnswer, WorkersLost
from sidestep.executors import _answer
from sidestep.executors import work as worker
from sidestep.executors._registry import package_of
from sidestep.executors.protocol import Batch, Task, Work, as_batch

LOOK_S = 1.0
"""Interval between looks at the jobs, in seconds."""

QUEUE_S = 5.0
"""Interval between queries of Slurm's queue, in seconds. A job that is missing twice and left no result is lost."""

MOST_JOBS = 500
"""Tasks of one array: Slurm's own limit (MaxArraySize) is 1,001 unless a site changes it."""

DEATHS = 2
"""Times that a lost job is sent again."""


AWAY_S = 300.0
"""Time that the controller may be away, in seconds: a restarted one goes on with its jobs."""

NUMBERS = ("timeout_min", "mem_gb", "cpus_per_task", "jobs", "nodes", "slurm_array_parallelism", "slurm_time")
"""Options that are numbers; all others are text, even a partition called 123."""
PROGRAMS = ("sbatch", "srun", "scontrol")
"""Programs of Slurm that are run; submitit looks for `srun` before it looks at any option."""


def of_words(words: str, _jobs: int | None) -> "Slurm":
    """Makes an executor from `partition=short,timeout_min=30` behind `slurm:`. Errors: `ScenarioError`."""
    options: dict[str, Any] = {}
    for word in filter(None, words.split(",")):
        key, sign, value = word.partition("=")
        if not sign:
            raise _refused("OPTION=VALUE", repr(word), word)
        options[key] = _number(value) if key in NUMBERS else value
    return Slurm(**options)


class Slurm:
    """Jobs of a Slurm cluster.

    `folder` holds the input and output of jobs, on a file system that nodes share; `jobs` is the most that run at a
    time; other options are submitit's: `partition="short"`, `timeout_min=60`, `mem_gb=2`, `slurm_account="mine"`.
    """

    name = "slurm"

    def __init__(self, folder: str | Path = "results/.slurm", jobs: int = 256, **options: Any) -> None:
        submitit = package_of("slurm")
        for program in PROGRAMS:
            if shutil.which(program) is None:
                raise NoAnswer("Slurm", "this machine", f"{program} is not installed here: run this on a login node")
        self._ping()
        self._executor = submitit.AutoExecutor(folder=str(folder), cluster="slurm")
        settings: dict[str, Any] = {"timeout_min": 60, "cpus_per_task": 1, "slurm_array_parallelism": jobs, "name": "sidestep"}
        renamed = {"partition": "slurm_partition", "account": "slurm_account", "qos": "slurm_qos"}
        settings |= {renamed.get(key, key): value for key, value in options.items()}
        try:
            self._executor.update_parameters(**settings)
        except (AssertionError, NameError, TypeError, ValueError) as why:
            said = ", ".join(f"{key}={value}" for key, value in options.items())
            raise _refused("options of submitit", f"{said}: {why}", said) from why
        self._failed = (submitit.core.utils.UncompletedJobError,)
        self._raised = submitit.core.utils.FailedJobError
        self._jobs: list[tuple[Any, Sequence[Task], int]] = []
        self._most = jobs
        self._asked_s = 0.0
        self._answered_s = time.monotonic()
        self._gone: set[str] = set()
        self._over = False

    @property
    def workers(self) -> int:
        """Jobs at a time: at most `jobs`, and at most the capacity of all nodes."""
        command = ["sinfo", "--noheader", "--format=%C"]
        try:
            asked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_answer.LIMIT_S)
        except (OSError, subprocess.TimeoutExpired) as why:
            raise NoAnswer("Slurm's controller", "slurm.conf", why) from why
        # Allocated/idle/other/total, a line a partition.
        totals = [line.rsplit("/", 1)[-1].strip() for line in asked.stdout.splitlines()]
        cores = sum(int(total) for total in totals if total.isdigit())
        return min(self._most, cores)

    def _ping(self) -> None:
        try:
            asked = subprocess.run(["scontrol", "ping"], capture_output=True, text=True, check=False, timeout=_answer.LIMIT_S)
        except subprocess.TimeoutExpired as why:
            raise NoAnswer("Slurm's controller", "slurm.conf", "scontrol ping did not come back") from why
        said = (asked.stdout + asked.stderr).strip()
        if " is UP" not in said:
            raise NoAnswer("Slurm's controller", said.partition(" at ")[2].partition(" ")[0] or "slurm.conf", said)

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """See `Executor.submit`."""
        self._over = False
        self._answered_s = time.monotonic()
        left = [(batch, 0) for batch in reversed(batches)]
        while (left or self._jobs) and not self._over:
            free = MOST_JOBS - len(self._jobs)
            if left and free >= min(len(left), MOST_JOBS // 2):
                self._send(work, [left.pop() for _ in range(min(free, len(left)))])
            lost = self._lost()
            ended = [entry for entry in self._jobs if entry[0].job_id in lost or self._is_done(entry[0])]
            if not ended:
                time.sleep(LOOK_S)
            for entry in ended:
                self._jobs.remove(entry)
                job, batch, deaths = entry
                try:
                    if not self._is_done(job):
                        raise self._failed[0](f"{job.job_id} left the queue without a result")
                    result = job.result()
                except self._raised as why:
                    raise self._of_job(job, why) from None
                except self._failed as why:
                    if deaths + 1 > DEATHS:
                        raise WorkersLost(f"Slurm's job {job.job_id} was lost {deaths + 1} times: {why}") from why
                    left.append((batch, deaths + 1))
                    continue
                yield as_batch(result)

    def _is_done(self, job: Any) -> bool:
        """Returns True if the result exists. Does not use Slurm's accounting, which many sites do not have."""
        return bool(job.paths.result_pickle.exists())

    def _lost(self) -> set[str]:
        """Returns the jobs that two looks did not find in the queue, and that left no result."""
        if time.monotonic() - self._asked_s < QUEUE_S:
            return set()
        self._asked_s = time.monotonic()
        command = ["squeue", "--noheader", "--array", "--me", "--format=%i"]
        try:
            asked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_answer.LIMIT_S)
        except (OSError, subprocess.SubprocessError) as why:
            # The controller is away, for a moment or for good.
            away_s = time.monotonic() - self._answered_s
            if away_s < AWAY_S:
                return set()
            said = str(getattr(why, "stderr", None) or why).strip().splitlines()[-1]
            raise WorkersLost(f"Slurm's controller has not answered for {away_s:.0f} s: {said}") from why
        self._answered_s = time.monotonic()
        there = set(asked.stdout.split())
        gone = {str(job.job_id) for job, _, _ in self._jobs} - there
        before, self._gone = self._gone, gone
        return before & gone

    def _send(self, work: Work, batches: Sequence[tuple[Sequence[Task], int]]) -> None:
        plain = [[tuple(task) for task in batch] for batch, _ in batches]
        try:
            with self._executor.batch():
                jobs = [self._executor.submit(worker.make, work.shared, tasks, work.store) for tasks in plain]
        except Exception as why:
            raise WorkersLost(f"Slurm refused the jobs: {why}") from why
        self._jobs.extend((job, batch, deaths) for job, (batch, deaths) in zip(jobs, batches, strict=True))

    def _of_job(self, job: Any, why: Exception) -> ExecutorError:
        """Returns the exception of the job: submitit passes on only its text."""
        words = str(why)
        own = next((line for line in reversed(words.splitlines()) if "another version of Sidestep" in line), None)
        return ExecutorError(f"Slurm's job {job.job_id}: {own or words}")

    def cancel(self) -> None:
        """Cancels the jobs."""
        self._over = True
        jobs, self._jobs = self._jobs, []
        # All at once: with an absent controller each call would wait.
        ids = sorted({str(job.job_id) for job, _, _ in jobs if not self._is_done(job)})
        if ids:
            with suppress(OSError, subprocess.SubprocessError):
                subprocess.run(["scancel", *ids], capture_output=True, check=False, timeout=_answer.LIMIT_S)

    def close(self) -> None:
        """Cancels the remaining jobs."""
        self.cancel()


def _number(text: str) -> int | float:
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError as why:
        raise _refused("a number", repr(text), text) from why


def _refused(expected: str, words: str, got: str) -> ScenarioError:
    """Returns the error for an option; `words` is the text found, as the message shows it."""
    return ScenarioError.of_call(f"executor: slurm: expected {expected}, got {words}", "executor", expected=expected, got=got)
