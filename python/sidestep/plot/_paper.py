"""Plots for papers, by matplotlib: sizes of a column, 8 pt, vectors, and lines that are distinct without colour."""

import io
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Heat, Series, looks
from sidestep.plot._queues import edges

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTHS: Mapping[str, float] = {"column": 3.3, "page": 7.0}
"""Widths in inches: one column of a two-column paper, and both. ACM and USENIX have 3.33 and 7, IEEE 3.5 and 7.1."""

COLOURS = ("#0b3c7d", "#d9730d", "#00796b", "#e3a3c7", "#7b3294", "#8c8c8c", "#b2182b", "#5fb4de")
"""Colours for colour-blind readers; the first four differ in lightness by 12 of CIE L* or more, which greyscale keeps."""

DASHES: Sequence[Any] = ("-", (0, (4.5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MARKERS = "os^Dv<>P"
_DARK = {"#0b3c7d", "#00796b", "#7b3294", "#b2182b"}
"""Colours that are invisible on a dark page."""

HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----")
HEAT = "magma_r"
"""Colour map with even lightness, also for colour-blind readers, so that it prints grey; an empty queue is as light as
paper."""

INK = "#1a1d20"
GRID = "#dfe3e6"

_FONTS = ("Helvetica", "Arial", "Liberation Sans", "Nimbus Sans", "DejaVu Sans")


def need() -> None:
    """Raises ModuleNotFoundError with the extra to install, if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(
            "plots need matplotlib: pip install './python[plot]' in Sidestep's sources", name=e.name
        ) from e


def style() -> dict[Any, Any]:
    """Returns the settings of a paper: `with matplotlib.rc_context(sidestep.plot.style()): ...` for your own plots."""
    need()
    from matplotlib import font_manager

    there = {font.name for font in font_manager.fontManager.ttflist}
    return {
        "font.family": [name for name in _FONTS if name in there],
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.labelsize": 8,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.linewidth": 0.6,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": INK,
        "grid.color": GRID,
        "grid.linewidth": 0.5,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.minor.width": 0.4,
        "ytick.minor.width": 0.4,
        "legend.fontsize": 8,
        "legend.frameon": False,
        "legend.handlelength": 2.6,
        "lines.linewidth": 1.3,
        "lines.markersize": 3.6,
        "hatch.linewidth": 0.5,
        "figure.dpi": 150,
        "savefig.dpi": 300,
        "pdf.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "sidestep",
    }


def figure(data: Data) -> "Figure":
    """Returns the plot as a matplotlib Figure, with the numbers of values and seeds below it.

    Raises ScenarioError for an unknown width, ModuleNotFoundError without matplotlib.
    """
    need()
    import matplotlib as mpl

    from sidestep.plot._figure import PaperFigure

    if data.width not in WIDTHS:
        known = ", ".join(WIDTHS)
        said = f"width: expected one of {known}, got {data.width!r}"
        raise ScenarioError.of_call(said, "width", expected=f"one of {known}", got=data.width)
    with mpl.rc_context(style()):
        panels = data.panels
        across = 1 if data.width == "column" else min(len(panels), 3)
        down = -(-len(panels) // across)
        wide = WIDTHS[data.width]
        each = _height(data, wide / across)
        fig = PaperFigure(figsize=(wide, each * down), layout="constrained")
        fig.data = data
        fig.as_html = html
        fig.get_layout_engine().set(w_pad=0.03, h_pad=0.03)  # type: ignore[union-attr, call-arg]
        axes = fig.subplots(down, across, squeeze=False, sharex=data.kind != "heat", sharey=data.kind != "heat")
        flat: list[Axes] = list(axes.flat)
        for i, (ax, panel) in enumerate(zip(flat, panels, strict=False)):
            last = i + across >= len(panels)
            _panel(ax, data, panel, last=last, first=i % across == 0)
        for ax in flat[len(panels) :]:
            ax.remove()
        if data.kind == "heat":
            _bar_of_colours(fig, flat, data)
        else:
            _legend(fig, flat[0], data, wide)
        _caption(fig, data.caption, wide)
    return fig


def _height(data: Data, wide: float) -> float:
    if data.kind == "heat":
        rows = max(len(heat.rows) for heat in data.heat)
        return max(0.9 + 0.13 * rows, 1.6)
    return min(max(wide * 0.62, 1.7), 2.6) if len(data.panels) < 3 or wide < 3 else 1.6


def _panel(ax: "Axes", data: Data, panel: str, *, last: bool, first: bool) -> None:
    series = [s for s in data.series if s.panel == panel]
    if data.kind == "heat":
        _heat(ax, next(h for h in data.heat if h.panel == panel), data)
    elif data.kind == "bars":
        _bars(ax, series)
    else:
        chosen = looks(data.series, data.schemes)
        for s in series:
            _line(ax, s, chosen[s.scheme, s.case], data)
    if panel:
        ax.set_title(panel, loc="left", pad=3)
    if data.log_x:
        ax.set_xscale("log")
        _plain_numbers(ax.xaxis)
    if data.log_y:
        ax.set_yscale("log")
        _plain_numbers(ax.yaxis)
    if data.ticks:
        ax.set_xticks([at for at, _ in data.ticks], [words for _, words in data.ticks], minor=False)
        ax.xaxis.set_minor_locator(_none())
    if data.kind != "heat" and not data.log_y:
        ax.set_ylim(0, data.top * 1.02 if data.top else None)
    # Panels share their axes, whose numbers stand at the last one.
    ax.tick_params(labelbottom=last or data.kind == "heat")
    if last:
        ax.set_xlabel(data.x)
    if first and data.kind != "heat":
        ax.set_ylabel(data.y)


def _none() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


_SUBS: Sequence[tuple[float, tuple[float, ...]]] = (
    (2.5, (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9)),
    (10, (1, 2, 3, 4, 5, 6, 8)),
    (80, (1, 2, 5)),
)
"""Numbers on a logarithmic axis, by the ratio of its largest to its smallest."""


def _plain_numbers(axis: Any) -> None:
    """Sets the ticks of a logarithmic axis: 0.5, 1, 2, 5 instead of powers, if it has few decades."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    decades = high / low if low > 0 else 1.0
    subs = next((own for most, own in _SUBS if decades < most), (1.0,))
    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _plain(value)))
    axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=60))
    axis.set_minor_formatter(NullFormatter())


