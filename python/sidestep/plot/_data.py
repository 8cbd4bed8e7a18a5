"""Numbers of a plot, before anything draws it: matplotlib and Altair draw the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sidestep.errors import ScenarioError

Width = Literal["column", "page"]
"""Width of a paper's figure: 3.3 in, or 7 in."""

UNITS = {
    "us": "µs",
    "ms": "ms",
    "ns": "ns",
    "ps": "ps",
    "s": "s",
    "gbps": "Gbps",
    "bps": "bps",
    "bytes": "bytes",
    "packets": "packets",
    "share": "share",
}
"""Unit by the last word of a column's name."""

MOST_SERIES = 8
"""Most curves in one plot: readers cannot distinguish more."""


def unit_of(column: str) -> str:
    """Returns the unit in the name of a column or metric, such as `qct_p99_ms` or `fct_p99_ms:query`; empty without one."""
    return UNITS.get(column.partition(":")[0].rpartition("_")[2], "")


def label_of(words: str, unit: str) -> str:
    """Returns the words beside an axis, with their unit."""
    return f"{words} ({unit})" if unit else words


@dataclass(frozen=True)
class Series:
    """One curve, row of marks, or row of bars."""

    scheme: str
    case: str
    """Run or point, if there are several; empty otherwise."""
    panel: str
    """Panel of the curve, if there are several; empty otherwise."""
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    n: int
    """Number of values."""
    finished: int
    """Number of finished values; `n` counts the others too."""
    seeds: Sequence[int]
    low: Sequence[float | None] = ()
    """Lower ends of 95 % intervals; None for a point without one."""
    high: Sequence[float | None] = ()
    bound: Sequence[bool] = ()
    """True for points that are lower bounds."""

    @property
    def name(self) -> str:
        """Name in the legend."""
        return f"{self.scheme}, {self.case}" if self.case else self.scheme


@dataclass(frozen=True)
class Heat:
    """One panel of a heat map: `values[row][column]`."""

    panel: str
    rows: Sequence[str]
    columns: Sequence[float]
    values: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Data:
    """Plot as numbers."""

    kind: Literal["steps", "lines", "bars", "heat"]
    x: str
    """Words beside the x axis, with their unit."""
    y: str
    series: Sequence[Series] = ()
    heat: Sequence[Heat] = ()
    z: str = ""
    """Meaning of the colour in a heat map."""
    log_x: bool = False
    log_y: bool = False
    of: str = "values"
    """Kind of the values: flows, queries, packets."""
    ticks: Sequence[tuple[float, str]] = ()
    """Places on the x axis with words."""
    note: str = ""
    """One sentence for the caption."""
    top: float | None = None
    """End of the y axis, if it differs from that of the numbers."""
    width: Width = "column"
    schemes: Sequence[str] = ()
    """Schemes of the results, also those without a curve: a scheme looks alike in each of their plots."""

    @property
    def panels(self) -> list[str]:
        """Panels, in order."""
        return list(dict.fromkeys([*(s.panel for s in self.series), *(h.panel for h in self.heat)]))

    @property
    def caption(self) -> str:
        """Number of values and seeds, and facts needed to read the plot."""
        parts = [_seeds(self.series), self.note]
        counts = sorted({s.n for s in self.series if s.n})
        if counts:
            n = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
            parts.insert(0, f"n = {n} {self.of} per curve" if self.kind != "bars" else f"n = {n} {self.of}")
        left = [f"{s.name}{f' ({s.panel})' if s.panel else ''}: {s.n - s.finished:,}" for s in self.series if s.n > s.finished]
        if left:
            parts.append(f"unfinished, which rank last: {', '.join(left[:4])}{' and others' if len(left) > 4 else ''}")
        return "; ".join(part for part in parts if part)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields one dictionary a point, for pandas, polars or a file: `list(data.rows())`."""
        for s in self.series:
            for i, (x, y) in enumerate(zip(s.x, s.y, strict=True)):
                row = {"panel": s.panel, "scheme": s.scheme, "case": s.case, self.x: x, self.y: y}
                if s.low:
                    row |= {"low": s.low[i], "high": s.high[i], "bound": s.bound[i]}
                yield row
        for h in self.heat:
            for name, values in zip(h.rows, h.values, strict=True):
                for at, value in zip(h.columns, values, strict=True):
                    yield {"panel": h.panel, self.x: at, self.y: name, self.z: value}


def _seeds(series: Sequence[Series]) -> str:
    seeds = sorted({seed for s in series for seed in s.seeds})
    if not seeds:
        return ""
    if len(seeds) == 1:
        return f"1 seed ({seeds[0]})"
    run = seeds == list(range(seeds[0], seeds[-1] + 1))
    words = f"{seeds[0]}\u2013{seeds[-1]}" if run else ", ".join(map(str, seeds))
    return f"{len(seeds)} seeds ({words})"


def looks(series: Sequence[Series], known: Sequence[str] = ()) -> Mapping[tuple[str, str], tuple[int, int]]:
    """Returns for each scheme and case a number of the colour and one of the dash and marker.

    With several schemes in several cases the colour shows the scheme, the dash the case; otherwise both change
    together. `known` are the schemes of the results, also those without a curve.
    """
    schemes = list(dict.fromkeys(s.scheme for s in series))
    several = list(dict.fromkeys(s.case for s in series))
    both = len(several) > 1 and len(schemes) > 1
    if len(several) == 1 and len(known) <= MOST_SERIES:
        schemes = list(dict.fromkeys([*known, *schemes]))
    out: dict[tuple[str, str], tuple[int, int]] = {}
    for s in series:
        c, k = schemes.index(s.scheme), several.index(s.case)
        out[s.scheme, s.case] = (c, k) if both else (c + k, c + k)
    return out


def few(series: Sequence[Series]) -> None:
    """Refuses a panel with more curves than readers can distinguish."""
    count = len(looks(series))
    if count > MOST_SERIES:
        said = (
            f"{count} curves in one plot: expected at most {MOST_SERIES}; choose by schemes=[...] and, of a sweep, at={{...}}"
        )
        raise ScenarioError.of_call(said, "schemes", expected=f"at most {MOST_SERIES} curves", got=count)
