"""The tables of report.html: their cells, and what they should say of recomputed numbers."""
import math
from html.parser import HTMLParser

from recompute_table import ROWS


class Grid(HTMLParser):
    """The rows of the tables of the class `grid`, which have a column for each scheme."""

    def __init__(self):
        super().__init__()
        self.tables, self.rows, self.inside, self.text = [], [], False, None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table" and attributes.get("class") == "grid":
            self.inside, self.rows = True, []
            self.tables.append(self.rows)
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag in ("td", "th") and self.rows:
            self.text = "" if attributes.get("scope") != "rowgroup" else "\0"

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if self.text is not None and tag in ("td", "th"):
            self.rows[-1].append(self.text)
            self.text = None
        if tag == "table":
            self.inside = False


def cells(page):
    """Where each cell of the table is, and what it says."""
    grid = Grid()
    grid.feed(page)
    out = []
    for head, *rows in grid.tables:
        heading, before = "", {}
        for row in rows:
            if row[0].startswith("\0"):
                heading, before = row[0][1:], {}
                continue
            words = row[0]
            before[words] = before.get(words, 0) + 1
            nth = f" ({before[words]})" if before[words] > 1 else ""
            for scheme, cell in zip(head[1:], row[1:]):
                out.append((f"{heading} | {words}{nth} | {scheme}", cell))
    return out


def number(v):
    """Three significant digits, or all before the point."""
    if v is None:
        return "-"
    if abs(v) >= 1000:
        # Halves go away from zero.
        return f"{'-' if v < 0 else ''}{math.floor(abs(v) + 0.5):,}"
    decimals = 0 if v == 0 else min(max(2 - math.floor(math.log10(abs(v))), 0), 6)
    return f"{v:.{decimals}f}"


def share(part, whole):
    if not whole:
        return "-"
    percent = 100 * part / whole
    if part in (0, whole):
        return "100 %" if part else "0 %"
    if percent > 99.99 or percent < 0.01:
        return "> 99.99 %" if percent > 50 else "< 0.01 %"
    return f"{percent:.{2 if percent < 1 or percent > 99 else 1}f} %"


def times(of, heading, scheme, completed="completed", completion="completion", nth="", more=True):
    bound = lambda what: (">= " if of[f"{what}_at_least"] else "") + number(of[what])
    done = round((of["completed_share"] or 0) * of["n"])
    yield f"{heading} | {completion} p50, ms | {scheme}", bound("p50")
    yield f"{heading} | {completion} p99, ms | {scheme}", bound("p99")
    if more:
        yield f"{heading} | {completion} p99.9, ms | {scheme}", bound("p999")
        yield f"{heading} | {completion} mean, ms | {scheme}", bound("mean")
    ci = of["ci"]
    yield (
        f"{heading} | 95 % interval over seeds{nth} | {scheme}",
        f"{number(max(ci[0], 0))}..{number(ci[1])}" if ci else "-",
    )
    yield f"{heading} | {completed} | {scheme}", f"{done:,} ({share(done, of['n'])})"


