"""Progress of a run: a line in a terminal, a text that is updated in a notebook, or calls of a function.

No dependency: IPython is used only if it is running already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeAlias, TypedDict

__all__ = ["HowFar", "Progress", "Watcher"]


class HowFar(TypedDict):
    """Progress at one instant."""

    finished: int
    """Runs that have ended, or were in the cache."""
    runs: int
    """Runs in total."""
    share: float
    """Share of the finished work, 0 to 1."""
    packet_hops: int
    """Packet-hops so far."""
    elapsed_s: float
    """Seconds since the start."""
    left_s: float | None
    """Estimate of the remaining seconds; None while there is no sound estimate."""
    line: str
    """Progress in words."""


Progress: TypeAlias = "bool | Callable[[HowFar], object] | None"
"""Receiver of progress: a function, called a few times a second and at the end; True shows a line, False nothing; None
shows a line in a terminal or a text in a notebook."""


_WAIT_S = 5.0


class Watcher:
    """Display of progress: shown while it is entered, removed afterwards."""

    def __init__(self, progress: Progress) -> None:
        self.tell: Callable[[HowFar], object] | None = None
        self._end: Callable[[], object] | None = None
        if callable(progress):
            self.tell = progress
        elif progress is not False:
            self._show(always=progress is True)

    def _show(self, *, always: bool) -> None:
        notebook = _notebook()
        if notebook is not None:
            shown = _Notebook(notebook)
            self.tell, self._end = shown.tell, shown.end
        elif sys.stderr is not None and sys.stderr.isatty():
            self.tell, self._end = _line, _clear
        elif always:
            self.tell = _Lines().tell

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._end is not None:
            self._end()


def _line(now: HowFar) -> None:
    sys.stderr.write(f"\r\x1b[2K{now['line']}")
    sys.stderr.flush()


def _clear() -> None:
    sys.stderr.write("\r\x1b[2K")
    sys.stderr.flush()


class _Lines:
    """A line every few seconds, for outputs where no line can be rewritten."""

    def __init__(self) -> None:
        self._last_s = 0.0

    def tell(self, now: HowFar) -> None:
        if now["elapsed_s"] - self._last_s >= _WAIT_S or now["finished"] == now["runs"]:
            self._last_s = now["elapsed_s"]
            print(now["line"], file=sys.stderr)


def _notebook() -> Any | None:
    """Returns IPython's display, if a notebook runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


class _Notebook:
    """Text under the cell, updated in place and removed at the end."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def _put(self, text: str) -> None:
        shown = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def tell(self, now: HowFar) -> None:
        self._put(now["line"])

    def end(self) -> None:
        if self._handle is not None:
            self._put("")
