#!/usr/bin/env python3
"""Runs the incast of docs/ns3-reference.md in ns-3 and prints its rows.

Units    completion times in microseconds.
Output   a table on standard output: least / median / most over the seeds.
Errors   a line on standard error and exit status 1: a tool is missing, or a run failed.

With options of ns3/incast.cc behind `--`, that one row: `incast.py -- --route=spray --prr=0`.
"""

import argparse
import json
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True  # what is made goes under target/
from run import Failure, build_ns3, ensure_tools  # noqa: E402

NO_FAST_RETRANSMIT = ["--sack=0", "--fast-retransmit=0"]
SPRAY = ["--route=spray"]
ROWS = [
    [],
    ["--floor=1"],
    NO_FAST_RETRANSMIT,
    [*NO_FAST_RETRANSMIT, "--floor=1"],
    ["--queue=1000"],
    ["--queue=1000", "--close=1"],
    SPRAY,
    [*SPRAY, *NO_FAST_RETRANSMIT],
    [*SPRAY, *NO_FAST_RETRANSMIT, "--floor=1"],
    [*SPRAY, "--queue=1000"],
    [*SPRAY, *NO_FAST_RETRANSMIT, "--queue=1000"],
    [*SPRAY, *NO_FAST_RETRANSMIT, "--queue=1000", "--limited-transmit=0"],
    [*SPRAY, "--fast-retransmit=0", "--floor=1"],
    [*SPRAY, "--recover-in-cwr=1"],
    [*SPRAY, "--sack=0", "--recover-in-cwr=1", "--floor=1"],
    ["--sack=0"],
    ["--sack=0", "--floor=1"],
    ["--fast-retransmit=0"],
    ["--fast-retransmit=0", "--floor=1"],
    ["--delayed-ack-us=1000"],
    ["--delayed-ack-us=1000", "--floor=1"],
    ["--min-rto-ms=200"],
    ["--min-rto-ms=200", "--floor=1"],
    [*SPRAY, "--sack=0", "--floor=1"],
    [*SPRAY, "--delayed-ack-us=1000", "--floor=1"],
    [*SPRAY, "--min-rto-ms=200", "--floor=1"],
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
