"""The Parquet tables of a result directory, and the samples that they make of each run."""
from collections import Counter, defaultdict

import duckdb

from recompute_samples import PS_S, Sample, ps

SIZES = [10_000, 100_000, 1_000_000, 10_000_000]


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
    for point, scheme, seed, of, name, finished, value, count in table("samples", "class, name, finished, value, count"):
        runs[point, scheme, seed].samples[of, name].extend([(finished, value)] * count)
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
        self.answers, self.long_goodput = None, []
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
        self.long_goodput = values("long_goodput_bytes_s")
        # Kept where queries send requests; without, every flow of a query is a response.
        if ("", "fct_response") in run.samples:
            self.answers = Sample()
        self.goodput, self.link = values("endless_bytes_s"), values("endless_link_bytes_s")
        self.busy = (run.whole["links"], *values("link_use_sum"), *values("link_use_max"))
        plain = {"qct": self.qct, "fct_short": self.short, "fct_long": self.long, "group": self.mixed}
        plain["fct_response"] = self.answers
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
        self.answers = Sample()
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
        if query is not None and not request:
            self.answers.add(finished, span, run.cut)
        if self.is_query(of) or query is not None:
            return
        nth = next((i for i, most in enumerate(SIZES) if size <= most), 4)
        self.sizes[nth].add(finished, span, run.cut)
        if 1_000 <= size <= 10_000:
            self.short.add(finished, span, run.cut)
        if size > 1_000_000:
            self.long.add(finished, span, run.cut)
            if span > 0:
                self.long_goodput.append(delivered / (span / PS_S))
