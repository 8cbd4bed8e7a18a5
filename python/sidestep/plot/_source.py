"""Input of a plot: a result, several, or the points of a sweep, as one list of cases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sidestep._native import Table
from sidestep.errors import ScenarioError
from sidestep.plot._metric import Summary


class Source(Protocol):
    """Interface of a `Result` or a `SweepResult` that plots use."""

    @property
    def path(self) -> Path:
        """Result directory."""
        ...

    @property
    def summary(self) -> dict[str, Any]:
        """Contents of summary.json."""
        ...

    def table(self, name: str) -> Table:
        """Returns the table of that name."""
        ...


NO_FLOWS = "a sweep keeps no flows: run the point that you want to see alone"
"""Reason for which a plot of flows is refused."""

_SHORT = 24
"""Longest title that fits into a legend."""

Sources = Source | Sequence[Source] | Mapping[str, Source]
"""A result, several (named by their titles if these are short), or several with names of your choice."""


@dataclass(frozen=True)
class Case:
    """Summary of one run, or of one point of a sweep."""

    label: str
    """Name, if there are several; empty otherwise."""
    at: Mapping[str, str]
    """Values of a sweep's axes here; empty for a run."""
    source: Source
    schemes: Mapping[str, Summary]
    swept: bool

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of a table that belong here and whose seeds the summary counts: `scheme`, `seed`, then `columns`."""
        names = ["scheme", "seed", *columns]
        read = self.source.table(table).to_dict([*names, *self.at])
        here = tuple(self.at.values())
        counted = {scheme: set(of["seeds"]) for scheme, of in self.schemes.items()}
        n = len(names)
        for row in zip(*(read[name] for name in [*names, *self.at]), strict=True):
            if row[n:] == here and row[1] in counted.get(row[0], ()):
                yield row[:n]


def cases(of: Sources, at: Mapping[str, Any] | None = None, schemes: Sequence[str] | None = None) -> list[Case]:
    """Returns a case for each run, and for each point of a sweep whose axes have the values `at`.

    Raises ScenarioError for an axis, a value or a scheme that does not exist.
    """
    several: list[tuple[str, Source]]
    if isinstance(of, Mapping):
        several = [(str(name), source) for name, source in of.items()]
    elif isinstance(of, Sequence):
        several = list(zip(_names(of), of, strict=True))
    else:
        several = [("", of)]
    if not several:
        raise ScenarioError.of_call("nothing to draw: expected at least one result", "results", expected="at least one result")
    label = len(several) > 1
    found = [case for name, source in several for case in _cases(name if label else "", source, at or {})]
    if schemes is None:
        return found
    known = list(dict.fromkeys(scheme for case in found for scheme in case.schemes))
    for scheme in schemes:
        if scheme not in known:
            raise ScenarioError.none_of(f"no scheme {scheme!r} in the result", "schemes", scheme, known)
    return [Case(c.label, c.at, c.source, {s: c.schemes[s] for s in schemes if s in c.schemes}, c.swept) for c in found]


def _names(of: Sequence[Source]) -> list[str]:
    """Returns short names: titles, or numbers if these are long or equal."""
    titles = [str(source.summary.get("title") or source.path.name) for source in of]
    if len(set(titles)) == len(titles) and max(map(len, titles), default=0) <= _SHORT:
        return titles
    return [f"result {i + 1}" for i in range(len(titles))]


def _cases(name: str, source: Source, at: Mapping[str, Any]) -> Iterator[Case]:
    summary = source.summary
    if "points" not in summary:
        if at:
            words = f"at: {source.path} is a run, which has no axes; only a sweep's result has points"
            raise ScenarioError.of_call(words, "at", expected="None", got=dict(at))
        yield Case(name, {}, source, summary["schemes"], swept=False)
        return
    axes = {axis["name"]: [str(value) for value in axis["values"]] for axis in summary["axes"]}
    for axis, value in at.items():
        if axis not in axes:
            raise ScenarioError.none_of(f"at: no axis {axis!r}", "at", axis, axes)
        if str(value) not in axes[axis]:
            raise ScenarioError.none_of(f"at: axis {axis!r} has no value {value!r}", "at", value, axes[axis])
    open_axes = [axis for axis, values in axes.items() if len(values) > 1 and axis not in at]
    for point in summary["points"]:
        here = {axis: str(value) for axis, value in point["at"].items()}
        if all(here.get(axis) == str(value) for axis, value in at.items()):
            label = ", ".join(here[axis] for axis in open_axes)
            yield Case(" ".join(filter(None, [name, label])), here, source, point["schemes"], swept=True)
