"""Marks of working processes: a process writes one to a storage, renews it while it works, and removes it at the end.

A mark names its owner: the machine, the start of that machine, and the process. A process on the same machine can tell
at once whether the owner has ended. Elsewhere an owner counts as ended if nobody renewed its mark for `EXPIRY_S`.
"""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

EXPIRY_S = 60.0
"""Age of the last renewal after which a claim counts as abandoned, in seconds of the waiting process's clock."""

LEFT_S = 86_400.0
"""Age after which files of a process on another machine are removed if nobody renewed them, in seconds."""

WATCH_S = 0.2
"""Interval at which a waiting process looks, in seconds."""


@lru_cache(maxsize=1)
def machine() -> str:
    """Returns a name of this machine since its start, the same for all processes that can see each other."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # In another container the same process numbers belong to other processes.
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def own() -> str:
    """Returns the text of this process's marks."""
    pid = os.getpid()
    return f"{machine()} {pid} {_started(pid)}"


def is_gone(owner: str) -> bool:
    """Returns True if this process has ended; False also if that is unknown."""
    of, _, process = owner.partition(" ")
    pid, _, started = process.partition(" ")
    if not of or of != machine() or not pid.isdigit():
        return False
    return _started(int(pid)) != started.partition(" ")[0]


def _started(pid: int) -> str:
    """Returns the start of a process of this machine, in ticks; empty if the process does not exist or is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


class Claim:
    """Claim of this process on a piece of work, renewed by a thread until its release."""

    def __init__(self, renew: "Renew | None") -> None:
        self._renew = renew

    def release(self) -> None:
        """Releases the claim."""
        if self._renew is not None:
            self._renew.end()


class Renew:
    """Mark of this process, rewritten by one thread for all marks until its end."""

    _all: ClassVar[set["Renew"]] = set()
    _lock = threading.Lock()
    _thread: threading.Thread | None = None

    def __init__(self, write: Callable[[], object], remove: Callable[[], object]) -> None:
        self._write, self._remove = write, remove
        self._one, self._over = threading.Lock(), False
        with Renew._lock:
            Renew._all.add(self)
            if Renew._thread is None or not Renew._thread.is_alive():
                Renew._thread = threading.Thread(target=_renew, name="sidestep claims", daemon=True)
                Renew._thread.start()

    def again(self) -> None:
        """Writes the mark, unless it has ended: an ended mark must not come back."""
        with self._one, suppress(OSError):
            # If the mark cannot be written, others may take the work over.
            if not self._over:
                self._write()

    def end(self) -> None:
        """Removes the mark."""
        with Renew._lock:
            Renew._all.discard(self)
        with self._one, suppress(OSError):
            # If the mark cannot be removed, others will take it over.
            self._over = True
            self._remove()

    @classmethod
    def lasting(cls) -> "list[Renew]":
        """Returns the marks that have not ended."""
        with cls._lock:
            return list(cls._all)


def _renew() -> None:
    while True:
        time.sleep(EXPIRY_S / 4)
        for claim in Renew.lasting():
            claim.again()


class Watch:
    """Observer of another process's mark: tells, by the observer's clock, whether the mark is still renewed."""

    def __init__(self) -> None:
        self.seen: object = None
        self.since = time.monotonic()

    def is_stale(self, stamp: object) -> bool:
        """Returns True if the mark has been `stamp` for too long."""
        if stamp != self.seen:
            self.seen, self.since = stamp, time.monotonic()
        return time.monotonic() - self.since > EXPIRY_S
