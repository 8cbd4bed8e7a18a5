# SPDX-License-Identifier: MIT OR Apache-2.0
"""What synth/report.py says of clocks over several seeds, and that it knows a netlist again."""

import copy
import json
import re
import sys

import pytest

from bench.simulators import RTL

sys.path.insert(0, str(RTL / "synth"))
import report

NETLIST = {"modules": {
    "top": {"attributes": {"src": "top.sv:1"}, "ports": {"a": {"direction": "input", "bits": [2]}},
            "cells": {"one": {"type": "LUT4", "parameters": {"INIT": "0110"}, "attributes": {"src": "top.sv:7"}, "connections": {"A": [2]}}}},
    "LUT4": {"attributes": {"blackbox": "1"}, "ports": {}, "cells": {}}}}


def tries(*clocks):
    return [(mhz, seed, "a path") for seed, mhz in enumerate(clocks, 1)]


def test_clocks_are_told_by_median_and_range():
    assert report.spread(tries(130.0, 110.0, 150.25, 128.0)) == "**129.0** (110.0 to 150.2)"
    assert report.SEEDS >= 8


def test_no_seed_alone_makes_it_too_slow():
    assert report.too_slow("with", tries(*[126.0] * 7, 90.0)) == []
    [said] = report.too_slow("with", tries(*[124.0] * 7, 170.0))
    assert "with: 124.0 MHz at grade 8, expected 125 as the median of 8 seeds" in said


def test_a_netlist_is_known_by_what_it_is_made_of():
    moved = copy.deepcopy(NETLIST)
    moved["modules"]["top"]["cells"]["one"]["attributes"]["src"] = "top.sv:8"
    assert report.netlist_hash(moved) == report.netlist_hash(NETLIST)
    for change in (lambda c: c.update(type="LUT3"), lambda c: c["parameters"].update(INIT="1001"), lambda c: c["connections"].update(A=[3])):
        other = copy.deepcopy(NETLIST)
        change(other["modules"]["top"]["cells"]["one"])
        assert report.netlist_hash(other) != report.netlist_hash(NETLIST)


def test_another_netlist_of_the_same_sources_ends_the_run():
    origin, pins = {"sources": "1", "yosys": "0.70"}, {}
    report.pin("a", origin, "x", pins)
    report.pin("a", origin, "x", pins)
    with pytest.raises(SystemExit, match="a: netlist y, expected x"):
        report.pin("a", origin, "y", pins)
    for changed in ({"sources": "2", "yosys": "0.70"}, {"sources": "2", "yosys": "0.71"}):
        report.pin("a", changed, "y" + changed["yosys"], pins)
    assert pins == {"a": {"sources": "2", "yosys": "0.71", "netlist": "y0.71"}}


def test_what_a_netlist_is_made_from_is_told_apart():
    assert report.made_from("synth") == report.made_from("synth") != report.made_from("synth -flatten")


def test_a_placement_of_the_same_netlist_is_not_made_again(tmp_path, monkeypatch):
    said = f"Source a.Q\nSink b.DI\nMax frequency for clock 'clk': 1{{}}.00 MHz\nCritical path report for clock\nSource a.Q\nSink b.DI\n{report.DONE}\n"
    ran = []

    def run(command, log):
        ran.append(log)
        (tmp_path / log).write_text(said.format(len(ran)))
        return said.format(len(ran))

    monkeypatch.setattr(report, "WORK", tmp_path)
    monkeypatch.setattr(report, "placeable", lambda *_: {})
    monkeypatch.setattr(report, "run", run)
    netlist = copy.deepcopy(NETLIST)

    def clocks(seeds):
        (tmp_path / "a.json").write_text(json.dumps(netlist))
        return [mhz for mhz, *_ in report.ecp5("a", "top", {}, ("6",), seeds)["reached"]["6"]]

    assert clocks(1) == clocks(1) == [11.0] and len(ran) == 1
    (tmp_path / ran[0]).write_text("it was stopped here")
    assert clocks(1) == [12.0] and len(ran) == 2
    monkeypatch.setattr(report, "placed_alone", True)
    assert clocks(3) == [12.0] and len(ran) == 2, "and those that are there alone, where that is asked"
    netlist["modules"]["top"]["cells"]["one"]["type"] = "LUT3"
    assert clocks(1) == [], "of another netlist there is none"


@pytest.mark.parametrize("ports, clocked", [(["clk_i", "set_i"], ["clk_i"]), (["w_clk_i", "r_clk_i", "w_data_i"], ["r_clk_i", "w_clk_i"]), (["set_i"], [])])
def test_a_cell_between_registers_has_the_clock_at_each_of_its_own(ports, clocked, tmp_path, monkeypatch):
    import cells

    monkeypatch.setattr(cells, "WORK", tmp_path)
    monkeypatch.setattr(cells, "ports", lambda *_: ([(port, 1) for port in ports], [("out_o", 1)]))
    cells.wrapped("a", "cell", {})
    text = (tmp_path / "a.wrap.sv").read_text()
    assert sorted(re.findall(r"\.(\w*clk_i)\(clk\)", text)) == clocked
    assert re.findall(r"\.(set_i|w_data_i)\(", text) == [port for port in ports if "clk" not in port]
