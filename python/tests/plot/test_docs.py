"""The snippets of docs/plots.md run, in turn."""

import re
from pathlib import Path

import pytest

from sidestep import plot

PAGE = Path(__file__).parents[3] / "docs" / "plots.md"


def test_snippets_of_the_page_run_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    alt = pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    before = alt.renderers.active
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    try:
        for snippet in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
            exec(snippet, names)
    finally:
        alt.renderers.enable(before)
    assert {path.name for path in tmp_path.iterdir()} == {"qct.pdf", "chart.html"}
    assert names["points"]


def test_the_page_has_every_plot_with_its_picture() -> None:
    page = PAGE.read_text()
    for name in ("cdf", "against", "slowdown", "queues", "detours", "throughput", "drops"):
        assert f"`plot.{name}(" in page
        assert f"](images/plot-{name}.svg)" in page
        assert (PAGE.parent / "images" / f"plot-{name}.svg").is_file()
    for name in plot.__all__:
        assert name in ("Data", "Series") or f"plot.{name}" in page, name
