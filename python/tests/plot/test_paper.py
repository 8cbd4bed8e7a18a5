import functools
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

import sidestep as ss
from sidestep import plot
from sidestep.plot import _paper
from sidestep.plot._paper import COLOURS, DASHES, HATCHES, MARKERS

mpl = pytest.importorskip("matplotlib")


def drawn(fig: Any) -> Any:
    """The figure with everything in its place."""
    fig.draw_without_rendering()
    return fig


Every = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def every(busy: ss.Result, swept: ss.SweepResult, probed: ss.Result) -> Every:
    """Every plot in its place, by the width; each is drawn once, and looked at alone."""

    @functools.cache
    def of(width: Any) -> dict[str, Any]:
        figures: dict[str, Any] = {
            "cdf": plot.cdf(busy, width=width),
            "qct": plot.cdf(busy, "qct", width=width),
            "swept": plot.cdf(swept, "qct", width=width),
            "against": plot.against(swept, width=width),
            "drops": plot.against(swept, "drops", width=width),
            "slowdown": plot.slowdown(busy, width=width),
            "queues": plot.queues(probed, width=width),
            "detours": plot.detours(busy, width=width),
            "throughput": plot.throughput(busy, width=width),
            "bars": plot.drops(busy, width=width),
        }
        return {name: drawn(fig) for name, fig in figures.items()}

    return of


@pytest.mark.parametrize(("width", "inches"), [("column", 3.3), ("page", 7.0)])
def test_figures_are_as_wide_as_a_column_or_a_page_and_nothing_sticks_out(every: Every, width: str, inches: float) -> None:
    for name, fig in every(width).items():
        assert fig.get_figwidth() == inches, name
        assert fig.get_figheight() < 9, name
        bounds, outside, left = fig.bbox, [], unseen(fig)
        for text in fig.findobj(mpl.text.Text):
            box = text.get_window_extent()
            if text.get_visible() and text.get_text() and box.width > 0 and id(text) not in left:
                inside = (
                    bounds.x0 - 2 <= box.x0 and box.x1 <= bounds.x1 + 2 and bounds.y0 - 2 <= box.y0 and box.y1 <= bounds.y1 + 2
                )
                outside += [] if inside else [text.get_text()]
        assert outside == [], name


def unseen(fig: Any) -> set[int]:
    """The words of ticks that lie beyond the ends of their axis, which matplotlib keeps and does not draw."""
    out: set[int] = set()
    for axis in (axis for ax in fig.axes for axis in (ax.xaxis, ax.yaxis)):
        low, high = sorted(axis.get_view_interval())
        for tick in [*axis.majorTicks, *axis.minorTicks]:
            if not low <= tick.get_loc() <= high:
                out |= {id(tick.label1), id(tick.label2)}
    return out


def test_the_legend_and_the_caption_stand_on_no_axes(every: Every) -> None:
    for name, fig in every("column").items():
        others = [legend.get_window_extent() for legend in fig.legends] + [fig._supxlabel.get_window_extent()]
        for ax in fig.axes:
            for box in others:
                assert not ax.get_window_extent().overlaps(box), name


def test_both_axes_have_units_from_the_names_of_columns(every: Every) -> None:
    labels = {name: (fig.axes[0].get_ylabel(), fig.axes[-1].get_xlabel()) for name, fig in every("column").items()}
    assert labels["cdf"] == ("share of flows", "flow completion time (ms)")
    assert labels["against"] == ("QCT p99 (ms)", "switch.capacity (pkt)")
    assert labels["throughput"] == ("goodput (Gbps)", "rank of the flow (share)")
    assert labels["bars"] == ("packets dropped per run", "scheme")


