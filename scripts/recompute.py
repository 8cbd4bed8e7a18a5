#!/usr/bin/env python3
"""Recomputes the numbers of a result directory from its Parquet files alone, with DuckDB.

    recompute.py DIR...

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
from recompute_claims import SIZED, evaluate, is_count, read, t_of  # noqa: E402
from recompute_page import cells, shown  # noqa: E402

MASK = (1 << 64) - 1
SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
PS_MS, PS_S = 1e9, 1e12

# What no Parquet file has: where it stands in a summary, and why.
REASONS = {
    "cpu_s": "a clock's; manifest.json has it",
    "samples": "of a probe: only their summary is kept",
    "samples.flow_payload_share": "needs the framing, which scenario.toml has",
    "loops": "of a probe: only their summary is kept",
    "interrupted": "of a stopped run: a flow that it had not come to hand over looks like one that waits",
    "pooled": "of a sweep, which keeps the metrics of each seed, not its flows and histograms",
    "unmeasured": "not measured, so null in both",
}


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
        self.whole, self.classes = {}, {}
        self.flows, self.queries, self.groups, self.ports = [], [], [], []

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


def load(directory):
    """The runs of a directory, by scheme and seed."""
    db = duckdb.connect()

    def table(name, columns):
        path = str(directory / f"{name}.parquet")
        query = f'select scheme, seed, {columns} from read_parquet(?, file_row_number = true) order by file_row_number'
        return db.execute(query, [path]).fetchall()

    runs = defaultdict(Run)
    for scheme, seed, of, name, bin, value in table("counts", "class, name, bin, value"):
        run = runs[scheme, seed]
        if of == "":
            run.whole[name] = value
        elif bin is None:
            run.classes.setdefault(of, Class()).counts[name] = value
        else:
            run.classes.setdefault(of, Class()).bins[name][bin] = value
    columns = {
        "flows": "class, query_id, request, src, dst, size_bytes, mss_bytes, start_ps, finished, fct_us, "
        "ideal_fct_us, delivered_bytes, timeouts",
        "queries": "class, start_ps, finished, qct_us",
        "groups": "class, start_ps, finished, group_us",
        "ports": '"from", rate_bps, wire_bytes',
    }
    for name, wanted in columns.items():
        for scheme, seed, *row in table(name, wanted):
            getattr(runs[scheme, seed], name).append(row)
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
        self.responses, self.late, self.late_queries = 0, 0, set()
        self.unstarted = 0
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

    def is_query(self, name):
        return bool(self.run.classes[name].counts["query"])

    def flow(self, row, rates):
        of, query, request, src, dst, size, _mss, start, finished, us, ideal, delivered, timeouts = row
        run = self.run
        if query is not None and not request:
            self.responses += 1
            if timeouts:
                self.late += 1
                self.late_queries.add(query)
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
    names = [n for n in runs[0].whole if n not in own and not n.startswith(("drops.", "drops_at."))]
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
    busy = [
        wire / (rate * run.end / PS_S / 8)
        for run in runs
        for of, rate, wire in run.ports
        if not of.startswith("host ") and wire is not None and rate * run.end > 0
    ]
    goodput = [bytes_s for seed in seeds for bytes_s in seed.goodput]
    squares = sum(g * g for g in goodput)
    samples = {}
    if goodput:
        samples["flow_goodput_gbps"] = sampled([g * 8 / 1e9 for g in goodput])
        shares = [g / link for seed in seeds for g, link in zip(seed.goodput, seed.link) if link > 0]
        if shares:
            samples["flow_link_share"] = sampled(shares)
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
        "query_timeout_share": ratio(sum(len(s.late_queries) for s in seeds), sum(len(r.queries) for r in runs)),
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
        "link_use": {"mean": ratio(sum(busy), len(busy)), "max": max(busy, default=None)},
        "reordered_share": ratio(reordered, total("delivered")),
        "transport_reordered_share": ratio(total("transport_reordered"), total("delivered")),
        "reordering_p99": n99,
        "reordering_p99_at_least": n99 == 65,
        "jain": min(sum(goodput) ** 2 / (len(goodput) * squares), 1.0) if squares else None,
        "simulated_s": sum(run.end / PS_S for run in runs),
        "trajectory_hash": f"{hash:016x}",
        "classes": classes,
    }
    if samples:
        out["samples"] = samples
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


def scheme_summary(scheme, runs, numbers):
    seeds = []
    for number in numbers:
        seed = Seed(runs[scheme, number])
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


class Comparison:
    """What agreed, what did not, and what cannot be recomputed."""

    def __init__(self):
        self.agreed, self.differ, self.left = 0, [], defaultdict(list)
        # Schemes of which a run was stopped before every flow was handed over.
        self.stopped = set()

    def is_stopped(self, place):
        return ".samples" not in place and any(place.startswith(f"{scheme}.") for scheme in self.stopped)

    def skip(self, reason, place):
        self.left[reason].append(place)

    def leaf(self, place, said, ours):
        numbers = isinstance(said, (int, float)) and isinstance(ours, (int, float))
        if numbers and not isinstance(said, bool) and not isinstance(ours, bool):
            # t is printed to six decimals in the program, and of more than 31 seeds right to four.
            near = 1e-4 if ".ci" in place else 1e-9
            same = math.isclose(said, ours, rel_tol=near, abs_tol=1e-12)
        else:
            same = said == ours and isinstance(said, bool) == isinstance(ours, bool)
        if same:
            self.agreed += 1
        else:
            self.differ.append(f"{place}: {said!r}, recomputed {ours!r}")

    def walk(self, place, said, ours, unmeasured=False):
        if isinstance(said, dict) and isinstance(ours, dict):
            for key in {**said, **ours}:
                at = f"{place}.{key}"
                if key in ("n", "completed_share") and self.is_stopped(place) and not at.endswith((".qct_ms.n", ".qct_ms.completed_share")):
                    self.skip("interrupted", at)
                elif key in said and key in ours:
                    self.walk(at, said[key], ours[key], unmeasured)
                elif key == "cpu_s" or key == "hops_per_cpu_s":
                    self.skip("cpu_s", at)
                elif key == "loops" or place.endswith(".samples") and key in said:
                    self.skip("samples.flow_payload_share" if key == "flow_payload_share" else "samples", at)
                elif key == "samples" and key in said:
                    self.walk(at, said[key], {}, unmeasured)
                elif key == "unmeasured" or unmeasured and said.get(key) is None:
                    self.skip("unmeasured", at)
                else:
                    self.differ.append(f"{at}: {'not in the tables' if key in said else 'not in summary.json'}")
        elif isinstance(said, list) and isinstance(ours, list):
            if len(said) != len(ours):
                self.differ.append(f"{place}: {len(said)} values, recomputed {len(ours)}")
            for i, (one, other) in enumerate(zip(said, ours)):
                self.walk(f"{place}[{i}]", one, other, unmeasured)
        elif unmeasured and said is None:
            self.skip("unmeasured", place)
        else:
            self.leaf(place, said, ours)

    def report(self, name):
        kept = ", ".join(f"{len(v):,} {REASONS[k]} (as {v[0]})" for k, v in self.left.items())
        for line in self.differ[:20]:
            print(f"{name}: {line}", file=sys.stderr)
        if len(self.differ) > 20:
            print(f"{name}: and {len(self.differ) - 20} more", file=sys.stderr)
        print(f"{name}: {self.agreed:,} values agree, {len(self.differ):,} differ" + (f"; not recomputed: {kept}" if kept else ""))
        return not self.differ


def run(directory, said):
    result, runs, ours = Comparison(), load(directory), {}
    for scheme, theirs in said["schemes"].items():
        there = {seed for name, seed in runs if name == scheme}
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
    return result


def leaves(value):
    if isinstance(value, dict):
        return sum(leaves(of) for key, of in value.items() if key not in ("from_table", "cpu_s", "hops_per_cpu_s"))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def intervals(result, here, theirs, each):
    """Of the p99 of all seeds, as it is said, from each seed's own in the table."""
    if len(each) < 2:
        return
    found = {f"{name.removesuffix('_ms')}_p99_ms": lambda of, name=name: of[name] for name in TIMES}
    found |= {f"fct_{size}_p99_ms": lambda of, i=i: of["fct_by_size_ms"][i] for size, i in SIZED.items()}
    for name in theirs["classes"]:
        for metric, key in {"fct_p99_ms": "fct_ms", "slowdown_p99": "slowdown", "group_p99_ms": "group_ms"}.items():
            found[f"{metric}:{name}"] = lambda of, name=name, key=key: of["classes"][name][key]
    for metric, get in found.items():
        own = [{"p99": of["from_table"][metric], "p99_at_least": get(of)["p99_at_least"]} for of in each]
        result.walk(f"{here} {metric} .ci", get(theirs)["ci"], interval(get(theirs), own))


