"""Claims held against recomputed numbers: docs/how-to/reproduce.md says how, in other words than the program's."""
import math
from functools import cache

from recompute_table import METRICS

INF = math.inf
NOTHING = ("nothing", None)
SIZED = {"upto_10kb": 0, "10kb_100kb": 1, "100kb_1mb": 2, "1mb_10mb": 3, "over_10mb": 4}


WORDS = {
    "nothing": "nothing was measured",
    "few": "needs at least three seeds",
    "extreme": "a maximum or minimum is a fact of these runs, not an estimate; its value decides",
    "unfinished": "unfinished flows leave some seeds without an exact number",
    "zero": "the divisor is not above zero, in a seed or in all seeds together",
    "other": "the schemes or points compared ran different seeds",
}


@cache
def t_of(freedom, confidence):
    """Student's t that holds with this confidence on both sides together: by Simpson's rule and halving."""
    front = 2 * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)

    def share(t, steps=2000):
        # With t = sqrt(n) tan(angle) the density is a power of the cosine.
        end = math.atan(t / math.sqrt(freedom))
        f = lambda i: math.cos(end * i / steps) ** (freedom - 1)
        inner = sum((4 if i % 2 else 2) * f(i) for i in range(1, steps))
        return front * end / steps / 3 * (f(0) + inner + f(steps))

    low, high = 0.0, 2.0
    while share(high) < confidence:
        high *= 2
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) < confidence else (low, middle)
    return high


def is_count(metric):
    return METRICS[metric.split(":")[0]]["count"]


def is_share(metric):
    return METRICS[metric.split(":")[0]]["unit"] == "share"


def is_extreme(metric):
    return metric.removesuffix("_ms").endswith(("_max", "_min")) and not metric.endswith("_max_over_min")


def of_class(summary, name):
    classes = summary["classes"]
    if name in classes:
        return classes[name]
    words = [own for key, own in classes.items() if key.partition("/")[2] == name]
    return words[0] if len(words) == 1 else None


def bounded(value, at_least=False):
    if value is None:
        return NOTHING
    return (">=" if at_least else "=", value)


def of_times(times, what):
    return bounded(times[what], times.get(f"{what}_at_least", False))


def read(summary, metric):
    """A metric of a summary with its bound: "=", ">=", "<=" or "nothing"."""
    name, _, of = metric.partition(":")
    stem, _, what = name.removesuffix("_ms").rpartition("_")
    if stem.endswith("_done"):
        stem, what = stem.removesuffix("_done"), f"done_{what}"
    if name.endswith("_completed_share"):
        stem, what = name.removesuffix("_completed_share"), "completed_share"
    if of:
        own = of_class(summary, of)
        if own is None:
            return NOTHING
        plain = {"drops": "dropped", "detours": "detours_delivered", "delivered_bytes": "delivered_bytes"}
        if name in plain:
            return bounded(own[plain[name]])
        return of_times(own[stem if stem == "slowdown" else f"{stem}_ms"], what)
    if name == "drops":
        return bounded(sum(summary["drops"].values()))
    if name == "delivered_bytes":
        return bounded(sum(own["delivered_bytes"] for own in summary["classes"].values()))
    if name.startswith("drops_"):
        return bounded(summary["drops"].get(name.removeprefix("drops_"), 0))
    if name == "reordering_p99":
        return bounded(summary[name], summary["reordering_p99_at_least"])
    if name == "drop_share":
        return bounded(sum(summary["drops"].values()) / summary["sent"] if summary["sent"] else None)
    if name == "spurious_share":
        return bounded(summary["spurious_retransmits"] / summary["sent"] if summary["sent"] else None)
    if name.startswith("link_use_"):
        return bounded(summary["link_use"][what])
    if stem.removeprefix("fct_") in SIZED:
        return of_times(summary["fct_by_size_ms"][SIZED[stem.removeprefix("fct_")]], what)
    if f"{stem}_ms" in summary:
        return of_times(summary[f"{stem}_ms"], what)
    if name in summary:
        return bounded(summary[name])
    if name in ("looped_share", "loops_per_packet", "loop_length_mean"):
        return of_loops(summary.get("loops"), name)
    return bounded(summary.get("samples", {}).get(stem, {}).get(what))


