"""Executors that are not installed, and schedulers that do not answer."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from executors_help import SWEEP

from sidestep import executors
from sidestep.executors import MissingExtra, NoAnswer, _answer


def run(executor: str, tmp: Path, **more: str) -> None:
    executors.run(SWEEP, "sweep.toml", executor=executor, out=tmp / "out", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("executor", "module", "extra"),
    [("dask", "distributed", "dask"), ("ray", "ray", "ray"), ("slurm", "submitit", "slurm")],
)
def test_an_executor_that_is_not_installed_names_the_extra(
    executor: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # As if there were no such package.
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install './python\[{extra}\]'") as missing:
        run(executor, tmp_path)
    assert missing.value.extra == extra
    assert isinstance(missing.value, ImportError)
    assert not (tmp_path / "out").exists()


def test_a_storage_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(MissingExtra, match=r"the storage gs://bucket/a is not installed .*'./python\[gs\]'"):
        run("local", tmp_path, cache="gs://bucket/a")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtra, match=r"'./python\[storage\]'"):
        run("local", tmp_path, cache="gs://bucket/a")


@pytest.fixture
def closed() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def silent() -> Iterator[str]:
    """Somebody listens, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_a_dask_scheduler_that_does_not_answer_is_refused_with_its_address(
    closed: str, silent: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="sidestep[dask] is not installed")
    # Ten seconds, less what it takes to say so.
    assert _answer.LIMIT_S < 10
    monkeypatch.setattr(_answer, "LIMIT_S", 2.0)
    for address in (closed, silent):
        with pytest.raises(NoAnswer, match=f"the Dask scheduler at tcp://{address} does not answer") as refused:
            run(f"dask:tcp://{address}", tmp_path)
        assert refused.value.address == f"tcp://{address}"
        assert isinstance(refused.value, ConnectionError)
    with pytest.raises(NoAnswer, match="expected host:port"):
        run("dask:somewhere", tmp_path)


def test_a_ray_cluster_that_does_not_answer_is_refused_with_its_address(closed: str, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="sidestep[ray] is not installed")
    with pytest.raises(NoAnswer, match=f"the Ray cluster at {closed} does not answer"):
        run(f"ray:{closed}", tmp_path)


@pytest.mark.slow
def test_a_ray_cluster_that_is_silent_is_refused(silent: str, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="sidestep[ray] is not installed")
    with pytest.raises(NoAnswer, match=f"the Ray cluster at {silent} does not answer"):
        run(f"ray:{silent}", tmp_path)


def test_slurm_without_sbatch_or_a_controller_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("submitit", reason="sidestep[slurm] is not installed")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoAnswer, match="sbatch is not here"):
        run("slurm", tmp_path)
    for name, words in (("sbatch", "exit 0"), ("scontrol", 'echo "Slurmctld(primary) at head is DOWN"; exit 1')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{words}\n")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(NoAnswer, match="Slurm's controller at head does not answer"):
        run("slurm", tmp_path)
    (tmp_path / "scontrol").write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(_answer, "LIMIT_S", 0.5)
    with pytest.raises(NoAnswer, match="did not come back"):
        run("slurm", tmp_path)


def test_words_for_slurm_are_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("submitit", reason="sidestep[slurm] is not installed")
    with pytest.raises(ValueError, match="expected OPTION=VALUE, got 'short'"):
        run("slurm:short", tmp_path)
    with pytest.raises(ValueError, match="expected a number, got 'much'"):
        run("slurm:mem_gb=much", tmp_path)
    for name, words in (("sbatch", "exit 0"), ("scontrol", 'echo "Slurmctld(primary) at head is UP"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{words}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(ValueError, match="executor: slurm: expected options of submitit, got partitoin=short"):
        run("slurm:partitoin=short", tmp_path)
