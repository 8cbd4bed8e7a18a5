"""Plug-ins from Python: written, built, loaded, and run beside policies in Python."""

import json
import shutil
from pathlib import Path

import pytest
from own import run_text
from twins import Dibs

import sidestep as ss

SCENARIO = """
duration = "1 ms"
drain = "1 s"
schemes = ["dctcp"]
topology = { kind = "fat_tree", k = 4 }
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo to build a plug-in with")
def test_a_plug_in_stands_beside_policies_in_python_and_is_told_by_its_digest(
    tmp_path: Path,
) -> None:
    written = ss.new_policy("least-full", out=tmp_path / "least-full")
    assert (tmp_path / "least-full" / "src" / "lib.rs") in written
    loaded = ss.load_plugin(tmp_path / "least-full")
    assert (loaded.name, loaded.extends) == ("least-full", "dibs")
    assert loaded.digest.startswith("sha256:")
    mine = ss.Scheme("mine", extends="dctcp", buffer=Dibs)
    run = run_text(SCENARIO, [loaded, mine], out=tmp_path / "out")
    manifest = json.loads((run.path / "manifest.json").read_text())
    assert [made["scheme"] for made in manifest["runs"]] == ["dctcp", "least-full", "mine"]
    sources = {setting["value"]: setting["source"] for setting in manifest["scenario"]["settings"]}
    assert sources["plugin:least-full"].endswith(loaded.digest)
    assert sources["python:Dibs"] == "the caller's own"

    (tmp_path / "least-full" / "src" / "lib.rs").write_text("fn broken( {}")
    with pytest.raises(ss.ScenarioError, match="cannot build the plug-in"):
        ss.load_plugin(tmp_path / "least-full")


def test_what_cannot_be_written_or_loaded_is_told(tmp_path: Path) -> None:
    with pytest.raises(ss.ScenarioError, match="lower-case letters, digits and hyphens"):
        ss.new_policy("Mine", out=tmp_path / "mine")
    with pytest.raises(ss.ScenarioError, match="kind: expected one of buffer, route, sched"):
        ss.new_policy("mine", kind="transport", out=tmp_path / "mine")
    with pytest.raises(ss.ScenarioError, match="cannot read"):
        ss.load_plugin(tmp_path / "gone.so")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(ss.ScenarioError, match="expected a plug-in of Sidestep"):
        ss.load_plugin(tmp_path / "text.so")
    assert not (tmp_path / "mine").exists()


def test_a_library_of_another_version_is_refused_with_both_before_it_is_opened(tmp_path: Path) -> None:
    stamp = "sidestep plug-in 1\nversion 9.8.7\nsources 0123456789abcdef\ncompiler rustc 1.2.3 somewhere\nend of stamp\n"
    library = tmp_path / "libmine.so"
    library.write_text(f"\x7fELF{stamp}")
    with pytest.raises(ss.ScenarioError, match="cannot load .*libmine.so: expected a plug-in built for") as caught:
        ss.load_plugin(library)
    (problem,) = caught.value.problems
    assert problem.got == "one built for sidestep 9.8.7 (sources 0123456789ab, rustc 1.2.3 somewhere)"
    assert f"sidestep {ss.build_info()['version']} (sources " in str(problem.expected)
