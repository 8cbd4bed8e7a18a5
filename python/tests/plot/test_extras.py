import sys

import pytest

import sidestep as ss
from sidestep import plot


def test_without_matplotlib_the_extra_is_named(busy: ss.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError, match=r"plots need matplotlib: pip install './python\[plot\]'"):
        plot.cdf(busy)
    assert plot.cdf.data(busy).series, "numbers need nothing"


def test_without_altair_the_extra_is_named(busy: ss.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ModuleNotFoundError, match=r"charts need Altair: pip install './python\[notebook\]'"):
        plot.cdf.chart(busy)


def test_the_numbers_are_rows_for_who_draws_himself(busy: ss.Result) -> None:
    row = next(iter(plot.cdf.data(busy, "qct").rows()))
    assert list(row) == ["panel", "scheme", "case", "query completion time (ms)", "share of queries"]


def test_help_says_what_a_plot_takes(capsys: pytest.CaptureFixture[str]) -> None:
    help(plot.cdf)
    said = capsys.readouterr().out
    assert said.startswith("Help on function cdf in module sidestep.plot")
    assert "results" in said
    assert "Returns: A matplotlib Figure." in said
