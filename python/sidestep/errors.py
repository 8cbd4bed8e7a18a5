"""Errors, as exceptions.

Messages are those of the command: the problem, its place, the expected value, the value found, and the nearest valid
name. Attributes hold the same for programs.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Problem", "ResultError", "RunError", "ScenarioError", "SidestepError"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a scenario, or in a call.

    Parts without a value are None: not every message has a suggestion.
    """

    file: str
    """The file, the name of the scenario object, or the requested change (`--set key=value`); empty for a wrong call."""
    line: int | None
    """Line in the file, from 1; None without lines, as in a scenario object."""
    column: int | None
    """Column in characters, from 1."""
    message: str
    """Message: the problem, the expected value and the value found."""
    key: str | None = None
    """Dotted key, `switch.capacity`, the column of a table, or the argument of a call."""
    expected: str | None = None
    """Valid values."""
    got: str | None = None
    """Value found."""
    suggestion: str | None = None
    """Nearest valid value."""

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}:{self.column}: {self.message}"
        if not self.file:
            return self.message
        # Without a line the key gives the place; most messages begin with it.
        at = self.key if self.key and not self.file.startswith("--set ") else None
        if at and at not in self.message:
            return f"{self.file}: at {at}: {self.message}"
        return f"{self.file}: {self.message}"


class SidestepError(Exception):
    """Base class of all errors of Sidestep."""


class ScenarioError(SidestepError, ValueError):
    """Invalid scenario, or invalid call.

    `problems` lists all errors, in the order of the file; `file`, `line`, `column`, `key`, `expected`, `got` and
    `suggestion` are those of the first, as in `Problem`.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = tuple(problems)
        first = self.problems[0] if self.problems else Problem("", None, None, message)
        self.file, self.line, self.column = first.file, first.line, first.column
        self.key, self.expected, self.got, self.suggestion = first.key, first.expected, first.got, first.suggestion

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> ScenarioError:
        """Returns the exception for these problems: a line each."""
        return cls("\n".join(map(str, problems)), problems)

    @classmethod
    def of_call(
        cls,
        message: str,
        key: str,
        *,
        expected: object = None,
        got: object = None,
        suggestion: str | None = None,
    ) -> ScenarioError:
        """Returns the exception for a call with an invalid argument `key`."""
        needed, found = (None if part is None else str(part) for part in (expected, got))
        return cls(message, [Problem("", None, None, message, key, needed, found, suggestion)])

    @classmethod
    def none_of(cls, words: str, key: str, got: object, known: Iterable[object]) -> ScenarioError:
        """Returns the exception for an argument `key` that names none of the `known`; `words` say what is missing."""
        names = [str(one) for one in known]
        expected = f"one of {', '.join(names)}" if names else "none: there is nothing to choose from"
        near = difflib.get_close_matches(str(got), names, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        said = f"{words}; expected {expected}{hint}"
        return cls.of_call(said, key, expected=expected, got=got, suggestion=near[0] if near else None)

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[str, tuple[Problem, ...]]]:
        return type(self), (str(self), self.problems)


def check_jobs(jobs: int | None) -> None:
    """Refuses fewer than one run at a time; None leaves the number to the executor."""
    if jobs is not None and jobs < 1:
        raise ScenarioError.of_call(f"jobs: expected at least 1, got {jobs}", "jobs", expected="at least 1", got=jobs)


class RunError(SidestepError, RuntimeError):
    """The simulation failed."""


class ResultError(SidestepError):
    """A result directory cannot be written, or is none."""
