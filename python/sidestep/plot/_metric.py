"""Value of a metric for a scheme, by its name (docs/reference/metrics.md), from summary.json."""

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sidestep import _native
from sidestep.errors import ScenarioError

Summary = Mapping[str, Any]
"""Part of summary.json for one scheme."""

_OF_CLASS = ":CLASS"


@dataclass(frozen=True)
class Reading:
    """Number of all seeds together; of a count, the mean over seeds."""

    value: float
    low: float | None
    """Lower end of the 95 % interval; None without one (fewer than three seeds, bounds, extremes)."""
    high: float | None
    bound: bool
    """True for a lower bound: the percentile falls on an unfinished value."""


def read(of: Summary, metric: str) -> Reading | None:
    """Returns the number `metric` of a scheme, as the command reads it; None if nothing was measured.

    Raises ScenarioError for an unknown metric, and for a class that the summary does not have.
    """
    name, _, cls = metric.partition(":")
    known = _names()
    if name + (_OF_CLASS if cls else "") not in known:
        near = difflib.get_close_matches(name, sorted(known), 1)
        advice = f"; did you mean {near[0]!r}?" if near else "; `sidestep list metrics` has their names"
        said = f"metric {metric!r} is not in the summary{advice}"
        suggestion = near[0] if near else None
        raise ScenarioError.of_call(
            said, "metric", expected="a metric of docs/reference/metrics.md", got=metric, suggestion=suggestion
        )
    classes: Mapping[str, Summary] = of["classes"]
    # The word of a flow list's class is enough, if no other class has it.
    if cls and cls not in classes and sum(name.endswith(f"/{cls}") for name in classes) != 1:
        raise ScenarioError.none_of(f"metric {metric!r}: no class {cls!r}", "metric", cls, classes)
    found = _native.metric(json.dumps(of), metric)
    return None if found is None else Reading(*found)


@cache
def _names() -> frozenset[str]:
    """Returns the names of all metrics, those of a class with `:CLASS`."""
    return frozenset(metric["name"] for metric in json.loads(_native.list("metrics"))["items"])
