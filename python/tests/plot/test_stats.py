from itertools import pairwise

from sidestep.plot._stats import percentile, steps, thinned


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
