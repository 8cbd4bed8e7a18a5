"""A metric's number of a scheme, by its name (docs/metrics.md), out of summary.json."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sidestep.errors import ScenarioError
from sidestep.plot._stats import interval

Summary = Mapping[str, Any]
"""What summary.json has of one scheme."""

_SIZES = ("fct_upto_10kb", "fct_10kb_100kb", "fct_100kb_1mb", "fct_1mb_10mb", "fct_over_10mb")
"""What `fct_by_size_ms` lists, in turn."""

_STATS = ("p50", "p99", "p999", "mean", "done_mean", "done_p99", "min", "max")
_TIME = re.compile(rf"(.+)_({'|'.join(_STATS)})_ms")
_RATIO = re.compile(rf"(slowdown)_({'|'.join(_STATS)})")
_SAMPLE = re.compile(r"(.+)_(mean|p10|p50|p90|p99|max)")
_LOOPS: Mapping[str, Callable[[Summary], float | None]] = {
    "looped_share": lambda of: _over(of["looped"], of["detoured"]),
    "loops_per_packet": lambda of: _over(sum(of["lengths"]), of["packets"]),
    "loop_length_mean": lambda of: _over(sum(i * n for i, n in enumerate(of["lengths"])), sum(of["lengths"])),
}
"""What is derived from `loops`: of detoured packets, of all, and of the loops."""

_NO_SUMS = re.compile(r".*_(p\d+|max)")
"""Whole numbers that do not grow with the number of seeds."""


@dataclass(frozen=True)
class Reading:
    """A number of all seeds together; of a count, that of a seed on average."""

    value: float
    low: float | None
    """The 95 % interval's lower end; None where there is none (fewer than three seeds, bounds)."""
    high: float | None
    bound: bool
    """It falls on what did not finish: the number is at least this."""


def read(of: Summary, metric: str) -> Reading | None:
    """The number `metric` of a scheme; None where nothing was measured.

    Raises ScenarioError for a name that the summary does not have.
    """
    value, bound, ci = _find(of, metric)
    if value is None:
        return None
    seeds = [_find(each, metric) for each in of.get("per_seed", ())]
    count = isinstance(value, int) and not _NO_SUMS.fullmatch(metric.partition(":")[0])
    if count and seeds:
        value = value / len(seeds)
    if ci is None and not bound:
        own = [float(v) for v, at_least, _ in seeds if v is not None and not at_least]
        share = "share" in metric or metric.startswith("link_use")
        ci = interval(float(value), own, share=share) if len(own) == len(seeds) else None
    low, high = (None, None) if ci is None else ci
    return Reading(float(value), low, high, bound)


def names(of: Summary) -> Iterator[str]:
    """The names of all metrics that this summary has, those of classes last."""
    yield from _own(of)
    yield from ("drop_share", "spurious_share")
    yield from (f"{name}_{stat}_ms" for name in _SIZES for stat in _STATS)
    yield from (f"drops_{reason}" for reason in of.get("drops", ()))
    yield from (f"link_use_{stat}" for stat in of.get("link_use", ()))
    yield from (f"{name}_{stat}" for name in of.get("samples", ()) for stat in ("mean", "p10", "p50", "p90", "p99", "max"))
    for name, own in of.get("classes", {}).items():
        yield from (f"{metric}:{name}" for metric in _own(own))
        yield f"drops:{name}"


def _own(of: Summary) -> Iterator[str]:
    for key, value in of.items():
        if isinstance(value, Mapping) and "p99" in value:
            name = key.removesuffix("_ms")
            unit = "_ms" if key.endswith("_ms") else ""
            yield from (f"{name}_{stat}{unit}" for stat in _STATS)
            yield f"{name}_completed_share"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield key
    if isinstance(of.get("drops"), Mapping):
        yield "drops"


def _over(part: float, whole: float) -> float | None:
    return part / whole if whole else None