def shown(summaries, claims):
    """What each cell should say, by its place; with more cells than are shown."""
    out = in_short(summaries)
    for scheme, of in summaries.items():
        out.update(times(of["qct_ms"], "queries", scheme))
        out.update(times(of["group_ms"], "all groups of flows", scheme))
        out.update(times(of["fct_short_ms"], "short background flows, 1 to 10 kB", scheme))
        done = all = detoured = delivered = 0
        for name, own in of["classes"].items():
            heading = f"flows of {name}"
            out.update(times(own["fct_ms"], heading, scheme))
            alone = " (2)" if own["fct_ms"]["ci"] or any_interval(summaries, name, "fct_ms") else ""
            if own["group_ms"]["n"] or any_groups(summaries, name):
                out.update(times(own["group_ms"], heading, scheme, "groups completed", "group completion", alone))
            slow = own["slowdown"]
            for what in ("p50", "p99", "mean"):
                bound = ">= " if slow[f"{what}_at_least"] else ""
                out[f"{heading} | slowdown {what} | {scheme}"] = bound + number(slow[what])
            out[f"{heading} | data packets dropped | {scheme}"] = f"{own['dropped']:,}"
            out[f"{heading} | detours | {scheme}"] = f"{own['detours_delivered']:,}"
            done += round((own["fct_ms"]["completed_share"] or 0) * own["fct_ms"]["n"])
            all += own["fct_ms"]["n"]
            detoured += own["detoured"]
            delivered += own["delivered"]
        percent = lambda v: "-" if v is None else f"{100 * v:.1f} %"
        packets = {
            "data packets detoured": f"{detoured:,} ({share(detoured, delivered)})",
            "of them in queries": percent(of["detoured_query_share"]),
            "all packets detoured, with ACKs": percent(of["detoured_share"]),
        }
        counted = lambda name: of["drops"].get(name.removeprefix("drops_"), 0) if name.startswith("drops_") else of[name]
        packets |= {words: f"{counted(name):,}" for words, name in ROWS.items()}
        out.update({f"packets | {words} | {scheme}": cell for words, cell in packets.items()})
        out[f"all flows that end | completed | {scheme}"] = f"{done:,} ({share(done, all)})"
        samples = of.get("samples", {})
        of_links = lambda name, what: percent(samples.get(name, {}).get(what))
        endless = {
            "goodput over the link's rate, mean": of_links("flow_link_share", "mean"),
            "10th percentile of the flows": of_links("flow_link_share", "p10"),
            "most": of_links("flow_link_share", "max"),
            "fair share, mean": of_links("fair_share", "mean"),
            "Jain's index": "-" if of["jain"] is None else number(of["jain"]),
        }
        out.update({f"flows without an end | {words} | {scheme}": cell for words, cell in endless.items()})
        out[f"cost | packet-hops | {scheme}"] = number_of_hops(of["packet_hops"])
    return out


def in_short(summaries):
    """The first table: p99 of queries, then of the groups and flows of each class, those with groups first."""
    of_all = list(summaries.values())
    names = list(dict.fromkeys(name for of in of_all for name in of["classes"]))
    names.sort(key=lambda name: not any_groups(summaries, name))
    rows = [("queries, p99, ms", [of["qct_ms"] for of in of_all])]
    for name in names[:8]:
        for what in ("group", "fct"):
            words = {"group": "groups", "fct": "flows"}[what]
            several = [of["classes"].get(name, {}).get(f"{what}_ms") for of in of_all]
            rows.append((f"{words} of {name}, p99, ms", several))
    out, before = {}, {"95 % interval over seeds": 0, "completed (seeds \u00d7 number)": 0}

    def row(label, cells):
        """A row whose label comes more than once: from the second on it is numbered."""
        before[label] += 1
        nth = f" ({before[label]})" if before[label] > 1 else ""
        out.update({f" | {label}{nth} | {scheme}": cell for scheme, cell in zip(summaries, cells)})

    for words, several in rows:
        several = [of if of and of["n"] else None for of in several]
        if not any(several):
            continue
        exact = [of["p99"] if of and not of["p99_at_least"] and of["p99"] else None for of in several]
        for place, (scheme, of, p99) in enumerate(zip(summaries, several, exact)):
            times = f" ({number(p99 / exact[0])} \u00d7)" if place and p99 and exact[0] else ""
            said = "-" if of is None else (">= " if of["p99_at_least"] else "") + number(of["p99"])
            out[f" | {words} | {scheme}"] = said + times
        if any(of and of["ci"] for of in several):
            ends = [of and of["ci"] for of in several]
            row("95 % interval over seeds", [f"{number(max(ci[0], 0))}..{number(ci[1])}" if ci else "-" for ci in ends])
        seeds = [len(of["seeds"]) for of in of_all]
        row("completed (seeds \u00d7 number)", [completed(of, n) if of else "-" for of, n in zip(several, seeds)])
    return out


def completed(of, seeds):
    """The share that completed, and of how many in each seed."""
    if seeds > 1 and of["n"] % seeds == 0:
        all = f"{seeds} \u00d7 {of['n'] // seeds:,}"
    else:
        all = f"{of['n']:,}" + (f" in {seeds} seeds" if seeds > 1 else "")
    return f"{share(round((of['completed_share'] or 0) * of['n']), of['n'])} of {all}"


def any_interval(summaries, name, of):
    return any(own["classes"].get(name, {of: {"ci": None}})[of]["ci"] for own in summaries.values())


def any_groups(summaries, name):
    return any(own["classes"].get(name, {"group_ms": {"n": 0}})["group_ms"]["n"] for own in summaries.values())


def number_of_hops(n):
    return f"{n:,}"
