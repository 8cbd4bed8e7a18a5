"""Executors that are not installed, and schedulers that do not answer."""

import re
import socket
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from executors_help import SWEEP

import sidestep
from sidestep import executors
from sidestep.errors import ScenarioError
from sidestep.executors import FORMS, MissingExtra, NoAnswer, _answer
from sidestep.executors._registry import KINDS


def run(executor: str, tmp: Path, **more: str) -> None:
    executors.run(SWEEP, "sweep.toml", executor=executor, out=tmp / "out", **more)  # type: ignore[arg-type]


def test_what_is_wrong_with_a_sweep_has_its_place_and_parts_whoever_makes_it(tmp_path: Path) -> None:
    text = SWEEP.replace("degree = 6", 'degree = 6\nbogus = "20 kB"').replace('"100 pkt"]', '"100 us"]')
    with pytest.raises(ScenarioError) as refused:
        executors.run(text, "sweep.toml", executor="local:processes", out=tmp_path / "out")
    lines = text.splitlines()
    unknown, unit = refused.value.problems
    assert (unknown.file, unknown.line, unknown.column) == ("sweep.toml", lines.index('bogus = "20 kB"') + 1, 1)
    assert (unknown.key, unknown.got, unknown.suggestion) == ("workload.query.bogus", "bogus", None)
    assert unknown.expected is not None and unknown.expected.startswith("one of rate, load")
    swept = next(line for line in lines if "100 us" in line)
    assert (unit.line, unit.column) == (lines.index(swept) + 1, swept.index('"100 us"') + 1)
    assert (unit.key, unit.got) == ('sweep."switch.capacity"', "100 us")
    assert unit.expected is not None and unit.expected.startswith('packets like "100 pkt"')
    assert str(refused.value) == "\n".join(map(str, refused.value.problems))
    # A change, and an object that has no lines.
    with pytest.raises(ScenarioError) as refused:
        executors.run(SWEEP, "sweep.toml", ["switch.capcity=50 pkt"], out=tmp_path / "out")
    (change,) = refused.value.problems
    assert (change.file, change.key, change.suggestion) == ("--set switch.capcity=50 pkt", "switch.capcity", "capacity")
    scenario = sidestep.Scenario.load("quickstart")
    with pytest.raises(ScenarioError) as refused:
        sidestep.sweep(scenario, {"switch.capacity": ["50 us"]}, executor="local", out=tmp_path / "out")
    assert (refused.value.problems[0].line, refused.value.problems[0].got) == (None, "50 us")
    assert not list(tmp_path.iterdir())


def test_a_call_that_cannot_be_carried_out_has_its_argument_and_parts(tmp_path: Path) -> None:
    def parts(call: Callable[[], object]) -> tuple[str | None, str | None, str | None, str | None]:
        with pytest.raises(ScenarioError) as refused:
            call()
        (problem,) = refused.value.problems
        assert (problem.line, problem.column, problem.message) == (None, None, str(refused.value))
        return problem.key, problem.expected, problem.got, problem.suggestion

    known = f"one of {', '.join(FORMS)}"
    assert parts(lambda: run("dsk:tcp://head:8786", tmp_path)) == ("executor", known, "dsk:tcp://head:8786", "dask")
    assert parts(lambda: run("local:fibres", tmp_path)) == ("executor", "local or local:processes", "fibres", None)
    key, expected, _, _ = parts(lambda: run(object(), tmp_path))  # type: ignore[arg-type]
    assert (key, expected) == ("executor", f"{known}, or an object as in Executor")
    at_least = ("jobs", "at least 1", "0", None)
    swept: dict[str, list[str]] = {"switch.capacity": ["50 pkt"]}
    assert parts(lambda: sidestep.sweep("quickstart", swept, executor="local", jobs=0)) == at_least
    assert parts(lambda: executors.run(SWEEP, "sweep.toml", out=tmp_path / "out", jobs=0)) == at_least
    assert parts(lambda: executors.run(SWEEP, "sweep.toml")) == ("out", "a directory for the results", "none", None)
    own = sidestep.Scheme("mine", extends="dctcp", buffer=lambda _: None)  # type: ignore[arg-type, return-value]
    key, expected, got, _ = parts(lambda: sidestep.sweep("quickstart", swept, executor="local", policies=[own]))
    assert (key, got) == ("executor", "local")
    assert expected is not None and expected.startswith("None with policies of your own ('mine')")
    # What the native half refuses is read off its words.
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("")
    with pytest.raises(ScenarioError) as refused:
        executors.run(SWEEP, "sweep.toml", out=tmp_path / "there")
    (problem,) = refused.value.problems
    assert (problem.file, problem.expected) == ("sweep.toml", "a directory that is new or empty")
    assert problem.got == "a directory with other files"


