#!/usr/bin/env python3
"""Runs one permutation in ns-3 and in Sidestep, in turn, and prints the ratio of their speeds.

Units    packet-hops per CPU-second; a packet-hop is one packet, data or ACK, over one link.
Output   a table on standard output, and target/peers/result.json.
Errors   a line on standard error and exit status 1: a tool is missing, or a run failed.
         A low ratio is a result, not an error.

README.md, next to this file, lists what is alike on both sides and what is not.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / "target" / "peers"

PACKAGES = ["g++", "libns3-dev"]
# Listed here, not by pkg-config: Debian's .pc files also require libgsl.so and libsqlite3.so,
# which libns3-dev does not install and this program does not use.
LIBRARIES = ["applications", "internet", "point-to-point", "traffic-control", "network", "core"]
# Debian builds 3.37 with logging: an optimised 3.48 is about this much faster.
DEBIAN_BUILD = 1.5
EXPECTED = 50
# Ports of a fat-tree's switches, and the Sidestep benchmark of that permutation.
SIZES = {8: "perm128", 16: "perm1024"}


class Failure(Exception):
    """Error with a message for the user."""


def main():
    args = arguments()
    try:
        ensure_tools()
        perm, sidestep = str(build_ns3("perm")), args.sidestep or build_sidestep()
        results = []
        for k in args.k:
            ns3 = [perm, f"--k={k}", f"--ms={args.ms}", f"--seed={args.seed}"]
            ours = [sidestep, "bench", SIZES[k], "--json", "--rounds", "1"]
            rounds = take_turns(k, ns3, ours, args.rounds)
            results.append(result_of(SIZES[k], rounds, ns3, ours))
            print_summary(results[-1])
        write(results)
    except Failure as failure:
        sys.exit(f"bench-peers: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)


def arguments():
    parser = argparse.ArgumentParser(
        description="The same permutation in ns-3 and in Sidestep, in turn."
    )
    parser.add_argument("--k", type=int, nargs="+", choices=sorted(SIZES), default=sorted(SIZES),
                        help="sizes of the fat-tree, each by itself (default: all)")
    parser.add_argument("--ms", type=positive(float), default=10,
                        help="simulated milliseconds in ns-3 (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1,
                        help="of ns-3's permutation and hash salts (default: %(default)s)")
    parser.add_argument("--rounds", type=positive(int), default=3,
                        help="each runs both (default: %(default)s)")
    parser.add_argument("--sidestep", metavar="PROGRAM",
                        help="use this one instead of building it with cargo")
    return parser.parse_args()


def positive(kind):
    def parse(text):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"expected above 0, got {text}")
        return value
    return parse


def ensure_tools():
    """Installs the compiler and ns-3 if that is allowed; otherwise fails with the command to install them."""
    if have_tools():
        return
    install = "apt-get install " + " ".join(PACKAGES)
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Failure(f"this needs g++ and ns-3's headers; as root: {install}")
    print(f"installing {' '.join(PACKAGES)}", file=sys.stderr)
    quiet = {"stdout": subprocess.DEVNULL, "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}}
    for command in (["apt-get", "update", "-qq"],
                    ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]):
        if subprocess.run(command, **quiet).returncode != 0:
            raise Failure(f"`{' '.join(command)}` failed")
    if not have_tools():
        raise Failure(f"`{install}` did not bring g++ and ns3/core-module.h")


def have_tools():
    if not shutil.which("g++"):
        return False
    probe = "#if !__has_include(<ns3/core-module.h>)\n#error\n#endif\n"
    return subprocess.run(["g++", "-E", "-x", "c++", "-"], input=probe, text=True,
                          capture_output=True).returncode == 0


def build_ns3(name):
    """Builds ns3/<name>.cc if it is newer than the program; returns the program's path."""
    source, program = HERE / "ns3" / f"{name}.cc", OUT / f"ns3-{name}"
    newest = max(path.stat().st_mtime for path in (source, HERE / "ns3" / "fat_tree.h"))
    if program.exists() and program.stat().st_mtime > newest:
        return program
    OUT.mkdir(parents=True, exist_ok=True)
    command = ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-o", str(program), str(source)]
    command += [f"-lns3-{library}" for library in LIBRARIES]
    print("building", source.relative_to(ROOT), file=sys.stderr)
    if subprocess.run(command).returncode != 0:
        raise Failure(f"{source.relative_to(ROOT)} did not build; it is written for ns-3 3.37, "
                      f"and here is {ns3_version()}")
    return program


