#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which lines of the cells ran in the simulations, and which bits toggled: the table of rtl/synth/coverage.md.

    bash rtl/run.sh --coverage                         # runs them, and this with --write
    python3 rtl/synth/code_coverage.py [--write]            # of what the last run counted

Reads what Verilator counted in each build (target/rtl/coverage/*/test_*.dat, its text format). A place of a source counts once,
however many instances and builds have it, and is covered where one of them was there. --write writes coverage.md; without it the
table is printed. The bits that never toggled are listed in target/rtl/coverage/toggles.txt.

Ends with an error where a reason below is of a place that is covered or that there is none of.
"""

import argparse
import os
import sys
from collections import Counter, defaultdict
from pathlib import Path

from report import HERE, rows

SRC = HERE.parent / "src"
COUNTS = Path(os.environ.get("RTL_BUILD", HERE.parent.parent / "target" / "rtl")) / "coverage"

# Why no test is there: the cell, a part of the line, the reason.
AT_BUILD = "function of constants, evaluated when the model is built"
NEVER_HELD = "in the switch its words are always accepted; a proof shows that it holds them"
REASONS = [
    ("lfsr", "function automatic [Width-1:0] leap(", AT_BUILD),
    ("lfsr", "for (i = 0; i < Leap;", AT_BUILD),
    ("lfsr", "function automatic [Width-1:0] parents(", AT_BUILD),
    ("lfsr", "for (j = 0; j < Width;", AT_BUILD),
    ("spray_rr", "function automatic integer coprime(", AT_BUILD),
    ("spray_rr", "for (d = 2; d <= b;", AT_BUILD),
    ("spray_rr", "function automatic integer strides(", AT_BUILD),
    ("spray_rr", "for (s = 1; s < end_;", AT_BUILD),
    ("frame_rewrite", "if (out_free) begin", NEVER_HELD),
    ("input_arbiter", "if (free) begin", NEVER_HELD),
    ("input_arbiter", "if (free) valid_q <= busy_q;", NEVER_HELD),
    ("input_arbiter", "rest_q <= choose ? first_len : send ?", NEVER_HELD),
]

# What Verilator calls the sides of a decision.
SIDES = {"if": "holds", "else": "does not hold", "cond_then": "?: holds", "cond_else": "?: does not hold", "elsif": "holds",
         "case": "case", "block": "block"}


def counts(paths):
    """How often each place was passed: (source, line, column, kind, what) and its count, over all builds and instances."""
    passed = Counter()
    for path in paths:
        for line in path.read_text().splitlines():
            if not line.startswith("C '"):
                continue
            key, count = line[3:].rsplit("' ", 1)
            of = dict(pair.split("\x02", 1) for pair in key.split("\x01") if pair)
            source = Path(of["f"])
            if source.parent == SRC:
                passed[source.name, int(of["l"]), int(of["n"]), of["t"], of["o"]] += int(count)
    return passed


def newer_sources(paths, folder=SRC):
    """The sources that changed since the first of these counts, whose lines may be others now."""
    first = min(path.stat().st_mtime for path in paths)
    return [source.name for source in sorted(folder.glob("*.sv*")) if source.stat().st_mtime > first]


def share(places):
    """So many of so many; in per cent, rounded down, so that 100 is all."""
    done = sum(1 for count in places.values() if count)
    return f"{done} of {len(places)}", f"{100 * done // len(places)} %" if places else "–"


def reason(source, text, used):
    """Why nothing is there, where that is known."""
    for at, (cell, part, why) in enumerate(REASONS):
        if source == f"{cell}.sv" and part in text:
            used.add(at)
            return why
    return "no counted test"


def table(passed, builds):
    """The text of coverage.md, and reasons that are of nothing."""
    by_source = {path.name: (Counter(), Counter()) for path in sorted(SRC.glob("*.sv"))}
    for (source, line, column, kind, what), count in passed.items():
        by_source[source][kind == "toggle"][line, column, what] = count
    every = tuple(Counter({(source, *place): count for source, of in by_source.items() for place, count in of[kind].items()}) for kind in (0, 1))
    lines = [[f"`{source}`", *(share(blocks) + share(toggles) if blocks or toggles else ["in no build", "", "", ""])]
             for source, (blocks, toggles) in by_source.items()]
    lines.append(["**all**", *share(every[0]), *share(every[1])])

    missed, used = defaultdict(list), set()
    for (source, line, _, what), count in sorted(every[0].items()):
        if not count:
            missed[source, line].append(SIDES.get(what, what))
    places = []
    for (source, line), what in missed.items():
        text = (SRC / source).read_text().splitlines()[line - 1].strip()
        places.append([f"`{source}:{line}`", ", ".join(dict.fromkeys(what)), "`" + text.replace("|", "\\|") + "`", reason(source, text, used)])
    text = (
        "# Which lines the simulations run\n\n"
        "Verilator counted the blocks, branches and signal bits that the tests on it exercise, over all builds together.\n"
        "`bash rtl/run.sh --coverage` runs the tests and writes this page (`rtl/synth/code_coverage.py --write`).\n\n"
        "- *Blocks and branches*: each block of statements, and each side of `if`, `case` and `?:`. An `assign` of plain\n"
        "  operators has none, and code that no build generates is not counted.\n"
        "- *Toggles*: each bit of each signal, up and down. A parameter that is a port, the upper bits of\n"
        "  counters (a tenth of all) and the upper half of an address never toggle.\n"
        "- Not counted: Icarus, the conformance benches, the proofs, and code under `FORMAL`.\n"
        "- The functional bins of each test record which events occurred, not only that a line ran.\n\n"
        + rows(["source", "blocks and branches", "", "toggles", ""], lines)
        + "\n\n## Never run\n\n"
        + (rows(["place", "what", "line", "why"], places) if places else "Nothing.")
        + "\n\n## Builds that were counted\n\n" + "\n".join(f"- `{build}`" for build in builds) + "\n")
    return text, [REASONS[at] for at in range(len(REASONS)) if at not in used]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    paths = sorted(COUNTS.glob("*/test_*.dat"))
    if not paths:
        raise SystemExit(f"nothing counted in {COUNTS}: run `bash rtl/run.sh --coverage`")
    if newer := newer_sources(paths):
        raise SystemExit(f"{', '.join(newer)} newer than what was counted: run `bash rtl/run.sh --coverage`")
    passed = counts(paths)
    text, stale = table(passed, sorted({path.parent.name for path in paths}))
    still = sorted(f"{source}:{line} {what}" for (source, line, _, kind, what), count in passed.items() if kind == "toggle" and not count)
    (COUNTS / "toggles.txt").write_text("\n".join(still) + "\n")
    if asked.write:
        (HERE / "coverage.md").write_text(text)
    print(text)
    if stale:
        raise SystemExit("reasons for what is covered or not there: " + "; ".join(f"{cell}: {part}" for cell, part, _ in stale))


if __name__ == "__main__":
    sys.exit(main())
