"""Where records are kept: a directory, or object storage by fsspec.

A record is the bytes that the command's cache keeps, in the same layout (`ab/abcdef….record`), so that a directory serves
both. Each has a digest of itself: what was half-written is as good as none. Two sweeps that want the same record compute
it once where the storage can tell them, by a claim beside it that is made only where there is none: `O_EXCL` in a
directory, a conditional put in object storage. A claim that nobody renews is taken over. Where a storage knows no
conditional put, both compute it and write the same bytes.

    s3://bucket/prefix, gs://bucket/prefix      credentials and endpoints as fsspec and its file systems read them
    /shared/records, results/.cache             a directory

Errors: `Unwritable` where nothing can be written, once per call; `MissingExtra` where fsspec or a file system of it is
not installed. Reading never raises: what cannot be read is not there.
"""

import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypedDict

from sidestep import _native
from sidestep.errors import ScenarioError
from sidestep.executor_errors import MissingExtra

__all__ = ["Claim", "Directory", "Folder", "Objects", "Store", "Unwritable", "open_folder", "reachable"]

EXPIRY_S = 60.0
"""A claim that was not renewed for so long is of a process that is gone, in seconds of the clock of whoever waits."""

WATCH_S = 0.2
"""How often whoever waits looks, in seconds."""


class Unwritable(OSError):
    """The storage refuses writes. The message says which place and why."""


class Store(TypedDict):
    """Where workers may keep records, as it travels."""

    place: str
    """A URL, or the absolute path of a directory."""
    marker: str | None
    """A file in that directory: a worker that does not see it is on a machine that has another one of that name."""
    sweep: str
    """Which call it is of: what refused once is not asked again in it."""


class Folder(Protocol):
    """Records by key."""

    place: str
    """What messages call it."""
    near: bool
    """Asking costs less than any run."""

    def get(self, key: str) -> bytes | None:
        """The record, if a whole one is there."""

    def put(self, key: str, record: bytes) -> None:
        """Keeps the record: whole or not at all. Errors: `Unwritable`."""

    def there(self, keys: Iterable[str]) -> set[str]:
        """Which of these there are files of, whole or not."""

    def claim(self, key: str, *, wait: bool) -> "Claim | None":
        """Says that this process makes the record; None when another says so.

        With `wait`, waits until that one is done or gone. Errors: `Unwritable`.
        """


class Claim:
    """That this process makes a record. Renewed by a thread of its own while it lasts."""

    def __init__(self, renew: "_Renew | None") -> None:
        self._renew = renew

    def release(self) -> None:
        """Takes it back."""
        if self._renew is not None:
            self._renew.end()


class _Renew:
    """Claims of this process, written again and again by one thread until they end."""

    _all: ClassVar[set["_Renew"]] = set()
    _lock = threading.Lock()
    _thread: threading.Thread | None = None

    def __init__(self, write: Callable[[], object], remove: Callable[[], object]) -> None:
        self._write, self._remove = write, remove
        self._one, self._over = threading.Lock(), False
        with _Renew._lock:
            _Renew._all.add(self)
            if _Renew._thread is None or not _Renew._thread.is_alive():
                _Renew._thread = threading.Thread(target=_renew, name="sidestep claims", daemon=True)
                _Renew._thread.start()

    def again(self) -> None:
        """Writes it, if it lasts: one that ended meanwhile must not come back."""
        with self._one, suppress(OSError):
            # Where it cannot be written others may take it over.
            if not self._over:
                self._write()

    def end(self) -> None:
        """Removes it."""
        with _Renew._lock:
            _Renew._all.discard(self)
        with self._one, suppress(OSError):
            # Where it cannot be removed it will be taken over.
            self._over = True
            self._remove()

    @classmethod
    def lasting(cls) -> "list[_Renew]":
        """Those that have not ended."""
        with cls._lock:
            return list(cls._all)


def _renew() -> None:
    while True:
        time.sleep(EXPIRY_S / 4)
        for claim in _Renew.lasting():
            claim.again()


class _Watch:
    """Tells whether the claim of another is still renewed: its content changes, by the clock of whoever watches."""

    def __init__(self) -> None:
        self.seen: bytes | None = None
        self.since = time.monotonic()

    def is_stale(self, content: bytes | None) -> bool:
        if content != self.seen:
            self.seen, self.since = content, time.monotonic()
        return time.monotonic() - self.since > EXPIRY_S