def of_loops(loops, name):
    if loops is None:
        return NOTHING
    lengths = loops["lengths"] if "lengths" in loops else {}
    pairs = lengths.items() if isinstance(lengths, dict) else enumerate(lengths)
    count = sum(n for _, n in pairs)
    pairs = lengths.items() if isinstance(lengths, dict) else enumerate(lengths)
    links = sum(int(length) * n for length, n in pairs)
    part, whole = {
        "looped_share": (loops["looped"], loops["detoured"]),
        "loops_per_packet": (count, loops["packets"]),
        "loop_length_mean": (links, count),
    }[name]
    return bounded(part / whole if whole else None)


# Arithmetic of bounds: the sign of a sum or a quotient is known where both point the same way.
UP = {">=": 1, "<=": -1, "=": 0}
SIGN = {1: ">=", -1: "<=", 0: "="}


def joined(one, other, value):
    ways = {UP[one], -UP[other]} - {0}
    return NOTHING if len(ways) > 1 else (SIGN[ways.pop() if ways else 0], value)


def minus(a, b):
    return NOTHING if NOTHING in (a, b) else joined(a[0], b[0], a[1] - b[1])


def over(a, b):
    if NOTHING in (a, b) or b[1] <= 0:
        return NOTHING
    return joined(a[0], b[0], a[1] / b[1])


def plus(a, b):
    return NOTHING if NOTHING in (a, b) else minus(a, (SIGN[-UP[b[0]]], -b[1]))


def times(a, by):
    return a if a == NOTHING else (a[0], a[1] * by)


class Accept:
    def __init__(self, text):
        text = text.strip()
        if ".." in text:
            low, high = text.split("..")
        else:
            low, high = ("", text) if text.startswith("<") else (text, "" if text.startswith(">") else text)
        low, high = low.strip(), high.strip()
        self.above, self.below = low.startswith(">"), high.startswith("<")
        self.low = float(low.lstrip(">")) if low else -INF
        self.high = float(high.lstrip("<")) if high else INF

    def holds(self, v):
        return (v > self.low if self.above else v >= self.low) and (v < self.high if self.below else v <= self.high)

    def none(self, low, high):
        before = high <= self.low if self.above else high < self.low
        after = low >= self.high if self.below else low > self.high
        return before or after


def unknown(why="nothing"):
    return dict(reading=NOTHING, ci=None, why=why, seeds=0, range=None, apart=False)


def around(claim, reading, seeds, apart, confidence):
    """What is known of a number: itself, its interval, why none, seeds, their range, whether they fall apart."""
    if reading == NOTHING:
        return unknown()
    whole = reading[1]
    values, n, why = seeds
    known = dict(reading=reading, ci=None, why=why, seeds=n, range=(whole, whole), apart=apart)
    if why:
        return known
    known["range"] = (min(whole, *values), max(whole, *values))
    if is_extreme(claim["metric"]):
        return known | {"why": "extreme"}
    if n < 3:
        return known | {"why": "few"}
    t = t_of(n - 1, round(confidence, 12)) / math.sqrt(n)
    if not claim["difference"] and whole > 0 and min(values) > 0:
        s = math.sqrt(sum(math.log(v / whole) ** 2 for v in values) / (n - 1))
        low, high = whole * math.exp(-t * s), whole * math.exp(t * s)
    else:
        s = math.sqrt(sum((v - whole) ** 2 for v in values) / (n - 1))
        low, high = whole - t * s, whole + t * s
    if apart:
        low, high = min(low, *values), max(high, *values)
    return known | {"ci": cut(claim, whole, n, low, high)}


def cut(claim, whole, n, low, high):
    """An interval without what the number cannot be."""
    count, share = (kind(claim["metric"]) and not claim["ratio"] for kind in (is_count, is_share))
    if count and low == high == 0:
        return (-3.689 / n if claim["difference"] else 0.0, 3.689 / n)
    if claim["signed"]:
        least = -1.0 if share else -INF
    else:
        least = 0.0253 / n if count and whole > 0 else 0.0
    most = 1.0 if share else INF
    return (max(low, min(least, whole)), min(high, max(most, whole)))