def sweep(directory, said):
    """Each seed's numbers are in points.parquet; those of all seeds together are taken as they are said."""
    result = Comparison()
    rows = duckdb.execute("select * from read_parquet(?)", [str(directory / "points.parquet")])
    names = [column[0] for column in rows.description]
    table = [dict(zip(names, row)) for row in rows.fetchall()]
    axes = [axis["name"] if isinstance(axis, dict) else axis for axis in said["axes"]]
    points = []
    for point in said["points"]:
        at = point["at"] if isinstance(point["at"], dict) else dict(zip(axes, point["at"]))
        for scheme, theirs in point["schemes"].items():
            here, before = f"{'/'.join(at.values())} {scheme}", result.agreed + len(result.differ)
            each = theirs.get("per_seed") or [theirs]
            mine = [r for r in table if r["scheme"] == scheme and all(r[a] == v for a, v in at.items())]
            if [row["seed"] for row in mine] != theirs["seeds"]:
                result.differ.append(f"{here}: seeds {theirs['seeds']}, in the table {[row['seed'] for row in mine]}")
                continue
            for row, seed in zip(mine, each):
                seed["from_table"] = row
                for name, value in row.items():
                    place = f"{here} {row['seed']} {name}"
                    if name in at or name in ("scheme", "seed", "trajectory_hash"):
                        continue
                    if name == "simulated_ps":
                        result.leaf(place, seed["simulated_s"], value / PS_S)
                    elif name in ("queries", "fct_short_n"):
                        result.leaf(place, seed["qct_ms" if name == "queries" else "fct_short_ms"]["n"], value)
                    elif name.endswith("_at_least"):
                        result.leaf(place, seed[name.split("_p99")[0] + "_ms"]["p99_at_least"], value)
                    elif name in ("delivered", "packet_hops", "events"):
                        result.leaf(place, seed[name], value)
                    else:
                        result.leaf(place, read(seed | {"from_table": None}, name)[1], value)
            for name in ("delivered", "packet_hops", "events"):
                result.leaf(f"{here} {name}", theirs[name], sum(row[name] for row in mine))
            hash = 0
            for row in mine:
                # A digest of one run is kept as it is, of several they are mixed.
                hash = mix64(hash ^ int(row["trajectory_hash"], 16))
            result.leaf(f"{here} trajectory_hash", theirs["trajectory_hash"], f"{hash:016x}")
            for name in filter(is_count, row):
                result.leaf(f"{here} {name}", read(theirs, name)[1], sum(r[name] for r in mine))
            intervals(result, here, theirs, each)
            held = result.agreed + len(result.differ) - before
            result.left["pooled"] += [here] * (leaves(theirs) - held)
        points.append((at, point["schemes"]))
    for claim in said["claims"]:
        result.walk(f"claim {claim['id']}", *evaluate(claim, points))
    return result


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    good = True
    for name in sys.argv[1:]:
        directory = Path(name)
        said = json.loads((directory / "summary.json").read_text())
        result = (sweep if "experiment" in said else run)(directory, said)
        good &= result.report(name)
    sys.exit(not good)


if __name__ == "__main__":
    main()
