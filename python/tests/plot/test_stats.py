import math
from itertools import pairwise

import pytest

import sidestep as ss
from sidestep.plot._stats import interval, percentile, steps, thinned


def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed() -> None:
    assert percentile([1, 2, 3, 4], 4, 500) == 2
    assert percentile([1, 2, 3, 4], 4, 501) == 3
    assert percentile(list(range(1, 101)), 100, 990) == 99
    assert percentile(list(range(1, 102)), 101, 990) == 100
    assert percentile([7], 1, 999) == 7
    assert percentile([], 0, 500) is None


def test_what_did_not_finish_ranks_last() -> None:
    assert percentile([1, 2, 3], 4, 750) == 3
    assert percentile([1, 2, 3], 4, 751) is None


def test_a_distribution_counts_equal_values_once_and_ends_below_one_where_some_are_missing() -> None:
    assert steps([(1.0, 2), (1.0, 1), (3.0, 1)], 8) == ([1.0, 3.0], [0.375, 0.5])


def test_thinned_curves_keep_their_ends_and_stray_by_less_than_a_corner() -> None:
    x = [1.001**i for i in range(10_000)]
    y = [(i + 1) / 10_000 for i in range(10_000)]
    few, high = thinned(x, y, 100)
    assert (few[0], few[-1], high[-1]) == (x[0], x[-1], 1.0)
    assert 50 < len(few) <= 102
    assert all(y[x.index(a)] == b for a, b in zip(few, high, strict=True))
    assert max(b - a for a, b in pairwise(high)) <= 0.0201


def test_an_interval_surrounds_the_number_of_all_seeds_by_hand() -> None:
    # A zero has no logarithm: distances -4, 0, 4 from 4, S² is 16, t(2) is 4.302653.
    low, high = interval(4.0, [0.0, 4.0, 8.0], share=False) or (0.0, 0.0)
    half = 4.302653 * 4 / math.sqrt(3)
    assert low == 0.0
    assert high == pytest.approx(4.0 + half, rel=1e-6)
    assert interval(4.0, [2.0, 6.0], share=False) is None
    assert (interval(0.9, [0.5, 1.0, 1.0], share=True) or (0, 2))[1] == 1.0


def test_seeds_that_fall_apart_are_all_taken_in() -> None:
    seeds = [1.0, 1.1, 201.0, 1.0, 1.2, 1.1, 1.0, 201.0, 1.3, 1.2]
    low, high = interval(1.5, seeds, share=False) or (9.0, 0.0)
    assert low <= 1.0
    assert high >= 201.0


def test_intervals_are_those_of_the_command(busy: ss.Result, swept: ss.SweepResult) -> None:
    summaries = [*busy.summary["schemes"].values(), *(of for p in swept.summary["points"] for of in p["schemes"].values())]
    compared = 0
    for of in summaries:
        for sample in ("qct_ms", "fct_query_ms", "fct_background_ms"):
            whole, seeds = of[sample], [seed[sample] for seed in of["per_seed"]]
            if whole["ci"] is not None:
                ours = interval(whole["p99"], [seed["p99"] for seed in seeds], share=False)
                # The command's table of Student's t has six decimals.
                assert ours == pytest.approx(whole["ci"], rel=1e-6)
                compared += 1
    assert compared > 10
