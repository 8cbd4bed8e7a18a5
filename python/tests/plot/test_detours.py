import pytest

import sidestep as ss
from sidestep import plot


def test_the_first_share_is_that_of_the_packets_detoured_at_all(busy: ss.Result) -> None:
    (s,) = plot.detours.data(busy).series
    of = busy.summary["schemes"]["dibs"]
    assert (s.scheme, s.x[0]) == ("dibs", 1.0)
    assert s.y[0] == pytest.approx(of["detoured_data_share"], rel=1e-12)
    assert s.x[-1] == of["detours_max"]
    assert s.n == sum(own["delivered"] for own in of["classes"].values())


def test_classes_are_told_apart(busy: ss.Result) -> None:
    (s,) = plot.detours.data(busy, classes=["query"]).series
    own = busy.summary["schemes"]["dibs"]["classes"]["query"]
    assert s.y[0] == pytest.approx(own["detoured"] / own["delivered"], rel=1e-12)
    with pytest.raises(ss.ScenarioError, match=r"no class 'web' in the result; expected one of background, query"):
        plot.detours.data(busy, classes=["web"])


def test_nothing_detoured_is_said(busy: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError, match=r"no packet was detoured"):
        plot.detours.data(busy, schemes=["dctcp"])


def test_a_scheme_looks_as_in_other_plots_though_others_have_no_curve(busy: ss.Result) -> None:
    pytest.importorskip("matplotlib")
    looks = [
        next((line.get_color(), line.get_linestyle()) for line in fig.axes[0].lines if line.get_label() == "dibs")
        for fig in (plot.cdf(busy), plot.detours(busy))
    ]
    assert looks[0] == looks[1]
