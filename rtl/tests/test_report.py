# SPDX-License-Identifier: MIT OR Apache-2.0
"""What synth/ says of clocks over several seeds, and that it knows a netlist again."""

import copy
import json
import re
import sys

import pytest

from bench.simulators import RTL

sys.path.insert(0, str(RTL / "synth"))
import cells
import report
import tools

NETLIST = {"modules": {
    "top": {"attributes": {"src": "top.sv:1"}, "ports": {"a": {"direction": "input", "bits": [2]}},
            "cells": {"one": {"type": "LUT4", "parameters": {"INIT": "0110"}, "attributes": {"src": "top.sv:7"}, "connections": {"A": [2]}}}},
    "LUT4": {"attributes": {"blackbox": "1"}, "ports": {}, "cells": {}}}}


def tries(*clocks):
    return [(mhz, seed, "a path") for seed, mhz in enumerate(clocks, 1)]


def test_clocks_are_told_by_median_and_range():
    assert tools.spread([130.0, 110.0, 150.25, 128.0]) == "**129.0** (110.0 to 150.2)"
    assert (tools.spread([]), tools.spread([], asked=False)) == (tools.NO_ROUTE, "not placed")
    assert report.SEEDS >= 8


def test_no_seed_alone_makes_it_too_slow():
    assert report.too_slow("with", "6", tries(*[126.0] * 7, 90.0)) == []
    [said] = report.too_slow("with", "6", tries(*[124.0] * 7, 170.0))
    assert "with: 124.0 MHz at grade 6, expected 125 as the median of 8 seeds" in said


def test_a_netlist_is_known_by_what_it_is_made_of():
    moved = copy.deepcopy(NETLIST)
    moved["modules"]["top"]["cells"]["one"]["attributes"]["src"] = "top.sv:8"
    assert tools.netlist_hash(moved) == tools.netlist_hash(NETLIST)
    for change in (lambda c: c.update(type="LUT3"), lambda c: c["parameters"].update(INIT="1001"), lambda c: c["connections"].update(A=[3])):
        other = copy.deepcopy(NETLIST)
        change(other["modules"]["top"]["cells"]["one"])
        assert tools.netlist_hash(other) != tools.netlist_hash(NETLIST)


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


@pytest.fixture
def placed(tmp_path, monkeypatch):
    """A netlist in a folder, and a nextpnr that says how often it ran: what it says with so many seeds, and what ran."""
    said = f"Source a.Q\nSink b.DI\nMax frequency for clock 'clk': {{}}.00 MHz\nCritical path report for clock\nSource a.Q\nSink b.DI\n{tools.DONE}\n"
    ran = []

    def run(command, log, folder, limit_min):
        ran.append(log)
        if "--textcfg" in command:
            (folder / command[command.index("--textcfg") + 1]).write_text(f"routed {len(ran)}")
        (folder / log).write_text(said.format(len(ran)))
        return said.format(len(ran))

    monkeypatch.setattr(tools, "WORK", tmp_path)
    monkeypatch.setattr(tools, "run", run)
    (tmp_path / "a.json").write_text(json.dumps(NETLIST))
    return ran


def test_a_placement_of_the_same_netlist_is_not_made_again(placed, tmp_path, monkeypatch):
    def clocks(seeds, told=("--45k",), **more):
        return sorted(tools.clock(text) for _, text in tools.placements("a", list(told), seeds, **more))

    assert clocks(1) == clocks(1) == [1.0] and len(placed) == 1
    (tmp_path / placed[0]).write_text("it was stopped here")
    assert clocks(1) == [2.0] and len(placed) == 2
    assert clocks(3, kept_alone=True) == [2.0] and len(placed) == 2, "and those that are there alone, where that is asked"
    assert clocks(1, told=("--85k",), kept_alone=True) == [], "of another part there is none"
    (tmp_path / "a.json").write_text(json.dumps(NETLIST).replace("LUT4", "LUT3"))
    assert clocks(1, kept_alone=True) == [], "nor of another netlist"
    monkeypatch.setattr(report, "placeable", lambda *_: {"LUT4": 1})
    assert [mhz for mhz, *_ in report.ecp5("a", "top", {}, ("6",), 1)["reached"]["6"]] == [3.0]


