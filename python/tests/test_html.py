"""What a notebook shows."""

import copy
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import sidestep as ss
from sidestep import _html

_EVIL = '<script>alert(1)</script> & "x"'


class Reader(HTMLParser):
    """Which tags there are, which words, and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words += data


@pytest.fixture(scope="module")
def result() -> ss.Result:
    return ss.run("quickstart")


@pytest.fixture(scope="module")
def swept() -> ss.SweepResult:
    return ss.sweep("quickstart", over={"switch.capacity": [f"{n} pkt" for n in range(50, 110, 10)]}, seeds=1)


def test_a_result_is_a_table_and_a_picture(result: ss.Result) -> None:
    page = Reader(result._repr_html_())
    assert page.open == []
    assert (page.tags.count("table"), page.tags.count("svg"), page.tags.count("script")) == (1, 1, 0)
    assert page.tags.count("tr") == 1 + 3
    assert "QCT p99 (ms)" in page.words
    assert "15.4" in page.words


def test_numbers_are_those_of_the_summary(result: ss.Result) -> None:
    rows = re.findall(r"<tr><td [^>]*>(\w+)</td><td [^>]*>(.*?)</td>", result._repr_html_())
    p99 = {scheme: result.summary["schemes"][scheme]["qct_ms"]["p99"] for scheme in result.schemes}
    assert {scheme: float(cell.split()[0]) for scheme, cell in rows} == pytest.approx(p99, rel=5e-3)


def test_a_title_that_is_a_script_is_text(result: ss.Result, swept: ss.SweepResult) -> None:
    run, sweep = copy.deepcopy(result.summary), copy.deepcopy(swept.summary)
    claim = {"verdict": _EVIL, "says": _EVIL, "paper": _EVIL, "ours": 1.0, "bound": None}
    run |= {"title": _EVIL, "warnings": [_EVIL], "claims": [claim], "schemes": {_EVIL: run["schemes"]["dibs"]}}
    sweep["title"] = sweep["axes"][0]["name"] = _EVIL
    for point in sweep["points"]:
        point["at"] = {_EVIL: _EVIL}
    checked = ss.check(ss.Scenario.load("quickstart"))["scenarios"][0]
    checked["title"] = checked["settings"][1]["value"] = checked["load"]["classes"][0]["name"] = _EVIL
    for page in (
        _html.result(run),
        _html.sweep(sweep),
        _html.claims([claim]),
        _html.scenario(checked, {"title", checked["settings"][1]["key"]}),
    ):
        assert "script" not in Reader(page).tags
        assert "<script>alert(1)</script>" in Reader(page).words


def test_a_real_run_with_such_a_title_shows_it_as_text() -> None:
    text = ss.Scenario.load("quickstart").to_toml()
    title = re.sub(r'title = ".*?"', "title = '<script>alert(1)</script> & \"x\"'", text, count=1)
    page = Reader(ss.run(ss.Scenario.from_toml(title), seeds=1)._repr_html_())
    assert "script" not in page.tags
    assert page.tags.count("svg") == 1
    assert page.words.count(_EVIL) >= 2, "in the head and in the picture"


def test_a_large_sweep_is_no_wall_of_text(swept: ss.SweepResult) -> None:
    page = Reader(swept._repr_html_())
    assert page.open == []
    assert page.tags.count("tr") == 1 + 12
    assert "and 6 more rows" in page.words


def test_a_table_shows_five_rows_and_how_many_there_are(result: ss.Result) -> None:
    page = Reader(result.flows._repr_html_())
    assert page.tags.count("tr") == 1 + 5
    assert "540 rows, 35 columns" in page.words
    assert "23 more columns" in page.words
    assert "null" in page.words


def test_a_scenario_shows_what_it_sets_and_its_load() -> None:
    page = Reader(ss.Scenario.load("quickstart")._repr_html_())
    assert page.open == []
    assert (page.tags.count("table"), page.tags.count("svg")) == (1, 1)
    assert "workload.query.degree" in page.words
    assert "31.6 %" in page.words


def test_claims_have_their_verdicts() -> None:
    found = ss.reproduce("dibs/fig02", quick=True)
    for page in (Reader(found._repr_html_()), Reader(found.claims._repr_html_())):
        assert page.open == []
        assert page.words.count("reproduced") >= 3
    assert "svg" in Reader(found._repr_html_()).tags


def test_a_bound_and_a_value_that_is_missing_are_said(result: ss.Result) -> None:
    run = copy.deepcopy(result.summary)
    run["schemes"]["dctcp"]["qct_ms"] |= {"p99_at_least": True, "ci": None}
    run["schemes"]["dibs"]["qct_ms"]["p99"] = None
    words = Reader(_html.result(run)).words
    assert "\u2265 15.4" in words
    assert "\u2013" in words


def test_a_partial_result_says_so(result: ss.Result) -> None:
    assert "partial: stopped before its end" in _html.result(result.summary | {"status": "partial"})


def test_colours_are_those_of_the_page(result: ss.Result) -> None:
    page = result._repr_html_()
    assert 'fill="#ffffff"' not in page
    assert "#212529" not in page
    assert page.count("currentColor") > 20


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><script>alert(1)</script></svg>",
        '<svg onload="alert(1)"></svg>',
        '<svg><a href="javascript:alert(1)">x</a></svg>',
        "<p>no picture</p>",
        "<svg><foreignObject></foreignObject></svg>",
    ],
)
def test_a_picture_that_is_not_the_studys_own_is_left_out(svg: str) -> None:
    assert _html.recoloured(svg) == ""


def test_a_picture_that_is_large_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "plots").mkdir()
    (tmp_path / "plots" / "qct_cdf.svg").write_text("<svg></svg>")
    assert _html.picture(tmp_path) == "<svg></svg>"
    assert _html.picture(tmp_path, most=5) == ""
    assert _html.picture(tmp_path / "nowhere") == ""


def test_queries_are_looked_at_before_flows(tmp_path: Path) -> None:
    for name in ("fct_cdf.a", "qct_cdf", "fct_short_cdf"):
        (tmp_path / f"{name}.svg").write_text(f"<svg><title>{name}</title></svg>")
    assert "qct_cdf" in _html.picture(tmp_path)


def test_the_style_is_one_for_all(result: ss.Result) -> None:
    pages: list[Any] = [result._repr_html_(), result.flows._repr_html_(), result.claims._repr_html_()]
    assert len({page[page.index("<style>") : page.index("</style>")] for page in pages}) == 1
