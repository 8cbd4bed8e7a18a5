"""Plot of slowdown by flow size."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Series, Width, few
from sidestep.plot._source import NO_FLOWS, Case, Sources, cases
from sidestep.plot._stats import percentile

_PERCENTILES = {"p50": 500, "p95": 950, "p99": 990}


def slowdown(
    results: Sources,
    *,
    classes: Sequence[str] | None = None,
    schemes: Sequence[str] | None = None,
    bins: int = 20,
    width: Width = "column",
) -> Data:
    """Draws slowdown by flow size, p50, p95 and p99: sizes in bins of equally many flows, as in HPCC's figure 11.

    `results`: a Result or several. `bins`: their number; 20 are 5 % of the flows each. Sizes that many flows share make
    one bin, so that there may be fewer. Flows of `classes` only, or of all. The bins are those of all flows together,
    the same for every scheme. A bin whose percentile falls on an unfinished flow has no point.

    Raises ScenarioError for a sweep (which keeps no flows), and if no flow has a slowdown. Source: Li et al., HPCC,
    SIGCOMM 2019, figure 11; `slowdown` of flows.parquet.
    """
    if bins < 1:
        raise ScenarioError.of_call(f"bins: expected at least 1, got {bins}", "bins", expected="at least 1", got=bins)
    found = cases(results, None, schemes)
    flows: dict[tuple[str, str], list[tuple[int, float | None]]] = defaultdict(list)
    seeds: dict[tuple[str, str], Sequence[int]] = {}
    for case in found:
        _read(case, classes, flows, seeds)
    sizes = sorted(size for own in flows.values() for size, _ in own)
    if not sizes:
        of = f" of {', '.join(classes)}" if classes else ""
        said = f"no flow{of} has a slowdown: nothing to draw"
        raise ScenarioError.of_call(said, "results", expected="flows with a slowdown", got="none")
    edges = _edges(sizes, bins)
    series = [
        _line(key, own, edges, panel, per_mille, seeds[key])
        for panel, per_mille in _PERCENTILES.items()
        for key, own in flows.items()
    ]
    few(series)
    ticks = _ticks(sizes, edges)
    note = f"{len(edges)} bins of sizes, each of about as many flows"
    y = "slowdown (FCT over idle)"
    return Data("lines", "flow size, by share of flows", y, series, log_y=True, of="flows", ticks=ticks, note=note, width=width)


def _read(
    case: Case,
    classes: Sequence[str] | None,
    flows: dict[tuple[str, str], list[tuple[int, float | None]]],
    seeds: dict[tuple[str, str], Sequence[int]],
) -> None:
    if case.swept:
        raise ScenarioError.of_call(NO_FLOWS, "results", expected="the result of one scenario", got="a sweep's")
    for scheme, _, cls, size, ideal, value in case.rows("flows", ["class", "size_bytes", "ideal_fct_us", "slowdown"]):
        if size is not None and ideal is not None and (classes is None or cls in classes):
            flows[scheme, case.label].append((size, value))
            seeds[scheme, case.label] = case.schemes[scheme]["seeds"]


def _edges(sizes: Sequence[int], bins: int) -> list[int]:
    """Returns the largest size of each bin, by nearest rank among all; equal ones once."""
    n = len(sizes)
    return sorted({sizes[max(-(-n * i // bins), 1) - 1] for i in range(1, bins + 1)})


def _line(
    key: tuple[str, str],
    flows: Sequence[tuple[int, float | None]],
    edges: Sequence[int],
    panel: str,
    per_mille: int,
    seeds: Sequence[int],
) -> Series:
    binned: list[list[float | None]] = [[] for _ in edges]
    for size, value in flows:
        binned[bisect_left(edges, size)].append(value)
    x: list[float] = []
    y: list[float] = []
    for i, own in enumerate(binned):
        known = sorted(value for value in own if value is not None)
        value = percentile(known, len(own), per_mille)
        if value is not None:
            x.append(float(i))
            y.append(value)
    done = sum(value is not None for _, value in flows)
    none = [None] * len(x)
    return Series(key[0], key[1], panel, x, y, len(flows), done, seeds, none, none, [False] * len(x))


def _ticks(sizes: Sequence[int], edges: Sequence[int]) -> list[tuple[float, str]]:
    """Returns about six bins with their largest size."""
    step = max(-(-len(edges) // 6), 1)
    wanted = sorted({*range(step - 1, len(edges), step), len(edges) - 1})
    # The label of the last bin must not overlap that of the one before.
    if len(wanted) > 1 and wanted[-1] - wanted[-2] < step / 2:
        wanted.pop(-2)
    return [(float(i), size_words(edges[i])) for i in wanted]


def size_words(size: float) -> str:
    """Formats a size with three digits: 1460 is `1.46 kB`."""
    units: Mapping[str, float] = {"GB": 1e9, "MB": 1e6, "kB": 1e3}
    for unit, of in units.items():
        if size >= of:
            return f"{size / of:.3g} {unit}"
    return f"{size:.3g} B"