def build_sidestep():
    """Builds the command; returns its path."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--release", "--locked", "--quiet",
               "--package", "sidestep", "--message-format", "json-render-diagnostics"]
    try:
        built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise Failure("cargo is missing; install Rust, or say --sidestep PROGRAM") from None
    if built.returncode != 0:
        raise Failure("sidestep did not build")
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "sidestep":
            return message["executable"]
    raise Failure("cargo built no program called sidestep")


def take_turns(k, ns3, ours, count):
    """Measures both in turn, so that both see the same machine."""
    print(f"k = {k}, {SIZES[k]}: packet-hops per CPU-second, in millions\n")
    print(f"{'round':>5}{'ns-3':>10}{'sidestep':>10}{'ratio':>8}")
    rounds = []
    for number in range(1, count + 1):
        theirs, our = measure(ns3), measure(ours)
        ratio = our["hops_per_cpu_s"] / theirs["hops_per_cpu_s"]
        rounds.append({"ns3": theirs, "sidestep": our, "ratio": ratio})
        print(f"{number:>5}{theirs['hops_per_cpu_s'] / 1e6:>10.3f}"
              f"{our['hops_per_cpu_s'] / 1e6:>10.2f}{ratio:>8.0f}", flush=True)
    return rounds


def measure(command):
    """Runs a command that prints one JSON object with a speed; returns the object."""
    shown = " ".join(command)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        raise Failure(f"`{shown}` did not start: {error.strerror}") from None
    if done.returncode != 0:
        raise Failure(f"`{shown}` ended with status {done.returncode}")
    try:
        result = json.loads(done.stdout)
        speed = result["hops_per_cpu_s"]
    except (ValueError, KeyError, TypeError):
        raise Failure(f"`{shown}`: expected a JSON object with hops_per_cpu_s, "
                      f"got {done.stdout[:200]!r}") from None
    if not speed > 0:
        raise Failure(f"`{shown}`: expected hops_per_cpu_s above 0, got {speed}")
    return result


def result_of(scenario, rounds, ns3, ours):
    ratio = statistics.median(r["ratio"] for r in rounds)
    return {
        "scenario": scenario,
        "machine": machine(),
        "ns3_version": ns3_version(),
        "commands": {"ns3": ns3, "sidestep": ours},
        "rounds": rounds,
        "ns3_hops_per_cpu_s": statistics.median(r["ns3"]["hops_per_cpu_s"] for r in rounds),
        "sidestep_hops_per_cpu_s":
            statistics.median(r["sidestep"]["hops_per_cpu_s"] for r in rounds),
        "ratio": ratio,
        "ratio_to_optimised_build": ratio / DEBIAN_BUILD,
        "expected_ratio": EXPECTED,
    }


def write(results):
    OUT.mkdir(parents=True, exist_ok=True)
    whole = OUT / "result.json"
    part = OUT / "result.json.part"
    part.write_text(json.dumps({"results": results}, indent=2) + "\n")
    part.replace(whole)
    print(f"result: {whole.relative_to(ROOT)}")


def print_summary(result):
    theirs = result["rounds"][0]["ns3"]
    print(f"\nmedian ratio {result['ratio']:.0f} as measured, against ns-3 "
          f"{result['ns3_version']}; expected {EXPECTED} or more")
    print(f"divided by {DEBIAN_BUILD}, for Debian's build of ns-3 (bench/peers/README.md): "
          f"{result['ratio_to_optimised_build']:.0f}")
    if "goodput_gbps" in theirs:
        print(f"ns-3 delivered {theirs['goodput_gbps']:.1f} Gbps in "
              f"{theirs['simulated_s'] * 1e3:g} ms, with {theirs['events_per_hop']:.2f} events a hop; "
              f"sidestep needs {result['rounds'][0]['sidestep']['events_per_hop']:.2f}\n")


def ns3_version():
    if shutil.which("dpkg-query"):
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libns3-dev"],
                               capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout:
            return asked.stdout
    return "of unknown version"


def machine():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return f"{os.cpu_count()} x {line.split(':', 1)[1].strip()}"
    except OSError:
        pass
    return f"{os.cpu_count()} cores"


if __name__ == "__main__":
    main()
