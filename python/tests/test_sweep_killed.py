"""A sweep of short runs that is killed: what had ended is in the cache, though the disk is not waited for."""

import json
import os
import subprocess
import sys
from pathlib import Path

from executors_help import files, records

import sidestep as ss

SWEEP = """
duration = "{duration}"
schemes = ["dctcp"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "query"
rate = "50 k/s"
degree = 2
size = "2 kB"
[sweep]
"switch.capacity" = ["40 pkt", "50 pkt", "60 pkt", "70 pkt", "80 pkt", "90 pkt"]
"workload.query.size" = ["2000 B", "2001 B", "2002 B", "2003 B", "2004 B", "2005 B"]
"""

RUNS = 36

JOBS = 2

PROGRAM = """
import sys
import sidestep as ss

def tell(now):
    print(now["finished"], flush=True)

ss.sweep("short.toml", out="killed", cache="kept", jobs=int(sys.argv[1]), progress=tell)
"""


def killed(room: Path) -> int:
    """How many runs a sweep in `room` said were done before it was killed; `RUNS` when it was done before that."""
    env = {**os.environ, "PYTHONPATH": str(Path(ss.__file__).parents[1])}
    command = [sys.executable, "-c", PROGRAM, str(JOBS)]
    told = 0
    with subprocess.Popen(command, cwd=room, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told = int(line)
            if told > 2 * JOBS:
                process.kill()
                break
    return told


def test_a_sweep_that_is_killed_loses_what_was_running_and_no_more(tmp_path: Path) -> None:
    # Longer runs where they are done before anybody is told.
    for duration in ("100 ms", "1 s", "10 s"):
        room = tmp_path / duration
        room.mkdir()
        (room / "short.toml").write_text(SWEEP.format(duration=duration))
        told = killed(room)
        kept = records(room / "kept")
        if len(kept) < RUNS:
            break
    # A run has ended a moment before its record is kept: one a thread.
    assert 0 < told - JOBS <= len(kept) < RUNS
    assert not (room / "killed").exists()
    short = str(room / "short.toml")
    again = ss.sweep(short, out=room / "again", cache=room / "kept", jobs=JOBS, progress=False)
    manifest = json.loads((again.path / "manifest.json").read_text())
    statuses = [run["status"] for run in manifest["runs"]]
    assert statuses.count("complete, from the cache") == len(kept)
    assert manifest["cache"]["damaged"] == 0
    whole = ss.sweep(short, out=room / "whole", jobs=1, progress=False)
    assert files(again.path) == files(whole.path)