@pytest.mark.parametrize(("executor", "module", "extra"), [(kind.name, kind.needs, kind.extra) for kind in KINDS if kind.needs])
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


def test_every_list_of_executors_is_the_same() -> None:
    root = Path(__file__).parents[2]
    rows = re.findall(r"^\| (`.*?) \|", (root / "docs/how-to/scaling.md").read_text(), re.MULTILINE)
    said = re.findall(r"`([a-z]+)[:`]", " ".join(rows))
    assert list(dict.fromkeys(said)) == [kind.name for kind in KINDS]
    told = re.search(r"(?s)/// Executor of a sweep.s runs:(.*?)#\[arg", (root / "crates/cli/src/args.rs").read_text())
    assert told is not None
    assert list(dict.fromkeys(re.findall(r"`([a-z]+)[:`]", told[1]))) == [kind.name for kind in KINDS]
    named = re.search(r"const NAMES: .*? = \[(.*?)\];", (root / "crates/cli/src/executor.rs").read_text())
    assert named is not None
    assert re.findall(r'"([a-z]+)"', named[1]) == [kind.name for kind in KINDS]
    extras = tomllib.loads((root / "python/pyproject.toml").read_text())["project"]["optional-dependencies"]
    for kind in KINDS:
        assert kind.extra is None or str(kind.needs) in " ".join(extras[kind.extra])
        assert all(form.partition(":")[0] == kind.name for form in kind.forms)
    assert [form for kind in KINDS for form in kind.forms] == list(FORMS)


def test_a_run_of_this_process_takes_no_url_for_its_cache(tmp_path: Path) -> None:
    calls = (
        lambda: sidestep.run("quickstart", cache="s3://bucket/a", out=tmp_path / "out"),
        lambda: sidestep.reproduce("dibs/fig02", quick=True, cache="s3://bucket/a", out=tmp_path / "out"),
        lambda: sidestep.sweep("quickstart", {"switch.capacity": ["50 pkt"]}, cache="s3://bucket/a", out=tmp_path / "out"),
    )
    for call in calls:
        with pytest.raises(ScenarioError, match="cache: expected a directory, got 's3://bucket/a': a URL needs executor="):
            call()
    assert not list(tmp_path.iterdir())


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
    for address in (silent, f"ray://{silent}"):
        began = time.monotonic()
        with pytest.raises(NoAnswer, match=f"the Ray cluster at {address} does not answer: no answer within") as refused:
            run(f"ray:{address}", tmp_path)
        assert refused.value.address == address
        # Ten seconds, and what it takes to load Ray.
        assert 5 < time.monotonic() - began < 30


def test_slurm_without_sbatch_or_a_controller_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("submitit", reason="sidestep[slurm] is not installed")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoAnswer, match="sbatch is not installed here"):
        run("slurm", tmp_path)
    for name, words in (
        ("sbatch", "exit 0"),
        ("srun", "exit 0"),
        ("scontrol", 'echo "Slurmctld(primary) at head is DOWN"; exit 1'),
    ):
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
    with pytest.raises(ScenarioError, match="expected OPTION=VALUE, got 'short'") as refused:
        run("slurm:short", tmp_path)
    (problem,) = refused.value.problems
    assert (problem.key, problem.expected, problem.got) == ("executor", "OPTION=VALUE", "short")
    with pytest.raises(ScenarioError, match="expected a number, got 'much'"):
        run("slurm:mem_gb=much", tmp_path)
    for name, words in (("sbatch", "exit 0"), ("srun", "exit 0"), ("scontrol", 'echo "Slurmctld(primary) at head is UP"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{words}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(ValueError, match="executor: slurm: expected options of submitit, got partitoin=short"):
        run("slurm:partitoin=short", tmp_path)
