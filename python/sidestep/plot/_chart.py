"""Plots for notebooks, by Altair: zoom by the wheel, tooltips with units, curves by a click in the legend."""

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sidestep.plot._data import Data, Series, looks
from sidestep.plot._queues import edges
from sidestep.plot._stats import thinned

COLOURS = ("#2b8ac9", "#e0731d", "#17956e", "#c0629a", "#8a6fd1", "#a57c0a", "#d0453e", "#808080")
"""Colours with a contrast of 3:1 or more on light and dark pages, since a chart does not know its page."""

DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3])
INK = "#757d85"
"""Colour of words and axes: 4.1 to 1 or more on both."""

GRID = "#80889033"
_CORNERS = 400
_MANY = 30
_HEIGHT = 240
_MISSING = "a chart without a network needs vl-convert-python: pip install './python[notebook]' in Sidestep's sources"


def need() -> Any:
    """Returns Altair; raises ModuleNotFoundError with the extra to install, if it is missing."""
    try:
        import altair
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(
            "charts need Altair: pip install './python[notebook]' in Sidestep's sources", name=e.name
        ) from e
    return altair


def chart(data: Data) -> Any:
    """Returns the plot as an Altair chart. Raises ModuleNotFoundError without Altair."""
    alt = need()
    panels = data.panels
    click = alt.selection_point(fields=["curve"], bind="legend", name="click")
    drawn = [_panel(alt, data, panel, len(panels), click) for panel in panels]
    with warnings.catch_warnings():
        # A click in the legend selects curves of all panels.
        warnings.filterwarnings("ignore", "Automatically deduplicated", UserWarning)
        whole = drawn[0] if len(drawn) == 1 else alt.concat(*drawn, columns=2 if data.kind == "heat" else 3)
    # A chart within others has no style.
    return (
        whole.properties(
            title=alt.Title(
                data.caption, fontSize=11, fontWeight="normal", color=INK, anchor="start", orient="bottom", offset=12
            )
        )
        .configure(background="transparent", font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            labelFontSize=11,
            titleFontSize=12,
            gridColor=GRID,
            domainColor=INK,
            tickColor=INK,
            titleFontWeight="normal",
        )
        .configure_legend(
            labelColor=INK, titleColor=INK, orient="top", title=None, labelFontSize=12, labelLimit=400, symbolSize=200
        )
        .configure_header(labelColor=INK, titleColor=INK)
    )


def save(of: Any, path: str | Path) -> Path:
    """Writes a chart as one HTML file that needs no network, or as JSON, SVG or PNG by its ending.

    Raises ModuleNotFoundError without vl-convert-python, which contains Vega.
    """
    need()
    path = Path(path)
    try:
        of.save(str(path), inline=True) if path.suffix == ".html" else of.save(str(path))
    except (ImportError, ValueError) as e:
        if "vl-convert" not in str(e):
            raise
        raise ModuleNotFoundError(_MISSING) from e
    return path


def offline() -> None:
    """Includes Vega in all later charts of this notebook: they need no network, nor does an exported HTML page.

    Each then takes about 0.9 MB. Otherwise Altair's own renderer fetches Vega from a server. Raises ModuleNotFoundError
    without Altair or vl-convert-python.
    """
    alt = need()
    try:
        import vl_convert
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(_MISSING, name=e.name) from e

    def render(spec: dict[str, Any], **_: Any) -> dict[str, str]:
        # From the chart's content: the same chart gives the same page.
        text = json.dumps(spec, sort_keys=True).replace("</", "<\\/")
        name = f"sidestep-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        options = json.dumps(
            {"mode": "vega-lite", "actions": {"export": True, "source": False, "compiled": False, "editor": False}}
        )
        snippet = f"vegaEmbed(document.getElementById({name!r}), {text}, {options})"
        bundle = vl_convert.javascript_bundle(snippet).replace("</script", "<\\/script")
        place = f'<div id="{name}" style="max-width:100%;overflow-x:auto"></div>'
        return {"text/html": f'{place}<script type="module">{bundle}</script>'}

    alt.renderers.register("sidestep", render)
    alt.renderers.enable("sidestep")


