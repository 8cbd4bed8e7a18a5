"""Percentiles, distributions and intervals, by the rules of the command.

Percentiles are by nearest rank: the smallest value that at least that share of the sample does not exceed
(Hyndman and Fan, 1996, type 1). What did not finish ranks last. Intervals are by sectioning, the seeds being the
sections (docs/reproduce.md).
"""

import math
from collections.abc import Sequence
from functools import cache

LEAST_SEEDS = 3
"""Fewer seeds bear no interval of use: t(1) is 12.7."""

APART = 0.5
"""How far the logarithms of seeds may lie from that of all of them, in mean square."""


def rank(n: int, per_mille: int) -> int:
    """The rank, from 0 on, of the percentile `per_mille` / 10 among `n` values; whole numbers all the way."""
    return max((n * per_mille + 999) // 1000, 1) - 1


def percentile(finished: Sequence[float], n: int, per_mille: int) -> float | None:
    """The percentile of `n` values of which `finished`, sorted, are known; None where it falls on one that is not."""
    at = rank(n, per_mille)
    return finished[at] if n and at < len(finished) else None


def steps(values: Sequence[tuple[float, int]], n: int) -> tuple[list[float], list[float]]:
    """The distribution function of sorted `(value, count)` among `n`: at each value the share that is no larger.

    Values that did not finish are in `n` and not in `values`: the last share is then below 1.
    """
    x: list[float] = []
    y: list[float] = []
    so_far = 0
    for value, count in values:
        so_far += count
        if x and x[-1] == value:
            y[-1] = so_far / n
        else:
            x.append(value)
            y.append(so_far / n)
    return x, y


def thinned(x: Sequence[float], y: Sequence[float], most: int) -> tuple[list[float], list[float]]:
    """At most about `most` corners of a distribution function: those that a width and a height of so many can tell.

    A corner that stays is exact, and so are the first and the last.
    """
    if len(x) <= most:
        return list(x), list(y)
    place = [math.log(v) if v > 0 else -math.inf for v in x]
    first = next((p for p in place if p > -math.inf), 0.0)
    width = max(place[-1] - first, 1e-12) / most
    height = max(y[-1] - y[0], 1e-12) / most
    kept = [0]
    for i in range(1, len(x) - 1):
        last = kept[-1]
        if place[i] - place[last] >= width * 2 or y[i] - y[last] >= height * 2:
            kept.append(i)
    kept.append(len(x) - 1)
    return [x[i] for i in kept], [y[i] for i in kept]


def interval(whole: float, seeds: Sequence[float], *, share: bool) -> tuple[float, float] | None:
    """The 95 % interval of `whole`, the number of all seeds, from `seeds`, each seed's own, by sectioning.

    Positive numbers are taken by logarithms; shares end at 1. Where seeds lie further apart than a factor of e^0.5 in
    mean square, their range is taken in. None for fewer than three seeds. The same rule as the command's
    (crates/lab/src/stats/sections.rs).
    """
    n = len(seeds)
    if n < LEAST_SEEDS or not math.isfinite(whole):
        return None
    t = _t95(n - 1) / math.sqrt(n)
    if whole > 0 and all(seed > 0 for seed in seeds):
        s = math.sqrt(sum(math.log(seed / whole) ** 2 for seed in seeds) / (n - 1))
        low, high = whole * math.exp(-t * s), whole * math.exp(t * s)
        if s > APART:
            low, high = min(low, *seeds), max(high, *seeds)
    else:
        s = math.sqrt(sum((seed - whole) ** 2 for seed in seeds) / (n - 1))
        low, high = whole - t * s, whole + t * s
        if whole >= 0 and all(seed >= 0 for seed in seeds):
            low = max(low, 0.0)
    return low, min(high, 1.0) if share else high


@cache
def _t95(freedom: int) -> float:
    """Student's t that holds with 95 % on both sides together: by Simpson's rule and halving."""
    front = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) * 2 / math.sqrt(math.pi)

    def held(t: float, parts: int = 2000) -> float:
        # With t = sqrt(n) tan(angle) the density is a power of the cosine.
        end = math.atan(t / math.sqrt(freedom))
        inner = math.fsum((4 if i % 2 else 2) * math.cos(end * i / parts) ** (freedom - 1) for i in range(1, parts))
        return front * end / parts / 3 * (1.0 + inner + math.cos(end) ** (freedom - 1))

    low, high = 0.0, 2.0
    while held(high) < 0.95:
        high *= 2
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if held(middle) < 0.95 else (low, middle)
    return high
