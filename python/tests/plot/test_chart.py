import re
from pathlib import Path
from typing import Any

import pytest

import sidestep as ss
from sidestep import plot

alt = pytest.importorskip("altair")


def values(chart: Any) -> list[dict[str, Any]]:
    """All rows of a chart."""
    spec = chart.to_dict()
    found = list(spec.get("datasets", {}).values())

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("data"), dict) and "values" in node["data"]:
                found.append(node["data"]["values"])
            for part in node.values():
                walk(part)
        elif isinstance(node, list):
            for part in node:
                walk(part)

    walk(spec)
    return [row for rows in found for row in rows]


def test_a_chart_has_the_numbers_of_the_figure(busy: ss.Result, swept: ss.SweepResult) -> None:
    data = plot.against.data(swept)
    rows = {(row["curve"], row["x"]): row for row in values(plot.against.chart(swept))}
    for s in data.series:
        for x, y, low, high in zip(s.x, s.y, s.low, s.high, strict=True):
            row = rows[s.name, x]
            assert (row["y"], row["low"], row["high"]) == (y, low, high)
    drawn = {(row["curve"], row["x"], row["y"]) for row in values(plot.cdf.chart(busy, "qct"))}
    assert {(s.name, x, y) for s in plot.cdf.data(busy, "qct").series for x, y in zip(s.x, s.y, strict=True)} <= drawn


def test_tooltips_have_units_and_curves_and_scales_can_be_moved(busy: ss.Result) -> None:
    spec = plot.cdf.chart(busy, "qct").to_json()
    assert '"title": "query completion time (ms)"' in spec
    assert '"bind": "scales"' in spec
    assert '"bind": "legend"' in spec


@pytest.mark.parametrize("name", ["cdf", "slowdown", "detours", "throughput", "drops"])
def test_every_plot_of_a_run_is_a_chart_without_a_warning(busy: ss.Result, name: str, recwarn: pytest.WarningsRecorder) -> None:
    spec = getattr(plot, name).chart(busy).to_dict()
    assert spec["config"]["background"] == "transparent"
    assert "seeds" in spec["title"]["text"]
    assert [str(warning.message) for warning in recwarn] == []


def test_a_heat_map_has_a_cell_for_each_port_and_instant(probed: ss.Result) -> None:
    heat = plot.queues.data(probed, schemes=["dibs"]).heat[0]
    rows = values(plot.queues.chart(probed, schemes=["dibs"]))
    assert len(rows) == len(heat.rows) * len(heat.columns)
    assert rows[0]["z"] == heat.values[0][0]


def test_curves_of_many_values_are_thinned(busy: ss.Result) -> None:
    per = {s.name: len(s.x) for s in plot.cdf.data(busy, classes=["query"]).series}
    assert len(values(plot.cdf.chart(busy, classes=["query"]))) <= sum(min(n, 402) + 1 for n in per.values())


def test_a_page_fetches_nothing(busy: ss.Result, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    page = plot.save_chart(plot.cdf.chart(busy, "qct"), tmp_path / "qct.html").read_text()
    assert re.findall(r"""<(?:script|link)[^>]*(?:src|href)=""", page) == []
    assert "vegaEmbed" in page or "vega-embed" in page


def test_a_notebook_without_a_network_is_given_vega_with_the_chart(busy: ss.Result) -> None:
    pytest.importorskip("vl_convert")
    before = alt.renderers.active
    try:
        plot.offline()
        html = plot.cdf.chart(busy, "qct", schemes=["dibs"])._repr_mimebundle_()["text/html"]
    finally:
        alt.renderers.enable(before)
    assert "cdn.jsdelivr" not in html.split("<script", 1)[0]
    assert html.count("<script") == html.count("</script>") == 1
    assert len(html) > 400_000
