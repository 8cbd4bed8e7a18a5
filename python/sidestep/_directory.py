"""Records in a directory of this machine, or of a file system that several machines share."""

import os
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sidestep import _claims, _native
from sidestep._claims import LEFT_S, Claim, Renew, Watch
from sidestep.executor_errors import Unwritable

PARTIAL_S = 600.0
"""Age after which a half-written file counts as abandoned, in seconds."""


class Directory:
    """Records in a directory of this machine, or of a file system that several machines share."""

    near = True

    def __init__(self, path: str | os.PathLike[str], *, was_made: bool = False) -> None:
        """Opens the directory. With `was_made` a missing directory was deleted and is not made again."""
        self.path = Path(path)
        self.place = str(path)
        self._parents = not was_made

    def _file(self, key: str, ending: str = "record") -> Path:
        return self.path / key[:2] / f"{key}.{ending}"

    def get(self, key: str) -> bytes | None:
        """Returns the record, if it is complete."""
        try:
            record = self._file(key).read_bytes()
        except OSError:
            return None
        return record if _native.is_record(record) else None

    def put(self, key: str, record: bytes) -> None:
        """Writes the record. Errors: `Unwritable`."""
        path = self._file(key)
        hidden = path.with_suffix(f".{uuid.uuid4().hex}.partial")
        try:
            try:
                hidden.write_bytes(record)
            except FileNotFoundError:
                path.parent.mkdir(parents=self._parents, exist_ok=True)
                hidden.write_bytes(record)
            hidden.replace(path)
        except OSError as why:
            with suppress(OSError):
                hidden.unlink(missing_ok=True)
            raise Unwritable(f"{self.place}: {why}") from why

    def there(self, keys: Iterable[str]) -> set[str]:
        """Returns the keys that have a file."""
        found: set[str] = set()
        by_start: dict[str, set[str]] = {}
        for key in keys:
            by_start.setdefault(key[:2], set()).add(key)
        for start, wanted in by_start.items():
            try:
                names = [found.name for found in (self.path / start).iterdir()]
            except OSError:
                continue
            found |= wanted & {name.removesuffix(".record") for name in names if name.endswith(".record")}
        return found

    def claim(self, key: str, *, wait: bool) -> Claim | None:
        """Claims the key by a file that only one process can create. Errors: `Unwritable`."""
        path, watch = self._file(key, "claim"), Watch()
        while True:
            try:
                _mark(path, parents=self._parents)
            except FileExistsError:
                try:
                    stamp = path.stat().st_mtime_ns
                except FileNotFoundError:
                    continue
                if _claims.is_gone(_owner(path)) or watch.is_stale(stamp):
                    try:
                        path.unlink(missing_ok=True)
                    except OSError:
                        # The claim belongs to another user, and only that user may remove it: both make the run.
                        return Claim(None)
                elif not wait:
                    return None
                else:
                    time.sleep(_claims.WATCH_S)
            except OSError as why:
                raise Unwritable(f"{self.place}: {why}") from why
            else:
                return Claim(Renew(lambda: os.utime(path), lambda: path.unlink(missing_ok=True)))

    def mark(self, name: str) -> Claim:
        """Marks by a file that this process works here. Errors: `Unwritable`."""
        path = self.path.absolute() / name
        try:
            _mark(path, parents=True)
        except OSError as why:
            raise Unwritable(f"{self.place}: {why}") from why
        return Claim(Renew(lambda: os.utime(path), lambda: path.unlink(missing_ok=True)))

    def clean(self) -> None:
        """Removes files of processes that have ended."""
        with suppress(OSError):
            now_s = _now_of(self.path)
            for entry in os.scandir(self.path):
                if entry.name.startswith(".sweep-"):
                    _clean(entry, now_s, LEFT_S)
                elif len(entry.name) == 2 and entry.is_dir():
                    for within in os.scandir(entry.path):
                        ending = within.name.rpartition(".")[2]
                        if ending in ("claim", "partial"):
                            _clean(within, now_s, _claims.EXPIRY_S if ending == "claim" else PARTIAL_S)


def _mark(path: Path, *, parents: bool) -> None:
    """Creates a file that names this process. Errors: `FileExistsError`; `OSError` if it cannot be created."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    try:
        file = os.open(path, flags, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=parents, exist_ok=True)
        file = os.open(path, flags, 0o666)
    with os.fdopen(file, "w") as to:
        to.write(_claims.own())


def _owner(path: str | os.PathLike[str]) -> str:
    """Returns the owner of a mark; empty if the mark cannot be read."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _now_of(folder: Path) -> float:
    """Returns the time by the clock that dates its files, which may be another machine's."""
    probe = folder / f".{uuid.uuid4().hex}.partial"
    probe.touch()
    try:
        return probe.stat().st_mtime
    finally:
        probe.unlink(missing_ok=True)


def _clean(entry: "os.DirEntry[str]", now_s: float, after_s: float) -> None:
    with suppress(OSError):
        old = now_s - entry.stat(follow_symlinks=False).st_mtime > after_s
        if old or (not entry.name.endswith(".partial") and _claims.is_gone(_owner(entry))):
            Path(entry).unlink(missing_ok=True)
