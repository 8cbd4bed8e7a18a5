"""Sweeps over a real Slurm: Debian's, with its daemons on this machine alone."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from executors_help import SWEEP, Watched, files, local

import sidestep
from sidestep import build_info, executors
from sidestep.executors import ExecutorError

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
                os.kill(int((folder / f"{name}.pid").read_text()), signal.SIGTERM)


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


def test_a_node_with_another_version_is_told(slurm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Old(Slurm):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            asked = json.loads(work.shared)
            asked["code"] = "0.0.9-other"
            return super().submit(type(work)(json.dumps(asked).encode(), work.store), batches)

    executor = Old(folder=tmp_path / "jobs", timeout_min=5)
    with pytest.raises(ExecutorError, match=f"expected 0.0.9-other, got {build_info()['code']}"):
        executors.run(SWEEP, "sweep.toml", executor=executor, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
