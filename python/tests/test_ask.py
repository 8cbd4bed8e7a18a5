"""What is asked without running, and of results: the command's dictionaries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import TINY

import sidestep


def test_check_says_what_a_scenario_means(tiny: sidestep.Scenario) -> None:
    report = sidestep.check(tiny.with_({"switch.capacity": "50 pkt"}))
    assert (report["schema"], report["problems"]) == (3, [])
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
    assert everything["schema"] == 3
    kinds = {kind["kind"]: kind for kind in everything["kinds"]}
    assert {"schemes", "buffers", "topologies", "workloads"} <= set(kinds)
    buffers = sidestep.list("buffers")
    assert buffers == {"schema": 3, **kinds["buffers"]}
    assert sidestep.list("buffer") == buffers


def test_why_tells_one_packet_or_lists_some(tiny: sidestep.Scenario) -> None:
    result = sidestep.run(tiny.with_({"switch.capacity": "20 pkt"}), seeds=1)
    listed = sidestep.why(result, scheme="dibs", detoured=True)
    packet = max(listed["packets"], key=lambda packet: int(packet["detours"]))
    told = sidestep.why(result.path, scheme="dibs", seed=1, packet=packet["id"])
    assert told["schema"] == listed["schema"] == 3
    assert told["run"]["trajectory_hash"] == result.hashes["dibs", 1]
    assert sum("detour" in json.dumps(step) for step in told["steps"]) >= packet["detours"]
    assert sidestep.why(result, scheme="dctcp", dropped=True)["packets"]
    assert sidestep.why(result, scheme="dctcp", flow=0)["packets"][0]["flow"] == 0


def test_why_says_what_it_needs(tiny: sidestep.Scenario) -> None:
    result = sidestep.run(tiny)
    with pytest.raises(sidestep.ResultError, match='expected a packet, as in packet="100:3"'):
        sidestep.why(result)
    with pytest.raises(sidestep.ResultError, match="has the schemes dctcp, dibs"):
        sidestep.why(result, flow=1)
    swept = sidestep.sweep(tiny, {"switch.capacity": ["20 pkt"]}, seeds=1)
    with pytest.raises(sidestep.ResultError, match="expected the result of one scenario"):
        sidestep.why(swept, flow=1)  # type: ignore[arg-type]


class Drops(sidestep.Buffer):
    """Drops what finds ten packets, and detours nothing."""

    def admit(
        self, packet: sidestep.Packet, want: sidestep.Want, queues: sidestep.Queues, rng: sidestep.RandomStream
    ) -> sidestep.Verdict:
        return sidestep.enqueue() if want.packets < 10 else sidestep.drop("early")


class Other(Drops):
    pass


class Breaks(Drops):
    def admit(
        self, packet: sidestep.Packet, want: sidestep.Want, queues: sidestep.Queues, rng: sidestep.RandomStream
    ) -> sidestep.Verdict:
        raise LookupError("no idea")


Breaks.__name__ = "Drops"


def mine(policy: type[sidestep.Buffer], name: str = "mine") -> sidestep.Scheme:
    return sidestep.Scheme(name, extends="dctcp", buffer=policy)


def test_why_makes_a_run_again_with_the_policies_that_it_had(tiny: sidestep.Scenario) -> None:
    own = [mine(Drops), mine(Other, "other")]
    result = sidestep.run(tiny.with_({"switch.capacity": "20 pkt"}), seeds=1, policies=own)
    listed = sidestep.why(result, scheme="mine", dropped=True, policies=own)
    assert listed["run"]["same"] is True
    assert listed["run"]["trajectory_hash"] == result.hashes["mine", 1]
    told = sidestep.why(result, scheme="mine", packet=listed["packets"][0]["id"], policies=[mine(Drops)])
    (last,) = [step for step in told["steps"] if step["event"] == "dropped"]
    assert (last["buffer"]["name"], last["reason"]) == ("python:Drops", "early")
    assert any(said.startswith("Buffer python:Drops: ") for said in last["says"])
    # Those of the file need nothing.
    assert sidestep.why(result, scheme="dctcp", flow=0)["run"]["same"] is True
    slow = sidestep.why(result, scheme="dctcp", class_="query")
    most = result.summary["schemes"]["dctcp"]["classes"]["query"]["fct_ms"]["max"]
    assert slow["slowest"]["took_ps"] == pytest.approx(most * 1e9)
    assert {packet["flow"] for packet in slow["packets"]} == {slow["slowest"]["flow"]}


def test_why_refuses_a_run_without_its_policies_or_with_others(tiny: sidestep.Scenario) -> None:
    result = sidestep.run(tiny, seeds=1, policies=[mine(Drops)])
    with pytest.raises(sidestep.ResultError, match=r"without its policies \(buffer python:Drops\), which are not stored"):
        sidestep.why(result, scheme="mine", flow=0)
    with pytest.raises(sidestep.ResultError, match="expected buffer python:Drops, got buffer python:Other"):
        sidestep.why(result, scheme="mine", flow=0, policies=[mine(Other)])
    with pytest.raises(sidestep.PolicyError, match="LookupError: no idea") as failed:
        sidestep.why(result, scheme="mine", flow=0, policies=[mine(Breaks)])
    assert (failed.value.policy, failed.value.scheme, failed.value.seed) == ("python:Drops", "mine", 1)
    assert isinstance(failed.value.__cause__, LookupError)
