"""Records in directories and in object storage: a real server of the S3 protocol, as a process."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from executors_help import RUNS, SWEEP, Watched, files, free_ports, is_open, kill, local, records, start, until

from sidestep import _claims, _native, executors, storage
from sidestep.errors import ScenarioError
from sidestep.executors import work
from sidestep.executors.local import Local
from sidestep.storage import Directory, Folder, Objects, Unwritable, open_folder


@contextmanager
def s3(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """An S3 server with a bucket called `bucket`, which this process and those that it starts ask: its address, and it."""
    pytest.importorskip("moto", reason="moto is not installed")
    s3fs = pytest.importorskip("s3fs", reason="sidestep[s3] is not installed")
    (port,) = free_ports(1)
    log = folder / "server.log"
    process = start(["s3_server", port], log, PYTHONPATH=str(Path(__file__).parent))
    try:
        until(lambda: is_open(port), process, log)
        address = f"http://127.0.0.1:{port}"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL", address)
            patch.setenv("AWS_ACCESS_KEY_ID", "test")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            # It keeps connections to the server of whoever asked before.
            s3fs.S3FileSystem.clear_instance_cache()
            s3fs.S3FileSystem().mkdir("bucket")
            yield address, process
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        kill(process)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3(tmp_path_factory.mktemp("s3")) as (address, _):
        yield address


@pytest.fixture(params=["directory", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    if request.param == "directory":
        return open_folder(tmp_path / "records")
    request.getfixturevalue("server")
    return open_folder(f"s3://bucket/{tmp_path.name}")


@pytest.fixture(scope="module")
def record() -> tuple[str, bytes]:
    plan = _native.Plan.of_text(SWEEP, "sweep.toml")
    key, point, scheme, seed, _ = plan.works()[0]
    made = _native.Worker(plan.shared()).compute(key, point, scheme, seed)
    assert made is not None
    return key, made[0]


def test_what_is_put_is_found_and_what_is_half_there_is_not(folder: Folder, record: tuple[str, bytes]) -> None:
    key, made = record
    assert folder.get(key) is None
    assert folder.there([key]) == set()
    folder.put(key, made)
    assert folder.get(key) == made
    assert folder.there([key, "f" * 64]) == {key}
    folder.put(key, made[: len(made) // 2])
    assert folder.get(key) is None
    folder.put(key, made[:-1] + bytes([made[-1] ^ 1]))
    assert folder.get(key) is None


def test_a_claim_is_for_one_and_whoever_waits_gets_it_then(folder: Folder, record: tuple[str, bytes]) -> None:
    key, _ = record
    claim = folder.claim(key, wait=False)
    assert claim is not None
    assert folder.claim(key, wait=False) is None
    begun, got = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        later = folder.claim(key, wait=True)
        assert later is not None
        got.set()
        later.release()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(60)
    # Long enough to look several times: who does not wait has it by then.
    assert not got.wait(5 * _claims.WATCH_S)
    claim.release()
    waiting.join(60)
    assert got.is_set()
    # And it is free again.
    again = folder.claim(key, wait=False)
    assert again is not None
    again.release()


def test_of_many_who_claim_at_once_one_gets_it(folder: Folder) -> None:
    for n in range(10):
        got: list[_claims.Claim] = []
        together = threading.Barrier(4)

        def claim(key: str, together: threading.Barrier = together, got: list[_claims.Claim] = got) -> None:
            together.wait(60)
            if (one := folder.claim(key, wait=False)) is not None:
                got.append(one)

        threads = [threading.Thread(target=claim, args=(f"{n:064x}",)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1
        got[0].release()


def test_a_claim_that_nobody_renews_is_taken_over(
    folder: Folder, record: tuple[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    key, _ = record
    # Of another machine, where nobody can look for the process; and nobody renews it.
    monkeypatch.setattr(_claims, "machine", lambda: "another")
    claim = folder.claim(key, wait=False)
    assert claim is not None
    assert claim._renew is not None
    _claims.Renew._all.discard(claim._renew)
    monkeypatch.undo()
    began = time.monotonic()
    assert folder.claim(key, wait=False) is None
    monkeypatch.setattr(_claims, "EXPIRY_S", 0.5)
    assert folder.claim(key, wait=True) is not None
    assert time.monotonic() - began > 0.5


def test_a_claim_of_a_killed_process_of_this_machine_is_taken_over_at_once(folder: Folder, record: tuple[str, bytes]) -> None:
    key, _ = record
    program = """
