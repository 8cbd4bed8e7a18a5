import pytest

import sidestep as ss
from sidestep import plot


def test_numbers_and_intervals_are_those_of_the_summary(swept: ss.SweepResult) -> None:
    data = plot.against.data(swept, "qct_p99_ms")
    assert [s.scheme for s in data.series] == ["dctcp", "dibs"]
    for s in data.series:
        own = [point["schemes"][s.scheme]["qct_ms"] for point in swept.summary["points"]]
        assert list(s.x) == [25.0, 50.0, 100.0, 400.0]
        assert list(s.y) == [of["p99"] for of in own]
        assert [[lo, hi] for lo, hi in zip(s.low, s.high, strict=True)] == [of["ci"] for of in own]


def test_both_axes_have_units_and_a_wide_one_is_logarithmic(swept: ss.SweepResult) -> None:
    data = plot.against.data(swept, "fct_p99_ms:query")
    assert (data.x, data.y, data.log_x) == ("switch.capacity (pkt)", "FCT p99 of query (ms)", True)
    assert [words for _, words in data.ticks] == ["25", "50", "100", "400"]


def test_a_count_has_the_mean_of_its_seeds_and_an_interval(swept: ss.SweepResult) -> None:
    data = plot.against.data(swept, "drops", schemes=["dctcp"])
    (s,) = data.series
    assert s.y[0] == sum(swept.summary["points"][0]["schemes"]["dctcp"]["drops"].values()) / 3
    low, high = s.low[0], s.high[0]
    assert low is not None
    assert high is not None
    assert low < s.y[0] < high


def test_runs_by_the_values_of_a_parameter_are_drawn_like_a_sweep(incast: ss.Scenario, swept: ss.SweepResult) -> None:
    runs = {value: ss.run(incast.with_({"switch.capacity": value})) for value in ("25 pkt", "100 pkt")}
    s, _ = plot.against.data(runs, x="switch.capacity").series
    whole, _ = plot.against.data(swept).series
    assert (list(s.x), list(s.y)) == ([25.0, 100.0], [whole.y[0], whole.y[2]])


def test_places_of_several_units_or_none_stand_side_by_side(incast: ss.Scenario) -> None:
    mixed = ss.sweep(incast, over={"workload.query.size": ["900 B", "20 kB"]}, seeds=1)
    data = plot.against.data(mixed)
    assert (data.x, list(data.series[0].x)) == ("workload.query.size", [0.0, 1.0])
    assert "no intervals: they need three seeds" in data.caption


def test_a_lower_bound_is_an_open_mark(incast: ss.Scenario) -> None:
    cut = ss.sweep(incast.with_({"drain": "1 ms"}), over={"switch.capacity": ["25 pkt", "400 pkt"]}, seeds=1)
    data = plot.against.data(cut)
    assert list(data.series[0].bound) == [True, True]
    assert "open marks are lower bounds" in data.caption


def test_what_is_not_there_is_refused(swept: ss.SweepResult, busy: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError, match=r"did you mean 'qct_p99_ms'"):
        plot.against.data(swept, "qct_p9_ms")
    with pytest.raises(ss.ScenarioError, match=r"x: no axis 'switch'; expected one of switch.capacity"):
        plot.against.data(swept, x="switch")
    with pytest.raises(ss.ScenarioError, match=r"a run has no axis to draw against"):
        plot.against.data(busy)
    with pytest.raises(ss.ScenarioError, match=r"expected the axis to draw against, since 0 vary"):
        plot.against.data(swept, at={"switch.capacity": "25 pkt"})
    with pytest.raises(ss.ScenarioError, match=r"'group_p99_ms' has no value in any point"):
        plot.against.data(swept, "group_p99_ms")
