"""Plot of a metric against a swept parameter."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Series, Width, few, label_of, unit_of
from sidestep.plot._metric import read
from sidestep.plot._source import Case, Sources, cases

_QUANTITY = re.compile(r"\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)\s*(\S*)\s*")


def against(
    results: Sources,
    metric: str = "qct_p99_ms",
    x: str | None = None,
    *,
    schemes: Sequence[str] | None = None,
    at: Mapping[str, Any] | None = None,
    log_y: bool = False,
    width: Width = "column",
) -> Data:
    """Draws a metric of summary.json against a swept parameter, with its 95 % intervals: a line a scheme.

    `results`: a SweepResult, or a dict of Results by the values of `x`. `metric`: any of docs/reference/metrics.md,
    also of a class ("fct_p99_ms:query"). `x`: the axis to draw against; default: the only one that varies. `at` fixes
    the others. Intervals need three seeds. An open mark is a lower bound: the percentile falls on an unfinished value.
    A count is the mean over seeds.

    Raises ScenarioError for a metric, an axis, a value or a scheme that does not exist. Source: sectioning,
    docs/how-to/reproduce.md.
    """
    found = cases(results, at, schemes)
    axis, places = _axis(found, x, at or {})
    numbers, unit = _scale(places)
    series: list[Series] = []
    for scheme in dict.fromkeys(scheme for case in found for scheme in case.schemes):
        series += _lines(scheme, found, axis, numbers, metric)
    if not series:
        said = f"metric {metric!r} has no value in any point: nothing to draw"
        raise ScenarioError.of_call(said, "metric", expected="a metric with values", got=metric)
    few(series)
    wide = unit is not None and min(numbers.values()) > 0 and max(numbers.values()) / min(numbers.values()) >= 10
    ticks = [(numbers[place], _bare(place) if unit is not None else place) for place in places]
    bounds = any(any(s.bound) for s in series)
    intervals = any(low is not None for s in series for low in s.low)
    notes = ["bars are 95 % intervals" if intervals else "no intervals: they need three seeds"]
    if bounds:
        notes.append("open marks are lower bounds")
    return Data(
        "lines",
        label_of(axis, unit or ""),
        _words(metric),
        series,
        log_x=wide,
        log_y=log_y,
        of="points",
        ticks=ticks,
        note="; ".join(notes),
        width=width,
    )


def _axis(found: Sequence[Case], x: str | None, at: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Returns the axis to draw against and its values in order; for several runs, their names."""
    if not any(case.swept for case in found):
        if len(found) < 2:
            said = "a run has no axis to draw against: expected a sweep's result, or a dict of results"
            raise ScenarioError.of_call(said, "results", expected="a sweep's result, or a dict of results", got="a run's")
        return x or "", [case.label for case in found]
    varying = {axis: list(dict.fromkeys(case.at[axis] for case in found)) for axis in found[0].at}
    if x is None:
        wanted = [axis for axis, values in varying.items() if len(values) > 1]
        if len(wanted) != 1:
            names = ", ".join(varying)
            said = f"x: expected the axis to draw against, since {len(wanted)} vary; one of {names}"
            raise ScenarioError.of_call(said, "x", expected=f"one of {names}", got="None")
        x = wanted[0]
    elif x not in varying:
        raise ScenarioError.none_of(f"x: no axis {x!r}", "x", x, varying)
    elif x in at:
        raise ScenarioError.of_call(f"x: axis {x!r} is fixed by at", "x", expected="an axis that is free", got=x)
    return x, varying[x]


def _words(metric: str) -> str:
    """Formats `fct_p99_ms:query` as `FCT p99 of query (ms)`."""
    name, _, cls = metric.partition(":")
    unit = unit_of(metric)
    if unit and unit != "share":
        name = name.rpartition("_")[0]
    words = [word.upper() if word in ("fct", "qct") else word for word in name.split("_")]
    return label_of(" ".join([*words, *(["of", cls] if cls else [])]), "" if unit == "share" else unit)


def _scale(places: Sequence[str]) -> tuple[dict[str, float], str | None]:
    """Returns a number for each place, and their common unit: None for words, or for several units."""
    found = [_QUANTITY.fullmatch(place) for place in places]
    matches = [match for match in found if match]
    units = {match[2] for match in matches}
    if len(matches) == len(places) and len(units) == 1:
        return {place: float(match[1]) for place, match in zip(places, matches, strict=True)}, units.pop()
    return {place: float(i) for i, place in enumerate(places)}, None


def _bare(place: str) -> str:
    match = _QUANTITY.fullmatch(place)
    return match[1] if match else place


def _lines(scheme: str, found: Sequence[Case], axis: str, numbers: Mapping[str, float], metric: str) -> list[Series]:
    """Returns the lines of a scheme: one for each combination of the other axes."""
    lines: dict[str, list[tuple[float, Any, Sequence[int]]]] = {}
    for case in found:
        if scheme not in case.schemes:
            continue
        others = [value for name, value in case.at.items() if name != axis and _varies(found, name)]
        of = case.schemes[scheme]
        reading = read(of, metric)
        if reading is not None:
            place = case.at[axis] if case.swept else case.label
            lines.setdefault(", ".join(others), []).append((numbers[place], reading, of["seeds"]))
    out: list[Series] = []
    for label, points in lines.items():
        points.sort(key=lambda point: point[0])
        readings = [reading for _, reading, _ in points]
        out.append(
            Series(
                scheme,
                label,
                "",
                [at for at, _, _ in points],
                [reading.value for reading in readings],
                0,
                0,
                sorted({seed for _, _, seeds in points for seed in seeds}),
                [reading.low for reading in readings],
                [reading.high for reading in readings],
                [reading.bound for reading in readings],
            )
        )
    return out


def _varies(found: Sequence[Case], axis: str) -> bool:
    return len({case.at.get(axis) for case in found}) > 1
