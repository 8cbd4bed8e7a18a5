"""Choice of an executor from the user's argument."""

import difflib
from importlib import import_module
from typing import Any

from sidestep.errors import ScenarioError, check_jobs
from sidestep.executors._registry import FORMS, KINDS, Kind, kind_of
from sidestep.executors.protocol import Executor


def choose(what: Any, jobs: int | None = None) -> Executor:
    """Returns the executor that `what` names, or is; `jobs` is the number of runs at a time on this machine.

    Errors: `ScenarioError` for an unknown name; `MissingExtra`; `NoAnswer` within ten seconds.
    """
    check_jobs(jobs)
    if isinstance(what, str):
        name, _, rest = what.partition(":")
        if (kind := kind_of(name)) is not None:
            return _make(kind, rest, jobs)
        raise _refused(what, f"one of {', '.join(FORMS)}", difflib.get_close_matches(name, [kind.name for kind in KINDS], 1))
    if isinstance(what, Executor):
        return what
    package = type(what).__module__.partition(".")[0]
    for kind in KINDS:
        if kind.objects and kind.needs == package:
            return _make(kind, what, jobs)
    raise _refused(what, f"one of {', '.join(FORMS)}, or an object as in Executor", [])


def _refused(what: Any, expected: str, near: list[str]) -> ScenarioError:
    hint = f"; did you mean {near[0]!r}?" if near else ""
    said = f"executor: expected {expected}, got {what!r}{hint}"
    return ScenarioError.of_call(said, "executor", expected=expected, got=what, suggestion=near[0] if near else None)


def _make(kind: Kind, of: Any, jobs: int | None) -> Executor:
    made: Executor = import_module(f"sidestep.executors.{kind.module}").of_words(of, jobs)
    return made
