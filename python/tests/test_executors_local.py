"""Sweeps by threads and processes of this machine, and what any executor must do."""

import json
import os
import signal
from pathlib import Path

import pytest
from executors_help import RUNS, SWEEP, Watched, files, local, records

import sidestep
from sidestep import _native, executors
from sidestep.errors import ResultError, RunError, ScenarioError
from sidestep.executors import Batch, Made, OtherVersion, Task, WorkersLost, protocol, work
from sidestep.executors._run import batched
from sidestep.executors.local import Local
from sidestep.progress import HowFar


def test_threads_processes_and_any_number_of_them_give_the_same_bytes(tmp_path: Path) -> None:
    one = local(tmp_path)
    assert {"points.parquet", "counts.parquet", "samples.parquet", "summary.json", "report.html"} <= set(one)
    four = executors.run(SWEEP, "sweep.toml", out=tmp_path / "four", jobs=4)
    assert files(four) == one
    processes = executors.run(SWEEP, "sweep.toml", executor="local:processes", out=tmp_path / "p", jobs=2)
    assert files(processes) == one
    manifest = json.loads((processes / "manifest.json").read_text())
    assert (manifest["executor"], manifest["status"], manifest["jobs"]) == ("local:processes", "complete", 2)


def test_the_example_of_the_protocol_is_an_executor(tmp_path: Path) -> None:
    text = protocol.__doc__ or ""
    example = text[text.index("    class Here") : text.index("    ss.sweep")]
    names: dict[str, type] = {}
    exec("\n".join(line[4:] for line in example.splitlines()), names)
    out = executors.run(SWEEP, "sweep.toml", executor=names["Here"](), out=tmp_path / "out")
    assert files(out) == local(tmp_path)


def test_what_is_kept_is_not_made_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    told: list[HowFar] = []
    first = executors.run(SWEEP, "sweep.toml", out=tmp_path / "a", cache=cache, progress=told.append)
    assert told[-1]["finished"] == told[-1]["runs"] == RUNS
    assert len(records(cache)) == RUNS
    # The second call has nobody to make anything.
    nobody = Watched(Local(1), lambda: None)
    again = executors.run(SWEEP, "sweep.toml", executor=nobody, out=tmp_path / "b", cache=cache)
    assert nobody.batches == 0
    assert files(again) == files(first)
    saved = json.loads((again / "manifest.json").read_text())
    assert {run["status"] for run in saved["runs"]} == {"complete, from the cache"}


def test_a_record_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = executors.run(SWEEP, "sweep.toml", out=tmp_path / "a", cache=cache)
    key = sorted(records(cache))[0]
    path = cache / key[:2] / f"{key}.record"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    again = executors.run(SWEEP, "sweep.toml", out=tmp_path / "b", cache=cache)
    assert files(again) == files(first)
    assert _native.is_record(path.read_bytes())


def test_a_worker_of_another_version_refuses_before_it_computes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(work, "CODE", "0.0.9-other")
    own = sidestep.build_info()["code"]
    with pytest.raises(OtherVersion, match=f"expected {own}, got 0.0.9-other") as refused:
        executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=tmp_path / "cache")
    assert (refused.value.expected, refused.value.got) == (own, "0.0.9-other")
    assert not (tmp_path / "out").exists()
    assert records(tmp_path / "cache") == set()
    # The native half refuses it as well, should somebody call that alone.
    shared = json.loads(_native.Plan.of_text(SWEEP, "sweep.toml").shared())
    shared["code"] = "0.0.9-other"
    with pytest.raises(ValueError, match=f"expected 0.0.9-other, got {own}"):
        _native.Worker(json.dumps(shared).encode())


def test_a_worker_that_reads_another_scenario_out_of_the_text_refuses() -> None:
    plan = _native.Plan.of_text(SWEEP, "sweep.toml")
    key, point, scheme, seed, _ = plan.works()[0]
    worker = _native.Worker(plan.shared())
    with pytest.raises(ValueError, match="a different scenario from the same text"):
        worker.compute("0" * 64, point, scheme, seed)
    with pytest.raises(ValueError, match="point 99: expected less than 9"):
        worker.compute(key, 99, scheme, seed)
    with pytest.raises(ValueError, match="scheme 5: expected less than 2"):
        worker.compute(key, point, 5, seed)
    made = worker.compute(key, point, scheme, seed)
    assert made is not None
    record, hops = made
    assert _native.is_record(record)
    assert hops > 0


def test_files_that_an_experiment_names_travel_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (there / "flows.csv").write_text("start,src,dst,size\n0 us,0,1,20 kB\n10 us,2,1,20 kB\n")
    start = SWEEP.index("[workload.query]")
    end = SWEEP.index("[sweep]")
    text = SWEEP[:start] + '[workload.list]\nkind = "flow_list"\nfile = "flows.csv"\n' + SWEEP[end:]
    text = text.replace('"workload.query.degree" = [4, 6, 8]\n', "")
    plan = _native.Plan.of_text(text, "sweep.toml", folder=there)
    shared = plan.shared()
    assert json.loads(shared)["files"] == {"flows.csv": (there / "flows.csv").read_text()}
    # As on a machine where there is no such file.
    (there / "flows.csv").unlink()
    monkeypatch.chdir(tmp_path)
    worker = _native.Worker(shared)
    key, point, scheme, seed, _ = plan.works()[0]
    assert worker.compute(key, point, scheme, seed) is not None


