import pytest

import sidestep as ss
from sidestep import plot
from sidestep.plot._stats import percentile


def test_endless_flows_have_the_goodputs_of_the_summary(endless: ss.Result) -> None:
    data = plot.throughput.data(endless)
    (s,) = data.series
    own = endless.summary["schemes"]["dctcp"]["samples"]["flow_goodput_gbps"]
    assert (s.n, data.x) == (own["n"], "rank of the endless flow (share)")
    assert sum(s.y) / s.n == pytest.approx(own["mean"], rel=1e-6)
    for name, per_mille in (("p10", 100), ("p50", 500), ("p99", 990)):
        assert percentile(list(s.y), s.n, per_mille) == pytest.approx(own[name], rel=1e-6)


def test_flows_with_an_end_have_their_size_over_their_time(busy: ss.Result) -> None:
    data = plot.throughput.data(busy, classes=["query"], schemes=["dibs"])
    (s,) = data.series
    assert (data.y, list(s.y)) == ("goodput (Gbps)", sorted(s.y))
    fastest = min(
        fct
        for scheme, cls, fct in zip(*busy.flows.to_dict(["scheme", "class", "fct_us"]).values(), strict=True)
        if fct is not None and (scheme, cls) == ("dibs", "query")
    )
    assert s.y[-1] == pytest.approx(30_000 * 8 / fastest / 1e3, rel=1e-9)


def test_a_sweep_is_refused(swept: ss.SweepResult) -> None:
    with pytest.raises(ss.ScenarioError, match=r"a sweep keeps no flows"):
        plot.throughput.data(swept)
