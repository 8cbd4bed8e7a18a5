"""Sweeps over a real Ray cluster: of this machine, and one with an address."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from executors_help import SWEEP, Watched, files, local

from sidestep import executors
from sidestep.executors import NoAnswer

ray = pytest.importorskip("ray", reason="sidestep[ray] is not installed")
from sidestep.executors.ray import Ray  # noqa: E402

pytestmark = pytest.mark.slow


def test_ray_gives_the_bytes_of_the_local_run_also_when_a_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    try:
        own = Ray(jobs=2)
    except NoAnswer as why:
        # Ray gives itself 30 s to start, which nobody can change.
        pytest.skip(f"Ray does not start on this machine: {why}")
    try:
        killed: list[int] = []

        def kill_one() -> None:
            # Ray's own worker processes are called so.
            listed = subprocess.run(["pgrep", "-f", "^ray::"], capture_output=True, text=True, check=False)
            mine = [int(pid) for pid in listed.stdout.split() if _is_below(int(pid), os.getpid())]
            assert mine
            os.kill(mine[0], signal.SIGKILL)
            killed.append(mine[0])

        out = executors.run(SWEEP, "sweep.toml", executor=Watched(own, kill_one), out=tmp_path / "out")
    finally:
        own.close()
    assert killed
    assert files(out) == local(tmp_path)
    assert json.loads((out / "manifest.json").read_text())["executor"] == "ray"


def _is_below(pid: int, ancestor: int) -> bool:
    """Is a process started by another, or by one that it started?"""
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[-1].split()[1])
        except OSError:
            return False
    return False


def test_a_ray_cluster_with_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    port = "26379"
    ray_command = [sys.executable, "-m", "ray.scripts.scripts"]
    head = ["start", "--head", "--port", port, "--num-cpus", "2", "--include-dashboard", "false", "--block"]
    log = (tmp_path / "head.log").open("wb")
    # With --block it ends with this process group; nothing of other clusters is touched.
    process = subprocess.Popen([*ray_command, *head], stdout=log, stderr=log, start_new_session=True)
    try:
        while True:
            check = [*ray_command, "health-check", "--address", f"127.0.0.1:{port}"]
            if subprocess.run(check, capture_output=True, check=False).returncode == 0:
                break
            assert process.poll() is None, (tmp_path / "head.log").read_text()
        out = executors.run(SWEEP, "sweep.toml", executor=f"ray:127.0.0.1:{port}", out=tmp_path / "out")
    finally:
        process.terminate()
        process.wait()
    assert files(out) == local(tmp_path)