import os, signal, sys
from sidestep.storage import open_folder
assert open_folder(sys.argv[1]).claim(sys.argv[2], wait=False) is not None
os.kill(os.getpid(), signal.SIGKILL)
"""
    env = {**os.environ, "PYTHONPATH": str(Path(executors.__file__).parents[2])}
    killed = subprocess.run([sys.executable, "-c", program, folder.place, key], env=env, check=False)
    assert killed.returncode == -signal.SIGKILL
    claim = folder.claim(key, wait=False)
    assert claim is not None
    # This process lives, and is asked for the same.
    assert folder.claim(key, wait=False) is None
    claim.release()


def test_what_killed_processes_left_is_taken_away_and_what_lives_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Directory(tmp_path / "cache")
    mine = storage.Sharing(folder)
    claim = folder.claim("ab" + "0" * 62, wait=False)
    assert claim is not None
    folder.put("ab" + "3" * 62, b"kept")
    gone = f"{_claims.machine()} 999999999 1"
    left = {
        ".sweep-gone": gone,
        "ab/gone.claim": gone,
        "ab/old.claim": "elsewhere 1 1",
        "ab/old.partial": "",
        ".sweep-old": "elsewhere 1 1",
    }
    young = {"ab/young.claim": "elsewhere 1 1", "ab/young.partial": "", ".sweep-elsewhere": "elsewhere 1 1"}
    for name, text in {**left, **young}.items():
        (folder.path / name).write_text(text)
    ages = {"ab/old.claim": _claims.EXPIRY_S, "ab/old.partial": 600, ".sweep-old": _claims.LEFT_S}
    for name, age in ages.items():
        when = time.time() - age - 30
        os.utime(folder.path / name, (when, when))
    living = {path for path in folder.path.rglob("*") if path.is_file()} - {folder.path / name for name in left}
    # Any sweep begins by that.
    executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=folder.place)
    there = {path for path in folder.path.rglob("*") if path.is_file()}
    assert {path for path in there if path.suffix != ".record"} == {path for path in living if path.suffix != ".record"}
    mine.end()
    claim.release()
    assert folder.get("ab" + "3" * 62) is None
    assert len(records(folder.path)) == RUNS + 1


def test_what_a_killed_sweep_left_in_a_cache_is_gone_after_the_next(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(SWEEP.replace('"2 ms"', '"200 ms"'))
    cache = tmp_path / "cache"
    command = ["sidestep", "run", "long.toml", "--cache", str(cache), "--jobs", "1"]
    env = {**os.environ, "PYTHONPATH": str(Path(executors.__file__).parents[2])}
    with (tmp_path / "log").open("wb") as to:
        process = subprocess.Popen([sys.executable, "-m", *command], cwd=tmp_path, env=env, stdout=to, stderr=to)
    until(lambda: bool(list(cache.glob("??/*.claim"))), process, tmp_path / "log")
    kill(process)
    assert list(cache.glob(".sweep-*"))
    executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=cache)
    assert {path.suffix for path in cache.rglob("*") if path.is_file() and path.suffix != ".partial"} == {".record"}


def test_two_sweeps_that_want_the_same_points_compute_each_once(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Claims of distant storage are for runs that cost more than asking.
    monkeypatch.setattr(work, "BELOW_CLAIMS", 0.0)
    both = threading.Barrier(2)
    failed: list[BaseException] = []

    def sweep(name: str) -> None:
        class Together(executors.choose("local", 1).__class__):  # type: ignore[misc]
            def submit(self, work, batches):  # type: ignore[no-untyped-def]
                both.wait()
                yield from super().submit(work, batches)

        try:
            executors.run(SWEEP, "sweep.toml", executor=Together(1), out=tmp_path / name, cache=folder.place)
        except BaseException as error:
            failed.append(error)
            both.abort()

    threads = [threading.Thread(target=sweep, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    made = [run["status"] for name in ("a", "b") for run in json.loads((tmp_path / name / "manifest.json").read_text())["runs"]]
    assert made.count("complete") == RUNS
    assert made.count("complete, from the cache") == RUNS
    assert files(tmp_path / "a") == files(tmp_path / "b") == local(tmp_path)


def test_a_second_sweep_takes_all_from_object_storage(server: str, tmp_path: Path) -> None:
    place = f"s3://bucket/{tmp_path.name}"
    first = executors.run(SWEEP, "sweep.toml", out=tmp_path / "a", cache=place)
    again = executors.run(SWEEP, "sweep.toml", out=tmp_path / "b", cache=place)
    assert files(first) == files(again)
    manifest = json.loads((again / "manifest.json").read_text())
    assert {run["status"] for run in manifest["runs"]} == {"complete, from the cache"}
    assert manifest["cache"]["dir"] == place
    # Nothing but records is left there.
    left = Objects(place)
    assert all(path.endswith(".record") for path in left._fs.find(left._root))


def test_storage_that_refuses_writes_is_refused_before_anything_is_computed(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Never(Local):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            raise AssertionError("nothing is to be run")

    (tmp_path / "file").write_text("no directory")
    for place in (str(tmp_path / "file" / "cache"), "s3://no-such-bucket/a"):
        with pytest.raises(Unwritable, match=re.escape(place)) as refused:
            executors.run(SWEEP, "sweep.toml", executor=Never(1), out=tmp_path / "out", cache=place)
        assert isinstance(refused.value, executors.ExecutorError)
        assert refused.value.kept is None
    # Nothing is half-written, neither there nor here.
    assert {path.name for path in tmp_path.iterdir()} == {"file"}
    # What nobody asked for is told, and the sweep goes on, as the command does.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").write_text("no directory")
    with pytest.warns(UserWarning, match="the cache keeps no further records: results/.cache: .*; the sweep continues"):
        out = executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=True)
    assert files(out) == local(tmp_path)


@pytest.mark.parametrize("executor", ["local", "local:processes"])
def test_storage_that_refuses_in_the_middle_is_told_once_and_nothing_is_lost(executor: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    chosen = executors.choose(executor, 1)

    # As a file system that was taken away: what is there is gone, and nothing can be made.
    def away() -> None:
        cache.rename(tmp_path / "taken")
        cache.write_text("no directory")

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        out = executors.run(SWEEP, "sweep.toml", executor=Watched(chosen, away), out=tmp_path / "out", cache=cache)
    own = [str(one.message) for one in told if "keeps no further records" in str(one.message)]
    assert len(own) == 1, own
    assert str(cache) in own[0]
    # What was there is made again.
    assert files(out) == local(tmp_path)


def test_an_s3_server_that_is_killed_in_the_middle_is_named_once_and_nothing_is_lost(tmp_path: Path) -> None:
    place = f"s3://bucket/{tmp_path.name}"
    cut = tmp_path / "cut"
    with s3(tmp_path) as (_, server):
        kept: list[int] = []

        def away() -> None:
            left = Objects(place)
            kept.append(len(left._fs.find(left._root)))
            kill(server)

        # One process, which begins its next batch when the server is dead.
        watched = Watched(executors.choose("local:processes", 1), away)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            out = executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out", cache=place)
        assert 0 < kept[0] < RUNS
        own = [str(one.message) for one in told if "keeps no further records" in str(one.message)]
        assert len(own) == 1, own
        assert own[0].startswith(f"the cache keeps no further records: {place}: ")
        manifest = json.loads((out / "manifest.json").read_text())
        assert manifest["cache"]["refused"].startswith(f"{place}: ")
        # What was there before is not made twice, and is not lost with the server.
        assert {run["status"] for run in manifest["runs"]} == {"complete"}
        assert files(out) == local(tmp_path)
        # Who asks for a storage that is away is refused before anything is computed, by its name.
        nobody = Watched(Local(1), lambda: None)
        with pytest.raises(Unwritable, match=re.escape(place)):
            executors.run(SWEEP, "sweep.toml", executor=nobody, out=cut, cache=place)
        assert nobody.batches == 0
        assert not cut.exists()


def test_a_worker_that_does_not_see_the_directory_leaves_it_alone(tmp_path: Path) -> None:
    folder = Directory(tmp_path / "cache")
    sharing = storage.Sharing(folder)
    assert isinstance(storage.reachable(sharing.store), Directory)
    assert storage.stays(sharing.store)
    assert not storage.stays({**sharing.store, "machine": "another"})
    # On another machine the path may be there, and be another directory.
    sharing.end()
    assert storage.reachable(sharing.store) is None
    executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=folder.place)
    assert {path.suffix for path in folder.path.rglob("*") if path.is_file()} == {".record"}
    assert len(records(folder.path)) == RUNS


def test_where_there_is_no_conditional_put_whoever_wants_it_makes_it(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="sidestep[storage] is not installed")
    folder = Objects(f"memory://{tmp_path.name}")

    class Old:
        def pipe_file(self, path: str, value: bytes) -> None:
            raise AssertionError("it takes no mode")

    folder._fs = Old()
    first, second = (folder.claim("a" * 64, wait=False) for _ in range(2))
    assert first is not None
    assert second is not None


def test_a_file_where_a_folder_belongs_is_told_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "ab").write_text("")
    with pytest.raises(Unwritable):
        Directory(tmp_path).claim("ab" + "0" * 62, wait=False)


def test_a_claim_that_was_released_does_not_come_back(tmp_path: Path) -> None:
    claim = Directory(tmp_path).claim("ab" + "0" * 62, wait=False)
    assert claim is not None
    renew = claim._renew
    assert renew is not None
    claim.release()
    renew.again()
    assert not list(tmp_path.glob("ab/*.claim"))


def test_a_storage_that_nobody_knows_is_no_missing_extra() -> None:
    pytest.importorskip("fsspec", reason="sidestep[storage] is not installed")
    with pytest.raises(ScenarioError, match="a URL that fsspec knows, got 'foo://bucket'"):
        open_folder("foo://bucket")


@pytest.mark.parametrize("jobs", [0, -1])
@pytest.mark.parametrize("executor", ["local", "local:processes", "dask"])
def test_no_executor_takes_less_than_one_job(executor: str, jobs: int, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=f"jobs: expected at least 1, got {jobs}"):
        executors.run(SWEEP, "sweep.toml", executor=executor, out=tmp_path / "out", jobs=jobs)


def test_a_worker_that_cannot_reach_the_storage_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec", reason="sidestep[storage] is not installed")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    keep = work._Keeper({"place": "gs://bucket/a", "marker": None, "sweep": "one", "machine": "", "claims": True})
    assert keep.folder is None
    assert keep.refused is not None
    assert "the storage gs://bucket/a is not installed" in keep.refused
