"""Sweeps over a real Ray cluster: of this machine, and one with an address."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from executors_help import SWEEP, Watched, another_version, files, free_ports, is_open, local, records, start, until

from sidestep import build_info, executors
from sidestep.executors import NoAnswer, OtherVersion, _ray_head

ray = pytest.importorskip("ray", reason="sidestep[ray] is not installed")
from sidestep.executors.ray import Ray  # noqa: E402

pytestmark = pytest.mark.slow


def test_ray_gives_the_bytes_of_the_local_run_also_when_a_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    own = Ray(jobs=2)
    try:
        killed: list[int] = []

        def kill_one() -> None:
            # Only those are called so that make runs, or wait for one: with an agent (`ray::…Agent`) Ray ends the whole node.
            listed = subprocess.run(["pgrep", "-f", "^ray::(make|IDLE)"], capture_output=True, text=True, check=False)
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


@pytest.mark.parametrize("way", ["head", "clients"])
def test_a_ray_cluster_with_an_address(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    # Others of this machine have theirs: none is fixed.
    port, clients = free_ports(2)
    head = ["ray.scripts.scripts", "start", "--head", "--port", port, "--ray-client-server-port", clients]
    log = tmp_path / "head.log"
    # With --block it ends with this process group; nothing of other clusters is touched.
    process = start([*head, "--num-cpus", "2", "--include-dashboard", "false", "--block"], log, new_session=True)
    try:
        # A head that never comes up is told with what it said.
        until(lambda: is_open(port) and is_open(clients), process, log)
        address = f"127.0.0.1:{port}" if way == "head" else f"ray://127.0.0.1:{clients}"
        out = executors.run(SWEEP, "sweep.toml", executor=f"ray:{address}", out=tmp_path / "out")
    finally:
        process.terminate()
        process.wait(120)
    assert files(out) == local(tmp_path)
    assert json.loads((out / "manifest.json").read_text())["executor"] == f"ray:{address}"


def test_ray_that_does_not_start_is_told_by_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ray_head, "START_S", 3.0)
    for program, said in (
        ("raise SystemExit('no room for the raylet')", "no room for the raylet"),
        ("import time; time.sleep(60)", ""),
    ):
        monkeypatch.setattr(_ray_head, "PROGRAM", program)
        began = time.monotonic()
        with pytest.raises(NoAnswer, match=f"Ray at this machine does not answer: Ray did not start within 3 s: .*{said}"):
            Ray(jobs=2)
        assert 3 <= time.monotonic() - began < 30


def test_a_head_goes_with_whoever_started_it(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from sidestep.executors import _ray_head
head = _ray_head.Head(1, lambda address, deadline: None)
print(head._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    env = {**os.environ, "PYTHONPATH": str(Path(executors.__file__).parents[2]), "RAY_AUTH_MODE": "disabled"}
    killed = subprocess.run([sys.executable, "-c", program], env=env, stdout=subprocess.PIPE, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    head = Path(f"/proc/{int(killed.stdout)}")
    for _ in range(1_200):
        if not head.exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"{head} goes on")


def test_a_worker_of_another_version_refuses_before_it_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")

    class Old(Ray):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            return super().submit(another_version(work), batches)

    own = Old(jobs=2)
    try:
        with pytest.raises(OtherVersion, match=f"expected 0.0.9-other, got {build_info()['code']}"):
            executors.run(SWEEP, "sweep.toml", executor=own, out=tmp_path / "out", cache=tmp_path / "cache")
    finally:
        own.close()
    assert records(tmp_path / "cache") == set()
    assert not (tmp_path / "out").exists()
