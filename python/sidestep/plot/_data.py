"""What a plot shows, as numbers, before anything draws it: matplotlib and Altair draw the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sidestep.errors import ScenarioError

Width = Literal["column", "page"]
"""How wide a paper's figure is: 3.3 in, or 7 in."""

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
"""What the last word of a column's name says of its unit."""

MOST_SERIES = 8
"""More curves in one plot nobody tells apart."""


def unit_of(column: str) -> str:
    """The unit that a column or metric has in its name, `qct_p99_ms` or `fct_p99_ms:query` say; empty without one."""
    return UNITS.get(column.partition(":")[0].rpartition("_")[2], "")


def label_of(words: str, unit: str) -> str:
    """The words beside an axis, with their unit."""
    return f"{words} ({unit})" if unit else words


@dataclass(frozen=True)
class Series:
    """One curve, row of marks, or row of bars."""

    scheme: str
    case: str
    """Which run or point, of several; empty where there is one."""
    panel: str
    """Which panel it stands in; empty where there is one."""
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    n: int
    """How many values it is of."""
    finished: int
    """How many of them finished; the rest is in `n`."""
    seeds: Sequence[int]
    low: Sequence[float | None] = ()
    """Lower ends of 95 % intervals; None where there is none."""
    high: Sequence[float | None] = ()
    bound: Sequence[bool] = ()
    """Where the number is at least this."""

    @property
    def name(self) -> str:
        """What the legend calls it."""
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
    """A plot as numbers."""

    kind: Literal["steps", "lines", "bars", "heat"]
    x: str
    """The words beside the x axis, with their unit."""
    y: str
    series: Sequence[Series] = ()
    heat: Sequence[Heat] = ()
    z: str = ""
    """Of a heat map, what the colour is."""
    log_x: bool = False
    log_y: bool = False
    of: str = "values"
    """What the values are: flows, queries, packets."""
    ticks: Sequence[tuple[float, str]] = ()
    """Where the x axis has words of its own."""
    note: str = ""
    """One sentence for the caption."""
    top: float | None = None
    """Where the y axis ends, if not where the numbers do."""
    width: Width = "column"
    schemes: Sequence[str] = ()
    """The schemes of the results, where some have no curve: a scheme looks alike in each of their plots."""

    @property
    def panels(self) -> list[str]:
        """The panels, in order."""
        return list(dict.fromkeys([*(s.panel for s in self.series), *(h.panel for h in self.heat)]))

    @property
    def caption(self) -> str:
        """How many values and seeds there are, and what must be known to read the plot."""
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
        """One dictionary a point, for pandas, polars or a file: `list(data.rows())`."""
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
    """For each scheme and case a number of the colour and one of the dash and marker.

    Of several schemes in several cases the colour says which scheme, the dash which case; else both change together.
    `known` are the schemes of the results, those without a curve too.
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
    """Refuses what has more curves in a panel than anybody tells apart."""
    count = len(looks(series))
    if count > MOST_SERIES:
        said = (
            f"{count} curves in one plot: expected at most {MOST_SERIES}; choose by schemes=[...] and, of a sweep, at={{...}}"
        )
        raise ScenarioError.of_call(said, "schemes", expected=f"at most {MOST_SERIES} curves", got=count)