_Found = tuple[float | int | None, bool, tuple[float, float] | None]


def _find(of: Summary, metric: str) -> _Found:
    name, _, cls = metric.partition(":")
    found = _in_class(_class(of, cls, metric), name) if cls else _in_scheme(of, name)
    if found is None:
        near = difflib.get_close_matches(metric, list(names(of)), 1)
        advice = f"; did you mean {near[0]!r}?" if near else "; docs/metrics.md has their names"
        said = f"metric {metric!r} is not in the summary{advice}"
        suggestion = near[0] if near else None
        raise ScenarioError.of_call(said, "metric", expected="a metric of docs/metrics.md", got=metric, suggestion=suggestion)
    return found


def _class(of: Summary, cls: str, metric: str) -> Summary:
    classes: Mapping[str, Summary] = of.get("classes", {})
    # A class of a flow list goes by its word alone, where no other class has it.
    fitting = [name for name in classes if name == cls or name.endswith(f"/{cls}")]
    if cls not in classes and len(fitting) != 1:
        raise ScenarioError.none_of(f"metric {metric!r}: no class {cls!r}", "metric", cls, classes)
    return classes[cls if cls in classes else fitting[0]]


def _in_class(of: Summary, name: str) -> _Found | None:
    renamed = {"drops": "dropped", "detours": "detours_delivered"}.get(name, name)
    return _times(of, name) or _plain(of, renamed)


def _in_scheme(of: Summary, name: str) -> _Found | None:
    if name == "drops":
        return sum(of["drops"].values()), False, None
    if name == "drop_share":
        return (sum(of["drops"].values()) / of["sent"] if of["sent"] else None), False, None
    if name == "spurious_share":
        return (of["spurious_retransmits"] / of["sent"] if of["sent"] else None), False, None
    if name in _LOOPS:
        return (_LOOPS[name](of["loops"]) if "loops" in of else None), False, None
    if name == "delivered_bytes":
        return sum(own["delivered_bytes"] for own in of["classes"].values()), False, None
    if name.startswith("drops_") and name.removeprefix("drops_") in of["drops"]:
        return of["drops"][name.removeprefix("drops_")], False, None
    if name in ("link_use_mean", "link_use_max"):
        return of["link_use"][name.removeprefix("link_use_")], False, None
    return _times(of, name) or _plain(of, name) or _sampled(of, name)


def _times(of: Summary, name: str) -> _Found | None:
    if name.endswith("_completed_share"):
        sample, stat = _sample(of, name.removesuffix("_completed_share")), "completed_share"
    elif match := _TIME.fullmatch(name) or _RATIO.fullmatch(name):
        # `qct_done_p99_ms` also reads as the p99 of `qct_done`.
        family, stat = match[1], match[2]
        if family.endswith("_done"):
            family, stat = family.removesuffix("_done"), f"done_{stat}"
        sample = _sample(of, family)
    else:
        return None
    if sample is None:
        return None
    ci = sample["ci"] if stat == "p99" else None
    return sample[stat], bool(sample.get(f"{stat}_at_least", False)), (ci[0], ci[1]) if ci else None


def _sample(of: Summary, family: str) -> Summary | None:
    if family in _SIZES and "fct_by_size_ms" in of:
        sized: Summary = of["fct_by_size_ms"][_SIZES.index(family)]
        return sized
    found = of.get(f"{family}_ms", of.get(family))
    return found if isinstance(found, Mapping) and "p99" in found else None


def _plain(of: Summary, name: str) -> _Found | None:
    value = of.get(name, "")
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value, bool(of.get(f"{name}_at_least", False)), None
    return None


def _sampled(of: Summary, name: str) -> _Found | None:
    match = _SAMPLE.fullmatch(name)
    samples: Mapping[str, Summary] = of.get("samples", {})
    if match and match[1] in samples:
        return samples[match[1]][match[2]], False, None
    return None
