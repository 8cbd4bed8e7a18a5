"""Runs of a scheme put together, as summary.json has them."""
import math
from collections import Counter, defaultdict

from recompute_claims import t_of
from recompute_load import Seed
from recompute_samples import MASK, PS_MS, PS_S, as_list, merged, mix64, rank_of, ratio, sampled


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
    answers = lambda seed: seed.answers or merged(own for of, own in seed.fct.items() if seed.is_query(of))
    samples = {
        "long_goodput_gbps": [bytes_s * 8 / 1e9 for seed in seeds for bytes_s in seed.long_goodput],
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
        "fct_response_ms": times(answers),
        "fct_all_ms": merged([of_queries(False), *map(answers, seeds)]).summary(PS_MS),
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


TIMES = ["qct_ms", "fct_short_ms", "fct_background_ms", "fct_long_ms", "fct_query_ms", "fct_response_ms", "fct_all_ms", "group_ms"]


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
