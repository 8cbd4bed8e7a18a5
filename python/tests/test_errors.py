"""Refusals: the command's words, and their parts as attributes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TINY

import sidestep
from sidestep import Problem, ResultError, ScenarioError, SidestepError


def refusal(of: Callable[[], Any]) -> ScenarioError:
    with pytest.raises(ScenarioError) as refused:
        of()
    return refused.value


def test_a_file_is_refused_with_line_column_key_and_suggestion(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TINY.replace('"dibs"', '"dips"').replace("degree = 12", 'degree = 12\nbogus = "20 kB"'))
    error = refusal(lambda: sidestep.Scenario.load(file))
    scheme, key = error.problems
    assert (scheme.file, scheme.line, scheme.column, scheme.key) == (str(file), 5, 21, "schemes")
    assert (scheme.got, scheme.suggestion) == ("dips", "dibs")
    assert (key.line, key.key, key.got) == (14, "workload.query.bogus", "bogus")
    assert key.expected is not None and key.expected.startswith("one of degree, size")
    assert str(error) == "\n".join(map(str, error.problems))
    # The first of them is at hand.
    assert (error.file, error.line, error.column, error.key) == (str(file), 5, 21, "schemes")
    assert (error.got, error.expected, error.suggestion) == ("dips", scheme.expected, "dibs")
    assert ScenarioError("in words alone").line is None
    assert str(scheme) == f'{file}:5:21: scheme "dips" is unknown; did you mean "dibs"?'


def test_an_object_is_refused_by_its_name_and_key_and_without_a_line() -> None:
    error = refusal(
        lambda: sidestep.Scenario(
            name="mine",
            duration="50 us",
            schemes=["dctcp"],
            topology={"kind": "fat_tree", "k": 4},
            workload={"query": {"kind": "incast", "degree": 12, "size": "20 pkt"}},
            switch={"capacty": "50 pkt"},
        )
    )
    unknown, unit = sorted(error.problems, key=lambda problem: problem.key or "")
    assert (unknown.file, unknown.line, unknown.column, unknown.key) == ("mine", None, None, "switch.capacty")
    assert unknown.suggestion == "capacity"
    assert str(unknown) == 'mine: at switch.capacty: unknown key "capacty" in [switch]; did you mean "capacity"?'
    assert (unit.key, unit.got) == ("workload.query.size", "20 pkt")
    assert unit.expected == 'a size like "20 kB" (B, kB, MB, GB; KiB, MiB, GiB) or "off"'
    assert str(unit).startswith("mine: workload.query.size: expected a size")


def test_a_change_is_refused_in_the_words_of_set(tiny: sidestep.Scenario) -> None:
    (problem,) = refusal(lambda: tiny.with_({"switch.capacity": "50 us"})).problems
    assert (problem.file, problem.key, problem.got) == ("--set switch.capacity=50 us", "switch.capacity", "50 us")


def test_a_scenario_that_is_not_there_suggests_one() -> None:
    error = refusal(lambda: sidestep.run("quickstrat"))
    assert error.problems[0].suggestion == "quickstart"
    assert str(error).startswith('cannot read scenario "quickstrat"')


@pytest.mark.parametrize("value", [object(), {1: "a"}, {"a": b"x"}])
def test_what_toml_has_not_is_refused(value: Any) -> None:
    assert "mine: switch" in str(refusal(lambda: sidestep.Scenario(name="mine", switch=value)))


def test_calls_that_cannot_be_carried_out_are_refused(tiny: sidestep.Scenario, tmp_path: Path) -> None:
    swept = sidestep.Scenario.from_toml(TINY + '[sweep]\n"switch.capacity" = ["50 pkt"]\n')
    assert "sidestep.sweep runs every point" in str(refusal(lambda: sidestep.run(swept)))
    assert "expected [sweep] or over=" in str(refusal(lambda: sidestep.sweep(tiny)))
    assert "jobs: expected at least 1, got 0" in str(refusal(lambda: sidestep.run(tiny, jobs=0)))
    assert "cannot trace" in str(refusal(lambda: sidestep.run(tiny, trace_packets="some")))
    assert "is unknown; expected one of" in str(refusal(lambda: sidestep.list("gadgets")))
    with pytest.raises(ResultError, match=r"got one without manifest\.json"):
        sidestep.show(tmp_path)
    with pytest.raises(ResultError, match="got a path that does not exist"):
        sidestep.show(tmp_path / "nothing")


def test_an_exception_survives_being_sent_to_another_process() -> None:
    problem = Problem("a.toml", 3, 4, "wrong", "switch.capacity", None, "x", None)
    error: ScenarioError = pickle.loads(pickle.dumps(ScenarioError.of([problem])))
    assert isinstance(error, SidestepError)
    assert (str(error), error.problems) == ("a.toml:3:4: wrong", (problem,))
