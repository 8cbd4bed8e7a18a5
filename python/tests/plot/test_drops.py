import pytest

import sidestep as ss
from sidestep import plot


@pytest.mark.parametrize("by", ["reason", "tier"])
def test_the_parts_of_a_bar_are_all_drops_of_a_seed(busy: ss.Result, by: str) -> None:
    data = plot.drops.data(busy, by=by)  # type: ignore[arg-type]
    for i, scheme in enumerate(["dctcp", "dibs"]):
        own = sum(busy.summary["schemes"][scheme]["drops"].values()) / 3
        assert sum(s.y[i] for s in data.series) == pytest.approx(own)
    assert sum(data.series[0].y) > 0


def test_reasons_that_dropped_nothing_are_left_out(busy: ss.Result) -> None:
    assert [s.scheme for s in plot.drops.data(busy).series] == ["queue full"]


def test_a_run_without_drops_is_drawn_and_says_so(busy: ss.Result) -> None:
    data = plot.drops.data(ss.run("quickstart", seeds=1), schemes=["dibs"])
    assert [list(s.y) for s in data.series] == [[0.0]]
    assert "no packet was dropped" in data.caption
