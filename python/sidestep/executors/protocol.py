"""What an executor is: whatever makes batches of runs, in any order, somewhere.

An executor knows nothing of scenarios. It gets a `Work`, which is called with a batch of tasks wherever there is room, and
hands back what each call returned. A minimal one, in this process:

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
    """One run to make. Plain values: tasks travel."""

    key: str
    """Its record's name: 64 hexadecimal digits."""
    point: int
    """Number of its point, from 0."""
    scheme: int
    """Number of its scheme, from 0."""
    seed: int
    """Its seed."""
    cost: float
    """About how many packets it sends."""


class Made(NamedTuple):
    """What became of a task."""

    key: str
    """Its record's name."""
    record: bytes | None
    """The record as a cache keeps it; None when the run was stopped or failed, or when it is `kept`."""
    found: bool
    """Another sweep had made it."""
    error: str | None
    """Why the run failed."""
    kept: bool = False
    """The record is where whoever asked collects it from, and need not travel."""
    packet_hops: int = 0
    """What the run came to; 0 of one that was found."""


class Batch(NamedTuple):
    """What one call of a `Work` returned."""

    made: tuple[Made, ...]
    """One per task, in their order."""
    refused: str | None
    """Why the storage that workers share could not be written, if it could not."""


@dataclass(frozen=True)
class Work:
    """What every worker needs, whichever tasks it gets."""

    shared: bytes
    """The experiment as it travels: its text, the files it names, the code that asks."""
    store: Store | None
    """Where workers keep records themselves; None for nowhere."""

    def __call__(self, tasks: Sequence[Task]) -> Batch:
        """Makes the runs of `tasks`. Raises `OtherVersion` before any when this is not the code that asked."""
        return as_batch(worker.make(self.shared, tasks, self.store))


def as_batch(made: worker.Plain) -> Batch:
    """What `work.make` returned, with names."""
    results, refused = made
    return Batch(tuple(Made(*one) for one in results), refused)


@runtime_checkable
class Executor(Protocol):
    """Makes batches of runs."""

    name: str
    """What the manifest says made them."""

    @property
    def workers(self) -> int:
        """Batches at a time, as far as is known now; 0 when it is not."""

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """Calls `work` with each batch, somewhere, and yields what it returned, as it comes in.

        A worker that dies has its batch made again by another. Errors: `OtherVersion`, `WorkersLost`, `NoAnswer`.
        """

    def cancel(self) -> None:
        """Takes back what has not come in. Called once, after which `submit` yields nothing more."""

    def close(self) -> None:
        """Lets go of what it holds; a cluster that it started ends."""
