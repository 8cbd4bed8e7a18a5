import pytest

import sidestep as ss
from sidestep import plot
from sidestep.plot._slowdown import _edges, size_words


def test_one_bin_of_a_class_has_its_percentiles_of_the_summary(busy: ss.Result) -> None:
    data = plot.slowdown.data(busy, classes=["query"], bins=1)
    assert data.panels == ["p50", "p95", "p99"]
    for s in data.series:
        own = busy.summary["schemes"][s.scheme]["classes"]["query"]["slowdown"]
        if s.panel != "p95" and not own[f"{s.panel}_at_least"]:
            assert list(s.y) == pytest.approx([own[s.panel]], rel=1e-5)


def test_bins_hold_equally_many_flows_and_sizes_that_many_share_make_one() -> None:
    assert _edges(list(range(1, 101)), 4) == [25, 50, 75, 100]
    assert _edges([10] * 90 + list(range(11, 21)), 10) == [10, 20]
    assert _edges([5], 20) == [5]


def test_schemes_share_their_bins_and_sizes_their_places(busy: ss.Result) -> None:
    data = plot.slowdown.data(busy, bins=4)
    rows = [row for row in busy.flows.to_dict(["size_bytes"])["size_bytes"] if row is not None]
    assert data.ticks[-1][1] == size_words(max(rows))
    assert all(s.n == len(rows) // 2 for s in data.series)
    assert all(y >= 0.99 for s in data.series for y in s.y)


def test_sizes_are_said_in_three_digits() -> None:
    assert [size_words(n) for n in (512, 1460, 20_000, 2_714_000, 3e9)] == ["512 B", "1.46 kB", "20 kB", "2.71 MB", "3 GB"]


def test_what_has_no_slowdown_is_refused(endless: ss.Result, swept: ss.SweepResult, busy: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError, match=r"no flow has a slowdown"):
        plot.slowdown.data(endless)
    with pytest.raises(ss.ScenarioError, match=r"a sweep keeps no flows"):
        plot.slowdown.data(swept)
    with pytest.raises(ss.ScenarioError, match=r"bins: expected at least 1, got 0"):
        plot.slowdown.data(busy, bins=0)
