"""Samples of times as the program keeps them, and what is read off them."""

MASK = (1 << 64) - 1
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
        at = {"p50": 500, "p95": 950, "p99": 990, "p999": 999, "max": 1000, "min": 0}
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
        done = sorted(self.done)
        out["done_mean"] = sum(done) // len(done) / unit if done else None
        out["done_p99"] = done[-(-len(done) * 99 // 100) - 1] / unit if done else None
        return out


def ratio(part, whole):
    return part / whole if whole else None


def ps(us):
    return round(us * 1e6)


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