def test_an_executor_that_ends_early_is_told_and_what_came_in_is_kept(tmp_path: Path) -> None:
    class Lazy(Local):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            yield next(super().submit(work, batches))

    with pytest.raises(WorkersLost, match=f"of {RUNS} runs missing") as lost:
        executors.run(SWEEP, "sweep.toml", executor=Lazy(1), out=tmp_path / "out")
    kept = lost.value.kept
    assert kept is not None
    assert 0 < len(records(kept)) < RUNS
    assert str(kept) in "".join(lost.value.__notes__)
    out = executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=kept)
    assert files(out) == local(tmp_path)


def test_ctrl_c_keeps_what_came_in(tmp_path: Path) -> None:
    class Interrupted(Local):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            # One after another: nothing is made ahead.
            for nth, batch in enumerate(batches):
                yield work(batch)
                if nth == len(batches) // 2:
                    os.kill(os.getpid(), signal.SIGINT)

    # Who started the tests in the background has them ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt) as stopped:
        executors.run(SWEEP, "sweep.toml", executor=Interrupted(1), out=tmp_path / "out", cache=tmp_path / "cache")
    partial: Path = stopped.value.partial  # type: ignore[attr-defined]
    assert partial == tmp_path / "out"
    assert json.loads((partial / "summary.json").read_text())["status"] == "partial"
    assert 0 < len(records(tmp_path / "cache")) < RUNS
    # The same call goes on from there, and takes the name of what was left.
    out = executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", cache=tmp_path / "cache")
    assert out == tmp_path / "out"
    assert files(out) == local(tmp_path)


def test_a_process_that_dies_loses_its_batch_only(tmp_path: Path) -> None:
    executor = Local(2, processes=True)

    def kill_one() -> None:
        import multiprocessing

        children = multiprocessing.active_children()
        assert children
        pid = children[0].pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    watched = Watched(executor, kill_one)
    out = executors.run(SWEEP, "sweep.toml", executor=watched, out=tmp_path / "out")
    assert files(out) == local(tmp_path)


def test_a_run_that_fails_is_told_and_the_others_are_kept(tmp_path: Path) -> None:
    class Failing(Local):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            for nth, batch in enumerate(super().submit(work, batches)):
                if nth == 1:
                    bad = batch.made[0]
                    yield Batch((Made(bad.key, None, False, "sweep at 4, 20 pkt: it burst"), *batch.made[1:]), None)
                else:
                    yield batch

    with pytest.raises(RunError, match="sweep at 4, 20 pkt: it burst"):
        executors.run(SWEEP, "sweep.toml", executor=Failing(1), out=tmp_path / "out", cache=tmp_path / "cache")
    assert not (tmp_path / "out").exists()
    assert len(records(tmp_path / "cache")) >= RUNS - 1


def test_bad_input_is_refused_before_anything_runs(tmp_path: Path) -> None:
    class Never(Local):
        def submit(self, work, batches):  # type: ignore[no-untyped-def]
            raise AssertionError("nothing is to be run")

    def refused(text: str = SWEEP, out: Path = tmp_path / "out", **more: object) -> None:
        executors.run(text, "sweep.toml", executor=more.pop("executor", Never(1)), out=out, **more)  # type: ignore[arg-type]

    with pytest.raises(ScenarioError, match=r"sweep.toml:3:12: .*expected"):
        refused(SWEEP.replace('"2 ms"', '"2 apples"'))
    with pytest.raises(ScenarioError, match="an executor needs an experiment with \\[sweep\\], got a plain scenario"):
        refused(SWEEP[: SWEEP.index("[sweep]")])
    with pytest.raises(ScenarioError, match="executor: expected one of local, .* got 'slum'"):
        refused(executor="slum")
    with pytest.raises(ScenarioError, match="executor: expected one of local, .* got 5"):
        refused(executor=5)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises((ScenarioError, ResultError), match="a directory with other files"):
        refused(out=tmp_path / "full")


def test_batches_are_of_about_a_second_and_no_worker_waits_for_the_last() -> None:
    def tasks(many: int, cost: float) -> list[Task]:
        return [Task("", n, 0, 1, cost) for n in range(many)]

    def sizes(many: int, cost: float, workers: int) -> list[int]:
        batches = batched(tasks(many, cost), workers)
        assert [task.point for batch in batches for task in batch] == list(range(many))
        return [len(batch) for batch in batches]

    # Tiny ones together, but each worker has several.
    assert max(sizes(10_000, 10.0, 2)) == 250
    assert len(sizes(100, 10.0, 4)) >= 32
    # Of those that take long each is alone.
    assert sizes(5, 1e8, 2) == [1] * 5
