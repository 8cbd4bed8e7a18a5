"""Sweeps by executors and with policies of one's own, as `sidestep.sweep` takes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from twins import Dibs

import sidestep as ss

OVER = {"switch.capacity": ["50 pkt", "100 pkt"]}
FILES = ("points.parquet", "counts.parquet", "samples.parquet", "summary.json", "experiment.toml")


def test_a_sweep_by_an_executor_leaves_the_bytes_of_one_without() -> None:
    scenario = ss.Scenario.load("quickstart")
    plain = ss.sweep(scenario, over=OVER, seeds="1..2")
    by = ss.sweep(scenario, over=OVER, seeds="1..2", executor="local")
    assert isinstance(by, ss.SweepResult)
    for name in FILES:
        assert (plain.path / name).read_bytes() == (by.path / name).read_bytes(), name


def test_a_place_is_gone_with_the_result_of_an_executor() -> None:
    made = ss.sweep("quickstart", over=OVER, seeds=1, executor="local")
    place = made.path
    assert place.is_dir()
    del made
    assert not place.exists()


def test_what_is_wrong_is_told_as_without_an_executor() -> None:
    told = []
    for executor in (None, "local"):
        with pytest.raises(ss.ScenarioError) as caught:
            ss.sweep("quickstart", over={"switch.capacty": ["50 pkt"]}, executor=executor)
        told.append(caught.value.problems)
    assert told[0] == told[1]
    with pytest.raises(ss.ScenarioError, match="executor: expected one of local"):
        ss.sweep("quickstart", over=OVER, executor="slum")


def test_policies_of_ones_own_stand_at_every_point_of_a_sweep() -> None:
    mine = ss.Scheme("mine", extends="dctcp", buffer=Dibs)
    scenario = ss.Scenario.load("quickstart").with_({"scheme.dctcp.switch.buffer": "dibs"})
    made = ss.sweep(scenario, over=OVER, seeds=1, policies=[mine])
    assert [point["at"] for point in made.summary["points"]] == [
        {"switch.capacity": value} for value in OVER["switch.capacity"]
    ]
    hashes = {(run["at"][0], run["scheme"]): run["trajectory_hash"] for run in made.manifest["runs"]}
    for capacity in OVER["switch.capacity"]:
        assert hashes[capacity, "mine"] == hashes[capacity, "dctcp"]


def test_policies_of_ones_own_and_an_executor_are_refused_together() -> None:
    mine = ss.Scheme("mine", extends="dctcp", buffer=Dibs)
    with pytest.raises(ss.ScenarioError, match="expected None with policies of your own \\('mine'\\)"):
        ss.sweep("quickstart", over=OVER, executor="local", policies=[mine])


SCRIPT = """
import sidestep as ss
print("begun")
made = ss.sweep("quickstart", over={"switch.capacity": ["50 pkt", "100 pkt"]}, seeds=1, jobs=2, executor="KIND")
print(made.status)
"""


@pytest.mark.parametrize("kind", ["local:processes", "dask"])
def test_a_script_needs_no_guard_around_its_sweep(kind: str, tmp_path: Path) -> None:
    if kind == "dask":
        pytest.importorskip("distributed")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("KIND", kind))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["begun", "complete"]


def test_a_recording_is_asked_for_as_with_the_command(tmp_path: Path) -> None:
    made = ss.run("quickstart", seeds=1, record=True, record_window="1 ms..2 ms", out=tmp_path / "out")
    assert sorted((made.path / "recordings").iterdir())
    with pytest.raises(ss.ScenarioError, match="record: expected True"):
        ss.run("quickstart", record_window="1 ms..2 ms")
    with pytest.raises(ss.ScenarioError, match="record_window: "):
        ss.run("quickstart", record=True, record_window="soon")
