#!/usr/bin/env python3
"""Runs the incast of docs/explanation/ns3-reference.md in ns-3 and prints its rows.

Units    completion times in microseconds.
Output   a table on standard output: minimum / median / maximum over the seeds.
Errors   a line on standard error and exit status 1: a tool is missing, or a run failed.

Options of ns3/incast.cc after `--` select one row: `incast.py -- --route=spray --prr=0`.
"""

import argparse
import json
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True  # keep generated files under target/
from run import Failure, build_ns3, ensure_tools  # noqa: E402

NEITHER = ["--sack=0", "--fast-retransmit=0"]
SPRAY = ["--route=spray"]
FLOOR = ["--floor=1"]
RECOVER = ["--recover-in-cwr=1", "--floor=1"]
DELAYED = ["--delayed-ack-us=1000"]
LONG_RTO = ["--min-rto-ms=200"]
ROWS = [
    [],
    FLOOR,
    RECOVER,
    NEITHER,
    [*NEITHER, *FLOOR],
    ["--queue=1000"],
    ["--sack=0"],
    ["--sack=0", *FLOOR],
    ["--sack=0", *RECOVER],
    ["--fast-retransmit=0"],
    ["--fast-retransmit=0", *FLOOR],
    [*DELAYED, *FLOOR],
    [*DELAYED, *RECOVER],
    LONG_RTO,
    [*LONG_RTO, *FLOOR],
    [*LONG_RTO, *RECOVER],
    ["--prr=0", *FLOOR],
    [*SPRAY, *FLOOR],
    [*SPRAY, *NEITHER, *FLOOR],
    [*SPRAY, "--queue=1000"],
    [*SPRAY, *NEITHER, "--queue=1000", "--limited-transmit=0"],
    [*SPRAY, "--sack=0", *FLOOR],
    [*SPRAY, "--sack=0", *RECOVER],
    [*SPRAY, "--fast-retransmit=0", *FLOOR],
    [*SPRAY, *DELAYED, *FLOOR],
    [*SPRAY, *LONG_RTO, *FLOOR],
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="(default: %(default)s)")
    parser.add_argument("options", nargs="*", help="of ns3/incast.cc: one row with these")
    args = parser.parse_args()
    try:
        ensure_tools()
        program = build_ns3("incast")
        for options in [args.options] if args.options else ROWS:
            print_row(options, [run(program, seed, options) for seed in range(1, args.seeds + 1)])
    except Failure as failure:
        sys.exit(f"incast: {failure}")


def run(program, seed, options):
    command = [str(program), f"--seed={seed}", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"`{' '.join(command)}` ended with status {done.returncode}")
    return json.loads(done.stdout)


def print_row(options, runs):
    print(" ".join(options) or "as it is")
    for name in runs[0]:
        values = [run[name] for run in runs]
        spread = (min(values), statistics.median(values), max(values))
        print(f"    {name:<17}" + " / ".join(f"{value:.0f}" for value in spread), flush=True)


if __name__ == "__main__":
    main()
