"""Errors between a sweep and its executor.

In every case received records are kept: in the cache, or in a folder that the message names.
"""

from pathlib import Path

from sidestep.errors import SidestepError

__all__ = ["ExecutorError", "MissingExtra", "NoAnswer", "OtherVersion", "Unwritable", "WorkersLost"]


class ExecutorError(SidestepError):
    """An executor could not make all runs of a sweep.

    `kept` is the folder of the received records, once there is one: the same sweep with `cache=kept` goes on from
    there.
    """

    kept: Path | None = None


class MissingExtra(ExecutorError, ImportError):
    """An executor or a storage is not installed. The message names the extra to install."""

    def __init__(self, what: str, extra: str, why: object) -> None:
        super().__init__(
            f"{what} is not installed ({why}): pip install './python[{extra}]' in Sidestep's sources",
        )
        self.extra = extra


class NoAnswer(ExecutorError, ConnectionError):
    """A scheduler did not answer within ten seconds. `address` is where it was expected."""

    def __init__(self, what: str, address: str, why: object) -> None:
        super().__init__(f"{what} at {address} does not answer: {why}")
        self.address = address


class OtherVersion(ExecutorError):
    """A worker has another version of Sidestep, and has computed nothing."""

    def __init__(self, expected: str, got: str, where: str) -> None:
        # All arguments go to the base: an exception is pickled with them.
        super().__init__(expected, got, where)
        self.expected, self.got, self.where = expected, got, where

    def __str__(self) -> str:
        """Names both versions and the worker."""
        return (
            f"the worker on {self.where} has another version of Sidestep: "
            f"expected {self.expected}, got {self.got}; install the same one on both sides"
        )


class WorkersLost(ExecutorError):
    """Workers or their scheduler died, and no worker is left for the remaining runs."""


class Unwritable(ExecutorError, OSError):
    """The storage of the records refuses writes. The message gives the place and the reason."""
