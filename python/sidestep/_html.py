"""Notebook views of results, tables, claims and scenarios: a table and a picture.

Pure functions on the dictionaries that the command prints, and on a result's SVGs. Colours are those of the page's
text, so that light and dark pages work alike; all text is escaped. A viewer that removes styles shows a plain table.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Protocol

from sidestep.errors import ScenarioError
from sidestep.plot._metric import read

_ROWS = 12
"""Most rows of schemes, points and claims; more are better read as a table of numbers."""

_NONE = "&ndash;"

_STYLE = """
.sidestep{font-size:13px;line-height:1.45;max-width:980px;margin:2px 0 10px}
.sidestep p{margin:2px 0}.sidestep .t{font-weight:600;font-size:14px}.sidestep .s{opacity:.72}
.sidestep div.o{overflow-x:auto}
.sidestep table{border-collapse:collapse;margin:6px 0;border:0;background:none;font-size:13px}
.sidestep tr{background:none!important}
.sidestep th,.sidestep td{text-align:right;padding:3px 10px;border:0;border-bottom:1px solid rgba(128,136,144,.35);
white-space:nowrap;background:none;vertical-align:baseline}
.sidestep th{font-weight:600;white-space:normal;vertical-align:bottom}
.sidestep th.l,.sidestep td.l{text-align:left;padding-left:2px}
.sidestep td.w{text-align:left;white-space:normal;min-width:14em}
.sidestep td{font-variant-numeric:tabular-nums}.sidestep i{font-style:normal;opacity:.66;font-size:11px}
.sidestep summary{cursor:pointer;opacity:.8}.sidestep svg{display:block;width:100%;max-width:860px;height:auto}
"""


class Rows(Protocol):
    """Table to show."""

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        ...

    def __len__(self) -> int:
        """Returns the number of rows."""
        ...

    def to_dict(self, columns: Sequence[str] | None = None, limit: int | None = None) -> dict[str, list[Any]]:
        """Returns the columns as lists."""
        ...


def result(summary: Mapping[str, Any], picture: str = "") -> str:
    """Shows a run: a row a scheme with its p99s, drops and detours; a picture; claims and warnings folded."""
    schemes: Mapping[str, Mapping[str, Any]] = summary["schemes"]
    columns = _columns(schemes.values())
    heads = ["scheme", *(words for words, _ in columns)]
    shown = list(schemes.items())[:_ROWS]
    rows = [[escape(name), *(_number(of, metric) for _, metric in columns)] for name, of in shown]
    left = _left(len(schemes) - len(shown), "scheme")
    parts = [_title(summary, summary.get("scenario", "")), _table(heads, rows), left, picture, *_folded(summary)]
    return _whole(parts)


def sweep(summary: Mapping[str, Any], picture: str = "") -> str:
    """Shows a sweep: a row a point and scheme with the command's metrics; a picture; claims and warnings folded."""
    axes = [axis["name"] for axis in summary["axes"]]
    metrics = list(summary["shown"])[:6]
    rows = [
        [*(escape(str(point["at"][axis])) for axis in axes), escape(name), *(_number(of, metric) for metric in metrics)]
        for point in summary["points"]
        for name, of in point["schemes"].items()
    ]
    heads = [*axes, "scheme", *metrics]
    table = _table(heads, rows[:_ROWS], left=len(axes) + 1)
    parts = [_title(summary, summary.get("experiment", "")), table, _left(len(rows) - _ROWS, "row"), picture, *_folded(summary)]
    return _whole(parts)


def reproduction(summary: Mapping[str, Any], picture: str = "") -> str:
    """Shows figures of papers: the number of claims for each verdict, and each claim with its verdict."""
    totals = summary["totals"]
    said = [f"{totals[key]} {words}" for key, words in _VERDICTS.items() if totals.get(key)]
    words = f"{totals['claims']} claims: {', '.join(said) or 'none judged'}"
    head = f'<p class="t">{escape(str(summary["asked"]))}</p><p class="s">{escape(words)}; {escape(str(summary["status"]))}</p>'
    return _whole([head, _claims(summary["claims"]), picture])


def claims(of: Sequence[Mapping[str, Any]]) -> str:
    """Shows claims: the paper's sentence, its number, ours, the verdict."""
    return _whole([_claims(of) or "<p>no claims</p>"])


def table(of: Rows) -> str:
    """Shows a table: its first rows, and the number of rows. Columns beyond the first twelve are named below."""
    names = list(of.columns)[:12]
    first = of.to_dict(names, limit=5)
    rows = [[_plain(value) for value in row] for row in zip(*(first[name] for name in names), strict=True)]
    more = [escape(name) for name in of.columns[len(names) :]]
    said = f"{len(of):,} rows, {len(of.columns)} columns"
    fold = f"<details><summary>{len(more)} more columns</summary><p>{', '.join(more)}</p></details>" if more else ""
    kinds = [all(not isinstance(value, int | float) or isinstance(value, bool) for value in first[name]) for name in names]
    return _whole([_table(names, rows, words=kinds), f'<p class="s">{said}</p>', fold])


