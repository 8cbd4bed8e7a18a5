"""Sweeps over a real Dask cluster: a scheduler with an address, and two worker processes."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from executors_help import RUNS, SWEEP, Watched, files, kill, local, records, start, until

from sidestep import _claims, build_info, executors
from sidestep.executors import OtherVersion, WorkersLost, work

distributed = pytest.importorskip("distributed", reason="sidestep[dask] is not installed")
from sidestep.executors.dask import Dask  # noqa: E402


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, tmp: Path, held: ExitStack) -> None:
        told = tmp / "scheduler.json"
        log = tmp / "scheduler.log"
        command = ["dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        self.scheduler = start([*command, "--scheduler-file", str(told)], log)
        held.callback(kill, self.scheduler)
        # The file is there before what it says is in it.
        until(lambda: told.exists() and told.read_text().rstrip().endswith("}"), self.scheduler, log)
        self.address = str(json.loads(told.read_text())["address"])
        self.workers = [self._worker(tmp / f"worker-{n}.log", held) for n in range(2)]
        with distributed.Client(self.address) as client:
            client.wait_for_workers(2, timeout=300)

    def _worker(self, log: Path, held: ExitStack) -> subprocess.Popen[bytes]:
        # Without a nanny: who is killed stays dead.
        command = ["dask", "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        worker = start([*command, "--local-directory", str(log.parent)], log)
        held.callback(kill, worker)
        return worker


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as held:
        yield Cluster(tmp_path, held)


def test_a_worker_that_is_killed_in_the_middle_changes_no_byte(cluster: Cluster, tmp_path: Path) -> None:
    own = Dask(cluster.address)
    watched = Watched(own, lambda: kill(cluster.workers[0]))
    out = executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out")
    assert watched.batches > 4
    # On this machine records go by the folder that both see, and the scheduler has none of them.
    assert watched.travelled == 0
    assert own.workers == 1
    own.close()
    assert files(out) == local(tmp_path)
    # Who is left does all of it, by an address and by a client that stays open.
    by_address = executors.run(SWEEP, "sweep.toml", executor=f"dask:{cluster.address}", out=tmp_path / "address")
    assert files(by_address) == files(out)
    assert json.loads((by_address / "manifest.json").read_text())["executor"] == f"dask:{cluster.address}"
    with distributed.Client(cluster.address) as client:
        by_client = executors.run(SWEEP, "sweep.toml", executor=client, out=tmp_path / "client")
        assert files(by_client) == files(out)
        assert client.status == "running"


def test_where_a_batch_is_not_made_again_the_same_kill_ends_the_sweep_and_what_came_in_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Dask gives up a batch after so many deaths: 3 unless changed.
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    cache = tmp_path / "cache"
    with ExitStack() as held:
        cluster = Cluster(tmp_path, held)
        own = Dask(cluster.address)
        held.callback(own.close)
        watched = Watched(own, lambda: kill(cluster.workers[0]))
        with pytest.raises(WorkersLost, match="died with the same runs") as lost:
            executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out", cache=cache)
    assert lost.value.kept == cache
    assert 0 < len(records(cache)) < RUNS
    assert not (tmp_path / "out").exists()


def test_workers_of_other_machines_send_what_they_make(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_claims, "machine", lambda: "another")
    with distributed.Client(cluster.address) as client:
        watched = Watched(Dask(client), lambda: None)
        out = executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out")
    assert watched.travelled == RUNS
    assert files(out) == local(tmp_path)


def test_when_the_scheduler_is_killed_what_came_in_is_kept_and_a_second_call_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    own = Dask(cluster.address)
    watched = Watched(own, lambda: kill(cluster.scheduler))
    with pytest.raises(WorkersLost, match=f"the Dask scheduler at {cluster.address} is gone") as lost:
        executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out", cache=cache)
    own.close()
    assert lost.value.kept == cache
    assert not (tmp_path / "out").exists()
    kept = records(cache)
    assert len(kept) > 0
    again = Watched(executors.choose("local", 1), lambda: None)
    out = executors.run(SWEEP, "sweep.toml", executor=again, out=tmp_path / "out", cache=cache)
    manifest = json.loads((out / "manifest.json").read_text())
    taken = [run for run in manifest["runs"] if run["status"] == "complete, from the cache"]
    assert len(taken) >= len(kept)
    assert len(manifest["runs"]) == RUNS
    assert files(out) == local(tmp_path)


def test_a_worker_of_another_version_refuses_before_it_computes(cluster: Cluster, tmp_path: Path) -> None:
    def pretend() -> None:
        work.CODE = "0.0.9-other"

    with distributed.Client(cluster.address) as client:
        client.run(pretend)
        with pytest.raises(OtherVersion, match=f"expected {build_info()['code']}, got 0.0.9-other"):
            executors.run(SWEEP, "sweep.toml", executor=client, out=tmp_path / "out", cache=tmp_path / "cache")
    assert records(tmp_path / "cache") == set()
    assert not (tmp_path / "out").exists()
    # And a scheduler whose workers are gone says so.
    for worker in cluster.workers:
        kill(worker)
    with distributed.Client(cluster.address) as client:
        while client.nthreads():
            time.sleep(0.05)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sidestep.executors._answer.LIMIT_S", 0.5)
            with pytest.raises(WorkersLost, match="has no worker: start one with `dask worker`"):
                executors.run(SWEEP, "sweep.toml", executor=client, out=tmp_path / "out")
