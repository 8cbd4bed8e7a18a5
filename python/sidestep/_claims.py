"""Who is at work: marks that a process leaves in a storage, renews while it lasts, and takes away when it ends.

A mark says whose it is: the machine, since when that runs, and the process. So whoever finds one on the same machine knows at
once whether its process is gone; elsewhere a mark that nobody renewed for `EXPIRY_S` is of a process that is gone.
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
"""A claim that was not renewed for so long is of a process that is gone, in seconds of the clock of whoever waits."""

LEFT_S = 86_400.0
"""What a process of another machine left and nobody renewed for so long is taken away, in seconds."""

WATCH_S = 0.2
"""How often whoever waits looks, in seconds."""


@lru_cache(maxsize=1)
def machine() -> str:
    """A name of this machine since it was started, as its processes see each other: the same in all that can tell."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # In another container the same numbers are other processes.
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def own() -> str:
    """What a mark says of this process."""
    pid = os.getpid()
    return f"{machine()} {pid} {_started(pid)}"


def is_gone(owner: str) -> bool:
    """Has this process ended? False also where that cannot be told."""
    of, _, process = owner.partition(" ")
    pid, _, started = process.partition(" ")
    if not of or of != machine() or not pid.isdigit():
        return False
    return _started(int(pid)) != started.partition(" ")[0]


def _started(pid: int) -> str:
    """When a process of this machine began, in ticks; empty for one that is not there or only waits to be buried."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


class Claim:
    """That this process is at work on something. Renewed by a thread of its own while it lasts."""

    def __init__(self, renew: "Renew | None") -> None:
        self._renew = renew

    def release(self) -> None:
        """Takes it back."""
        if self._renew is not None:
            self._renew.end()


class Renew:
    """Marks of this process, written again and again by one thread until they end."""

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
        """Writes it, if it lasts: one that ended meanwhile must not come back."""
        with self._one, suppress(OSError):
            # Where it cannot be written others may take it over.
            if not self._over:
                self._write()

    def end(self) -> None:
        """Removes it."""
        with Renew._lock:
            Renew._all.discard(self)
        with self._one, suppress(OSError):
            # Where it cannot be removed it will be taken over.
            self._over = True
            self._remove()

    @classmethod
    def lasting(cls) -> "list[Renew]":
        """Those that have not ended."""
        with cls._lock:
            return list(cls._all)


def _renew() -> None:
    while True:
        time.sleep(EXPIRY_S / 4)
        for claim in Renew.lasting():
            claim.again()


class Watch:
    """Tells whether the mark of another is still renewed: it changes, by the clock of whoever watches."""

    def __init__(self) -> None:
        self.seen: object = None
        self.since = time.monotonic()

    def is_stale(self, stamp: object) -> bool:
        """Whether it has been `stamp` for too long."""
        if stamp != self.seen:
            self.seen, self.since = stamp, time.monotonic()
        return time.monotonic() - self.since > EXPIRY_S
