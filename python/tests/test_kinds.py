"""Typed functions of what a scenario can say: made of the tables, checked by them."""

from __future__ import annotations

import inspect
import pickle

import pytest

import sidestep
from sidestep import _generate, _native, kinds
from sidestep._kind import Kind


def test_the_functions_are_those_that_the_tables_make() -> None:
    assert kinds.__file__ is not None
    assert _generate.FILE.read_text() == _generate.kinds(_native), "kinds.py is of another build: make generate"


@pytest.mark.parametrize(("space", "listed"), _generate._SPACES.items())
def test_every_kind_has_its_function_with_every_parameter(space: str, listed: str) -> None:
    for item in sidestep.list(listed)["items"]:
        made = getattr(getattr(sidestep, space), _generate._identifier(item["name"]))
        assert made() == {"kind": item["name"]}
        assert made.__doc__ is not None and item["summary"][1:] in " ".join(made.__doc__.split())
        named = list(inspect.signature(made).parameters)
        assert {_generate._identifier(param["name"]) for param in item["params"]} <= set(named)


def test_a_kind_is_a_table_that_shows_itself() -> None:
    made = sidestep.buffer.dibs(mark_at="20 pkt")
    assert made == {"kind": "dibs", "mark_at": "20 pkt"}
    assert repr(made) == "dibs(mark_at='20 pkt')"
    again = pickle.loads(pickle.dumps(made))
    assert again == made and isinstance(again, Kind)
    assert sidestep.host(agent_ecn=sidestep.shim.agent_ecn()) == {"agent-ecn": {"kind": "agent-ecn"}}


def test_a_wrong_key_is_refused_in_the_commands_words() -> None:
    # Type checkers refuse it as well: without that, the ignored error would be one.
    wrong = sidestep.topology.fat_tree(kk=4)  # type: ignore[arg-type]
    with pytest.raises(sidestep.ScenarioError) as refused:
        sidestep.Scenario(
            name="mine", duration="1 ms", schemes="dctcp", topology=wrong, workload={"w": sidestep.workload.incast(degree=3)}
        )
    (problem,) = refused.value.problems
    assert str(problem) == 'mine: at topology.kk: unknown key "kk" in topology "fat_tree"; did you mean "k"?'
    assert (problem.key, problem.got, problem.suggestion) == ("topology.kk", "kk", "k")


def test_what_is_missing_is_refused_in_the_commands_words() -> None:
    with pytest.raises(sidestep.ScenarioError, match="duration is missing: a time like") as refused:
        sidestep.Scenario(
            schemes="dctcp", topology=sidestep.topology.fat_tree(), workload={"w": sidestep.workload.permutation()}
        )
    (problem,) = refused.value.problems
    assert problem.expected == 'a time like "50 us" (flows and queries arrive in this window)'