def _plain(value: float) -> str:
    """Formats 0.001 as it is, and numbers with more noughts as a power."""
    if value <= 0 or 1e-4 < value < 1e6:
        return f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    front = value / 10**power
    return f"$10^{{{power}}}$" if abs(front - 1) < 1e-6 else f"${front:g}\\cdot 10^{{{power}}}$"


def _line(ax: "Axes", s: Series, look: tuple[int, int], data: Data) -> None:
    colour, dash, marker = COLOURS[look[0] % 8], DASHES[look[1] % 4], MARKERS[look[1] % 8]
    x, y = [float(v) for v in s.x], list(s.y)
    options: dict[str, Any] = {"color": colour, "linestyle": dash, "marker": marker, "label": s.name}
    if data.kind == "steps":
        # From zero on the axis, and on to the right if some values never finish.
        ax.plot(
            [x[0], *x] if x else [],
            [0.0, *y] if y else [],
            drawstyle="steps-post",
            markevery=_every(s, look),
            **options,
        )
        return
    if len(x) > 25:
        options["markevery"] = max(len(x) // 8, 1)
    if any(low is not None for low in s.low):
        at = [(a, b, lo, hi) for a, b, lo, hi in zip(x, y, s.low, s.high, strict=True) if lo is not None and hi is not None]
        # The interval is not symmetric about its number: matplotlib needs the ends as distances.
        ends = [[b - lo for _, b, lo, _ in at], [hi - b for _, b, _, hi in at]]
        ax.errorbar(
            [a for a, *_ in at],
            [b for _, b, *_ in at],
            ends,
            fmt="none",
            ecolor=colour,
            elinewidth=0.8,
            capsize=2,
            capthick=0.8,
        )
    ax.plot(x, y, **options)
    open_at = [i for i, bound in enumerate(s.bound) if bound]
    if open_at:
        ax.plot(
            [x[i] for i in open_at],
            [y[i] for i in open_at],
            linestyle="",
            marker=marker,
            color=colour,
            markerfacecolor="white",
            zorder=5,
        )


def _every(s: Series, look: tuple[int, int]) -> list[int]:
    """Returns marks at the same few heights of every curve, a little apart from each other's."""
    heights = [0.12 + 0.2 * i + 0.03 * (look[1] % 5) for i in range(5)]
    found = [next((i + 1 for i, y in enumerate(s.y) if y >= height), None) for height in heights]
    return sorted({i for i in found if i is not None})


def _bars(ax: "Axes", series: Sequence[Series]) -> None:
    names = [str(name) for name in series[0].x]
    below = [0.0] * len(names)
    for i, s in enumerate(series):
        ax.bar(
            range(len(names)),
            list(s.y),
            bottom=below,
            width=0.6,
            label=s.scheme,
            color=_lighter(COLOURS[i % 8]),
            edgecolor=INK,
            linewidth=0.6,
            hatch=HATCHES[i % len(HATCHES)],
        )
        below = [b + y for b, y in zip(below, s.y, strict=True)]
    long = max(map(len, names)) * len(names) > 36
    ax.set_xticks(range(len(names)), names, rotation=30 if long else 0, ha="right" if long else "center")
    ax.grid(axis="x", visible=False)
    ax.margins(y=0.08)
    if not any(below):
        ax.set_ylim(0, 1)
    for i, total in enumerate(below):
        ax.annotate(f"{total:,.0f}", (i, total), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom")


def _lighter(colour: str) -> tuple[float, float, float]:
    """Returns a fill that contrasts with hatches and the edge."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return 0.35 + 0.65 * red, 0.35 + 0.65 * green, 0.35 + 0.65 * blue


def _heat(ax: "Axes", heat: Heat, data: Data) -> None:
    highest = max((v for h in data.heat for row in h.values for v in row), default=1)
    rows = list(range(len(heat.rows) + 1))
    # Cells as vectors show seams between them in most viewers; everything else stays a vector.
    ax.pcolormesh(
        edges(heat.columns),
        rows,
        heat.values,
        cmap=HEAT,
        vmin=0,
        vmax=max(highest, 1),
        rasterized=True,
    )
    ax.set_yticks([i + 0.5 for i in range(len(heat.rows))], list(heat.rows), fontsize=6)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.grid(visible=False)


def _bar_of_colours(fig: "Figure", axes: Sequence["Axes"], data: Data) -> None:
    there = [ax for ax in axes if ax.figure is not None and ax.collections]
    bar = fig.colorbar(there[0].collections[0], ax=there, location="top", aspect=40, pad=0.01, shrink=0.6, anchor=(1.0, 0.0))
    bar.set_label(data.z)
    bar.outline.set_linewidth(0.4)


def _legend(fig: "Figure", ax: "Axes", data: Data, wide: float) -> None:
    handles: dict[str, Any] = {}
    for own in fig.axes:
        for handle, name in zip(*own.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if len(handles) < 2 and data.kind == "bars" and "none" in handles:
        return
    longest = max(map(len, handles))
    # A handle and its gaps take as much as six letters, of which 18 go to an inch.
    columns = max(min(int(wide * 18 / (longest + 7)), len(handles)), 1)
    rows = -(-len(handles) // columns)
    columns = -(-len(handles) // rows)
    _grow(fig, 0.17 * (rows - 1))
    # For reading line by line; matplotlib fills one column after another.
    names = [name for i in range(columns) for name in list(handles)[i::columns]]
    fig.legend(
        [handles[name] for name in names],
        names,
        loc="outside upper left",
        ncols=columns,
        borderpad=0.1,
        columnspacing=1.2,
        handletextpad=0.5,
    )


def _caption(fig: "Figure", words: str, wide: float) -> None:
    import textwrap

    lines = textwrap.wrap(words, int(wide * 19))
    text = fig.supxlabel("\n".join(lines), fontsize=6.5, color="#555b61", x=0.01, ha="left")
    text.set_linespacing(1.25)
    _grow(fig, 0.13 * len(lines) + 0.2)


def _grow(fig: "Figure", inches: float) -> None:
    """Adds room for parts outside the axes, which keep their height."""
    wide, high = fig.get_size_inches()
    fig.set_size_inches(wide, high + inches)


def save(fig: "Figure", path: str | Path, **options: Any) -> Path:
    """Writes a figure: PDF and SVG as vectors with text as text, PNG at 300 dpi; the same bytes each time.

    `path`: its ending selects the format. Raises ScenarioError for an ending that matplotlib does not support, OSError
    if the file cannot be written.
    """
    need()
    import matplotlib as mpl

    path = Path(path)
    known = fig.canvas.get_supported_filetypes()
    ending = path.suffix.removeprefix(".")
    if "format" not in options and ending not in known:
        raise ScenarioError.none_of(f"path: {str(path)!r} ends in no format", "path", ending, sorted(known))
    dates: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    metadata = dates.get(ending)
    with mpl.rc_context(style()):
        fig.savefig(path, **{"metadata": metadata, **options})
    return path


_NUMBERS = re.compile(r"(width|height)=\"([\d.]+)pt\"")


def html(fig: "Figure") -> str:
    """Returns the figure as HTML: an inline SVG that uses the page's colour of text, on a light page and on a dark one."""
    buffer = io.StringIO()
    import matplotlib as mpl

    with mpl.rc_context(style()):
        fig.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = _NUMBERS.sub(lambda m: f'{m[1]}="{float(m[2]) * 1.45:.0f}"', svg, count=2)
    for colour in (INK, "#555b61"):
        svg = svg.replace(colour, "currentColor")
    svg = svg.replace(f"stroke: {GRID}", "stroke: currentColor; stroke-opacity: 0.15")
    for colour in COLOURS:
        # Mixed with the colour of text: lighter on a dark page. The first is for browsers before 2023.
        mixed = f"color-mix(in srgb, {colour} {72 if colour in _DARK else 92}%, currentColor)"
        svg = re.sub(rf"(stroke|fill): {colour}", rf"\1: {colour}; \1: {mixed}", svg)
    return f'<div style="max-width:100%;overflow-x:auto">{svg}</div>'