def scenario(of: Mapping[str, Any], keys: Container[str]) -> str:
    """Shows a scenario, as one of `scenarios` of `sidestep check --json`: its settings of these keys, and its offered load."""
    settings = [s for s in of["settings"] if s["key"] in keys and s["key"] != "title"]
    rows = [
        [escape(str(s["key"])), escape(_short(str(s["value"]), 60)), escape(str(s["scheme"] or "all"))]
        for s in settings[:_ROWS]
    ]
    left = len(of["settings"]) - len(rows)
    axes = [
        [escape(str(axis["name"])), escape(_short(", ".join(map(str, axis["values"])), 60)), "swept"] for axis in of["axes"]
    ]
    head = _head(str(of.get("title") or of["name"]), [str(of["name"]), f"{of['runs']} runs"])
    words = [True, True, True]
    note = f'<p class="s">and {left} more settings, mostly defaults: <code>sidestep.check</code> lists each with its source</p>'
    warnings = _fold("warning", [escape(str(warning)) for warning in of.get("warnings", ())])
    return _whole([head, _table(["key", "value", "scheme"], [*axes, *rows], words=words), note, _load(of), warnings])


def picture(directory: Path, most: int = 150_000) -> str:
    """Returns the first of a result's plots, as SVG in the page's colours; empty if none has at most `most` bytes."""
    place = directory / "plots"
    found = sorted((place if place.is_dir() else directory).glob("*.svg"), key=lambda path: (_wanted(path.stem), path.name))
    for path in found:
        if path.stat().st_size <= most:
            return recoloured(path.read_text(encoding="utf-8"))
    return ""


def recoloured(svg: str) -> str:
    """Returns one of the study's SVGs with the colours of the page's text; empty if the text is not a plain SVG."""
    # The study writes neither scripts nor links; an SVG with some comes from elsewhere.
    if not svg.lstrip().startswith("<svg") or re.search(
        r"<(script|foreignObject|iframe|a)\b|\son\w+\s*=|javascript:", svg, re.I
    ):
        return ""
    svg = re.sub(r'(<rect [^>]*?)fill="#ffffff"', r'\1fill="none"', svg, count=1)
    for colour, opacity in _INKS.items():
        svg = re.sub(
            rf'(fill|stroke)="{colour}"',
            lambda m, o=opacity: f'{m[1]}="currentColor" {m[1]}-opacity="{o}"',  # type: ignore[misc]
            svg,
        )
    for colour, other in _BOTH.items():
        svg = svg.replace(colour, other)
    # Marks are filled with the page's colour where they are open.
    return svg.replace('fill="#ffffff"', 'fill="none"')


_INKS = {"#212529": "1", "#5f6871": "0.75", "#e5e8eb": "0.16", "#f3f4f6": "0.08", "#8a9199": "0.55"}
"""Colours of words, frames and grids in the study's plots (crates/study/src/plot/look.rs), with the strength of each."""

_BOTH = {
    "#0072b2": "#2b8ac9",
    "#d55e00": "#e0731d",
    "#00855f": "#17956e",
    "#c0528f": "#c0629a",
    "#5b3fa8": "#8a6fd1",
    "#8f6a00": "#a57c0a",
    "#6e6e6e": "#808080",
}
"""Colours of the study, each with a replacement that has a contrast of 3:1 or more on a light page and on a dark one."""

_VERDICTS = {
    "reproduced": "reproduced",
    "not_reproduced": "not reproduced",
    "cant_tell": "can't tell",
    "not_judged": "not judged",
}


def _wanted(stem: str) -> int:
    """Returns a plot's rank for a reader: plots that the file requests, then queries, groups, flows."""
    order = ["plot", "qct_cdf", "group_cdf", "fct_short", "fct_cdf"]
    return next((i for i, start in enumerate(order) if stem.startswith(start)), len(order))


