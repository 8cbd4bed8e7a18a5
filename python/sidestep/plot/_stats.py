"""Percentiles and distributions, by the rules of the command.

Percentiles are by nearest rank: the smallest value that at least that share of the sample does not exceed (Hyndman and
Fan, 1996, type 1). Unfinished values rank last.
"""

import math
from collections.abc import Sequence


def rank(n: int, per_mille: int) -> int:
    """Returns the rank, from 0 on, of the percentile `per_mille` / 10 among `n` values, in integer arithmetic."""
    return max((n * per_mille + 999) // 1000, 1) - 1


def percentile(finished: Sequence[float], n: int, per_mille: int) -> float | None:
    """Returns the percentile of `n` values of which `finished`, sorted, are known; None if it falls on an unknown one."""
    at = rank(n, per_mille)
    return finished[at] if n and at < len(finished) else None


def steps(values: Sequence[tuple[float, int]], n: int) -> tuple[list[float], list[float]]:
    """Returns the distribution function of sorted `(value, count)` among `n`: at each value the share that is no larger.

    Unfinished values are in `n` and not in `values`: the last share is then below 1.
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
    """Returns at most about `most` corners of a distribution function: those that a picture of that width and height can
    resolve.

    The remaining corners are exact, and the first and the last remain.
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
