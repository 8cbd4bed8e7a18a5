"""Places of records: a directory, or object storage by fsspec.

A record is the bytes that the command's cache keeps, in the same layout (`ab/abcdef….record`), so that a directory
serves both. Each record contains its digest, so that a half-written one counts as missing.

Two sweeps that need the same record compute it once, if the storage supports claims: a file beside the record that only
one process can create, by `O_EXCL` in a directory, by a conditional put in object storage. A claim of an ended process
is taken over, on the same machine at once, elsewhere when nobody renewed it for a minute. Without conditional puts both
sweeps compute the record and write the same bytes.

The next sweep there removes remains of killed processes: claims whose process has ended; marks of a sweep (`.sweep-…`)
whose process has ended, or that nobody renewed for a day; half-written files older than ten minutes.

    s3://bucket/prefix, gs://bucket/prefix      credentials and endpoints as fsspec and its file systems read them
    /shared/records, results/.cache             a directory

Errors: `Unwritable` if nothing can be written; `MissingExtra` if fsspec or one of its file systems is not installed.
Reading never raises: a record that cannot be read counts as missing.
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
    """Storage that workers may use, as sent to them."""

    place: str
    """A URL, or the absolute path of a directory."""
    marker: str | None
    """File in that directory. A worker that does not see it is on a machine with another directory of that name."""
    sweep: str
    """Call that the store belongs to: a place that refused once is not tried again in this call."""
    machine: str
    """Machine of the caller: a worker there that sees the marker need not send the records that it wrote."""
    claims: bool
    """True if others may need the same records."""


class Folder(Protocol):
    """Records by key."""

    place: str
    """Name in messages."""
    near: bool
    """True if a query costs less than any run."""

    def get(self, key: str) -> bytes | None:
        """Returns the record, if it is complete."""

    def put(self, key: str, record: bytes) -> None:
        """Writes the record completely or not at all. Errors: `Unwritable`."""

    def there(self, keys: Iterable[str]) -> set[str]:
        """Returns the keys that have a file, complete or not."""

    def claim(self, key: str, *, wait: bool) -> Claim | None:
        """Claims the record for this process; None if another process has claimed it.

        With `wait`, waits until that process has finished or ended. Errors: `Unwritable`.
        """

    def clean(self) -> None:
        """Removes files of processes that have ended. Raises nothing."""


def open_folder(place: str | os.PathLike[str]) -> Folder:
    """Returns the folder at a URL or path. Errors: `MissingExtra`."""
    text = os.fspath(place)
    if text.startswith("file://"):
        return Directory(text.removeprefix("file://"))
    return Objects(text) if "://" in text else Directory(text)


class Sharing:
    """Folder where workers keep records during a sweep.

    Without `claims` only this sweep uses it. Errors: `Unwritable`.
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
        """Removes the mark of the sweep."""
        self._mark.release()


def reachable(store: Store) -> Folder | None:
    """Returns the folder, if it can be reached from here. Errors: `MissingExtra`."""
    if store["marker"] is None:
        return open_folder(store["place"])
    path = Path(store["place"])
    return Directory(path, was_made=True) if (path / store["marker"]).exists() else None


def stays(store: Store) -> bool:
    """Returns True if a record written from here is in the place that the caller collects from."""
    return store["marker"] is not None and store["machine"] != "" and store["machine"] == _claims.machine()
