"""Where records are kept: a directory, or object storage by fsspec.

A record is the bytes that the command's cache keeps, in the same layout (`ab/abcdef….record`), so that a directory serves
both. Each has a digest of itself: what was half-written is as good as none. Two sweeps that want the same record compute
it once where the storage can tell them, by a claim beside it that is made only where there is none: `O_EXCL` in a
directory, a conditional put in object storage. A claim is taken over when its process is gone, which on the same machine is
known at once, and elsewhere when nobody renewed it for a minute. Where a storage knows no conditional put, both compute it
and write the same bytes.

What killed processes leave is taken away when the next sweep begins there: claims whose process is gone; the mark of a sweep
(`.sweep-…`) whose process is gone, or that nobody renewed for a day; files half-written ten minutes ago.

    s3://bucket/prefix, gs://bucket/prefix      credentials and endpoints as fsspec and its file systems read them
    /shared/records, results/.cache             a directory

Errors: `Unwritable` where nothing can be written; `MissingExtra` where fsspec or a file system of it is
not installed. Reading never raises: what cannot be read is not there.
"""

import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, TypedDict

from sidestep import _claims
from sidestep._claims import Claim
from sidestep._directory import Directory
from sidestep._objects import Objects
from sidestep.executor_errors import Unwritable

__all__ = ["Directory", "Folder", "Objects", "Sharing", "Store", "Unwritable", "open_folder", "reachable", "stays"]


class Store(TypedDict):
    """Where workers may keep records, as it travels."""

    place: str
    """A URL, or the absolute path of a directory."""
    marker: str | None
    """A file in that directory: a worker that does not see it is on a machine that has another one of that name."""
    sweep: str
    """Which call it is of: what refused once is not asked again in it."""
    machine: str
    """Who asks runs there: a worker of that machine that sees the marker need not send what it has kept."""
    claims: bool
    """Others may want the same records."""


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

    def claim(self, key: str, *, wait: bool) -> Claim | None:
        """Says that this process makes the record; None when another says so.

        With `wait`, waits until that one is done or gone. Errors: `Unwritable`.
        """

    def clean(self) -> None:
        """Takes away what processes that are gone left. Raises nothing."""


def open_folder(place: str | os.PathLike[str]) -> Folder:
    """The folder at a URL or path. Errors: `MissingExtra`."""
    text = os.fspath(place)
    if text.startswith("file://"):
        return Directory(text.removeprefix("file://"))
    return Objects(text) if "://" in text else Directory(text)


class Sharing:
    """A folder that workers keep records in while a sweep lasts.

    Without `claims` it is this sweep's alone. Errors: `Unwritable`.
    """

    def __init__(self, folder: Folder, *, claims: bool = True) -> None:
        sweep = uuid.uuid4().hex
        self._mark = Claim(None)
        marker = None
        place = folder.place
        if isinstance(folder, Directory):
            marker = f".sweep-{sweep}"
            place = str(folder.path.absolute())
            self._mark = folder.mark(marker)
        elif isinstance(folder, Objects):
            folder.probe()
        self.store = Store(place=place, marker=marker, sweep=sweep, machine=_claims.machine(), claims=claims)

    def end(self) -> None:
        """Takes away its mark."""
        self._mark.release()


def reachable(store: Store) -> Folder | None:
    """The folder, if it can be reached from here. Errors: `MissingExtra`."""
    if store["marker"] is None:
        return open_folder(store["place"])
    path = Path(store["place"])
    return Directory(path, was_made=True) if (path / store["marker"]).exists() else None


def stays(store: Store) -> bool:
    """Whether a record that is kept there from here is where it is collected."""
    return store["marker"] is not None and store["machine"] != "" and store["machine"] == _claims.machine()