def verdict(accept, known):
    bound, few = known["reading"][0], known["seeds"] < 3
    if accept.low == accept.high and known["range"] and bound == "=" and known["why"] != "extreme":
        low, high = known["range"]
        if low < accept.low or high > accept.low:
            return "not reproduced"
        return "can't tell" if few or known["why"] else "reproduced"
    ci = known["ci"]
    if ci is None and known["why"] == "extreme":
        ci = (known["reading"][1],) * 2
    if ci is None or few or bound == "nothing":
        return "can't tell"
    low, high = ci[0] if bound != "<=" else -INF, ci[1] if bound != ">=" else INF
    if accept.holds(low) and accept.holds(high):
        return "reproduced"
    return "not reproduced" if accept.none(low, high) else "can't tell"


def more_seeds(accept, known):
    if known["why"] == "few":
        return 10 - min(known["seeds"], 9)
    bound, v = known["reading"]
    if known["why"] or bound != "=" or known["apart"]:
        return None
    low, high = known["ci"]
    beyond = lambda half, room: (half / room if room else INF) if half > room else 0.0
    if accept.holds(v):
        factor = max(beyond(v - low, v - accept.low), beyond(high - v, accept.high - v))
    elif v <= accept.low:
        factor = beyond(high - v, accept.low - v)
    else:
        factor = beyond(v - low, v - accept.high)
    n = known["seeds"]
    width = lambda n: t_of(n - 1, 0.95) / math.sqrt(n)
    if factor == 0 or width(1000) > width(n) / factor:
        return 1 if factor == 0 else None
    few, many = n, 1000
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if width(middle) <= width(n) / factor else (middle, many)
    return many - n


class Place:
    """A claim's numbers at one point."""

    def __init__(self, claim, here, other):
        self.claim, self.points = claim, [here] if other is None else [here, other]

    def combined(self, summaries):
        metric, sign = self.claim["metric"], self.claim["sign"]
        each = [read(of, metric) for of in summaries]
        if is_count(metric):
            each = [times(r, 1 / max(len(of["seeds"]), 1)) for r, of in zip(each, summaries)]
        return each[0] if sign is None else minus(*each) if sign == "-" else over(*each)

    def summaries(self):
        names = self.claim["schemes"]
        if all(name in schemes for schemes in self.points for name in names):
            return [[schemes[name] for name in names] for schemes in self.points]
        return None

    def number(self, summaries):
        here, *other = [self.combined(of) for of in summaries]
        if not other:
            return here
        return over(here, other[0]) if self.claim.get("per") else minus(here, other[0])

    def divided_by_none(self, summaries):
        """Is one of the numbers that are divided by known not to be above zero?"""
        below = []
        if self.claim["sign"] == "/":
            below += [read(of[1], self.claim["metric"]) for of in summaries]
        if self.claim.get("per"):
            below.append(self.combined(summaries[1]))
        return any(bound == "=" and value <= 0 for bound, value in below)

    def whole(self):
        found = self.summaries()
        return NOTHING if found is None else self.number(found)

    def seeds(self):
        """The number of each seed by its number; how many there are; why they are not known."""
        found = self.summaries()
        if found is None:
            return {}, 0, "nothing"
        first, n = found[0][0], len(found[0][0]["seeds"])
        if n < 2:
            return {}, n, "few"
        whole, values = self.whole(), {}
        for one in first["per_seed"]:
            at = lambda of: next((p for p in of.get("per_seed", []) if p["seeds"] == one["seeds"]), None)
            each = [[at(of) for of in summaries] for summaries in found]
            if any(p is None for summaries in each for p in summaries):
                return {}, n, "other"
            reading = self.number(each)
            if reading == NOTHING or reading[0] not in ("=", whole[0]):
                return {}, n, "zero" if self.divided_by_none(each) else "unfinished"
            values[tuple(one["seeds"])] = reading[1]
        return values, n, None

    def apart(self):
        metric = self.claim["metric"]
        if is_count(metric):
            return False
        for of in (of for summaries in self.summaries() or [] for of in summaries):
            whole, seeds = read(of, metric)[1], [read(seed, metric)[1] for seed in of.get("per_seed", [])]
            if whole is None or None in seeds or len(seeds) < 3 or whole <= 0 or min(seeds) <= 0:
                continue
            if math.sqrt(sum(math.log(v / whole) ** 2 for v in seeds) / (len(seeds) - 1)) > 0.5:
                return True
        return False

    def known(self, confidence):
        whole, found = self.whole(), self.summaries()
        if whole == NOTHING:
            return unknown("zero" if found and self.divided_by_none(found) else "nothing")
        values, n, why = self.seeds()
        return around(self.claim, whole, (list(values.values()), n, why), self.apart(), confidence)


