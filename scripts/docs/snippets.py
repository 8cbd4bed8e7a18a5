"""Runs the commands and snippets of the documents.

    snippets.py [--slow] SIDESTEP [PAGE...]

Every fenced block has a language. `sh` and `python` are run, page by page and in order, in a copy of the checkout (without
the program's sources) with SIDESTEP as `sidestep` and as `target/release/sidestep`; the Python of one page shares its
names. `toml` and `json` are read. A block `text` behind one that was run, under the same heading, holds what it prints:
each line in order, `…` for any others. Programs of other languages are run by a test of their own, which the page names.

A comment above a block, or right below the title for all blocks, says what cannot be run here, and why:

    <!-- not run: needs root -->
    <!-- not run: "cargo install": the command is there already -->      lines that begin so; the others run
    <!-- slow: three minutes -->                                           run with --slow alone; with "…": as above
    <!-- run by: scripts/reading.py -->                                    a test that reads this page
    <!-- needs: polars -->                                                 Python packages

The reasons are counted and printed. A block that is neither run nor excused is an error.
"""

import argparse
import collections
import contextlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markdown import Block, blocks

ROOT = Path(__file__).resolve().parents[2]
SHELL = {"sh", "bash", "console"}
# Sources of the program, which is built already: a copy without them takes a quarter of the time.
SOURCES = ("conformance/", "crates/", "fuzz/", "python/", "rtl/")
# What is shown and not run: output, data, drawings.
SHOWN = {"text", "answer", "csv", "diff"}
_MARK = re.compile(r'^(not run|slow|run by|needs):\s*(?:"([^"]*)":\s*)?(.+)$', re.S)


class WrongError(Exception):
    """What a page has wrong, in words."""


@dataclass
class Marks:
    """What the comments above a block say."""

    excuse: str = ""
    run_by: str = ""
    needs: list[str] = field(default_factory=list)
    without: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, block: Block, slow: bool) -> "Marks":
        """Reads them; with `slow` nothing is too slow. Raises WrongError for a mark that does not read."""
        marks = cls()
        for mark in block.marks:
            found = _MARK.match(mark)
            if not found:
                if re.match(r"(not run|slow|run by|needs)\b", mark):
                    raise WrongError(f"expected a reason in <!-- {mark} -->")
                continue
            what, prefix, reason = found.groups()
            if what == "run by":
                marks.run_by = reason
            elif what == "needs":
                marks.needs = [name.strip() for name in reason.split(",")]
            elif what == "not run" or not slow:
                reason = f"slow: {reason}" if what == "slow" else reason
                if prefix is None:
                    marks.excuse = reason
                else:
                    marks.without[prefix] = reason
        return marks


def lines_to_run(block: Block, marks: Marks) -> list[str]:
    """The lines of a block without those that a mark names. Raises WrongError for a mark of no line."""
    for prefix in marks.without:
        if not any(line.strip().startswith(prefix) for line in block.lines):
            raise WrongError(f"no line begins with {prefix!r}, as a comment above has it")
    left = [line for line in block.lines if not any(line.strip().startswith(p) for p in marks.without)]
    if block.language == "console":
        left = [line.removeprefix("$ ") for line in left if line.startswith("$ ")]
    return left


def missing_line(shown: list[str], said: str) -> str | None:
    """The first shown line that `said` does not have, in order; `…` stands for any lines."""
    lines = iter([line.rstrip() for line in said.splitlines()])
    for line in shown:
        if line.strip() not in ("", "…", "...") and line.rstrip() not in lines:
            return line
    return None


