"""Code of a worker: the only part of the package that runs elsewhere.

Arguments and results are plain values, so that a worker of another version can still read the caller's version, and
refuse.
"""

import json
import platform
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from sidestep import _native
from sidestep.executor_errors import MissingExtra, OtherVersion
from sidestep.storage import Folder, Store, Unwritable, reachable, stays

PlainTask: TypeAlias = tuple[str, int, int, int, float]
"""Key, point, scheme, seed, cost: see `protocol.Task`."""

PlainMade: TypeAlias = tuple[str, bytes | None, bool, str | None, bool, int]
"""Key, record, found, error, kept, packet-hops: see `protocol.Made`."""

Plain: TypeAlias = tuple[list[PlainMade], str | None]
"""Outcome of each task, and the reason why nothing could be kept."""

CODE = _native.build_info()["code"]
"""Code of this worker."""

BELOW_CLAIMS = 2e5
"""Packets below which a run costs less than a query to a distant storage: about 0.2 s."""


def make(shared: bytes, tasks: Sequence[PlainTask], store: Store | None, stop: _native.Stop | None = None) -> Plain:
    """Makes the runs of `tasks`, one after another.

    If `store` can be reached from here, runs that another sweep has made or is making are not repeated, and each record
    is kept at once. Errors: `OtherVersion`, before anything is computed.
    """
    worker = _worker(shared)
    keep = _Keeper(None) if store is None else _keeper(**store)
    made: list[PlainMade] = []
    # Runs that another sweep is making come last: they may be finished by then.
    later: list[PlainTask] = []
    for task in tasks:
        one = keep.one(worker, task, stop, wait=False)
        if one is None:
            later.append(task)
        else:
            made.append(one)
    for task in later:
        one = keep.one(worker, task, stop, wait=True)
        assert one is not None, "whoever waits gets it or makes it"
        made.append(one)
    return made, keep.refused


class _Keeper:
    """Keeper of records in the sweep's storage, if that can be reached from here."""

    def __init__(self, store: Store | None) -> None:
        self.refused: str | None = None
        self.folder: Folder | None = None
        self.claims = store is not None and store["claims"]
        self.stays = store is not None and stays(store)
        if store is not None:
            try:
                self.folder = reachable(store)
            except MissingExtra as why:
                self.refused = f"a worker on {platform.node()}: {why}"

    def one(self, worker: _native.Worker, task: PlainTask, stop: _native.Stop | None, *, wait: bool) -> PlainMade | None:
        """Makes or finds one record; None if another sweep is making it and `wait` is false."""
        key, point, scheme, seed, cost = task
        folder = self.folder
        claim = None
        if folder is not None and self.claims and self.refused is None and (folder.near or cost >= BELOW_CLAIMS):
            try:
                claim = folder.claim(key, wait=wait)
            except Unwritable as why:
                self.refused = str(why)
            else:
                if claim is None:
                    return None
                # Checked while no other process can be making it.
                if (found := folder.get(key)) is not None:
                    claim.release()
                    return key, None if self.stays else found, True, None, self.stays, 0
        try:
            made = worker.compute(key, point, scheme, seed, stop)
            if made is None:
                return key, None, False, None, False, 0
            record, hops = made
            kept = folder is not None and self._keep(folder, key, record) and self.stays
        except (RuntimeError, ValueError) as why:
            return key, None, False, str(why), False, 0
        finally:
            if claim is not None:
                claim.release()
        return key, None if kept else record, False, None, kept, hops

    def _keep(self, folder: Folder, key: str, record: bytes) -> bool:
        """Returns True if the record is in the folder now."""
        if self.refused is not None:
            return False
        try:
            folder.put(key, record)
        except Unwritable as why:
            self.refused = str(why)
        return self.refused is None


@lru_cache(maxsize=8)
def _keeper(place: str, marker: str | None, sweep: str, machine: str, claims: bool) -> _Keeper:
    """Returns the keeper of this sweep: a place that refused once is not tried again, since an absent one may take minutes."""
    return _Keeper(Store(place=place, marker=marker, sweep=sweep, machine=machine, claims=claims))


def _worker(shared: bytes) -> _native.Worker:
    if (asked := _asked(shared)) != CODE:
        raise OtherVersion(asked, CODE, platform.node())
    return _read(shared)


@lru_cache(maxsize=4)
def _asked(shared: bytes) -> str:
    """Returns the code of the caller, which has the same place in the data of every version."""
    return str(json.loads(shared)["code"])


@lru_cache(maxsize=4)
def _read(shared: bytes) -> _native.Worker:
    """Returns the experiment, read once in each process."""
    return _native.Worker(shared)
