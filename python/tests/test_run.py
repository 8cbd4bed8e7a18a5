"""Runs: without the GIL, side by side, ended by Ctrl-C, and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import ENDLESS

import sidestep
from sidestep.executors import _run
from sidestep.progress import HowFar

COUNTING = """
import os, signal, sys, threading, time
import sidestep

place, counted = sys.argv[1], 0

def count() -> None:
    global counted
    # The run has begun when its directory is in the making.
    while not os.listdir(place):
        time.sleep(0.01)
    while counted < 1000:
        counted += 1
    os.kill(os.getpid(), signal.SIGINT)

scenario = sidestep.Scenario.from_toml(sys.stdin.read())
threading.Thread(target=count).start()
try:
    sidestep.run(scenario, out=place + "/r", progress=False)
except KeyboardInterrupt as interrupt:
    print(interrupt.partial.status, counted)
"""


def test_other_threads_go_on_while_a_run_runs_and_a_signal_is_heard_where_nobody_is_told(tmp_path: Path) -> None:
    # With the GIL held the other thread would not count, and so not end the run, which lasts for hours.
    said = subprocess.run(
        [sys.executable, "-c", COUNTING, str(tmp_path)], input=ENDLESS, capture_output=True, text=True, timeout=120, check=True
    )
    assert said.stdout.split() == ["partial", "1000"], said.stderr


def test_an_exception_of_who_is_told_ends_the_run_with_what_there_is(tmp_path: Path) -> None:
    def tell(now: HowFar) -> None:
        raise LookupError(now["line"])

    with pytest.raises(LookupError, match="runs") as ended:
        sidestep.run(sidestep.Scenario.from_toml(ENDLESS), out=tmp_path / "r", progress=tell)
    partial = ended.value.partial  # type: ignore[attr-defined]
    assert isinstance(partial, sidestep.Result)
    assert (partial.status, partial.path) == ("partial", tmp_path / "r")


INTERRUPTED = """
import sys
import sidestep
from sidestep.progress import HowFar

def tell(now: HowFar) -> None:
    if now["packet_hops"] > 0:
        print("going", flush=True)

scenario = sidestep.Scenario.load(sys.argv[1])
try:
    sidestep.run(scenario, out=sys.argv[2], progress=tell)
except KeyboardInterrupt as interrupt:
    print(interrupt.partial.status, interrupt.partial.path)
else:
    print("it ended")
"""


def test_ctrl_c_leaves_the_partial_result(tmp_path: Path) -> None:
    file, out = tmp_path / "endless.toml", tmp_path / "there/r"
    file.write_text(ENDLESS)
    command = [sys.executable, "-c", INTERRUPTED, str(file), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "going\n"
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=120)
    assert said.splitlines()[-1] == f"partial {out}"
    assert sidestep.show(out).status == "partial"
    assert [entry.name for entry in out.parent.iterdir()] == ["r"]


def test_ctrl_c_before_a_run_has_begun_leaves_nothing(
    tiny: sidestep.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    swept = {"switch.capacity": ["20 pkt"]}
    # By its name: `sidestep.sweep` is the function.
    places: list[tuple[Any, str]] = [(sys.modules["sidestep.sweep"], "scenario_of"), (_run, "choose"), (_run._Sweep, "_known")]
    for place, name in places:
        with monkeypatch.context() as patched:
            patched.setattr(place, name, interrupted)
            with pytest.raises(KeyboardInterrupt) as ended:
                sidestep.sweep(tiny, swept, out=tmp_path / "r", executor="local")
            assert ended.value.partial is None, name  # type: ignore[attr-defined]
            assert not (tmp_path / "r").exists(), name


def test_two_runs_at_once_come_to_what_they_come_to_alone(tiny: sidestep.Scenario) -> None:
    others = [tiny, tiny.with_({"switch.capacity": "20 pkt"})]
    alone = [sidestep.run(scenario).hashes for scenario in others]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda scenario: sidestep.run(scenario).hashes, others * 2))
    assert together == alone * 2
    assert alone[0] != alone[1]


def test_jobs_and_cache_change_no_byte(tiny: sidestep.Scenario, tmp_path: Path) -> None:
    first = sidestep.run(tiny, jobs=1)
    for _ in range(2):
        again = sidestep.run(tiny, jobs=3, cache=tmp_path / "cache")
        for name in ("flows.parquet", "ports.parquet", "scenario.toml"):
            assert (again.path / name).read_bytes() == (first.path / name).read_bytes()
    assert again.manifest["runs"][0]["status"] == "complete, from the cache"


def test_threads_change_no_byte_and_auto_says_why_there_is_one(tiny: sidestep.Scenario) -> None:
    first = sidestep.run(tiny)
    again = sidestep.run(tiny, threads=2)
    assert again.hashes == first.hashes
    for name in ("flows.parquet", "ports.parquet", "counts.parquet"):
        assert (again.path / name).read_bytes() == (first.path / name).read_bytes()
    with pytest.warns(UserWarning, match="scheme (dctcp|dibs): one thread: ") as said:
        assert sidestep.run(tiny, threads="auto").hashes == first.hashes
    assert {warning.filename for warning in said} == {__file__}


def test_threads_are_refused_with_the_reason(tiny: sidestep.Scenario) -> None:
    class Direct(sidestep.Route):
        def pick(
            self, packet: sidestep.Packet, hops: sidestep.Hops, queues: sidestep.Queues, rng: sidestep.RandomStream
        ) -> int:
            return hops[0]

    # Its policies are one to a run.
    mine = sidestep.Scheme("mine", extends="dctcp", route=Direct)
    with pytest.raises(sidestep.ScenarioError, match="^--threads 2: scheme mine: "):
        sidestep.run(tiny, threads=2, policies=[mine])
    for threads in (0, True, "many", "2"):
        with pytest.raises(sidestep.ScenarioError, match='^threads: expected "auto" or a number from 1 up, got ') as refused:
            sidestep.run(tiny, threads=threads)  # type: ignore[arg-type]
        assert (refused.value.key, refused.value.file, refused.value.got) == ("threads", "", str(threads))
    with pytest.raises(sidestep.ScenarioError, match="^--threads 99: scheme dctcp: "):
        sidestep.run(tiny, threads=99)
    with pytest.raises(sidestep.ScenarioError, match="--record works with one thread only"):
        sidestep.run(tiny, threads=2, record=True)


def test_a_place_that_holds_something_is_refused_and_kept(tiny: sidestep.Scenario, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r/mine.txt").write_text("mine")
    with pytest.raises(sidestep.ScenarioError, match="holds"):
        sidestep.run(tiny, out=tmp_path / "r")
    assert [entry.name for entry in tmp_path.rglob("*")] == ["r", "mine.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written_is_refused(tiny: sidestep.Scenario, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(sidestep.ResultError, match="cannot"):
        sidestep.run(tiny, out=tmp_path / "r")


def test_a_place_under_a_file_is_refused_and_nothing_is_left(tiny: sidestep.Scenario, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(sidestep.SidestepError, match="file"):
        sidestep.run(tiny, out=tmp_path / "file/r")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_signals_of_the_program_are_its_own(tiny: sidestep.Scenario) -> None:
    before = signal.getsignal(signal.SIGINT)
    sidestep.run(tiny, seeds=1)
    assert signal.getsignal(signal.SIGINT) is before
