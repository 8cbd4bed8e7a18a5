"""What can go wrong between a sweep and what makes its runs.

Whatever is raised, records that came in are kept: in the cache, or in a folder that the message names.
"""

from pathlib import Path

from sidestep.errors import SidestepError

__all__ = ["ExecutorError", "MissingExtra", "NoAnswer", "OtherVersion", "Unwritable", "WorkersLost"]


class ExecutorError(SidestepError):
    """An executor could not make all runs of a sweep.

    `kept` is the folder where the records are that came in, once there is one: the same sweep with `cache=kept` goes on
    from there.
    """

    kept: Path | None = None


class MissingExtra(ExecutorError, ImportError):
    """An executor or a storage that is not installed. The message names the extra to install."""

    def __init__(self, what: str, extra: str, why: object) -> None:
        super().__init__(
            f"{what} is not installed ({why}): pip install './python[{extra}]' in Sidestep's sources",
        )
        self.extra = extra


class NoAnswer(ExecutorError, ConnectionError):
    """A scheduler that did not answer within ten seconds. `address` is where it was looked for."""

    def __init__(self, what: str, address: str, why: object) -> None:
        super().__init__(f"{what} at {address} does not answer: {why}")
        self.address = address


class OtherVersion(ExecutorError):
    """A worker has another version of Sidestep. It has computed nothing."""

    def __init__(self, expected: str, got: str, where: str) -> None:
        # All arguments go to the base: an exception is pickled with them.
        super().__init__(expected, got, where)
        self.expected, self.got, self.where = expected, got, where

    def __str__(self) -> str:
        """Says both versions and the worker."""
        return (
            f"the worker on {self.where} has another version of Sidestep: "
            f"expected {self.expected}, got {self.got}; install the same one on both sides"
        )


class WorkersLost(ExecutorError):
    """Workers or their scheduler died, and nobody is left who makes the rest."""


class Unwritable(ExecutorError, OSError):
    """The storage that records are kept in refuses writes. The message says which place and why."""