def test_a_tool_that_finds_no_end_is_stopped_once(tmp_path, monkeypatch):
    """By the time of a processor: one that sleeps longer is waited for."""
    spins = [sys.executable, "-c", "print('began', flush=True)\nwhile True: pass"]
    said = tools.run(spins, "spins.log", tmp_path, limit_min=1 / 60)
    assert said.startswith("began") and said.endswith(tools.STOPPED)
    waits = [sys.executable, "-c", "import time; time.sleep(2.5); print('done')"]
    assert tools.run(waits, "waits.log", tmp_path, limit_min=1 / 60) == "done\n"
    (tmp_path / "a.json").write_text(json.dumps(NETLIST))
    ran = []

    def run(command, log, folder, limit_min):
        ran.append(log)
        (folder / log).write_text(tools.STOPPED)
        return tools.STOPPED

    monkeypatch.setattr(tools, "WORK", tmp_path)
    monkeypatch.setattr(tools, "run", run)
    assert tools.placements("a", [], 2) == tools.placements("a", [], 2) == [] and len(ran) == 2, "and not once more"


def test_what_was_routed_is_of_the_netlist_that_is_asked_for(placed, tmp_path):
    pins = tmp_path / "pins.lpf"

    def routed():
        kept = tools.kept_as("a", [], reads=["pins.lpf"])
        return (tmp_path / tools.placement("a", [], 1, kept, routed=True)[1]).read_text()

    pins.write_text("one")
    assert routed() == routed() == "routed 1"
    pins.write_text("other")
    assert routed() == "routed 2"
    pins.write_text("one")
    assert routed() == "routed 1"
    for config in tmp_path.glob("*.config"):
        config.unlink()
    assert routed() == "routed 3"


def test_the_smaller_part_that_has_the_places_is_taken():
    assert [report.part_for(kinds) for kinds in ({"LUT4": 40_000}, {"LUT4": 40_000, "CCU2C": 2_000}, {"LUT4": 84_000}, {"TRELLIS_DPR16X4": 8_000})] == [
        "45k", "85k", None, "85k"]


def test_the_larger_a_cell_the_fewer_seeds():
    assert [cells.enough(4, luts) for luts in (4_000, 4_001, 20_001)] == [4, 2, 1]
    assert cells.enough(0, 20_001) == 0


def test_readme_has_the_rows_that_results_say():
    results, readme = (report.HERE / "results.md").read_text(), report.README.read_text()
    made = report.told_in_short(results)
    assert tools.with_part(readme, report.MADE, made) == readme
    assert len(made.splitlines()) == 2 + 4 + 4
    assert tools.with_part(readme, report.MADE, "other\n") != readme, "it is looked at"
    ranks = cells.by_rank(cells.measured())
    assert tools.with_part(readme, cells.MADE, ranks) == readme
    assert {"`rank_queue`", "`rank_blocks`"} < {line.strip("| ").split(" |")[0] for line in ranks.splitlines()}, "of both"


@pytest.mark.parametrize("ports, clocked", [(["clk_i", "set_i"], ["clk_i"]), (["w_clk_i", "r_clk_i", "w_data_i"], ["r_clk_i", "w_clk_i"]), (["set_i"], [])])
def test_a_cell_between_registers_has_the_clock_at_each_of_its_own(ports, clocked, tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "WORK", tmp_path)
    monkeypatch.setattr(cells, "ports", lambda *_: ([(port, 1) for port in ports], [("out_o", 1)]))
    cells.wrapped("a", "cell", {})
    text = (tmp_path / "a.wrap.sv").read_text()
    assert sorted(re.findall(r"\.(\w*clk_i)\(clk\)", text)) == clocked
    assert re.findall(r"\.(set_i|w_data_i)\(", text) == [port for port in ports if "clk" not in port]
