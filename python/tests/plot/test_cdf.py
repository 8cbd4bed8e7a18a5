from collections.abc import Sequence

import pytest

import sidestep as ss
from sidestep import plot


def at(x: Sequence[float], y: Sequence[float], share: float) -> float:
    """Where a curve reaches a share."""
    return next(a for a, b in zip(x, y, strict=True) if b >= share - 1e-12)


@pytest.mark.parametrize(("of", "key"), [("fct", "fct_ms"), ("slowdown", "slowdown")])
def test_curves_reach_a_half_and_99_percent_where_the_command_says(busy: ss.Result, of: str, key: str) -> None:
    data = plot.cdf.data(busy, of)  # type: ignore[arg-type]
    assert data.panels == ["background", "query"]
    for s in data.series:
        own = busy.summary["schemes"][s.scheme]["classes"][s.panel][key]
        assert s.n == own["n"]
        assert s.y[-1] == pytest.approx(own["completed_share"])
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            if not own[f"{name}_at_least"]:
                # Slowdowns are kept to the millionth by the command.
                assert at([float(v) for v in s.x], s.y, share) == pytest.approx(own[name], rel=1e-5), (s.name, s.panel, name)


def test_queries_are_those_of_the_summary(busy: ss.Result) -> None:
    for s in plot.cdf.data(busy, "qct").series:
        own = busy.summary["schemes"][s.scheme]["qct_ms"]
        assert s.y[-1] == own["completed_share"]
        if not own["p50_at_least"]:
            assert at([float(v) for v in s.x], s.y, 0.5) == pytest.approx(own["p50"], rel=1e-12)
        assert (s.n, list(s.seeds)) == (own["n"], [1, 2, 3])


def test_a_curve_of_which_some_never_finished_ends_below_one_and_says_so(busy: ss.Result) -> None:
    data = plot.cdf.data(busy, "fct", classes=["background"])
    cut = [s for s in data.series if s.finished < s.n]
    assert cut
    assert all(s.y[-1] == s.finished / s.n < 1 for s in cut)
    assert f"dctcp (background): {cut[0].n - cut[0].finished}" in data.caption


def test_a_point_of_a_sweep_has_the_curves_of_the_same_run_alone(incast: ss.Scenario, swept: ss.SweepResult) -> None:
    alone = plot.cdf.data(ss.run(incast.with_({"switch.capacity": "50 pkt"})), "qct")
    point = plot.cdf.data(swept, "qct", at={"switch.capacity": "50 pkt"})
    for a, b in zip(alone.series, point.series, strict=True):
        assert (a.scheme, a.y, a.n) == (b.scheme, b.y, b.n)
        assert b.x == pytest.approx(a.x, rel=1e-12)


def test_several_results_go_by_their_names(busy: ss.Result, probed: ss.Result) -> None:
    data = plot.cdf.data({"long": busy, "short": probed}, "qct", schemes=["dibs"])
    assert [s.name for s in data.series] == ["dibs, long", "dibs, short"]
    assert [s.case for s in plot.cdf.data([busy, probed], "qct", schemes=["dibs"]).series] == [
        "queries among flows",
        "one query",
    ]


def test_units_stand_beside_the_axis(busy: ss.Result) -> None:
    assert plot.cdf.data(busy, "qct").x == "query completion time (ms)"


def test_what_is_not_there_is_refused(busy: ss.Result, swept: ss.SweepResult, endless: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError, match=r"of: expected one of fct, qct, group, slowdown, got 'fcts'"):
        plot.cdf.data(busy, "fcts")  # type: ignore[arg-type]
    with pytest.raises(ss.ScenarioError, match=r"no class 'web' has flows; expected one of background, query"):
        plot.cdf.data(busy, classes=["web"])
    with pytest.raises(ss.ScenarioError, match=r"no scheme 'dips' in the result; expected one of dctcp, dibs"):
        plot.cdf.data(busy, schemes=["dips"])
    with pytest.raises(ss.ScenarioError, match=r"axis 'switch.capacity' has no value '51 pkt'; expected one of 25 pkt, 50 pkt"):
        plot.cdf.data(swept, "qct", at={"switch.capacity": "51 pkt"})
    with pytest.raises(ss.ScenarioError, match=r"no queries in the result"):
        plot.cdf.data(endless, "qct")
    with pytest.raises(ss.ScenarioError, match=r"is a run, which has no axes"):
        plot.cdf.data(busy, at={"switch.capacity": "50 pkt"})


def test_what_is_refused_has_its_parts(busy: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError) as caught:
        plot.cdf.data(busy, schemes=["dips"])
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.column, problem.key) == ("", None, None, "schemes")
    assert (problem.expected, problem.got, problem.suggestion) == ("one of dctcp, dibs", "dips", "dibs")
    assert str(caught.value) == str(problem) == problem.message
    assert isinstance(caught.value, ValueError)


def test_more_curves_than_anybody_tells_apart_are_refused(busy: ss.Result) -> None:
    many = {str(i): busy for i in range(5)}
    with pytest.raises(ss.ScenarioError, match=r"10 curves in one plot: expected at most 8"):
        plot.cdf.data(many, "qct")
