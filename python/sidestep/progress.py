"""How far a run is: a line in a terminal, a text that is updated in a notebook, or whoever is told.

No dependency: IPython is asked only where it is running already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeAlias, TypedDict

__all__ = ["HowFar", "Progress", "Watcher"]


class HowFar(TypedDict):
    """How far the runs are at one instant."""

    finished: int
    """Runs that have ended, or were known."""
    runs: int
    """All of them."""
    share: float
    """Share of the work that is done, 0 to 1."""
    packet_hops: int
    """Packet-hops so far."""
    elapsed_s: float
    """Seconds since the start."""
    left_s: float | None
    """Seconds that are left, once that is no guess."""
    line: str
    """All of it in words."""


Progress: TypeAlias = "bool | Callable[[HowFar], object] | None"
"""Who is told: a function, a few times a second and at the end; True shows a line, False does not; None shows one in a
terminal or notebook."""


_WAIT_S = 5.0


class Watcher:
    """Shows progress while it is entered, and takes it away afterwards."""

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
    """A line every few seconds, where nothing can be rewritten."""

    def __init__(self) -> None:
        self._last_s = 0.0

    def tell(self, now: HowFar) -> None:
        if now["elapsed_s"] - self._last_s >= _WAIT_S or now["finished"] == now["runs"]:
            self._last_s = now["elapsed_s"]
            print(now["line"], file=sys.stderr)


def _notebook() -> Any | None:
    """IPython's display, where a notebook runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


class _Notebook:
    """A text under the cell, updated in place and gone at the end."""

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
