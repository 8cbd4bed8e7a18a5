"""`python3 -m sidestep run`, which the command hands sweeps over to."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from executors_help import SWEEP, files, local

import sidestep
from sidestep.__main__ import main


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    return tmp_path


def test_a_sweep_is_told_as_the_command_tells_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sweep.toml", "--executor", "local", "--out", "out"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("sweep: for executors; seeds 1-3\n")
    assert said.out.endswith("report: out/report.html\nresult: out\n")
    assert said.err == ""
    assert files(place / "out") == local(place)
    assert (place / "results" / ".cache").is_dir()
    assert main(["run", "sweep.toml", "--json", "--seeds", "1", "--set", "switch.capacity=50 pkt", "--no-cache"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["seeds"], len(summary["points"])) == ([1], 3)
    assert summary["report"] == f"{summary['result']}/report.html"
    assert Path(summary["result"]).parent == Path("results")


def test_what_is_wrong_is_said_on_standard_error(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str) -> tuple[int, str]:
        return main(["run", *words]), capsys.readouterr().err

    assert refused("swept.toml")[0] == 2
    status, said = refused("sweep.toml", "--set", "switch.capacity=5 apples")
    assert status == 2
    assert said.startswith("sidestep: ")
    assert "5 apples" in said
    assert refused("sweep.toml", "--executor", "slum")[0] == 2
    status, said = refused("sweep.toml", "--executor", "dask:tcp://127.0.0.1:1")
    assert status == 2
    assert "tcp://127.0.0.1:1 does not answer" in said
    assert not (place / "results").exists()
    (place / "results").write_text("no directory")
    status, said = refused("sweep.toml", "--out", "out")
    assert status == 0
    assert said.count("the cache keeps no further records") == 1


def test_ctrl_c_ends_with_130_and_says_where_what_came_in_is(place: Path) -> None:
    # Long enough that it is interrupted in the middle: the interrupt comes when a record has been seen.
    (place / "long.toml").write_text(SWEEP.replace('"2 ms"', '"300 ms"'))
    command = [sys.executable, "-m", "sidestep", "run", "long.toml", "--out", "out", "--cache", "cache", "--jobs", "1"]
    env = {**os.environ, "PYTHONPATH": str(Path(sidestep.__file__).parent.parent)}
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(place.glob("cache/??/*.record")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert "PARTIAL" in out
    assert json.loads((place / "out" / "summary.json").read_text())["status"] == "partial"
