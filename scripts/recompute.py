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
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parent))
from recompute_claims import evaluate, read, t_of  # noqa: E402
from recompute_compare import Comparison  # noqa: E402
from recompute_page import cells, shown  # noqa: E402

MASK = (1 << 64) - 1
SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
PS_MS, PS_S = 1e9, 1e12

class Sample:
    """Times in picoseconds: of those that finished, and of the others so far."""

    def __init__(self):
        self.done, self.open, self.cut = [], [], 0

    def add(self, finished, span, interrupted):
        if finished:
            self.done.append(span)
        elif interrupted:
            self.cut += 1
        else:
            self.open.append(span)

    def __iadd__(self, other):
        self.done += other.done
        self.open += other.open
        self.cut += other.cut
        return self

    def rank(self, permille):
        """By nearest rank, the unfinished last; with it whether the number is only a lower bound."""
        n = len(self.done) + len(self.open)
        if n == 0:
            return None, False
        index = max(-(-n * permille // 1000), 1) - 1
        if index < len(self.done):
            return sorted(self.done)[index], False
        return sorted(self.done + self.open)[index], True

    def summary(self, unit):
        at = {"p50": 500, "p99": 990, "p999": 999, "max": 1000, "min": 0}
        out = {"ci": None, "n": len(self.done) + len(self.open) + self.cut}
        for name, permille in at.items():
            value, bound = self.rank(permille)
            out[name] = None if value is None else value / unit
            if name != "min":
                out[f"{name}_at_least"] = bound
        ranked = self.done + self.open
        out["mean"] = sum(ranked) // len(ranked) / unit if ranked else None
        out["mean_at_least"] = bool(self.open)
        out["completed_share"] = len(self.done) / out["n"] if out["n"] else None
        return out


def ratio(part, whole):
    return part / whole if whole else None


def ps(us):
    return round(us * 1e6)


class Run:
    """One scheme and seed."""

    def __init__(self):
        self.whole, self.bins, self.classes = {}, defaultdict(Counter), {}
        self.flows, self.queries, self.groups, self.ports = [], [], [], []
        self.samples = defaultdict(list)

    @property
    def end(self):
        return self.whole["simulated_ps"]

    @property
    def cut(self):
        return bool(self.whole["interrupted"])


class Class:
    """What is counted of a class: plain counts, and histograms by name."""

    def __init__(self):
        self.counts, self.bins = {}, defaultdict(Counter)


def load(directory, axes=None):
    """The runs of a directory by point, scheme and seed. Of a sweep, which has axes, there are counts and samples alone."""
    db = duckdb.connect()
    at = "".join(f'"{axis}", ' for axis in axes or [])

    def table(name, columns):
        path = str(directory / f"{name}.parquet")
        query = f'select {at}scheme, seed, {columns} from read_parquet(?, file_row_number = true) order by file_row_number'
        n = len(axes or [])
        for row in db.execute(query, [path]).fetchall():
            yield row[:n], *row[n:]

    runs = defaultdict(Run)
    for point, scheme, seed, of, name, bin, value in table("counts", "class, name, bin, value"):
        run = runs[point, scheme, seed]
        own = run if of == "" else run.classes.setdefault(of, Class())
        if bin is not None:
            own.bins[name][bin] = value
        else:
            (run.whole if of == "" else own.counts)[name] = value
    for point, scheme, seed, of, name, finished, value in table("samples", "class, name, finished, value"):
        runs[point, scheme, seed].samples[of, name].append((finished, value))
    columns = {
        "flows": "class, query_id, request, src, dst, size_bytes, mss_bytes, start_ps, finished, fct_us, "
        "ideal_fct_us, delivered_bytes, timeouts",
        "queries": "class, start_ps, finished, qct_us",
        "groups": "class, start_ps, finished, group_us",
        "ports": '"from", rate_bps, wire_bytes',
    }
    for name, wanted in columns.items() if axes is None else ():
        for point, scheme, seed, *row in table(name, wanted):
            getattr(runs[point, scheme, seed], name).append(row)
    return dict(runs)


class Seed:
    """The samples of one run."""

    def __init__(self, run):
        self.run = run
        self.fct = {name: Sample() for name in run.classes}
        self.slowdown = {name: Sample() for name in run.classes}
        self.group = {name: Sample() for name in run.classes}
        self.mixed, self.qct, self.short, self.long = Sample(), Sample(), Sample(), Sample()
        self.sizes = [Sample() for _ in range(5)]
        self.goodput, self.link = [], []
        self.payload = [value for _, value in run.samples["", "endless_payload"]]
        self.probed = {name[6:]: [v for _, v in of] for (_, name), of in run.samples.items() if name.startswith("probe.")}
        self.unstarted = 0
        if "queries" in run.whole:
            self.of_samples()
        else:
            self.of_tables()
            # With `probe.flows_from` the table of flows does not tell what was delivered before.
            measured = [value for _, value in run.samples["", "endless_bytes_s"]]
            self.goodput = measured or self.goodput

    def of_samples(self):
        """Of a sweep's run."""
        run = self.run
        self.queries, self.late_queries = run.whole["queries"], run.whole["timed_out_queries"]
        self.responses, self.late = run.whole["responses"], run.whole["timed_out_responses"]
        values = lambda name: [value for _, value in run.samples["", name]]
        self.goodput, self.link = values("endless_bytes_s"), values("endless_link_bytes_s")
        self.busy = (run.whole["links"], *values("link_use_sum"), *values("link_use_max"))
        plain = {"qct": self.qct, "fct_short": self.short, "fct_long": self.long, "group": self.mixed}
        plain |= {f"fct_by_size.{i}": sample for i, sample in enumerate(self.sizes)}
        of_class = {"fct": self.fct, "slowdown": self.slowdown, "group": self.group}
        for (of, name), rows in run.samples.items():
            sample = of_class[name][of] if of else plain.get(name)
            for finished, value in rows if sample is not None else ():
                sample.add(finished, round(value), False)

    def of_tables(self):
        """Of a run alone."""
        run = self.run
        self.responses, self.late, self.late_of = 0, 0, set()
        rates = {of: rate / 8 for of, rate, _ in run.ports if of.startswith("host ")}
        for row in run.flows:
            self.flow(row, rates)
        for _, start, finished, us in run.queries:
            if finished or start <= run.end:
                self.qct.add(finished, ps(us) if finished else run.end - start, run.cut)
        for of, start, finished, us in run.groups:
            if start is None:
                self.unstarted += 1
                continue
            sample = self.group.get(of, self.mixed)
            sample.add(finished, ps(us) if finished else run.end - start, run.cut)
        self.queries, self.late_queries = len(run.queries), len(self.late_of)
        busy = [
            wire / (rate * run.end / PS_S / 8)
            for of, rate, wire in run.ports
            if not of.startswith("host ") and wire is not None and rate * run.end > 0
        ]
        self.busy = (len(busy), sum(busy), max(busy, default=0.0))

    def is_query(self, name):
        return bool(self.run.classes[name].counts["query"])

    def flow(self, row, rates):
        of, query, request, src, dst, size, _mss, start, finished, us, ideal, delivered, timeouts = row
        run = self.run
        if query is not None and not request:
            self.responses += 1
            if timeouts:
                self.late += 1
                self.late_of.add(query)
        if size is None:
            seconds = (run.end - start) / PS_S if start is not None else 0
            self.goodput.append(delivered / seconds if seconds > 0 else 0.0)
            self.link.append(min(rates.get(f"host {src}", 0.0), rates.get(f"host {dst}", 0.0)))
            return
        self.unstarted += start is None
        # One that never began waits for one that did not finish.
        span = ps(us) if finished else run.end - start if start is not None else 0
        self.fct[of].add(finished, span, run.cut)
        if ideal is not None:
            idle = max(ps(ideal), 1)
            self.slowdown[of].add(finished, (span * 1_000_000 + idle // 2) // idle, run.cut)
        if self.is_query(of) or query is not None:
            return
        nth = next((i for i, most in enumerate(SIZES) if size <= most), 4)
        self.sizes[nth].add(finished, span, run.cut)
        if 1_000 <= size <= 10_000:
            self.short.add(finished, span, run.cut)
        if size > 1_000_000:
            self.long.add(finished, span, run.cut)


def merged(samples):
    all = Sample()
    for sample in samples:
        all += sample
    return all


def rank_of(counts, permille):
    """The bin of a histogram at this thousandth."""
    n, below = sum(counts.values()), 0
    rank = max(-(-n * permille // 1000), 1)
    for bin in sorted(counts):
        below += counts[bin]
        if below >= rank:
            return bin
    return None


def as_list(counts, first):
    return [counts.get(bin, 0) for bin in range(first, max(counts, default=first - 1) + 1)]


def mix64(x):
    z = (x + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def sampled(values):
    values, n = sorted(values), len(values)
    rank = lambda percent: values[max(-(-n * percent // 100), 1) - 1]
    out = {name: rank(at) for name, at in {"p10": 10, "p50": 50, "p90": 90, "p99": 99, "max": 100}.items()}
    return out | {"n": n, "mean": sum(values) / n}


def bins(seeds, name, classes=None):
    all = Counter()
    for seed in seeds:
        for of, own in seed.run.classes.items():
            if classes is None or classes(seed, of):
                all.update(own.bins[name])
    return all


def extra_hops(seeds, classes):
    """By shortest path the switches beyond it, of those detoured; and how many were not."""
    by, straight = defaultdict(Counter), 0
    for seed in seeds:
        for of, own in seed.run.classes.items():
            if classes(seed, of):
                for name, counts in own.bins.items():
                    if name.startswith("extra_hops."):
                        by[int(name.split(".")[1])].update(counts)
                straight += own.counts.get("delivered", 0) - own.counts.get("detoured", 0)
    all = Counter({0: straight} if straight else {})
    for counts in by.values():
        all.update(counts)
    return by, all


def class_summary(name, seeds):
    own = [seed.run.classes[name] for seed in seeds]
    keys = dict.fromkeys(key for of in own for key in of.counts)
    out = {key: sum(of.counts[key] for of in own) for key in keys}
    mine = lambda _, of: of == name
    return out | {
        "name": name,
        "query": out["query"] > 0,
        "n_reordering": as_list(bins(seeds, "n_reordering", mine), 1),
        "detours_each": as_list(bins(seeds, "detours_each", mine), 0),
        "extra_hops": as_list(extra_hops(seeds, mine)[1], 0),
        "fct_ms": merged(seed.fct[name] for seed in seeds).summary(PS_MS),
        "slowdown": merged(seed.slowdown[name] for seed in seeds).summary(1e6),
        "group_ms": merged(seed.group[name] for seed in seeds).summary(PS_MS),
    }


def summarise(scheme, seeds):
    """All of these runs together, as summary.json has it."""
    runs = [seed.run for seed in seeds]
    own = {"simulated_ps", "interrupted", "trajectory_hash", "detoured"}
    own |= {"queries", "timed_out_queries", "responses", "timed_out_responses", "links"}
    names = [n for n in runs[0].whole if n not in own and not n.startswith(("drops.", "drops_at.", "loops."))]
    out = {name: sum(run.whole[name] for run in runs) for name in names}
    drops, drops_at = Counter(), defaultdict(Counter)
    for run in runs:
        for name, value in run.whole.items():
            kind, _, rest = name.partition(".")
            if kind == "drops":
                drops[rest] += value
            if kind == "drops_at":
                reason, _, place = rest.partition(".")
                drops_at[reason][place] += value
    classes = {name: class_summary(name, seeds) for name in runs[0].classes}
    # Whether a class has queries is known of it over all seeds.
    total = lambda key, query=None: sum(
        of.get(key, 0) for of in classes.values() if query is None or of["query"] == query
    )
    hash = 0
    for run in runs:
        hash = mix64(hash ^ (run.whole.get("trajectory_hash", 0) & MASK))
    every = lambda seed, of: True
    queries = lambda seed, of: seed.is_query(of)
    of_queries = lambda query: merged(
        sample for seed in seeds for of, sample in seed.fct.items() if seed.is_query(of) == query
    )
    each, by_path = bins(seeds, "detours_each"), extra_hops(seeds, every)
    n_reordering = bins(seeds, "n_reordering")
    reordered = total("reordered")
    n99 = rank_of(n_reordering + Counter({0: reordered - sum(n_reordering.values())}), 990) if reordered else None
    beyond = sum(
        sum(extra * n for extra, n in counts.items()) / shortest for shortest, counts in sorted(by_path[0].items())
    )
    crossed = sum(by_path[1].values())
    links, busy, busiest = (list(values) for values in zip(*(seed.busy for seed in seeds)))
    goodput = [bytes_s for seed in seeds for bytes_s in seed.goodput]
    squares = sum(g * g for g in goodput)
    ends = [[g for g in seed.goodput if g > 0] for seed in seeds if seed.goodput]
    apart = None
    if ends and all(ends):
        apart = math.exp(sum(math.log(max(own) / min(own)) for own in ends) / len(ends))
    flows = [flow for seed in seeds for flow in zip(seed.goodput, seed.link, seed.payload)]
    samples = {
        "flow_goodput_gbps": [g * 8 / 1e9 for g, _, _ in flows],
        "flow_link_share": [g / link for g, link, _ in flows if link > 0],
        "flow_payload_share": [g / (link * payload) for g, link, payload in flows if link * payload > 0],
    }
    for seed in seeds:
        for name, values in seed.probed.items():
            samples[name] = samples.get(name, []) + values
    samples = {name: sampled(values) for name, values in samples.items() if values}
    times = lambda of: merged(map(of, seeds)).summary(PS_MS)
    out |= {
        "scheme": scheme,
        "seeds": [seed.number for seed in seeds],
        "interrupted": any(run.cut for run in runs),
        "qct_ms": times(lambda seed: seed.qct),
        "fct_short_ms": times(lambda seed: seed.short),
        "fct_long_ms": times(lambda seed: seed.long),
        "fct_background_ms": of_queries(False).summary(PS_MS),
        "fct_query_ms": of_queries(True).summary(PS_MS),
        "fct_by_size_ms": [times(lambda seed, i=i: seed.sizes[i]) for i in range(5)],
        "group_ms": times(lambda seed: merged([seed.mixed, *seed.group.values()])),
        "query_timeout_share": ratio(sum(s.late_queries for s in seeds), sum(s.queries for s in seeds)),
        "response_timeout_share": ratio(sum(s.late for s in seeds), sum(s.responses for s in seeds)),
        "drops": dict(drops),
        "drops_at": {reason: dict(places) for reason, places in drops_at.items()},
        "detoured_share": ratio(sum(r.whole.get("detoured", 0) for r in runs), out.get("delivered", 0)),
        "detoured_data_share": ratio(total("detoured"), total("delivered")),
        "detoured_query_share": ratio(total("detoured", True), total("detoured")),
        "detoured_background_share": ratio(total("detoured", False), total("delivered", False)),
        "detours_per_packet": ratio(sum(bin * n for bin, n in each.items()), sum(each.values())),
        "detours_p99": rank_of(bins(seeds, "detours_each", queries), 990),
        "detours_max": max(each, default=None),
        "stretch_mean": 1 + beyond / crossed if crossed else None,
        "extra_hops_p99": rank_of(by_path[1], 990),
        "link_use": {"mean": ratio(sum(busy), sum(links)), "max": max(busiest) if sum(links) else None},
        "reordered_share": ratio(reordered, total("delivered")),
        "transport_reordered_share": ratio(total("transport_reordered"), total("delivered")),
        "reordering_p99": n99,
        "reordering_p99_at_least": n99 == 65,
        "jain": min(sum(goodput) ** 2 / (len(goodput) * squares), 1.0) if squares else None,
        "flow_goodput_max_over_min": apart,
        "flow_goodput_max_over_min_at_least": apart is not None and any(g <= 0 for g in goodput),
        "simulated_s": sum(run.end / PS_S for run in runs),
        "trajectory_hash": f"{hash:016x}",
        "classes": classes,
    }
    if samples:
        out["samples"] = samples
    if any("loops.packets" in run.whole for run in runs):
        lengths = Counter()
        for run in runs:
            lengths.update(run.bins["loops.lengths"])
        out["loops"] = {key: sum(run.whole.get(f"loops.{key}", 0) for run in runs) for key in ("packets", "detoured", "looped")}
        out["loops"]["lengths"] = as_list(lengths, 0)
    return out


def log_spread(whole, seeds):
    if whole <= 0 or any(seed <= 0 for seed in seeds):
        return None
    return math.sqrt(sum(math.log(seed / whole) ** 2 for seed in seeds) / (len(seeds) - 1))


def interval(whole, seeds):
    """The interval of a p99 by sectioning."""
    exact = lambda of: None if of["p99_at_least"] else of["p99"]
    values, centre = [exact(of) for of in seeds], exact(whole)
    n = len(values)
    if n < 3 or centre is None or None in values:
        return None
    t, spread = t_of(n - 1, 0.95) / math.sqrt(n), log_spread(centre, values)
    if spread is None:
        half = t * math.sqrt(sum((v - centre) ** 2 for v in values) / (n - 1))
        return [max(centre - half, 0), centre + half]
    low, high = centre * math.exp(-t * spread), centre * math.exp(t * spread)
    if spread > 0.5:
        low, high = min(low, *values), max(high, *values)
    return [max(low, 0), high]


TIMES = ["qct_ms", "fct_short_ms", "fct_background_ms", "fct_long_ms", "fct_query_ms", "group_ms"]


def scheme_summary(scheme, runs, numbers, point=()):
    seeds = []
    for number in numbers:
        seed = Seed(runs[point, scheme, number])
        seed.number = number
        seeds.append(seed)
    whole = summarise(scheme, seeds)
    unstarted = sum(seed.unstarted for seed in seeds if seed.run.cut)
    if len(seeds) > 1:
        each = whole["per_seed"] = [summarise(scheme, [seed]) for seed in seeds]
        for name in TIMES:
            whole[name]["ci"] = interval(whole[name], [seed[name] for seed in each])
        for i, size in enumerate(whole["fct_by_size_ms"]):
            size["ci"] = interval(size, [seed["fct_by_size_ms"][i] for seed in each])
        for name, own in whole["classes"].items():
            for of in ["fct_ms", "slowdown", "group_ms"]:
                own[of]["ci"] = interval(own[of], [seed["classes"][name][of] for seed in each])
    return whole, unstarted


def run(directory, said):
    result, runs, ours = Comparison(), load(directory), {}
    for scheme, theirs in said["schemes"].items():
        there = {seed for _, name, seed in runs if name == scheme}
        if said["status"] == "complete" and there != set(theirs["seeds"]):
            result.differ.append(f"{scheme}: seeds {theirs['seeds']}, in the tables {sorted(there)}")
        ours[scheme], unstarted = scheme_summary(scheme, runs, theirs["seeds"])
        if unstarted:
            result.stopped.add(scheme)
        result.walk(scheme, theirs, ours[scheme], "unmeasured" in theirs)
    for claim in said["claims"]:
        result.walk(f"claim {claim['id']}", *evaluate(claim, [({}, ours)]))
    page = directory / "report.html"
    if page.exists() and not any("unmeasured" in of for of in said["schemes"].values()):
        for scheme in ours:
            for key in ["cpu_s", "hops_per_cpu_s"]:
                ours[scheme][key] = said["schemes"][scheme].get(key)
        known = shown(ours, said["claims"])
        for place, cell in cells(page.read_text()):
            if " completed | " in place and place.split(" | ")[-1] in result.stopped:
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