class Directory:
    """Records in a directory of this machine, or of a file system that several share."""

    near = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.place = str(path)

    def _file(self, key: str, ending: str = "record") -> Path:
        return self.path / key[:2] / f"{key}.{ending}"

    def get(self, key: str) -> bytes | None:
        """The record, if a whole one is there."""
        try:
            record = self._file(key).read_bytes()
        except OSError:
            return None
        return record if _native.is_record(record) else None

    def put(self, key: str, record: bytes) -> None:
        """Keeps the record. Errors: `Unwritable`."""
        path = self._file(key)
        hidden = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            hidden.write_bytes(record)
            hidden.replace(path)
        except OSError as why:
            raise Unwritable(f"{self.place}: {why}") from why

    def there(self, keys: Iterable[str]) -> set[str]:
        """Which of these there are files of."""
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
        """Claims it by a file that only one can make. Errors: `Unwritable`."""
        path, watch = self._file(key, "claim"), _Watch()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as why:
            raise Unwritable(f"{self.place}: {why}") from why
        while True:
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            except FileExistsError:
                try:
                    stamp = str(path.stat().st_mtime_ns).encode()
                except OSError:
                    continue
                if not wait and time.time() - int(stamp) / 1e9 < EXPIRY_S:
                    return None
                if watch.is_stale(stamp) or not wait:
                    path.unlink(missing_ok=True)
                    continue
                time.sleep(WATCH_S)
            except OSError as why:
                raise Unwritable(f"{self.place}: {why}") from why
            else:
                return Claim(_Renew(lambda: os.utime(path), lambda: path.unlink(missing_ok=True)))


class Objects:
    """Records in object storage."""

    near = False

    def __init__(self, url: str) -> None:
        try:
            fsspec: Any = import_module("fsspec")
        except ImportError as why:
            raise MissingExtra(f"the storage {url}", "storage", why) from why
        scheme = url.split("://", 1)[0]
        try:
            # A listing that another process has changed must not be believed.
            self._fs: Any
            self._fs, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        except ValueError as why:
            raise ScenarioError(f"cache: expected a directory or a URL that fsspec knows, got {url!r}: {why}") from why
        except ImportError as why:
            extra = {"gcs": "gs", "gs": "gs", "s3": "s3", "s3a": "s3"}.get(scheme, "storage")
            raise MissingExtra(f"the storage {url}", extra, why) from why
        self._root = str(root).rstrip("/")
        self.place = url
        self._token = uuid.uuid4().hex
        self._count = 0
        self._tells = True

    def _file(self, key: str, ending: str = "record") -> str:
        return f"{self._root}/{key[:2]}/{key}.{ending}"

    def _read(self, path: str) -> bytes | None:
        try:
            return bytes(self._fs.cat_file(path))
        except Exception:
            return None

    def get(self, key: str) -> bytes | None:
        """The record, if a whole one is there."""
        record = self._read(self._file(key))
        return record if record is not None and _native.is_record(record) else None

    def put(self, key: str, record: bytes) -> None:
        """Keeps the record. Errors: `Unwritable`."""
        self._write(self._file(key), record)

    def _write(self, path: str, content: bytes) -> None:
        try:
            self._fs.pipe_file(path, content)
        except Exception as why:
            raise Unwritable(f"{self.place}: {why}") from why

    def there(self, keys: Iterable[str]) -> set[str]:
        """Which of these there are files of: one listing for all."""
        try:
            paths = self._fs.find(self._root)
        except Exception:
            return set()
        ends = (path.rsplit("/", 1)[-1] for path in paths if path.endswith(".record"))
        return {name.removesuffix(".record") for name in ends} & set(keys)

    def claim(self, key: str, *, wait: bool) -> Claim | None:
        """Claims it by a conditional put, where there is one. Errors: `Unwritable`."""
        path, watch = self._file(key, "claim"), _Watch()
        while self._tells:
            try:
                self._fs.pipe_file(path, self._content(), mode="create")
            except FileExistsError:
                content = self._read(path)
                if watch.is_stale(content):
                    self._write(path, self._content())
                elif not wait:
                    return None
                else:
                    time.sleep(WATCH_S)
                    continue
            except (NotImplementedError, TypeError, ValueError):
                # No conditional put: whoever wants it makes it.
                self._tells = False
                break
            except Exception as why:
                raise Unwritable(f"{self.place}: {why}") from why
            renew = _Renew(lambda: self._write(path, self._content()), lambda: self._fs.rm_file(path))
            return Claim(renew)
        return Claim(None)

    def _content(self) -> bytes:
        self._count += 1
        return f"{self._token} {self._count}".encode()


def open_folder(place: str | os.PathLike[str]) -> Folder:
    """The folder at a URL or path. Errors: `MissingExtra`."""
    text = os.fspath(place)
    if text.startswith("file://"):
        return Directory(text.removeprefix("file://"))
    return Objects(text) if "://" in text else Directory(text)


def store_of(folder: Folder) -> Store | None:
    """The folder as it travels, so that workers that see it use it; None where nothing can be written."""
    sweep = uuid.uuid4().hex
    if not isinstance(folder, Directory):
        return Store(place=folder.place, marker=None, sweep=sweep)
    marker = f".sweep-{sweep}"
    path = folder.path.absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / marker).touch()
    except OSError:
        return None
    return Store(place=str(path), marker=marker, sweep=sweep)


def forget(store: Store | None) -> None:
    """Takes away what `store_of` left in a directory."""
    if store is not None and store["marker"] is not None:
        (Path(store["place"]) / store["marker"]).unlink(missing_ok=True)


def reachable(store: Store) -> Folder | None:
    """The folder, if it can be reached from here. Errors: `MissingExtra`."""
    if store["marker"] is None:
        return open_folder(store["place"])
    path = Path(store["place"])
    return Directory(path) if (path / store["marker"]).exists() else None
