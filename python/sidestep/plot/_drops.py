"""Plot of dropped packets, by reason."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from sidestep import _native
from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Series, Width
from sidestep.plot._source import Case, Sources, cases


@cache
def _legend() -> Mapping[str, str]:
    """Returns the name of each reason in a legend; a reason from a newer version's results keeps its own name."""
    return {reason["name"]: reason["legend"] for reason in json.loads(_native.list("drops"))["items"]}


def drops(
    results: Sources,
    *,
    by: Literal["reason", "tier"] = "reason",
    schemes: Sequence[str] | None = None,
    at: Mapping[str, Any] | None = None,
    width: Width = "column",
) -> Data:
    """Draws packets dropped in a run, the mean of its seeds, as bars: one a scheme, in parts by reason or by tier.

    `results`: a Result, several, or a SweepResult, whose points `at` selects. Without drops the bars have no height:
    that is a result too.

    Raises ScenarioError for a scheme or point that does not exist. Source: `drops` and `drops_at` of summary.json.
    """
    if by not in ("reason", "tier"):
        raise ScenarioError.of_call(f"by: expected 'reason' or 'tier', got {by!r}", "by", expected="'reason' or 'tier'", got=by)
    found = cases(results, at, schemes)
    bars = [(case, scheme) for case in found for scheme in case.schemes]
    counts = [_counts(case, scheme, by) for case, scheme in bars]
    parts = [part for part in dict.fromkeys(part for own in counts for part in own) if any(own.get(part) for own in counts)]
    names = [", ".join(filter(None, [scheme, case.label])) for case, scheme in bars]
    seeds = sorted({seed for case, scheme in bars for seed in case.schemes[scheme]["seeds"]})
    series = [
        Series(_legend().get(part, part), "", "", names, [own.get(part, 0.0) for own in counts], 0, 0, seeds)
        for part in parts or ["none"]
    ]
    total = sum(sum(own.values()) for own in counts)
    note = "mean of the seeds" if total else "no packet was dropped"
    return Data("bars", "scheme", "packets dropped per run", series, of="runs", note=note, width=width)


def _counts(case: Case, scheme: str, by: str) -> dict[str, float]:
    of = case.schemes[scheme]
    seeds = max(len(of["seeds"]), 1)
    if by == "reason":
        return {reason: count / seeds for reason, count in of["drops"].items()}
    places: dict[str, float] = {}
    for at in of["drops_at"].values():
        for place, count in at.items():
            places[place] = places.get(place, 0.0) + count / seeds
    return places
