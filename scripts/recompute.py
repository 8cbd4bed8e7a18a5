#!/usr/bin/env python3
"""Recomputes the numbers of a result directory from its Parquet files alone, with DuckDB.

    recompute.py [--report REPORT.json] DIR...

With a report of `sidestep reproduce`, DIR is what `sidestep run` left of its figure of that name; the report's claims, totals and
points are held against the same numbers.

Holds every number of summary.json, the claims' numbers and verdicts, and the table of report.html against what the
tables say. Prints how many agreed and what cannot be recomputed, and why; exits 1 on a difference, or on a number
that is not recomputed for no reason known here. Needs the package duckdb and Python 3.11.
"""
import json
import sys
from collections import Counter
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parent))
from recompute_claims import evaluate, read  # noqa: E402
from recompute_compare import Comparison  # noqa: E402
from recompute_load import load  # noqa: E402
from recompute_page import cells, shown  # noqa: E402
from recompute_samples import PS_S, mix64  # noqa: E402
from recompute_summary import scheme_summary  # noqa: E402


def run(directory, said):
    result, runs, ours = Comparison(), load(directory), {}
    for scheme, theirs in said["schemes"].items():
        there = {seed for _, name, seed in runs if name == scheme}
        if said["status"] == "complete" and there != set(theirs["seeds"]):
            result.differ.append(f"{scheme}: seeds {theirs['seeds']}, in the tables {sorted(there)}")
        ours[scheme], unstarted = scheme_summary(scheme, runs, theirs["seeds"])
        if unstarted:
            result.stopped.add(scheme)
        result.walk(scheme, theirs, ours[scheme], "not_told" in theirs)
    for claim in said["claims"]:
        result.walk(f"claim {claim['id']}", *evaluate(claim, [({}, ours)]))
    page = directory / "report.html"
    if page.exists() and not any("not_told" in of for of in said["schemes"].values()):
        for scheme in ours:
            for key in ["cpu_s", "hops_per_cpu_s"]:
                ours[scheme][key] = said["schemes"][scheme].get(key)
        known = shown(ours, said["claims"])
        for place, cell in cells(page.read_text()):
            if " completed" in place and place.split(" | ")[-1] in result.stopped:
                result.skip("interrupted", f"report.html {place}")
                continue
            result.leaf(f"report.html {place}", cell, known.get(place))
    return result, [({}, ours)]


def sweep(directory, said):
    result = Comparison()
    rows = duckdb.execute("select * from read_parquet(?)", [str(directory / "points.parquet")])
    names = [column[0] for column in rows.description]
    table = [dict(zip(names, row)) for row in rows.fetchall()]
    axes = [axis["name"] if isinstance(axis, dict) else axis for axis in said["axes"]]
    runs, points = load(directory, axes), []
    for point in said["points"]:
        at = point["at"] if isinstance(point["at"], dict) else dict(zip(axes, point["at"]))
        where, summaries = tuple(at[axis] for axis in axes), {}
        for scheme, theirs in point["schemes"].items():
            here = f"{'/'.join(where)} {scheme}"
            there = sorted(seed for place, name, seed in runs if (place, name) == (where, scheme))
            mine = [r for r in table if r["scheme"] == scheme and all(r[a] == v for a, v in at.items())]
            for name, seeds in ("counts.parquet", there), ("points.parquet", sorted(row["seed"] for row in mine)):
                if seeds != sorted(theirs["seeds"]):
                    result.differ.append(f"{here}: seeds {theirs['seeds']}, in {name} {seeds}")
            if there != sorted(theirs["seeds"]):
                continue
            ours, _ = scheme_summary(scheme, runs, theirs["seeds"], where)
            summaries[scheme] = ours
            result.walk(here, theirs, ours)
            each = {tuple(seed["seeds"]): seed for seed in ours.get("per_seed", [ours])}
            for row in mine:
                of_point(result, f"points.parquet {here} {row['seed']}", row, each[row["seed"],], axes)
        points.append((at, summaries))
    for claim in said["claims"]:
        result.walk(f"claim {claim['id']}", *evaluate(claim, points))
    return result, points


def reproduced(report, figures):
    """A report of `sidestep reproduce`, from the points of its figures."""
    result, verdicts, failed = Comparison(), Counter(), 0
    for figure in report["figures"]:
        points = figures[figure["name"].split("/")[-1]]
        for said, (at, ours) in zip(figure["points"], points, strict=True):
            result.walk(f"{figure['name']} at", said["at"], at)
            for scheme, theirs in said["schemes"].items():
                own = {key: value for key, value in ours[scheme].items() if key != "per_seed"}
                result.walk(f"{figure['name']} {'/'.join(at.values())} {scheme}", theirs, own)
    for claim in report["claims"]:
        here = f"report.json claim {claim['id']}"
        theirs, ours = evaluate(claim, figures[claim["figure"].split("/")[-1]])
        result.walk(here, theirs, ours)
        between, own = claim.get("expect_between"), ours["ci"] or [ours["ours"]] * 2
        moved = bool(between) and own[0] is not None and (own[1] < between[0] or own[0] > between[1])
        expect, verdict = claim["expect"], ours["verdict"]
        unexpected = verdict != expect or expect != "reproduced" and moved
        if report["quick"]:
            # Only the opposite counts, and that nothing of a kind happened is no opposite of that something does.
            one = not any(sign in claim["accept"] for sign in ("..", "<", ">"))
            unexpected = (expect, verdict) == ("reproduced", "not reproduced")
            unexpected |= (expect, verdict) == ("not reproduced", "reproduced") and not one
        fails = unexpected and verdict != "not judged"
        result.walk(here, {key: claim[key] for key in ("moved", "fails")}, {"moved": moved, "fails": fails})
        verdicts[verdict] += 1
        failed += fails
    words = {"reproduced": "reproduced", "not_reproduced": "not reproduced", "cant_tell": "can't tell", "not_judged": "not judged"}
    totals = {key: verdicts[word] for key, word in words.items()}
    result.walk("report.json totals", report["totals"], totals | {"claims": sum(totals.values()), "unexpected": failed})
    return result


def of_point(result, here, row, seed, axes):
    """A row of points.parquet against the numbers of its seed."""
    for name, value in row.items():
        place = f"{here} {name}"
        if name in axes or name in ("scheme", "seed"):
            continue
        if name == "trajectory_hash":
            # A digest of one run is kept as it is; a summary has mixed it.
            result.leaf(place, f"{mix64(int(value, 16)):016x}", seed["trajectory_hash"])
        elif name == "simulated_ps":
            result.leaf(place, value / PS_S, seed["simulated_s"])
        elif name in ("queries", "fct_short_n"):
            result.leaf(place, value, seed["qct_ms" if name == "queries" else "fct_short_ms"]["n"])
        elif name.endswith("_at_least"):
            result.leaf(place, value, seed[name.split("_p99")[0] + "_ms"]["p99_at_least"])
        elif name in ("delivered", "packet_hops", "events"):
            result.leaf(place, value, seed[name])
        else:
            result.leaf(place, value, read(seed, name)[1])


def main():
    report, names = None, sys.argv[1:]
    if names[:1] == ["--report"]:
        report, names = names[1], names[2:]
    if not names:
        sys.exit(__doc__)
    good, figures = True, {}
    for name in names:
        directory = Path(name)
        said = json.loads((directory / "summary.json").read_text())
        result, figures[directory.name] = (sweep if "experiment" in said else run)(directory, said)
        good &= result.report(name)
    if report:
        good &= reproduced(json.loads(Path(report).read_text()), figures).report(report)
    sys.exit(not good)


if __name__ == "__main__":
    main()
