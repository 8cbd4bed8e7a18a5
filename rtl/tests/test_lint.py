# SPDX-License-Identifier: MIT OR Apache-2.0
"""The sources read by slang, by Verible's linter and by Verilator with -Wall: no warning but those that are named here."""

import re
import subprocess
import sys

import pytest

from bench.mutants import mutated
from bench.simulators import SRC

# What slang says and is meant: (file, warning).
MEANT = {
    ("class_limit.sv", "width-trunc"),          # of room and cap the smaller, which has the bits of cap
}

# Rules of Verible that this code does not follow: Yosys knows no types of parameters here, and memories begin at 0.
RULES = ("-explicit-parameter-storage-type,-explicit-function-task-parameter-type,-unpacked-dimensions-range-ordering,"
         "line-length=length:190")


def slang(folder):
    """What slang warns of: (file, warning) of each."""
    script = ("import sys, pyslang.driver as d\n"
              "driver = d.Driver(); driver.addStandardArgs()\n"
              "assert driver.parseCommandLine('slang ' + ' '.join(sys.argv[1:])) and driver.processOptions() and driver.parseAllSources()\n"
              "driver.reportCompilation(driver.createCompilation(), False); driver.reportDiagnostics(False)\n")
    done = subprocess.run([sys.executable, "-c", script, "-Wextra", f"-I{folder}", *map(str, sorted(folder.glob("*.sv")))],
                          capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert "Build succeeded" in said or "Build failed" in said, said[-2000:]
    return {(file, kind or "error") for file, kind in
            re.findall(r"(\w+\.sv):\d+:\d+: (?:warning: [^\n]*\[-W([\w-]+)\]|error: )", said)}


def verible(folder):
    done = subprocess.run(["verible-verilog-lint", "--rules", RULES, *map(str, sorted(folder.glob("*.sv")))], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def verilator(folder, parameters, top="switch_top"):
    """What Verilator warns of with -Wall in the switch with these parameters, or in another top."""
    named = [f"-G{name}={value}" for name, value in parameters.items()]
    done = subprocess.run(["verilator", "--lint-only", "-Wall", f"-I{folder}", "--top-module", top, *named,
                           *map(str, sorted(folder.glob("*.sv")))], capture_output=True, text=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("%")]


BUILDS = [{}, {"LinkW": 8, "Dibs": 3}, {"Shared": 1, "LinkW": 16, "Dibs": 0, "Spray": 0, "Bytes": 0}, {"LinkW": 64, "PathW": 512, "Dibs": 2},
          {"Ranked": 1, "Dibs": 0, "LinkW": 16, "QueueW": 14, "MaxFrame": 1521}]


@pytest.mark.parametrize("parameters", [pytest.param(p, id="-".join(f"{k}{v}" for k, v in p.items()) or "default",
                                                     marks=[pytest.mark.slow] if n in (1, 2, 3) else []) for n, p in enumerate(BUILDS)])
def test_verilator_warns_of_nothing(parameters):
    assert verilator(SRC, parameters) == []


@pytest.mark.parametrize("top", sorted(path.stem for path in SRC.glob("*.sv")))
def test_verilator_warns_of_nothing_in_a_cell_alone(top):
    assert verilator(SRC, {}, top) == []


@pytest.mark.slow
def test_verilator_would_say():
    said = verilator(mutated("lint unused", "switch_top", "  wire [NumPorts-1:0] evicted;", "  wire [NumPorts-1:0] evicted, nobody;"), {})
    assert any("UNUSEDSIGNAL" in line and "nobody" in line for line in said), said


def test_slang_warns_of_nothing_else():
    assert slang(SRC) == MEANT


def test_verible_warns_of_nothing():
    status, said = verible(SRC)
    assert status == 0, said[-3000:]


@pytest.mark.parametrize("name, before, after, kind", [
    ("a word too long", "wire want_full = (want_i", "wire [1:0] want_full = (want_i", None),
    ("used before it is declared", "wire want_full = ", "wire early_use = late_one; wire late_one = 1'b0; wire want_full = ", "error"),
], ids=["a word too long", "used before it is declared"])
def test_slang_would_say(name, before, after, kind):
    new = slang(mutated(f"lint {name}", "detour_decision", before, after)) - MEANT
    assert {file for file, _ in new} == {"detour_decision.sv"} and (kind is None or ("detour_decision.sv", kind) in new), new


def test_verible_would_say():
    status, said = verible(mutated("lint tab", "detour_decision", "  wire want_full", "\twire want_full"))
    assert status != 0 and "detour_decision.sv" in said, said
