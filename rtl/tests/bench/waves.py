# SPDX-License-Identifier: MIT OR Apache-2.0
"""A timing diagram as SVG, of what a simulation did."""

from html import escape

LEFT, TOP, STEP, ROW, HIGH = 104, 34, 32, 30, 18
INK, PALE, ACCENT = "#222", "#ddd", "#fde3c8"


def runs(values):
    """(first cycle, cycle after the last, value) of each stretch without change."""
    start = 0
    for i in range(1, len(values) + 1):
        if i == len(values) or values[i] != values[start]:
            yield start, i, values[start]
            start = i


def svg(title, rows, cycles, accent=None):
    """`rows` is a list of (name, kind, values, explanation): kind "clock", "bit", or "bus", whose values are words,
    "" for none. Cycles in `accent` are tinted."""
    width, height = LEFT + cycles * STEP + 12, TOP + ROW * len(rows) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           f'font-family="ui-monospace, monospace" font-size="11" role="img">',
           f"<title>{escape(title)}</title>", f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for first, last in accent or []:
        out.append(f'<rect x="{LEFT + first * STEP}" y="{TOP - 8}" width="{(last - first) * STEP}" '
                   f'height="{ROW * len(rows) + 8}" fill="{ACCENT}"/>')
    for cycle in range(cycles):
        x = LEFT + cycle * STEP
        out.append(f'<path d="M{x} {TOP - 8}V{TOP + ROW * len(rows)}" stroke="{PALE}"/>')
        if cycle % 2 == 0:
            out.append(f'<text x="{x + STEP / 2}" y="{TOP - 14}" text-anchor="middle" fill="#777">{cycle}</text>')
    for number, (name, kind, values, why) in enumerate(rows):
        top = TOP + ROW * number
        low, mid = top + HIGH, top + HIGH / 2
        out.append(f'<text x="{LEFT - 8}" y="{mid + 4}" text-anchor="end" fill="{INK}">{escape(name)}'
                   f"<title>{escape(why)}</title></text>")
        if kind == "clock":
            path = "".join(f"M{LEFT + c * STEP} {low}V{top}h{STEP / 2}V{low}h{STEP / 2}" for c in range(cycles))
            out.append(f'<path d="{path}" fill="none" stroke="{INK}"/>')
        elif kind == "bit":
            y = [low, top]
            path = f"M{LEFT} {y[values[0]]}"
            path += "".join(f"V{y[value]}H{LEFT + end * STEP}" for _, end, value in runs(values))
            out.append(f'<path d="{path}" fill="none" stroke="{INK}"/>')
        else:
            for start, end, value in runs(values):
                x, wide = LEFT + start * STEP, (end - start) * STEP
                if value == "":
                    out.append(f'<path d="M{x} {mid}h{wide}" stroke="{INK}"/>')
                    continue
                out.append(f'<path d="M{x} {mid}l4 {-HIGH / 2}h{wide - 8}l4 {HIGH / 2}l-4 {HIGH / 2}h{8 - wide}z" '
                           f'fill="#fff" stroke="{INK}"/>')
                out.append(f'<text x="{x + wide / 2}" y="{mid + 4}" text-anchor="middle" fill="{INK}">{escape(value)}</text>')
    out.append(f'<text x="{LEFT}" y="{height - 10}" fill="#555">{escape(title)}</text></svg>')
    return "\n".join(out) + "\n"
