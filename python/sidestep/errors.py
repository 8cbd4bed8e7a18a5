"""What can go wrong, as exceptions.

The words are those of the command: what, where, expected, got, and what is near. Programs read the same in attributes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Problem", "ResultError", "RunError", "ScenarioError", "SidestepError"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a scenario, or with a call.

    Parts that a message does not have are None: not every refusal has something to suggest.
    """

    file: str
    """The file, the name of the scenario object, or the change that was asked for (`--set key=value`); empty where a call
    is wrong."""
    line: int | None
    """Line in the file, from 1; None where nobody wrote lines, as in a scenario object."""
    column: int | None
    """Column in characters, from 1."""
    message: str
    """What is wrong, what was expected and what stood there."""
    key: str | None = None
    """The dotted key that it is about, `switch.capacity`, the column of a table, or the argument of a call."""
    expected: str | None = None
    """What may stand there."""
    got: str | None = None
    """What does."""
    suggestion: str | None = None
    """The nearest of what may."""

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}:{self.column}: {self.message}"
        if not self.file:
            return self.message
        # Without a line, the key says where; most messages begin with it.
        at = self.key if self.key and not self.file.startswith("--set ") else None
        if at and at not in self.message:
            return f"{self.file}: at {at}: {self.message}"
        return f"{self.file}: {self.message}"


class SidestepError(Exception):
    """Anything that Sidestep refuses or cannot do."""


class ScenarioError(SidestepError, ValueError):
    """A scenario, or a call, says what cannot be.

    Its `problems` are all that is wrong, in the order of the file; `file`, `line`, `column`, `key`, `expected`, `got` and
    `suggestion` are those of the first, as `Problem` has them.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = tuple(problems)
        first = self.problems[0] if self.problems else Problem("", None, None, message)
        self.file, self.line, self.column = first.file, first.line, first.column
        self.key, self.expected, self.got, self.suggestion = first.key, first.expected, first.got, first.suggestion

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> ScenarioError:
        """The exception for these problems: a line each."""
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
        """The exception for a call whose argument `key` cannot be."""
        needed, found = (None if part is None else str(part) for part in (expected, got))
        return cls(message, [Problem("", None, None, message, key, needed, found, suggestion)])

    @classmethod
    def none_of(cls, words: str, key: str, got: object, known: Iterable[object]) -> ScenarioError:
        """The exception for an argument `key` that names none of the `known`; `words` say what is not there."""
        names = [str(one) for one in known]
        expected = f"one of {', '.join(names)}" if names else "none: there is nothing to choose from"
        near = difflib.get_close_matches(str(got), names, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        said = f"{words}; expected {expected}{hint}"
        return cls.of_call(said, key, expected=expected, got=got, suggestion=near[0] if near else None)

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[str, tuple[Problem, ...]]]:
        return type(self), (str(self), self.problems)


def check_jobs(jobs: int | None) -> None:
    """Refuses fewer than one run at a time; None leaves it to who makes them."""
    if jobs is not None and jobs < 1:
        raise ScenarioError.of_call(f"jobs: expected at least 1, got {jobs}", "jobs", expected="at least 1", got=jobs)


class RunError(SidestepError, RuntimeError):
    """The simulation itself failed."""


class ResultError(SidestepError):
    """A result directory cannot be written, or is none."""
