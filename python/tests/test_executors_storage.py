"""Records in directories and in object storage: a real server of the S3 protocol, as a process."""

import json
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from executors_help import RUNS, SWEEP, files, kill, local, records, start, until

from sidestep import _native, executors, storage
from sidestep.errors import ScenarioError
from sidestep.executors import work
from sidestep.storage import Directory, Folder, Objects, Unwritable, open_folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An S3 server with a bucket called `bucket`; its address."""
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="sidestep[s3] is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("s3") / "server.log"
    process = start(["moto.server", "-H", "127.0.0.1", "-p", str(port)], log)

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(answers, process, log)
    address = f"http://127.0.0.1:{port}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", address)
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        import s3fs

        s3fs.S3FileSystem().mkdir("bucket")
        yield address
    kill(process)


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
    return key, made


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
    got = threading.Event()

    def wait() -> None:
        later = folder.claim(key, wait=True)
        assert later is not None
        got.set()
        later.release()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert not got.is_set()
    claim.release()
    waiting.join()
    assert got.is_set()


def test_a_claim_that_nobody_renews_is_taken_over(
    folder: Folder, record: tuple[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    key, _ = record
    # As a process that was killed leaves it: nobody renews.
    claim = folder.claim(key, wait=False)
    assert claim is not None
    assert claim._renew is not None
    storage._Renew._all.discard(claim._renew)
    monkeypatch.setattr(storage, "EXPIRY_S", 0.5)
    assert folder.claim(key, wait=True) is not None


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


def test_storage_that_refuses_writes_is_told_once_and_the_sweep_goes_on(server: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    for nth, place in enumerate((str(tmp_path / "file" / "cache"), "s3://no-such-bucket/a")):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            out = executors.run(SWEEP, "sweep.toml", out=tmp_path / str(nth), cache=place)
        own = [str(one.message) for one in told if "nothing more is kept" in str(one.message)]
        assert len(own) == 1, own
        assert place in own[0]
        assert place in json.loads((out / "manifest.json").read_text())["cache"]["refused"]
        assert files(out) == local(tmp_path / f"own-{nth}")
    with pytest.raises(Unwritable, match="file"):
        Directory(tmp_path / "file" / "cache").put("a" * 64, b"")


def test_a_worker_that_does_not_see_the_directory_leaves_it_alone(tmp_path: Path) -> None:
    folder = Directory(tmp_path / "cache")
    store = storage.store_of(folder)
    assert store is not None
    assert isinstance(storage.reachable(store), Directory)
    # On another machine the path may be there, and be another directory.
    storage.forget(store)
    assert storage.reachable(store) is None
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
    keep = work._Keeper({"place": "gs://bucket/a", "marker": None, "sweep": "one"})
    assert keep.folder is None
    assert keep.refused is not None
    assert "the storage gs://bucket/a is not installed" in keep.refused
