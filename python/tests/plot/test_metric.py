import pytest

import sidestep as ss
from sidestep.plot._metric import read

_OTHER = {"switch.capacity", "scheme", "seed", "queries", "fct_short_n", "simulated_ps", "trajectory_hash", "events"}
_OTHER |= {"delivered", "packet_hops"}


def test_every_metric_of_a_sweep_is_read_as_its_table_has_it(swept: ss.SweepResult) -> None:
    table = swept.points.to_dict()
    metrics = [name for name in table if name not in _OTHER and not name.endswith("_at_least")]
    by_place = {
        (point["at"]["switch.capacity"], scheme, seed): each
        for point in swept.summary["points"]
        for scheme, of in point["schemes"].items()
        for seed, each in zip(of["seeds"], of["per_seed"], strict=True)
    }
    places = list(zip(table["switch.capacity"], table["scheme"], table["seed"], strict=True))
    values = 0
    for metric in metrics:
        for place, value in zip(places, table[metric], strict=True):
            if value is None:
                continue
            found = read(by_place[place], metric)
            assert found is not None, metric
            assert found.value == pytest.approx(value, rel=1e-12), (metric, place)
            values += 1
    assert len(metrics) > 200
    assert values > 1000


def test_a_count_is_that_of_a_seed_on_average(swept: ss.SweepResult) -> None:
    of = swept.summary["points"][0]["schemes"]["dctcp"]
    drops = sum(of["drops"].values())
    found = read(of, "drops")
    assert found is not None
    assert drops > 0
    assert found.value == drops / 3


def test_the_interval_of_a_percentile_is_that_of_the_summary(swept: ss.SweepResult) -> None:
    compared = 0
    for of in (of for point in swept.summary["points"] for of in point["schemes"].values()):
        for sample, metric in (("qct_ms", "qct_p99_ms"), ("fct_background_ms", "fct_background_p99_ms")):
            found = read(of, metric)
            if found is not None and of[sample]["ci"] is not None:
                assert [found.low, found.high] == pytest.approx(of[sample]["ci"], rel=1e-12)
                compared += 1
    assert compared > 5


def test_what_is_no_count_is_not_divided(busy: ss.Result) -> None:
    of = busy.summary["schemes"]["dibs"]
    found = read(of, "detours_max")
    assert found is not None
    assert found.value == of["detours_max"] > 3


def test_a_percentile_among_unfinished_ones_is_a_bound_without_an_interval(busy: ss.Result) -> None:
    of = busy.summary["schemes"]["dctcp"]
    assert of["fct_background_ms"]["p99_at_least"]
    found = read(of, "fct_background_p99_ms")
    assert found is not None
    assert (found.bound, found.low, found.high) == (True, None, None)


def test_a_name_that_is_not_there_is_refused_with_one_that_is(busy: ss.Result) -> None:
    of = busy.summary["schemes"]["dctcp"]
    with pytest.raises(ss.ScenarioError, match=r"'qct_p98_ms' is not in the summary; did you mean 'qct_p99_ms'") as caught:
        read(of, "qct_p98_ms")
    (problem,) = caught.value.problems
    assert (problem.key, problem.got, problem.suggestion) == ("metric", "qct_p98_ms", "qct_p99_ms")
    with pytest.raises(ss.ScenarioError, match=r"no class 'storage'; expected one of background, query"):
        read(of, "fct_p99_ms:storage")