def _columns(schemes: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Returns the heads and metrics that a run has values for, at most eight."""
    of = list(schemes)
    classes = list(dict.fromkeys(name for scheme in of for name in scheme["classes"]))
    wanted = [("QCT p99 (ms)", "qct_p99_ms"), ("group p99 (ms)", "group_p99_ms")]
    wanted += [(f"FCT p99 of {name} (ms)", f"fct_p99_ms:{name}") for name in classes[:3]]
    wanted += [("completed", "fct_all_completed_share"), ("goodput (Gbps)", "flow_goodput_gbps_mean"), ("Jain", "jain")]
    there = [(words, metric) for words, metric in wanted if any(_has(scheme, metric) for scheme in of)]
    counts = [("drops", "drops"), ("detours", "detours"), ("timeouts", "timeouts")]
    return there[:5] + [(words, metric) for words, metric in counts if any(_has(scheme, metric) for scheme in of)]


def _has(of: Mapping[str, Any], metric: str) -> bool:
    try:
        return read(of, metric) is not None
    except ScenarioError:
        return False


def _number(of: Mapping[str, Any], metric: str) -> str:
    try:
        found = read(of, metric)
    except ScenarioError:
        found = None
    if found is None:
        return _NONE
    share = "share" in metric
    words = ("≥ " if found.bound else "") + (f"{found.value * 100:.4g} %" if share else _digits(found.value))
    if metric.partition(":")[0].endswith("_ms") and found.low is not None and found.high is not None:
        words += f" <i>{_digits(found.low)} to {_digits(found.high)}</i>"
    return words


def _digits(value: float) -> str:
    """Formats a number with four digits and separators of thousands."""
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _plain(value: object) -> str:
    if value is None:
        return "<i>null</i>"
    if isinstance(value, float):
        return f"{value:.6g}"
    return escape(_short(str(value), 40))


def _short(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _title(summary: Mapping[str, Any], name: str) -> str:
    seeds = list(summary["seeds"])
    facts = [name, "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"]
    if summary["status"] != "complete":
        facts.append(f"{summary['status']}: stopped before its end")
    # Intervals are explained once, here, and not beside each number.
    facts.append("p99s with 95 % intervals" if len(seeds) > 2 else "")
    facts.append("counts are means per run" if len(seeds) > 1 else "")
    return _head(str(summary.get("title") or name), facts)


def _head(title: str, facts: Sequence[str]) -> str:
    return f'<p class="t">{escape(_short(title, 160))}</p><p class="s">{escape("; ".join(f for f in facts if f))}</p>'


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, words: Sequence[bool] | None = None) -> str:
    """Returns a table. Cells are HTML already, heads are text. The first `left` columns, or those of `words`, contain words."""
    of = words or [i < left for i in range(len(heads))]
    align = ['class="l"' if word else "" for word in of]
    head = "".join(f"<th {a}>{escape(h)}</th>" for a, h in zip(align, heads, strict=True))
    body = "".join("<tr>" + "".join(f"<td {a}>{c}</td>" for a, c in zip(align, row, strict=True)) + "</tr>" for row in rows)
    return f'<div class="o"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _claims(of: Sequence[Mapping[str, Any]]) -> str:
    if not of:
        return ""
    rows = "".join(
        f'<tr><td class="l">{escape(str(c["verdict"]))}</td><td class="w">{escape(str(c["says"]))}</td>'
        f"<td>{_claimed(c['paper'])}</td><td>{escape(str(c.get('bound') or ''))} {_claimed(c['ours'])}</td></tr>"
        for c in of[:_ROWS]
    )
    heads = '<th class="l">verdict</th><th class="l">claim</th><th>paper</th><th>here</th>'
    table = f'<div class="o"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    return table + _left(len(of) - _ROWS, "claim")


def _claimed(value: object) -> str:
    return _NONE if value is None else _digits(value) if isinstance(value, int | float) else escape(str(value))


def _left(count: int, what: str) -> str:
    return f'<p class="s">and {count} more {what}{"s" if count > 1 else ""}</p>' if count > 0 else ""


def _folded(summary: Mapping[str, Any]) -> list[str]:
    warnings = _fold("warning", [escape(str(warning)) for warning in summary.get("warnings", ())], is_open=True)
    of = summary.get("claims", ())
    about = f"<details><summary>{len(of)} claim{'s' if len(of) > 1 else ''}</summary>{_claims(of)}</details>" if of else ""
    return [warnings, about]


def _fold(what: str, lines: Sequence[str], *, is_open: bool = False) -> str:
    if not lines:
        return ""
    # Warnings that must be read before trusting a number are not folded while they are short.
    shown = " open" if is_open and len(lines) <= 2 else ""
    items = "".join(f"<p>{_short(line, 400)}</p>" for line in lines)
    name = what if len(lines) == 1 else f"{what}s"
    return f"<details{shown}><summary>{len(lines)} {name}</summary>{items}</details>"


def _load(of: Mapping[str, Any]) -> str:
    """Shows the offered load of each class, as bars over the capacity of the network's links."""
    classes = [c for c in of.get("load", {}).get("classes", ()) if c.get("share") is not None][:6]
    if not classes:
        return ""
    full = max([1.0, *(float(c["share"]) for c in classes)])
    lines = []
    for i, c in enumerate(classes):
        y, share = 22 + 24 * i, float(c["share"])
        lines.append(
            f'<text x="0" y="{y + 12}" fill="currentColor">{escape(_short(str(c["name"]), 22))}</text>'
            f'<rect x="150" y="{y}" width="480" height="15" fill="currentColor" fill-opacity="0.08"/>'
            f'<rect x="150" y="{y}" width="{max(480 * share / full, 1):.1f}" height="15" fill="#2b8ac9"/>'
            f'<text x="640" y="{y + 12}" fill="currentColor">{share * 100:.3g} %</text>'
        )
    height = 26 + 24 * len(classes)
    said = "offered load, share of the capacity of host links"
    words = f'<text x="150" y="13" fill="currentColor" fill-opacity="0.75">{said}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" font-size="12" role="img"'
        f' aria-label="offered load of each class">{words}{"".join(lines)}</svg>'
    )


def _whole(parts: Sequence[str]) -> str:
    return f'<div class="sidestep"><style>{_STYLE}</style>{"".join(part for part in parts if part)}</div>'