def places(claim, points):
    meant = {axis: values.split(", ") for axis, values in claim.get("at", {}).items()}
    out = []
    for at, schemes in points:
        if not all(at[axis] in values or at[axis] == ", ".join(values) for axis, values in meant.items() if axis in at):
            continue
        off = claim.get("less", {}) | claim.get("per", {})
        other = None
        if off:
            if any(axis not in at for axis in off):
                continue
            other = next((of for where, of in points if where == at | off), None)
            if other is None:
                continue
        out.append((at, Place(claim, schemes, other)))
    return out


def first_unknown(all):
    return next(known for known in all if known["reading"] == NOTHING)


def turned(known):
    """The same with its sign changed: the smallest of several is the largest of these."""
    ends = lambda pair: pair and (-pair[1], -pair[0])
    bound, value = known["reading"]
    return known | {"reading": (SIGN[-UP[bound]], -value), "ci": ends(known["ci"]), "range": ends(known["range"])}


def smallest(all):
    return first_unknown(all) if any(k["reading"] == NOTHING for k in all) else turned(largest(list(map(turned, all))))


def largest(all):
    """The largest of several, with what bounds leave of it."""
    if any(known["reading"] == NOTHING for known in all):
        return first_unknown(all)
    of = lambda *bounds: [v for bound, v in (known["reading"] for known in all) if bound in bounds]
    if of(">="):
        reading = (">=", max(of(">=", "=")))
    elif of("=") and max(of("=")) >= max(of("=", "<=")):
        reading = ("=", max(of("=")))
    else:
        reading = ("<=", max(of("=", "<=")))
    cis = [known["ci"] for known in all]
    ci = None
    if None not in cis:
        closed = [known["ci"] for known in all if known["reading"][0] != "<="] or cis
        ci = (max(low for low, _ in closed), max(high for _, high in cis))
    return dict(
        reading=reading,
        ci=ci,
        why=next((known["why"] for known in all if known["why"]), None),
        seeds=min(known["seeds"] for known in all),
        range=(min(known["range"][0] for known in all), max(known["range"][1] for known in all)),
        apart=any(known["apart"] for known in all),
    )


def mean(claim, chosen, all):
    sum_ = all[0]["reading"]
    for known in all[1:]:
        sum_ = plus(sum_, known["reading"])
    if any(known["reading"] == NOTHING for known in all):
        return first_unknown(all)
    each = [place.seeds() for _, place in chosen]
    values, n, why = each[0]
    seeds = next((([], found[1], found[2]) for found in each if found[2]), None)
    if seeds is None and any(found[0].keys() != values.keys() for found in each):
        seeds = [], n, "other"
    if seeds is None:
        seeds = [sum(found[0][seed] for found in each) / len(each) for seed in values], n, None
    return around(claim, times(sum_, 1 / len(all)), seeds, any(known["apart"] for known in all), 0.95)


def prepared(claim):
    for sign in "-/":
        if f" {sign} " in claim["compare"]:
            schemes = [name.strip() for name in claim["compare"].split(f" {sign} ", 1)]
            break
    else:
        sign, schemes = None, [claim["compare"].strip()]
    return claim | {
        "sign": sign,
        "schemes": schemes,
        "difference": sign == "-" and not claim.get("per") or bool(claim.get("less")),
        "signed": sign == "-" or bool(claim.get("less")),
        "ratio": sign == "/" or bool(claim.get("per")),
    }


