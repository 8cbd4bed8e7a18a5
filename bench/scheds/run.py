#!/usr/bin/env python3
"""Measures instructions for one packet through a scheduler, by queue length: the table of docs/reference/scheds/srpt.md.

    bench/scheds/run.py     needs valgrind

In each step a packet arrives and one leaves; three in four are sent and the fourth is evicted:
crates/switch/examples/sched_steps. Candidates with the same order must release the same packets.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Names in `sched_steps`, and in the table. All but the last keep the same order.
CANDIDATES = {
    "srpt": "**rings of at most 256**",
    "ring": "one ring",
    "heap": "min-max heap",
    "tree": "B-tree by rank and arrival",
    "pfabric": "search, as `pfabric`",
}
RANKS = ["random", "flows"]
DEPTHS = [24, 200, 5_000]


def main():
    steps = build()
    columns = [(ranks, depth) for ranks in RANKS for depth in DEPTHS]
    print("| | " + " | ".join(f"{ranks}, {depth:,}" for ranks, depth in columns) + " |")
    print("|---|" + "--:|" * len(columns))
    orders = {}
    for candidate, words in CANDIDATES.items():
        cells = []
        for column in columns:
            instructions, order = measure(steps, candidate, *column)
            cells.append(f"{instructions:,.0f}")
            if candidate != "pfabric" and orders.setdefault(column, order) != order:
                sys.exit(f"bench/scheds: {candidate} names other packets at {column}")
        print(f"| {words} | " + " | ".join(cells) + " |")


def build():
    """Builds the driver with the flags of the product; returns its path."""
    run = ["cargo", "build", "--release", "--locked", "-p", "sidestep-switch", "--example", "sched_steps"]
    done = subprocess.run([*run, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    built = [json.loads(line).get("executable") for line in done.stdout.splitlines()]
    return next(path for path in built if path)


def measure(steps, candidate, ranks, depth):
    """Returns the instructions for each packet, and a checksum of the order in which packets left."""
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=measured", f"--callgrind-out-file={os.devnull}"]
    done = subprocess.run([*command, steps, candidate, str(depth), ranks], capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        sys.exit(f"bench/scheds: {candidate} at {depth}: exit {done.returncode}\n{done.stderr}")
    packets, order = done.stdout.split()
    return int(collected[1]) / int(packets), order


if __name__ == "__main__":
    main()
