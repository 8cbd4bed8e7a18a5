# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which registers synth/output_registers.py takes for those of a block RAM, and which it leaves alone."""

import copy
import sys

import pytest

from bench.simulators import RTL

sys.path.insert(0, str(RTL / "synth"))
import output_registers

CLOCK, ENABLE, OTHER = 2, 3, 4


def cell(kind, inputs, outputs, **parameters):
    return {"type": kind, "parameters": parameters, "connections": {p: [n] for p, n in (inputs | outputs).items()},
            "port_directions": {p: "input" for p in inputs} | {p: "output" for p in outputs}}


def flip_flop(d, q, **changed):
    inputs = {"CLK": CLOCK, "CE": ENABLE, "DI": d, "LSR": "0"} | changed.pop("inputs", {})
    return cell("TRELLIS_FF", inputs, {"Q": q}, **{"CEMUX": "CE", "CLKMUX": "CLK", "REGSET": "RESET"} | changed)


def netlist(width=9):
    """A block RAM of which two outputs are registered, and a gate behind one of the registers."""
    ram = cell("DP16KD", {"CLKB": CLOCK, "OCEA": "1", "OCEB": "1"}, {"DOB0": 10, "DOB1": 11, "DOB2": 12},
               DATA_WIDTH_A=f"{width:032b}", REGMODE_A="NOREG", REGMODE_B="NOREG")
    cells = {"ram": ram, "q0": flip_flop(10, 20), "q1": flip_flop(11, 21), "gate": cell("LUT4", {"A": 20, "B": 21}, {"Z": 30})}
    return {"modules": {"top": {"ports": {"clk_i": {"bits": [CLOCK]}, "out_o": {"bits": [30]}}, "cells": cells}}}


def test_registers_behind_all_outputs_are_those_of_the_block_ram():
    of = netlist()
    assert output_registers.fold(of, "top") == (1, 2)
    cells = of["modules"]["top"]["cells"]
    ram = cells["ram"]
    assert cells.keys() == {"ram", "gate"} and ram["connections"]["DOB0"] == [20] and ram["connections"]["DOB1"] == [21]
    assert ram["parameters"]["REGMODE_B"] == "OUTREG" and ram["parameters"]["REGMODE_A"] == "NOREG"
    assert ram["connections"]["OCEB"] == [ENABLE] and ram["connections"]["OCEA"] == ["1"]
    assert output_registers.fold(of, "top") == (0, 0), "once"


def test_registers_that_are_always_enabled_are_as_well():
    of = netlist()
    for name, q in ("q0", 20), ("q1", 21):
        of["modules"]["top"]["cells"][name] = flip_flop(10 + q % 2, q, CEMUX="1 ")   # with Yosys' space
    assert output_registers.fold(of, "top") == (1, 2)
    assert of["modules"]["top"]["cells"]["ram"]["connections"]["OCEB"] == ["1"]


def test_a_wide_word_has_the_registers_of_both_ports():
    of = netlist(width=36)
    output_registers.fold(of, "top")
    ram = of["modules"]["top"]["cells"]["ram"]
    assert ram["parameters"]["REGMODE_A"] == ram["parameters"]["REGMODE_B"] == "OUTREG"
    assert ram["connections"]["OCEA"] == ram["connections"]["OCEB"] == [ENABLE]


@pytest.mark.parametrize("q1", [
    flip_flop(11, 21, inputs={"CE": OTHER}),              # another enable
    flip_flop(11, 21, CEMUX="1"),                         # none
    flip_flop(11, 21, inputs={"CE": OTHER}, CEMUX="INV"),
    flip_flop(11, 21, inputs={"CLK": OTHER}),
    flip_flop(11, 21, CLKMUX="INV"),
    flip_flop(11, 21, inputs={"LSR": OTHER}),             # a reset
    flip_flop(11, 21, LSRMUX="INV"),                      # always in reset
    flip_flop(11, 21, REGSET="SET"),                      # begins with 1
    cell("LUT4", {"A": 11}, {"Z": 21}),                   # no register
], ids=["enable", "no-enable", "inverted-enable", "clock", "inverted-clock", "reset", "always-reset", "set", "gate"])
def test_a_block_ram_with_anything_else_behind_it_stays_as_it_is(q1):
    of = netlist()
    of["modules"]["top"]["cells"]["q1"] = q1
    was = copy.deepcopy(of)
    assert output_registers.fold(of, "top") == (0, 0) and of == was


def test_what_is_read_twice_or_leaves_by_a_port_stays():
    read_twice, by_port = netlist(), netlist()
    read_twice["modules"]["top"]["cells"]["gate"]["connections"]["A"] = [10]
    by_port["modules"]["top"]["ports"]["word_o"] = {"bits": [11]}
    for of in (read_twice, by_port):
        assert output_registers.fold(of, "top") == (0, 0)
