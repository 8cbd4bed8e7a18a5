"""What docs/how-to/plots.md shows; `scripts/docs/snippets.py` runs its snippets."""

from pathlib import Path

from sidestep import plot

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "plots.md"


def test_the_page_has_every_plot_with_its_picture() -> None:
    page = PAGE.read_text()
    for name in ("cdf", "against", "slowdown", "queues", "detours", "throughput", "drops"):
        assert f"`plot.{name}(" in page
        assert f"](../images/plot-{name}.svg)" in page
        assert (PAGE.parents[1] / "images" / f"plot-{name}.svg").is_file()
    for name in plot.__all__:
        assert name in ("Data", "Series") or f"plot.{name}" in page, name
