"""A sweep of tiny points that is killed: what had ended is in the cache, though the disk is not waited for."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from executors_help import files, records

import sidestep as ss

SWEEP = """
duration = "100 us"
schemes = ["dctcp"]
[topology]
kind = "single_switch"
hosts = 3
[workload.query]
kind = "incast"
degree = 2
[sweep]
"switch.capacity" = [{capacities}]
"workload.query.size" = [{sizes}]
"""

SIDE = 40

JOBS = 2

PROGRAM = """
import sys
import sidestep as ss

def tell(now):
    print(now["finished"], flush=True)

ss.sweep("tiny.toml", out="killed", cache="kept", jobs=int(sys.argv[1]), progress=tell)
"""


def test_a_sweep_that_is_killed_loses_what_was_running_and_no_more(tmp_path: Path) -> None:
    capacities = ", ".join(f'"{10 + n} pkt"' for n in range(SIDE))
    sizes = ", ".join(f'"{2000 + n} B"' for n in range(SIDE))
    (tmp_path / "tiny.toml").write_text(SWEEP.format(capacities=capacities, sizes=sizes))
    env = {**os.environ, "PYTHONPATH": str(Path(ss.__file__).parents[1])}
    command = [sys.executable, "-c", PROGRAM, str(JOBS)]
    told = 0
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told = int(line)
            if told > 10 * JOBS:
                process.kill()
                break
    assert process.returncode == -signal.SIGKILL
    kept = records(tmp_path / "kept")
    # A run has ended a moment before its record is kept: one a thread.
    assert told - JOBS <= len(kept) < SIDE * SIDE
    assert not (tmp_path / "killed").exists()
    again = ss.sweep(str(tmp_path / "tiny.toml"), out=tmp_path / "again", cache=tmp_path / "kept", jobs=JOBS, progress=False)
    manifest = json.loads((again.path / "manifest.json").read_text())
    statuses = [run["status"] for run in manifest["runs"]]
    assert statuses.count("complete, from the cache") == len(kept)
    assert manifest["cache"]["damaged"] == 0
    whole = ss.sweep(str(tmp_path / "tiny.toml"), out=tmp_path / "whole", jobs=1, progress=False)
    assert files(again.path) == files(whole.path)