def _panel(alt: Any, data: Data, panel: str, panels: int, click: Any) -> Any:
    width = 520 if panels == 1 else 300 if panels == 2 else 220
    if data.kind == "heat":
        layer = _heat(alt, data, panel)
        rows = next(len(heat.rows) for heat in data.heat if heat.panel == panel)
        size: dict[str, Any] = {"width": 300 if panels > 1 else 520, "height": 15 * rows}
    elif data.kind == "bars":
        layer, size = _bars(alt, data), {"width": {"step": 100}, "height": _HEIGHT}
    else:
        layer, size = _lines(alt, data, panel, click), {"width": width, "height": _HEIGHT}
    if panel:
        size["title"] = alt.Title(panel, color=INK, anchor="start", fontSize=12)
    return layer.properties(**size)


def _scales(alt: Any, data: Data) -> tuple[Any, Any]:
    """Returns the scales of all panels, whose ends are those of all curves."""
    x = [float(v) for s in data.series for v in s.x]
    highs = [v for s in data.series for v in [*s.y, *s.high] if v is not None]
    lows = [v for s in data.series for v in [*s.y, *s.low] if v is not None and (v > 0 or not data.log_y)]
    bottom = min(lows, default=0.1) if data.log_y else 0
    return (
        alt.Scale(type="log" if data.log_x else "linear", nice=False, zero=False, domain=[min(x), max(x)], padding=4),
        alt.Scale(
            type="log" if data.log_y else "linear", domain=[bottom, data.top or max(highs, default=1)], nice=not data.top
        ),
    )


def _lines(alt: Any, data: Data, panel: str, click: Any) -> Any:
    series = [s for s in data.series if s.panel == panel]
    chosen = looks(data.series, data.schemes)
    names = list(dict.fromkeys(s.name for s in data.series))
    look = {s.name: chosen[s.scheme, s.case] for s in data.series}
    x_scale, y_scale = _scales(alt, data)
    words = dict(data.ticks)
    legend = alt.Legend(symbolType="stroke", symbolStrokeWidth=2.5)
    colours = alt.Scale(domain=names, range=[COLOURS[look[name][0] % 8] for name in names])
    dashes = alt.Scale(domain=names, range=[DASHES[look[name][1] % 4] for name in names])
    x = alt.X("x:Q", title=data.x, scale=x_scale, axis=_axis(alt, data.log_x, words))
    y = alt.Y("y:Q", title=data.y, scale=y_scale, axis=_axis(alt, data.log_y, {}))
    colour = alt.Color("curve:N", scale=colours, sort=None, legend=legend)
    dash = alt.StrokeDash("curve:N", scale=dashes, sort=None, legend=legend)
    tooltip = [
        alt.Tooltip("curve:N", title="curve"),
        alt.Tooltip("at:N", title=data.x),
        alt.Tooltip("y:Q", title=data.y, format=".4f" if data.y.startswith("share") else ".4~g"),
        *([alt.Tooltip("interval:N", title="95 % interval")] if any(low is not None for s in series for low in s.low) else []),
        *([alt.Tooltip("n:Q", title=f"n ({data.of})", format=",")] if any(s.n for s in series) else []),
    ]
    rows = [row for s in series for row in _rows(s, data, words)]
    base = alt.Chart(alt.Data(values=rows))
    clear = alt.when(click).then(alt.value(1)).otherwise(alt.value(0.12))
    steps = "step-after" if data.kind == "steps" else "linear"
    line = base.mark_line(interpolate=steps, strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash, opacity=clear)
    # Many points are invisible, but each has a tooltip.
    many = any(len(s.x) > _MANY for s in series)
    seen = alt.value(0) if many else clear
    dots = base.mark_point(filled=True, size=60 if many else 40).encode(x=x, y=y, color=colour, opacity=seen, tooltip=tooltip)
    layers = [line, dots]
    if any(low is not None for s in series for low in s.low):
        low = alt.Y("low:Q", title=data.y, scale=y_scale, axis=_axis(alt, data.log_y, {}))
        layers.insert(0, base.mark_rule(strokeWidth=1.2).encode(x=x, y=low, y2="high:Q", color=colour, opacity=clear))
    zoom = alt.selection_interval(bind="scales", encodings=["x", "y"], name=f"zoom{data.panels.index(panel)}")
    return alt.layer(*layers).add_params(click, zoom)


