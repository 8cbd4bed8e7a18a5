"""How far a run is: told, shown in a terminal, shown in a notebook, or nowhere."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import types
from typing import Any

import pytest

import sidestep
from sidestep.progress import HowFar, Watcher

NOW: HowFar = {
    "finished": 1,
    "runs": 4,
    "share": 0.25,
    "packet_hops": 5,
    "elapsed_s": 0.1,
    "left_s": None,
    "line": "1/4 runs",
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_whoever_is_told_hears_the_end(tiny: sidestep.Scenario) -> None:
    told: list[HowFar] = []
    sidestep.run(tiny, progress=told.append)
    last = told[-1]
    assert (last["finished"], last["runs"], last["share"]) == (4, 4, 1.0)
    assert last["packet_hops"] > 0 and last["line"].startswith("4/4 runs, 100 %")
    assert set(last) == set(HowFar.__annotations__)


def test_a_terminal_shows_one_line_and_takes_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Watcher(None) as watcher:
        assert watcher.tell is not None
        watcher.tell(NOW)
        assert terminal.getvalue() == "\r\x1b[2K1/4 runs"
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_elsewhere_nothing_is_shown_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    assert Watcher(None).tell is None
    assert Watcher(False).tell is None
    shown = Watcher(True).tell
    assert shown is not None
    shown(NOW)
    assert quiet.getvalue() == "", "a line every five seconds"
    shown({**NOW, "elapsed_s": 6.0})
    shown({**NOW, "elapsed_s": 7.0})
    shown({**NOW, "finished": 4, "elapsed_s": 8.0})
    assert quiet.getvalue() == "1/4 runs\n" * 2


def test_a_notebook_shows_a_text_that_is_updated(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            shown.append(data["text/plain"])

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        shown.append(data["text/plain"])
        return Handle()

    ipython: Any = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    displays: Any = types.ModuleType("IPython.display")
    displays.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    with Watcher(None) as watcher:
        assert watcher.tell is not None
        watcher.tell(NOW)
        watcher.tell({**NOW, "line": "2/4 runs"})
    assert shown == ["1/4 runs", "2/4 runs", ""]
    ipython.get_ipython = lambda: None
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert Watcher(None).tell is None, "IPython in a pipe is no notebook"


def test_nothing_but_the_standard_library_is_imported() -> None:
    code = "import sys, sidestep; print(*{name.split('.')[0] for name in sys.modules})"
    said = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    others = set(said.stdout.split()) - set(sys.stdlib_module_names) - {"sidestep", "__main__"}
    assert not others