def said(known):
    bound, value = known["reading"]
    return {
        "ours": value,
        "bound": bound if bound in (">=", "<=") else None,
        "ci": list(known["ci"]) if known["ci"] else None,
    }


def evaluate(result, points):
    """What the claim's entry says of numbers and verdict, and what comes out here."""
    claim, accept = prepared(result), Accept(result["accept"])
    chosen = places(claim, points)
    single = claim.get("over") in (None, "mean")
    confidence = 0.95 if single else 1 - 0.05 / max(len(chosen), 1)
    all = [place.known(confidence) for _, place in chosen]
    if not all:
        known = unknown()
    elif claim.get("over") is None:
        known = all[0]
    elif claim["over"] == "each":
        order = {"not reproduced": 0, "can't tell": 1, "reproduced": 2}
        room = lambda v: -INF if v is None else min(v - accept.low, accept.high - v)
        known = min(all, key=lambda k: (order[verdict(accept, k)], room(k["reading"][1])))
    elif claim["over"] == "mean":
        known = mean(claim, chosen, all)
    else:
        known = (largest if claim["over"] == "max" else smallest)(all)
    ours = said(known) | {"seeds": known["seeds"], "verdict": verdict(accept, known)}
    ours["why_no_interval"] = WORDS[known["why"]] if known["why"] else None
    if result["verdict"] == "not judged":
        # It was made for other settings; its number stands all the same.
        ours["verdict"] = "not judged"
    if ours["verdict"] == "can't tell":
        ours["more_seeds"] = more_seeds(accept, known)
    theirs = {key: result.get(key) for key in ours}
    if result.get("unmarked"):
        # Tables do not say which runs the machine disturbed: the verdict here is that of all.
        theirs["verdict"] = result["unmarked"]["verdict_of_all"]
        theirs.pop("more_seeds", None)
        ours.pop("more_seeds", None)
    if result.get("points"):
        ours["points"] = [said(k) for k in all]
        theirs["points"] = [{key: point.get(key) for key in ("ours", "bound", "ci")} for point in result["points"]]
    return theirs, ours


def check():
    """What small runs do not come to, by hand."""

    def known(bound, value, low, high):
        return dict(reading=(bound, value), ci=(low, high), why=None, seeds=5, range=(value, value), apart=False)

    most, least, exact = known("<=", 4.0, 3.9, 4.1), known(">=", 2.0, 1.9, 2.1), known("=", 3.0, 2.8, 3.2)
    assert largest([most, least])["ci"] == smallest([most, least])["ci"] == (1.9, 4.1)
    assert largest([exact, most])["ci"] == (2.8, 4.1) and smallest([exact, least])["ci"] == (1.9, 3.2)
    for all in [exact, most, least], [most, least, exact]:
        assert largest(all)["reading"] == (">=", 3.0) and smallest(all)["reading"] == ("<=", 3.0)

    # Seeds 1, 2 and 3 have 0.1, 0.2 and 0.3 at one point, 0.3, 0.2 and 0.1 at the other, which names them from the last.
    def summary(shares):
        each = [{"seeds": [seed], "jain": share} for seed, share in shares]
        return {"seeds": [seed for seed, _ in shares], "jain": 0.2, "per_seed": each}

    one, other = [(1, 0.1), (2, 0.2), (3, 0.3)], [(3, 0.1), (2, 0.2), (1, 0.3)]
    claim = prepared({"metric": "jain", "compare": "a", "over": "mean"})
    chosen = places(claim, [({"x": "1"}, {"a": summary(one)}), ({"x": "2"}, {"a": summary(other)})])
    found = mean(claim, chosen, [place.known(0.95) for _, place in chosen])
    # Each seed's mean is 0.2. By position they would be 0.1, 0.2 and 0.3.
    assert all_near(found["ci"], (0.2, 0.2)), found


def all_near(ends, wanted):
    return all(math.isclose(end, near, rel_tol=1e-9) for end, near in zip(ends, wanted))


if __name__ == "__main__":
    check()
