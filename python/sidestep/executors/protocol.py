"""Protocol of an executor: an object that makes batches of runs, in any order, anywhere.

An executor does not know scenarios. It receives a `Work`, calls it with each batch of tasks on any free worker, and
yields the result of each call. A minimal one, in this process:

    class Here:
        name = "here"
        workers = 1

        def submit(self, work, batches):
            for batch in batches:
                yield work(batch)

        def cancel(self):
            pass

        def close(self):
            pass

    ss.sweep(scenario, executor=Here())
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from sidestep.executors import work as worker
from sidestep.storage import Store


class Task(NamedTuple):
    """One run to make. Plain values, because tasks are sent to workers."""

    key: str
    """Name of the record: 64 hexadecimal digits."""
    point: int
    """Number of the point, from 0."""
    scheme: int
    """Number of the scheme, from 0."""
    seed: int
    """Seed of the run."""
    cost: float
    """Estimate of the packets sent."""


class Made(NamedTuple):
    """Outcome of a task."""

    key: str
    """Name of the record."""
    record: bytes | None
    """The record as a cache keeps it; None when the run was stopped or failed, or when it is `kept`."""
    found: bool
    """True if another sweep had made it."""
    error: str | None
    """Reason why the run failed."""
    kept: bool = False
    """True if the record is already in the place that the caller collects from, and need not be sent."""
    packet_hops: int = 0
    """Packet-hops of the run; 0 for a found record."""


class Batch(NamedTuple):
    """Result of one call of a `Work`."""

    made: tuple[Made, ...]
    """One per task, in their order."""
    refused: str | None
    """Reason why the shared storage could not be written, if it could not."""


@dataclass(frozen=True)
class Work:
    """Data that every worker needs, whatever its tasks."""

    shared: bytes
    """Experiment as sent to workers: its text, the files it names, the code of the caller."""
    store: Store | None
    """Storage that workers write to; None for no storage."""

    def __call__(self, tasks: Sequence[Task]) -> Batch:
        """Makes the runs of `tasks`. Raises `OtherVersion` before any run when this is not the caller's code."""
        return as_batch(worker.make(self.shared, tasks, self.store))


def as_batch(made: worker.Plain) -> Batch:
    """Returns the result of `work.make` with names."""
    results, refused = made
    return Batch(tuple(Made(*one) for one in results), refused)


@runtime_checkable
class Executor(Protocol):
    """Maker of batches of runs."""

    name: str
    """Name in the manifest."""

    @property
    def workers(self) -> int:
        """Batches at a time, as far as known now; 0 if unknown."""

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """Calls `work` with each batch on some worker, and yields each result when it arrives.

        The batch of a dead worker is made again by another. Errors: `OtherVersion`, `WorkersLost`, `NoAnswer`.
        """

    def cancel(self) -> None:
        """Cancels outstanding batches. Called once, after which `submit` yields nothing more."""

    def close(self) -> None:
        """Releases resources; a cluster that the executor started ends."""
