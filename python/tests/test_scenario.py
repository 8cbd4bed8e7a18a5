"""Scenarios as objects: what a file says, nothing lost on the way there and back."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import TINY
from hypothesis import given, settings
from hypothesis import strategies as st

import sidestep
from sidestep import Scenario, _toml

SHIPPED = [item["name"] for item in sidestep.list("scenarios")["items"]]
# Reading one of Vertigo's takes a second: hundreds of points.
FIGURES = [
    pytest.param(name, marks=pytest.mark.slow if name.startswith("vertigo/") else ())
    for name in (item["name"] for item in sidestep.list("experiments")["items"])
]


def typed() -> Scenario:
    return Scenario(
        name="tiny",
        duration="1 ms",
        drain="100 ms",
        seeds=[1, 2],
        schemes=["dctcp", "dibs"],
        topology=sidestep.topology.fat_tree(k=4),
        workload={"query": sidestep.workload.incast(degree=12, size="20 kB")},
    )


def written_anew(scenario: Scenario) -> Scenario:
    """The same by way of the tree alone: comments and order of the file are gone."""
    return Scenario.from_toml(_toml.write(scenario._tree))


@pytest.mark.parametrize("name", SHIPPED + FIGURES)
def test_nothing_is_lost_by_way_of_toml(name: str) -> None:
    scenario = Scenario.load(name)
    assert Scenario.from_toml(scenario.to_toml()) == scenario


@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_is_lost_where_every_line_is_written_anew(name: str) -> None:
    assert written_anew(Scenario.load(name)) == Scenario.load(name)


@pytest.mark.parametrize("name", ["quickstart", "own-traffic", "ranked-leafspine"])
def test_the_runs_stay_the_same_by_way_of_toml(name: str) -> None:
    scenario = Scenario.load(name).with_(duration="1 ms", seeds=1)
    hashes = sidestep.run(scenario).hashes
    assert sidestep.run(Scenario.from_toml(scenario.to_toml())).hashes == hashes
    assert sidestep.run(written_anew(Scenario.load(name)).with_(duration="1 ms", seeds=1)).hashes == hashes


def test_an_object_is_the_file_that_says_the_same(tiny: Scenario) -> None:
    assert typed() == tiny
    assert typed() == Scenario.from_toml(typed().to_toml())
    assert sidestep.run(typed()).hashes == sidestep.run(tiny).hashes
    assert typed() != tiny.with_({"switch.capacity": "50 pkt"})
    assert typed() != "tiny"


def test_a_file_keeps_its_words(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"# why it is so\n{TINY}")
    scenario = Scenario.load(file)
    assert scenario.to_toml() == file.read_text()
    assert repr(scenario) == f"<Scenario {file}>"


def test_files_that_a_scenario_names_are_looked_for_beside_it(tmp_path: Path) -> None:
    flows = 'size,start,src,dst\n"20 kB","0 us",0,1\n'
    (tmp_path / "flows.csv").write_text(flows)
    text = TINY.replace('kind = "incast"\ndegree = 12\nsize = "20 kB"', 'kind = "flow_list"\nfile = "flows.csv"')
    (tmp_path / "mine.toml").write_text(text)
    loaded = Scenario.load(tmp_path / "mine.toml")
    assert loaded == Scenario.from_toml(text, folder=tmp_path)
    assert len(sidestep.run(loaded, seeds=1).flows) == 2
    with pytest.raises(sidestep.ScenarioError, match=r"flows\.csv"):
        Scenario.from_toml(text)


def test_changes_are_those_of_set_and_the_last_of_a_key_counts(tiny: Scenario) -> None:
    changed = tiny.with_({"switch.capacity": "50 pkt"}, seeds=[3]).with_({"switch.capacity": "20 pkt"})
    assert changed.sets == ("seeds=[3]", "switch.capacity=20 pkt")
    assert repr(changed) == "<Scenario tiny.toml, seeds=[3], switch.capacity=20 pkt>"
    assert tiny.sets == () and tiny != changed
    again = Scenario.from_toml(changed.to_toml())
    assert again == changed and "user: --set" in changed.to_toml()
    assert sidestep.run(again).hashes == sidestep.run(changed).hashes


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("title", "[a, b]", "[a, b]"),
        ("title", 'it\'s "so"', 'it\'s "so"'),
        ("schemes", ["dibs"], ["dibs"]),
        ("switch.buffer", {"kind": "ecn", "mark_at": "9 pkt"}, None),
        ("transport.timestamps", True, None),
        ("ttl", 64, None),
    ],
)
def test_a_change_may_be_any_value(tiny: Scenario, key: str, value: Any, shown: Any) -> None:
    changed = tiny.with_({key: value})
    settings = {s["key"]: s["value"] for s in sidestep.check(changed)["scenarios"][0]["settings"]}
    assert settings["switch.buffer" if key == "switch.buffer" else key] is not None
    if isinstance(shown, str):
        assert settings[key] == shown


def test_axes_are_laid_over_those_of_the_file() -> None:
    swept = Scenario.from_toml(TINY + '[sweep]\n"switch.capacity" = ["50 pkt"]\n')
    over: dict[str, list[Any]] = {"workload.query.degree": [4, 8]}
    assert sidestep.sweep(swept, over, seeds=1).axes == {"switch.capacity": ["50 pkt"], "workload.query.degree": ["4", "8"]}


def test_a_scenario_goes_to_another_process(tiny: Scenario) -> None:
    changed = tiny.with_({"switch.capacity": "50 pkt"})
    for again in (pickle.loads(pickle.dumps(changed)), copy.deepcopy(changed)):
        assert again == changed and again.sets == changed.sets


def test_a_scenario_does_not_change_with_what_it_was_made_of() -> None:
    topology: dict[str, Any] = dict(sidestep.topology.fat_tree(k=4))
    scenario = Scenario(duration="1 ms", schemes="dctcp", topology=topology, workload={"w": sidestep.workload.incast(degree=3)})
    before = scenario.to_toml()
    topology["k"] = 5
    scenario.to_dict()["topology"]["k"] = 7
    assert scenario.to_toml() == before


KEYS = st.text(min_size=1)
PLAIN = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text())
VALUES = st.recursive(PLAIN, lambda of: st.one_of(st.lists(of), st.dictionaries(KEYS, of)), max_leaves=12)


@settings(deadline=None, derandomize=True, database=None)
@given(st.dictionaries(KEYS, VALUES))
def test_any_tree_reads_back_as_itself(tree: dict[str, Any]) -> None:
    import tomllib

    try:
        text = _toml.write(tree)
        text.encode()
    except UnicodeEncodeError:
        return
    assert tomllib.loads(text) == tree
    assert tomllib.loads(f"a = {_toml.inline(tree)}")["a"] == tree
