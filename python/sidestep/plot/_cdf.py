"""Plot of distributions of completion times and slowdowns."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Series, Width, few
from sidestep.plot._source import Case, Sources, cases
from sidestep.plot._stats import steps, thinned

Of = Literal["fct", "qct", "group", "slowdown"]

_WORDS = {
    "fct": ("flow completion time (ms)", "flows"),
    "qct": ("query completion time (ms)", "queries"),
    "group": ("group completion time (ms)", "groups"),
    "slowdown": ("slowdown (FCT over that of an idle network)", "flows"),
}
_CORNERS = 1500
"""Most corners of a curve: more make a larger file and the same picture."""


def cdf(
    results: Sources,
    of: Of = "fct",
    *,
    classes: Sequence[str] | None = None,
    schemes: Sequence[str] | None = None,
    at: Mapping[str, Any] | None = None,
    width: Width = "column",
) -> Data:
    """Draws the distribution of completion times on a logarithmic axis: a panel a class, a curve a scheme.

    `results`: a Result, several (a list, or a dict with names of your choice), or a SweepResult, whose points `at`
    selects: `at={"switch.capacity": "100 pkt"}`. `of`: "fct" of flows, "qct" of queries and "group" of groups in ms,
    "slowdown" without a unit. All seeds are joined. Unfinished values rank last: the curve then ends below 1.

    Raises ScenarioError if nothing of that kind was measured, and for a class, scheme or point that does not exist.
    Source: docs/reference/metrics.md; the numbers are those of summary.json.
    """
    if of not in _WORDS:
        kinds = f"one of {', '.join(_WORDS)}"
        raise ScenarioError.of_call(f"of: expected {kinds}, got {of!r}", "of", expected=kinds, got=of)
    found: list[Series] = []
    for case in cases(results, at, schemes):
        found += _curves(case, of)
    known = list(dict.fromkeys(s.panel for s in found))
    for name in classes or ():
        if name not in known:
            raise ScenarioError.none_of(f"no class {name!r} has {_WORDS[of][1]}", "classes", name, known)
    series = [s for s in found if classes is None or s.panel in classes]
    words, what = _WORDS[of]
    if not series:
        said = f"no {what} in the result: nothing of {of!r} to draw"
        raise ScenarioError.of_call(said, "of", expected=what, got="none")
    few(series)
    return Data("steps", words, f"share of {what}", series, log_x=True, of=what, top=1.0, width=width)


def _curves(case: Case, of: Of) -> list[Series]:
    values, totals = _swept(case, of) if case.swept else _of_run(case, of)
    out: list[Series] = []
    for (cls, scheme), n in sorted(totals.items(), key=lambda item: _order(case, *item[0])):
        finished = sorted(values[cls, scheme].items())
        x, y = thinned(*steps(finished, n), _CORNERS)
        done = sum(count for _, count in finished)
        seeds = case.schemes[scheme]["seeds"]
        out.append(Series(scheme, case.label, cls, x, y, n, done, seeds))
    return out


def _order(case: Case, cls: str, scheme: str) -> tuple[str, int]:
    return cls, list(case.schemes).index(scheme)


_Values = tuple[Mapping[tuple[str, str], Mapping[float, int]], Mapping[tuple[str, str], int]]
"""By class and scheme: the count of each finished value, and the number of all values, unfinished ones included."""


def _of_run(case: Case, of: Of) -> _Values:
    table, column, scale = {
        "fct": ("flows", "fct_us", 1000.0),
        "qct": ("queries", "qct_us", 1000.0),
        "group": ("groups", "group_us", 1000.0),
        "slowdown": ("flows", "slowdown", 1.0),
    }[of]
    values: dict[tuple[str, str], dict[float, int]] = defaultdict(lambda: defaultdict(int))
    totals: dict[tuple[str, str], int] = defaultdict(int)
    # A flow without an end has no completion time, and one without an idle path no slowdown.
    needed = {"fct": "size_bytes", "slowdown": "ideal_fct_us"}.get(of, "finished")
    for scheme, _, cls, need, value in case.rows(table, ["class", needed, column]):
        if need is None:
            continue
        totals[cls, scheme] += 1
        if value is not None:
            values[cls, scheme][value / scale] += 1
    return values, totals


def _swept(case: Case, of: Of) -> _Values:
    values: dict[tuple[str, str], dict[float, int]] = defaultdict(lambda: defaultdict(int))
    totals: dict[tuple[str, str], int] = defaultdict(int)
    scale = 1e6 if of == "slowdown" else 1e9
    for scheme, _, cls, name, finished, value, count in case.rows("samples", ["class", "name", "finished", "value", "count"]):
        if name != of:
            continue
        totals[cls, scheme] += count
        if finished:
            values[cls, scheme][value / scale] += count
    return values, totals
