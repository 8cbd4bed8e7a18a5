"""Plot of detours per packet."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Series, Width, few
from sidestep.plot._source import Sources, cases


def detours(
    results: Sources,
    *,
    classes: Sequence[str] | None = None,
    schemes: Sequence[str] | None = None,
    at: Mapping[str, Any] | None = None,
    width: Width = "column",
) -> Data:
    """Draws the share of the delivered data packets that were detoured at least so often, on a logarithmic axis.

    `results`: a Result, several, or a SweepResult, whose points `at` selects. Packets of `classes` together, or of all;
    schemes without detours are left out. All seeds are joined.

    Raises ScenarioError if nothing was detoured, and for a class, scheme or point that does not exist. Source:
    `detours_each` of summary.json; DIBS, EuroSys 2014, section 5.4.4.
    """
    series: list[Series] = []
    found = cases(results, at, schemes)
    for case in found:
        for scheme, of in case.schemes.items():
            for name in classes or ():
                if name not in of["classes"]:
                    raise ScenarioError.none_of(f"no class {name!r} in the result", "classes", name, of["classes"])
            own = [c["detours_each"] for name, c in of["classes"].items() if classes is None or name in classes]
            counts = [sum(c[i] for c in own if i < len(c)) for i in range(max(map(len, own), default=0))]
            n = sum(counts)
            if sum(counts[1:]) == 0:
                continue
            x = [float(i) for i, count in enumerate(counts) if i and count]
            y = [sum(counts[int(i) :]) / n for i in x]
            series.append(Series(scheme, case.label, "", x, y, n, n, of["seeds"]))
    if not series:
        said = "no packet was detoured in the result: nothing to draw"
        raise ScenarioError.of_call(said, "results", expected="packets that were detoured", got="none")
    few(series)
    note = "" if classes is None else f"packets of {', '.join(classes)}"
    return Data(
        "lines",
        "detours of a packet, at least",
        "share of data packets",
        series,
        log_y=True,
        of="data packets",
        note=note,
        width=width,
        schemes=list(dict.fromkeys(scheme for case in found for scheme in case.schemes)),
    )