def _axis(alt: Any, log: bool, words: Mapping[float, str]) -> Any:
    if words:
        pairs = ", ".join(f"'{at:g}': {json.dumps(name)}" for at, name in words.items())
        return alt.Axis(values=list(words), labelExpr=f"({{{pairs}}})['' + datum.value]", labelOverlap=False)
    return alt.Axis(format="~g", labelOverlap="greedy", tickCount=6) if log else alt.Axis(labelOverlap="greedy")


def _rows(s: Series, data: Data, words: Mapping[float, str]) -> list[dict[str, Any]]:
    x, y = [float(v) for v in s.x], list(s.y)
    if len(x) > _CORNERS and data.log_x:
        x, y = thinned(x, y, _CORNERS)
    elif len(x) > _CORNERS:
        y, x = thinned(y, x, _CORNERS)
    if data.kind == "steps" and x:
        x, y = [x[0], *x], [0.0, *y]
    out: list[dict[str, Any]] = []
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        row: dict[str, Any] = {"curve": s.name, "x": a, "y": b, "at": words.get(a, f"{a:.5g}"), "n": s.n or None}
        low, high = (s.low[i], s.high[i]) if s.low else (None, None)
        if low is not None and high is not None:
            row |= {"low": low, "high": high, "interval": f"{low:.4g} to {high:.4g}"}
        elif s.low:
            row["interval"] = "none: at least this" if s.bound[i] else "none"
        out.append(row)
    return out


def _bars(alt: Any, data: Data) -> Any:
    parts = [s.scheme for s in data.series]
    rows = [{"bar": name, "part": s.scheme, "y": y} for s in data.series for name, y in zip(s.x, s.y, strict=True)]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("bar:N", title=data.x, sort=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("y:Q", title=data.y),
            color=alt.Color("part:N", scale=alt.Scale(domain=parts, range=list(COLOURS[: len(parts)])), sort=None),
            tooltip=[
                alt.Tooltip("bar:N", title="scheme"),
                alt.Tooltip("part:N", title="part"),
                alt.Tooltip("y:Q", title=data.y, format=",.1f"),
            ],
        )
    )


def _heat(alt: Any, data: Data, panel: str) -> Any:
    heat = next(h for h in data.heat if h.panel == panel)
    ends: Sequence[tuple[float, float]] = list(pairwise(edges(heat.columns)))
    rows = [
        {"row": name, "from": a, "to": b, "at": at, "z": value}
        for name, values in zip(heat.rows, heat.values, strict=True)
        for at, (a, b), value in zip(heat.columns, ends, values, strict=True)
    ]
    highest = max((v for h in data.heat for values in h.values for v in values), default=1)
    scale = alt.Scale(scheme="magma", reverse=True, domain=[0, highest])
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect(strokeWidth=0.6)
        .encode(
            x=alt.X("from:Q", title=data.x, scale=alt.Scale(nice=False, zero=False), axis=alt.Axis(grid=False)),
            x2="to:Q",
            y=alt.Y("row:N", title=None, sort=list(heat.rows), axis=alt.Axis(labelLimit=200)),
            color=alt.Color("z:Q", title=data.z, scale=scale),
            # Covers the seams between cells.
            stroke=alt.Stroke("z:Q", scale=scale, legend=None),
            tooltip=[
                alt.Tooltip("row:N", title=data.y),
                alt.Tooltip("at:Q", title=data.x, format=".4~g"),
                alt.Tooltip("z:Q", title=data.z),
            ],
        )
        .add_params(alt.selection_interval(bind="scales", encodings=["x"], name=f"zoom{data.panels.index(panel)}"))
    )
