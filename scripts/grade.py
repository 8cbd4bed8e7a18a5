#!/usr/bin/env python3
"""Publishes the verdicts of a report: docs/papers/grade.csv, the counts of each paper in README.md and docs/papers/PAPER.md and,
of a full report, `expect` and `expect_between` of the experiments. Figures that an interruption cut are left out, and
so is `beyond`, which is no paper's.

    sidestep reproduce dibs --json > report.json
    python3 scripts/grade.py report.json

A test of crates/study holds the counts against docs/papers/grade.csv.
"""

import csv
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/papers/grade.csv"
HEAD = ["run", "figure", "claim", "verdict", "ours", "low", "high", "seeds"]
VERDICTS = ["reproduced", "not reproduced", "can't tell"]


def rows_of(report):
    run = "quick" if report["quick"] else "full"
    for claim in report["claims"]:
        low, high = claim["ci"] or ("", "")
        digits = lambda v: "" if v in ("", None) else f"{v:.4g}"
        ours = digits(claim["ours"])
        if claim["bound"]:
            ours = claim["bound"] + ours
        row = [run, claim["figure"], claim["id"], claim["verdict"], ours, digits(low), digits(high)]
        yield row + [str(claim["seeds"])]


def merged(new):
    old = []
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            old = list(csv.reader(file))[1:]
    graded = {(row[0], row[1]) for row in new}
    return sorted([row for row in old if (row[0], row[1]) not in graded] + new)


def no_papers():
    """Claims with `own = true`: figure and name."""
    found = set()
    for path in (ROOT / "experiments").glob("*/*.toml"):
        for part in re.split(r"(?m)^(?=\[\[claim\]\])", path.read_text()):
            name = re.match(r'\[\[claim\]\]\nid = "([^"]+)"\n', part)
            if name and re.search(r"(?m)^own = true$", part):
                found.add((f"{path.parent.name}/{path.stem}", name[1]))
    return found


def counts(rows):
    return ", ".join(f"{sum(row[3] == verdict for row in rows)} {verdict}" for verdict in VERDICTS)


def sentence(rows, run, paper):
    """What a test builds from the same table."""
    rows = [row for row in rows if row[0] == run and row[1].startswith(f"{paper}/")]
    if not rows:
        return None
    own = no_papers()
    papers = [row for row in rows if (row[1], row[2]) not in own]
    ours = [row for row in rows if (row[1], row[2]) in own]
    name = {"quick": "With --quick", "full": "In full"}[run]
    figures = len({row[1] for row in papers})
    said = f"{name}: {len(papers)} claims of the paper in {figures} figures: {counts(papers)}."
    return said + (f" {len(ours)} of our own: {counts(ours)}." if ours else "")


def replace(name, pattern, new):
    """Writes `new` in the place of the middle group of the only match of `pattern` in a page."""
    path = ROOT / name
    text, found = re.subn(pattern, lambda match: match[1] + new + match[3], path.read_text())
    assert found == 1, f"{name} has no place for {new!r}"
    path.write_text(text)


def publish(rows):
    for paper in sorted({row[1].split("/")[0] for row in rows} - {"beyond"}):
        said = [line for line in (sentence(rows, run, paper) for run in ("full", "quick")) if line]
        head, end = f"<!-- counts of {paper} -->\n", "\n<!-- end of counts -->"
        block = head + "\n".join(said) + end
        replace(f"docs/papers/{paper}.md", f"(?s)()({head}.*?{end})()", block)
        full = [row for row in rows if row[0] == "full" and row[1].startswith(f"{paper}/") and (row[1], row[2]) not in no_papers()]
        if full:
            cell = " / ".join(str(sum(row[3] == verdict for row in full)) for verdict in VERDICTS)
            row = rf"(?m)^(\|[^\n]*\(docs/papers/{paper}\.md\)[^\n]*\| )([^|\n]*)( \|)$"
            replace("README.md", row, cell)
        print(f"{paper}:", *said, sep="\n")


def expect(report):
    """Records what a full run gave where it is not `reproduced`."""
    for claim in report["claims"]:
        path = ROOT / "experiments" / f"{claim['figure']}.toml"
        parts = re.split(r"(?m)^(?=\[\[claim\]\])", path.read_text())
        for i, part in enumerate(parts):
            if not re.match(rf'\[\[claim\]\]\nid = "{re.escape(claim["id"])}"\n', part):
                continue
            part = re.sub(r"(?m)^expect(_between)? = .*\n", "", part)
            lines = ""
            if claim["verdict"] in VERDICTS[1:]:
                lines += f'expect = "{claim["verdict"]}"\n'
                ends = claim["ci"] or ([claim["ours"]] * 2 if claim["ours"] is not None else None)
                if ends:
                    low, high = (f"{end:.6g}" for end in ends)
                    lines += f'expect_between = "{low}"\n' if low == high else f'expect_between = "{low}..{high}"\n'
            body = part.rstrip("\n")
            parts[i] = body + "\n" + lines + part[len(body) + 1 :]
        path.write_text("".join(parts))


def main():
    report = json.loads(Path(sys.argv[1]).read_text())
    whole = {figure["name"] for figure in report["figures"] if figure["status"] == "complete"}
    report["claims"] = [claim for claim in report["claims"] if claim["figure"] in whole]
    rows = merged(list(rows_of(report)))
    with TABLE.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD] + rows)
    publish(rows)
    if not report["quick"]:
        expect(report)


main()
