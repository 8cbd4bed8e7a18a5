"""A metric's number of a scheme, by its name (docs/reference/metrics.md), out of summary.json."""

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sidestep import _native
from sidestep.errors import ScenarioError

Summary = Mapping[str, Any]
"""What summary.json has of one scheme."""

_OF_CLASS = ":CLASS"


@dataclass(frozen=True)
class Reading:
    """A number of all seeds together; of a count, that of a seed on average."""

    value: float
    low: float | None
    """The 95 % interval's lower end; None where there is none (fewer than three seeds, bounds, extremes)."""
    high: float | None
    bound: bool
    """It falls on what did not finish: the number is at least this."""


def read(of: Summary, metric: str) -> Reading | None:
    """The number `metric` of a scheme, as the command reads it; None where nothing was measured.

    Raises ScenarioError for a name that is no metric, and for a class that the summary does not have.
    """
    name, _, cls = metric.partition(":")
    known = _names()
    if name + (_OF_CLASS if cls else "") not in known:
        near = difflib.get_close_matches(name, sorted(known), 1)
        advice = f"; did you mean {near[0]!r}?" if near else "; `sidestep list metrics` has their names"
        said = f"metric {metric!r} is not in the summary{advice}"
        suggestion = near[0] if near else None
        raise ScenarioError.of_call(said, "metric", expected="a metric of docs/reference/metrics.md", got=metric, suggestion=suggestion)
    classes: Mapping[str, Summary] = of["classes"]
    # A class of a flow list goes by its word alone, where no other class has it.
    if cls and cls not in classes and sum(name.endswith(f"/{cls}") for name in classes) != 1:
        raise ScenarioError.none_of(f"metric {metric!r}: no class {cls!r}", "metric", cls, classes)
    found = _native.metric(json.dumps(of), metric)
    return None if found is None else Reading(*found)


@cache
def _names() -> frozenset[str]:
    """The names of all metrics, those of a class with `:CLASS`."""
    return frozenset(metric["name"] for metric in json.loads(_native.list("metrics"))["items"])
