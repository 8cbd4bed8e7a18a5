#!/usr/bin/env python3
"""Measures instructions and events per packet-hop of short runs, and compares the former with expected.json.

    bench/instructions/run.py             compare; exit 1 if one is more than 2 % off
    bench/instructions/run.py --update    write the measurements to expected.json

Wall time on a shared machine proves nothing; instructions hardly change from run to run. Valgrind counts only
those of the simulation (`measured` in crates/lab/examples/steps.rs), after a warm-up: the count includes neither
reading the scenario nor building the network.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXPECTED = HERE / "expected.json"

TOLERANCE = 0.02

# name: scenario, warm-up and length in simulated microseconds, settings
WORKLOADS = {
    "perm k=4": ("perm.toml", 1_000, 20_000, ["topology.k=4"]),
    "perm k=8": ("perm.toml", 1_000, 10_000, ["topology.k=8"]),
    "perm k=8, Linux": ("perm.toml", 1_000, 10_000, ["topology.k=8", "profile=linux"]),
    "incast, DIBS": ("incast.toml", 1_000, 10_000, []),
    "background mix": ("background.toml", 5_000, 30_000, []),
    "background, order": ("background.toml", 5_000, 30_000, ["host.shims=order"]),
    "ranked-leafspine": ("../../scenarios/ranked-leafspine.toml", 2_000, 1_000, []),
}


def main():
    parser = argparse.ArgumentParser(description="Instructions per packet-hop.")
    parser.add_argument("--update", action="store_true", help="write expected.json")
    update = parser.parse_args().update
    if shutil.which("valgrind") is None:
        fail("needs valgrind (Debian: apt-get install valgrind)")
    steps = build()
    measured = {name: measure(steps, *workload) for name, workload in WORKLOADS.items()}
    if update:
        write(measured)
        return
    if not EXPECTED.exists():
        fail(f"{EXPECTED.relative_to(ROOT)} is missing: --update writes it")
    expected = json.loads(EXPECTED.read_text())
    off = compare(measured, expected["workloads"])
    here = {"machine": platform.machine(), "rustc": rustc()}
    for what, value in here.items():
        if expected[what] != value:
            print(f"note: {what} is {value}, expected.json is from {expected[what]}")
    if expected["machine"] != here["machine"]:
        print("another instruction set: nothing to compare with")
    elif off:
        print(f"more than {TOLERANCE:.0%} off: {', '.join(off)}; if that is meant, --update and say why")
        sys.exit(1)


def build():
    """Builds the driver with the flags of the product; returns its path."""
    run = ["cargo", "build", "--release", "--locked", "-p", "sidestep-lab", "--example", "steps"]
    done = subprocess.run(
        [*run, "--message-format=json-render-diagnostics"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        fail("the driver does not build")
    built = [json.loads(line).get("executable") for line in done.stdout.splitlines()]
    return next(path for path in built if path)


def measure(steps, scenario, warm_up, length, settings):
    """Returns packet-hops and instructions of the measured part of one run, and events of the whole run."""
    command = [
        *("valgrind", "--tool=callgrind", "--toggle-collect=measured"),
        f"--callgrind-out-file={os.devnull}",
        *(steps, HERE / scenario, str(warm_up), str(length), *settings),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        fail(f"{scenario}: exit {done.returncode}\n{done.stderr}")
    hops, events_per_hop = done.stdout.split()
    hops, instructions = int(hops), int(collected[1])
    if hops == 0 or instructions == 0:
        fail(f"{scenario}: {hops} packet-hops in {instructions} instructions: nothing was measured")
    return {"hops": hops, "per_hop": round(instructions / hops, 1), "events_per_hop": float(events_per_hop)}


def compare(measured, expected):
    """Prints the table; returns the names of workloads outside the tolerance."""
    off = []
    print(f"{'workload':<17}{'hops':>9}{'events/hop':>12}{'instructions/hop':>18}{'expected':>10}{'change':>9}")
    for name, now in measured.items():
        line = f"{name:<17}{now['hops']:>9}{now['events_per_hop']:>12}{now['per_hop']:>18}"
        before = expected.get(name)
        if before is None:
            off.append(name)
            print(f"{line}{'none':>10}")
            continue
        change = now["per_hop"] / before["per_hop"] - 1
        moved = "  (the run itself moved)" if now["hops"] != before["hops"] else ""
        if abs(change) > TOLERANCE:
            off.append(name)
        print(f"{line}{before['per_hop']:>10}{change:>+9.1%}{moved}")
    return off


def write(measured):
    known = {"machine": platform.machine(), "rustc": rustc(), "workloads": measured}
    EXPECTED.write_text(json.dumps(known, indent=2) + "\n")
    print(f"wrote {EXPECTED.relative_to(ROOT)}")
    compare(measured, measured)


def rustc():
    return subprocess.run(["rustc", "-V"], cwd=ROOT, capture_output=True, text=True).stdout.split()[1]


def fail(message):
    print(f"bench/instructions: {message}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
