"""Plot of the throughput of flows by rank."""

from collections import defaultdict
from collections.abc import Sequence

from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Series, Width, few
from sidestep.plot._source import NO_FLOWS, Case, Sources, cases
from sidestep.plot._stats import thinned

_CORNERS = 1500


def throughput(
    results: Sources,
    *,
    classes: Sequence[str] | None = None,
    schemes: Sequence[str] | None = None,
    width: Width = "column",
) -> Data:
    """Draws the throughput of each flow in Gbps, in the order of its size, a curve a scheme.

    `results`: a Result or several. If there are flows without an end, these are drawn: bytes delivered over the time
    from their start to the end of the run (from `flows_from` of `[probe]` on, if set). Otherwise all flows are drawn:
    bytes delivered over the time to their end. Flows of `classes` only, or of all. All seeds are joined.

    Raises ScenarioError for a sweep (which keeps no flows), and if no flow was started. Source: `flow_goodput_gbps` of
    docs/reference/metrics.md; PLTS, figure 3.
    """
    series: list[Series] = []
    found = cases(results, None, schemes)
    words = "flow"
    for case in found:
        if case.swept:
            raise ScenarioError.of_call(NO_FLOWS, "results", expected="the result of one scenario", got="a sweep's")
        rates, endless = _rates(case, classes)
        words = "endless flow" if endless else "flow"
        for scheme, values in rates.items():
            values.sort()
            n = len(values)
            # Thinned by the value, which readers compare.
            y, x = thinned(values, [(i + 1) / n for i in range(n)], _CORNERS)
            series.append(Series(scheme, case.label, "", x, y, n, n, case.schemes[scheme]["seeds"]))
    if not series:
        raise ScenarioError.of_call(
            "no flow was started: nothing to draw", "results", expected="flows that were started", got="none"
        )
    few(series)
    return Data(
        "lines",
        f"rank of the {words} (share)",
        "goodput (Gbps)",
        series,
        of=f"{words}s",
        note="slowest first",
        width=width,
    )


def _rates(case: Case, classes: Sequence[str] | None) -> tuple[dict[str, list[float]], bool]:
    """Returns by scheme the goodputs in Gbps, and True if they are of endless flows."""
    ends = {
        (scheme, seed): value for scheme, seed, name, value in case.rows("counts", ["name", "value"]) if name == "simulated_ps"
    }
    probed: dict[str, list[float]] = defaultdict(list)
    if classes is None:
        for scheme, _, name, value in case.rows("samples", ["name", "value"]):
            if name == "endless_bytes_s":
                probed[scheme].append(value * 8 / 1e9)
    if probed:
        return probed, True
    endless: dict[str, list[float]] = defaultdict(list)
    ending: dict[str, list[float]] = defaultdict(list)
    columns = ["class", "size_bytes", "start_ps", "fct_us", "delivered_bytes"]
    for scheme, seed, cls, size, start, fct, delivered in case.rows("flows", columns):
        if start is None or (classes is not None and cls not in classes):
            continue
        span = (ends[scheme, seed] - start) / 1e12 if fct is None else fct / 1e6
        rate = delivered * 8 / span / 1e9 if span > 0 else 0.0
        (endless if size is None else ending)[scheme].append(rate)
    return (endless, True) if endless else (ending, False)
