"""Sweeps over a real Slurm: Debian's, with its daemons on this machine alone."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from executors_help import RUNS, SWEEP, Watched, another_version, files, local, records

import sidestep
from sidestep import build_info, executors
from sidestep.executors import ExecutorError, NoAnswer, WorkersLost

pytest.importorskip("submitit", reason="sidestep[slurm] is not installed")
from sidestep.executors.slurm import Slurm

pytestmark = pytest.mark.slow

CANNOT = 77


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a Slurm that runs; `SLURM_CONF` is set."""
    folder = tmp_path_factory.mktemp("slurm")
    script = Path(__file__).with_name("slurm_here.sh")
    # Its daemons hold what they inherit: a pipe would never end.
    with (folder / "said").open("wb") as to:
        began = subprocess.run([script, folder], stdout=to, stderr=to, stdin=subprocess.DEVNULL, check=False)
    try:
        if began.returncode == CANNOT:
            pytest.skip((folder / "said").read_text().strip())
        assert began.returncode == 0, (folder / "said").read_text()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
            patch.setenv("PYTHONPATH", str(Path(sidestep.__file__).parent.parent))
            yield folder
            subprocess.run(["scancel", "--user=root"], check=False)
    finally:
        for name in ("slurmd", "slurmctld", "munged"):
            with suppress(OSError, ValueError):
                process = int((folder / f"{name}.pid").read_text())
                os.kill(process, signal.SIGTERM)
                for _ in range(100):
                    # Raises once it is gone.
                    os.kill(process, 0)
                    time.sleep(0.1)
                os.kill(process, signal.SIGKILL)


def test_slurm_gives_the_bytes_of_the_local_run(slurm: Path, tmp_path: Path) -> None:
    executor = Slurm(folder=tmp_path / "jobs", partition="short", timeout_min=5)
    assert executor.workers >= 1
    out = executors.run(SWEEP, "sweep.toml", executor=executor, out=tmp_path / "out", cache=tmp_path / "cache")
    assert files(out) == local(tmp_path)
    assert json.loads((out / "manifest.json").read_text())["executor"] == "slurm"


def test_a_job_that_is_killed_is_sent_again(slurm: Path, tmp_path: Path) -> None:
    executor = Slurm(folder=tmp_path / "jobs", timeout_min=5)

    def cancel_one() -> None:
        # One that has not come in, as a node takes it with it.
        job, _, _ = executor._jobs[-1]
        subprocess.run(["scancel", str(job.job_id)], check=True)

    out = executors.run(SWEEP, "sweep.toml", executor=Watched(executor, cancel_one), out=tmp_path / "out")
    assert files(out) == local(tmp_path)


def test_a_node_with_another_version_is_told(slurm: Path, tmp_path: Path) -> None:
    class Old(Slurm):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            return super().submit(another_version(work), batches)

    executor = Old(folder=tmp_path / "jobs", timeout_min=5)
    with pytest.raises(ExecutorError, match=f"expected 0.0.9-other, got {build_info()['code']}"):
        executors.run(SWEEP, "sweep.toml", executor=executor, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_controller_that_is_killed_and_started_again_loses_nothing(slurm: Path, tmp_path: Path) -> None:
    executor = Slurm(folder=tmp_path / "jobs", jobs=1, timeout_min=5)

    def kill_and_start() -> None:
        kill_controller(slurm)
        # A moment without one: jobs that run go on, others wait.
        time.sleep(2)
        subprocess.run(["slurmctld"], check=True)

    watched = Watched(executor, kill_and_start)
    out = executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out")
    assert watched.batches > 1
    assert files(out) == local(tmp_path)


def test_when_the_controller_is_killed_what_came_in_is_kept(
    slurm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidestep.executors.slurm.AWAY_S", 5.0)
    executor = Slurm(folder=tmp_path / "jobs", jobs=1, timeout_min=5)
    cache = tmp_path / "cache"
    try:
        watched = Watched(executor, lambda: kill_controller(slurm))
        with pytest.raises(WorkersLost, match="Slurm's controller has not answered for") as lost:
            executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out", cache=cache)
        with pytest.raises(NoAnswer, match="Slurm's controller at .* does not answer"):
            executors.run(SWEEP, "sweep.toml", executor="slurm", out=tmp_path / "out", cache=cache)
    finally:
        subprocess.run(["slurmctld"], check=True)
    assert lost.value.kept == cache
    assert not (tmp_path / "out").exists()
    assert 0 < len(records(cache)) < RUNS
    out = executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=cache)
    assert files(out) == local(tmp_path)
    subprocess.run(["scancel", "--user=root"], check=True)


def kill_controller(slurm: Path) -> None:
    """As a machine that takes it with it, once it has written down the jobs that it has.

    It does so every few seconds. One that is killed before has forgotten them, gives their numbers to others when it is
    started again, and drains the nodes where they still run: no executor can mend that.
    """
    began = time.time()
    for _ in range(1_200):
        if (slurm / "state/job_state").stat().st_mtime > began:
            break
        time.sleep(0.05)
    process = int((slurm / "slurmctld.pid").read_text())
    os.kill(process, signal.SIGKILL)
    for _ in range(600):
        if not Path(f"/proc/{process}").exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"slurmctld, {process}, does not go")