def test_what_is_drawn_are_the_numbers(busy: ss.Result, swept: ss.SweepResult) -> None:
    data, fig = plot.cdf.data(busy, "qct"), drawn(plot.cdf(busy, "qct"))
    for s, line in zip(data.series, fig.axes[0].lines, strict=True):
        assert list(line.get_xdata())[1:] == list(s.x)
        assert list(line.get_ydata()) == [0.0, *s.y]
        assert line.get_drawstyle() == "steps-post"
    data, fig = plot.against.data(swept), drawn(plot.against(swept))
    curves = [line for line in fig.axes[0].lines if line.get_label() in ("dctcp", "dibs")]
    assert [list(line.get_ydata()) for line in curves] == [list(s.y) for s in data.series]
    ends = [bar.get_segments() for bar in fig.axes[0].collections]
    first = data.series[0]
    assert [seg[0][1] for seg in ends[0]] == pytest.approx(list(first.low))
    assert [seg[1][1] for seg in ends[0]] == pytest.approx(list(first.high))


def test_the_caption_has_the_numbers_of_values_and_seeds(busy: ss.Result) -> None:
    fig = drawn(plot.cdf(busy, "qct"))
    n = busy.summary["schemes"]["dibs"]["qct_ms"]["n"]
    assert f"n = {n} queries per curve; 3 seeds (1\u20133)" in fig._supxlabel.get_text().replace("\n", " ")


def test_text_is_text_in_svg_and_pdf_and_the_bytes_are_the_same_twice(busy: ss.Result, tmp_path: Path) -> None:
    for ending in ("svg", "pdf"):
        files = [plot.save(plot.cdf(busy), tmp_path / f"{i}.{ending}").read_bytes() for i in range(2)]
        assert files[0] == files[1]
    svg = (tmp_path / "0.svg").read_text()
    assert "flow completion time (ms)</text>" in svg
    # TrueType, which publishers ask for, and no Type 3.
    pdf = (tmp_path / "0.pdf").read_bytes()
    assert b"/TrueType" in pdf or b"/CIDFontType2" in pdf
    assert b"/Subtype /Type3" not in pdf


def test_letters_are_of_8_pt_but_for_captions_and_rows(busy: ss.Result, probed: ss.Result) -> None:
    for fig in (plot.cdf(busy), plot.queues(probed)):
        sizes = {text.get_fontsize() for text in fig.findobj(mpl.text.Text) if text.get_text()}
        assert sizes <= {6, 6.5, 8}


def lightness(colour: str) -> float:
    """L* of CIE, 0 to 100."""
    rgb = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return float(116 * y ** (1 / 3) - 16)


def test_the_first_four_colours_survive_greyscale() -> None:
    for a, b in combinations(COLOURS[:4], 2):
        assert abs(lightness(a) - lightness(b)) >= 12, (a, b)
    assert all(lightness(colour) <= 75 for colour in COLOURS), "each stands out from paper"


def test_neighbours_differ_in_dash_and_mark_and_hatch() -> None:
    assert all(a != b for a, b in pairwise(DASHES))
    assert len(set(MARKERS)) == 8
    assert len(set(HATCHES)) == len(HATCHES)


def test_a_lower_bound_is_drawn_open(incast: ss.Scenario) -> None:
    cut = ss.sweep(incast.with_({"drain": "1 ms"}), over={"switch.capacity": ["25 pkt", "400 pkt"]}, seeds=1)
    fills = {line.get_markerfacecolor() for line in plot.against(cut).axes[0].lines}
    assert "white" in fills


def test_a_notebook_is_shown_vectors_in_the_colour_of_its_text(busy: ss.Result) -> None:
    html = drawn(plot.cdf(busy))._repr_html_()
    assert html.count("<svg") == 1
    assert "currentColor" in html
    assert _paper.INK not in html
    assert "<script" not in html


def test_another_width_is_refused(busy: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError, match=r"width: expected one of column, page, got 'slide'"):
        plot.cdf(busy, width="slide")  # type: ignore[arg-type]


def test_an_ending_that_is_no_format_is_refused_with_those_that_are(busy: ss.Result, tmp_path: Path) -> None:
    with pytest.raises(ss.ScenarioError, match=r"ends in no format; expected one of .*pdf.*; did you mean 'svg'") as caught:
        plot.save(plot.cdf(busy), tmp_path / "a.svf")
    assert (caught.value.problems[0].got, caught.value.problems[0].suggestion) == ("svf", "svg")
    assert not list(tmp_path.iterdir())
