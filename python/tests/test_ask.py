"""What is asked without running, and of results: the command's dictionaries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import TINY

import sidestep


def test_check_says_what_a_scenario_means(tiny: sidestep.Scenario) -> None:
    report = sidestep.check(tiny.with_({"switch.capacity": "50 pkt"}))
    assert (report["schema"], report["problems"]) == (1, [])
    (answer,) = report["scenarios"]
    assert (answer["name"], answer["runs"], answer["points"]) == ("tiny", 4, 1)
    capacity = [s for s in answer["settings"] if s["key"] == "switch.capacity"]
    assert {(s["value"], s["source"]) for s in capacity} == {("50 pkt", "user: --set")}
    assert answer["estimate"]["jobs"] >= 1
    assert sidestep.check(tiny, jobs=3)["scenarios"][0]["estimate"]["jobs"] == 3


def test_check_of_a_file_says_what_is_wrong_and_raises_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TINY.replace('"dibs"', '"dips"'))
    report = sidestep.check(file)
    assert report["scenarios"] == []
    (problem,) = report["problems"]
    assert problem == {
        "scenario": str(file),
        "file": str(file),
        "line": 5,
        "column": 21,
        "message": 'scheme "dips" is unknown; did you mean "dibs"?',
    }


def test_list_says_what_there_is() -> None:
    everything = sidestep.list()
    assert everything["schema"] == 1
    kinds = {kind["kind"]: kind for kind in everything["kinds"]}
    assert {"schemes", "buffers", "topologies", "workloads"} <= set(kinds)
    buffers = sidestep.list("buffers")
    assert buffers == {"schema": 1, **kinds["buffers"]}
    assert sidestep.list("buffer") == buffers


def test_why_tells_one_packet_or_lists_some(tiny: sidestep.Scenario) -> None:
    result = sidestep.run(tiny.with_({"switch.capacity": "20 pkt"}), seeds=1)
    listed = sidestep.why(result, scheme="dibs", detoured=True)
    packet = max(listed["packets"], key=lambda packet: int(packet["detours"]))
    told = sidestep.why(result.path, scheme="dibs", seed=1, packet=packet["id"])
    assert told["schema"] == listed["schema"] == 1
    assert told["run"]["trajectory_hash"] == result.hashes["dibs", 1]
    assert sum("detour" in json.dumps(step) for step in told["steps"]) >= packet["detours"]
    assert sidestep.why(result, scheme="dctcp", dropped=True)["packets"]
    assert sidestep.why(result, scheme="dctcp", flow=0)["packets"][0]["flow"] == 0


def test_why_says_what_it_needs(tiny: sidestep.Scenario) -> None:
    result = sidestep.run(tiny)
    with pytest.raises(sidestep.ResultError, match='expected a packet, as in packet="100:3"'):
        sidestep.why(result)
    with pytest.raises(sidestep.ResultError, match="holds runs of dctcp, dibs"):
        sidestep.why(result, flow=1)
    swept = sidestep.sweep(tiny, {"switch.capacity": ["20 pkt"]}, seeds=1)
    with pytest.raises(sidestep.ResultError, match="expected the result of one scenario"):
        sidestep.why(swept, flow=1)  # type: ignore[arg-type]
