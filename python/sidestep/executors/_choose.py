"""From what a user wrote to an executor."""

from importlib import import_module
from typing import Any

from sidestep.errors import ScenarioError
from sidestep.executors._registry import FORMS, KINDS, Kind, kind_of
from sidestep.executors.protocol import Executor


def choose(what: Any, jobs: int | None = None) -> Executor:
    """The executor that `what` names, or is; `jobs` is how many runs at a time where it is this machine's.

    Errors: `ScenarioError` for a name that is none; `MissingExtra`; `NoAnswer` within ten seconds.
    """
    if jobs is not None and jobs < 1:
        raise ScenarioError(f"jobs: expected at least 1, got {jobs}")
    if isinstance(what, str):
        name, _, rest = what.partition(":")
        if (kind := kind_of(name)) is not None:
            return _make(kind, rest, jobs)
        raise ScenarioError(f"executor: expected one of {', '.join(FORMS)}, got {what!r}")
    if isinstance(what, Executor):
        return what
    package = type(what).__module__.partition(".")[0]
    for kind in KINDS:
        if kind.objects and kind.needs == package:
            return _make(kind, what, jobs)
    raise ScenarioError(f"executor: expected one of {', '.join(FORMS)}, or an object as in Executor, got {what!r}")


def _make(kind: Kind, of: Any, jobs: int | None) -> Executor:
    made: Executor = import_module(f"sidestep.executors.{kind.module}").of_words(of, jobs)
    return made