class Runner:
    """Runs pages, and counts what was done."""

    def __init__(self, sidestep: Path, slow: bool, rooms: Path) -> None:
        self.slow = slow
        self.sidestep = sidestep.resolve()
        self.rooms = rooms
        self.done: collections.Counter[str] = collections.Counter()
        self.excused: collections.Counter[str] = collections.Counter()
        self.wrong: list[str] = []

    def page(self, path: Path) -> None:
        """Runs one page; what is wrong is kept in `wrong`."""
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text()
        for_all = re.match(r"# .*\n\n<!-- run by: (.*) -->\n", text)
        try:
            found = list(blocks(text))
        except ValueError as error:
            self.wrong.append(f"{name}: {error}")
            return
        room: Path | None = None
        names: dict[str, Any] = {"__name__": "__main__"}
        said: str | None = None
        heading = ""
        for block in found:
            said = said if block.heading == heading else None
            heading = block.heading
            try:
                marks = Marks.of(block, self.slow)
                if for_all and not marks.excuse:
                    marks.run_by = for_all[1]
                if not block.language:
                    raise WrongError("a block without a language: `text` for what is only shown")
                runs = block.language in SHELL or block.language == "python"
                if runs and not (marks.excuse or marks.run_by) and room is None:
                    room = self._room(name)
                said = self._block(name, block, marks, room, names, said)
            except WrongError as error:
                self.wrong.append(f"{name}:{block.line}: {error}")
                said = None
        if room is not None and not any(line.startswith(f"{name}:") for line in self.wrong):
            shutil.rmtree(room)

    def _block(
        self, page: str, block: Block, marks: Marks, room: Path | None, names: dict[str, Any], said: str | None
    ) -> str | None:
        """Does what one block needs; what it printed if it was run."""
        if marks.run_by and block.language not in SHOWN:
            test = ROOT / marks.run_by
            if not test.is_file() or Path(page).name not in test.read_text():
                raise WrongError(f"{marks.run_by} is no test that names {Path(page).name}")
            self.done[f"run by {marks.run_by}"] += 1
            return None
        if block.language == "text" and said is not None and not marks.excuse:
            line = missing_line(block.lines, said)
            if line is not None:
                raise WrongError(f"what was run before does not print, where the page has it:\n{line}\nbut:\n{said[:2000]}")
            self.done["compared with what is printed"] += 1
            return None
        if block.language in SHOWN:
            return None
        if marks.excuse:
            self.excused[marks.excuse] += 1
            return None
        gone = [need for need in marks.needs if importlib.util.find_spec(need) is None]
        if gone:
            self.excused[f"no package {', '.join(gone)}"] += 1
            return None
        return self._run(page, block, marks, room, names)

    def _run(self, page: str, block: Block, marks: Marks, room: Path | None, names: dict[str, Any]) -> str | None:
        if block.language.split()[0] == "toml":
            _parsed(tomllib.loads, block)
            self.done["read as TOML"] += 1
            return None
        if block.language == "json":
            _parsed(json.loads, block)
            self.done["read as JSON"] += 1
            return None
        if room is None or (block.language not in SHELL and block.language != "python"):
            raise WrongError(f"nothing runs {block.language!r}: expected <!-- run by: TEST --> or <!-- not run: REASON -->")
        lines = lines_to_run(block, marks)
        self.excused.update(marks.without.values())
        if not any(line.strip() for line in lines):
            return None
        began = time.monotonic()
        if block.language == "python":
            said = _python("\n" * block.line + "\n".join(lines), page, room, names)
        else:
            said = self._shell("\n".join(lines), room)
        took = time.monotonic() - began
        self.done[f"run, {'Python' if block.language == 'python' else 'shell'}"] += 1
        if took > 5:
            print(f"{page}:{block.line}: {took:.0f} s", flush=True)
        return said

    def _shell(self, script: str, room: Path) -> str:
        home = room.parent / "home"
        bin_ = room.parent / "bin"
        env = {
            **os.environ,
            "HOME": str(home),
            "PATH": f"{bin_}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "python"),
        }
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=room,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise WrongError(f"exit status {done.returncode} of\n{script}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def _room(self, page: str) -> Path:
        """A copy of the checkout, for one page."""
        around = self.rooms / page.replace("/", "-")
        shutil.rmtree(around, ignore_errors=True)
        room = around / "sidestep"
        for name in _files():
            if name.startswith(SOURCES):
                continue
            to = room / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to, follow_symlinks=False)
        (around / "home").mkdir()
        for place in (around / "bin", room / "target/release"):
            place.mkdir(parents=True)
            (place / "sidestep").symlink_to(self.sidestep)
        return room


def _files() -> list[str]:
    """The files of the checkout, tracked or new."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def _parsed(read: Any, block: Block) -> None:
    try:
        read(block.text)
    except ValueError as error:
        raise WrongError(f"is no {block.language}: {error}") from None


def _python(code: str, page: str, room: Path, names: dict[str, Any]) -> str:
    """Runs Python in `room`; what it printed."""
    out = io.StringIO()
    before = Path.cwd()
    os.chdir(room)
    if str(ROOT / "python") not in sys.path:
        sys.path.insert(0, str(ROOT / "python"))
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(code, page, "exec"), names)
    except Exception:
        raise WrongError(traceback.format_exc()) from None
    finally:
        os.chdir(before)
    return out.getvalue()


def pages() -> list[Path]:
    """Every Markdown file of the repository that says something to a reader."""
    return [ROOT / name for name in sorted(_files()) if name.endswith(".md") and not name.startswith("crates/")]


def main() -> int:
    """The exit status: 1 when something is wrong."""
    parser = argparse.ArgumentParser(description="runs the commands and snippets of the documents")
    parser.add_argument("--slow", action="store_true", help="what takes minutes as well")
    parser.add_argument("sidestep", type=Path)
    parser.add_argument("pages", nargs="*", type=Path)
    args = parser.parse_args()
    rooms = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "docs/rooms"
    runner = Runner(args.sidestep, args.slow, rooms.absolute())
    began = time.monotonic()
    for page in [path.resolve() for path in args.pages] or pages():
        runner.page(page)
    for what, count in sorted(runner.done.items()):
        print(f"{count:4} {what}")
    for reason, count in sorted(runner.excused.items()):
        print(f"{count:4} not run: {reason}")
    print(f"snippets: {time.monotonic() - began:.0f} s")
    for line in runner.wrong:
        print(line, file=sys.stderr)
    return 1 if runner.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
