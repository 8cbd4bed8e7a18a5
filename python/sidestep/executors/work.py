"""What a worker does: the only code of the package that runs elsewhere.

Arguments and results are plain values, so that a worker of another version can still read who asked, and refuse.
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
"""What became of each task, and why nothing could be kept."""

CODE = _native.build_info()["code"]
"""The code that this worker runs."""

BELOW_CLAIMS = 2e5
"""A run of fewer packets costs less than asking a distant storage about it: about 0.2 s."""


def make(shared: bytes, tasks: Sequence[PlainTask], store: Store | None, stop: _native.Stop | None = None) -> Plain:
    """Makes the runs of `tasks`, one after another.

    Where `store` can be reached from here, what another sweep has made or is making is not made again, and what is made is
    kept at once. Errors: `OtherVersion`, before anything is computed.
    """
    worker = _worker(shared)
    keep = _Keeper(None) if store is None else _keeper(**store)
    made: list[PlainMade] = []
    # What another sweep is making comes last: it may be there by then.
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
    """Keeps records where the sweep says, if that place can be reached from here."""

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
        """Makes or finds one; None when another sweep is at it and `wait` is not said."""
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
                # Asked when nobody else can be making it any more.
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
        """Whether the record is in the folder now."""
        if self.refused is not None:
            return False
        try:
            folder.put(key, record)
        except Unwritable as why:
            self.refused = str(why)
        return self.refused is None


@lru_cache(maxsize=8)
def _keeper(place: str, marker: str | None, sweep: str, machine: str, claims: bool) -> _Keeper:
    """The one of this sweep: what refused once is not asked again, since a place that is away may take minutes."""
    return _Keeper(Store(place=place, marker=marker, sweep=sweep, machine=machine, claims=claims))


def _worker(shared: bytes) -> _native.Worker:
    if (asked := _asked(shared)) != CODE:
        raise OtherVersion(asked, CODE, platform.node())
    return _read(shared)


@lru_cache(maxsize=4)
def _asked(shared: bytes) -> str:
    """The code that asks, which stands in what it sends whatever its version."""
    return str(json.loads(shared)["code"])


@lru_cache(maxsize=4)
def _read(shared: bytes) -> _native.Worker:
    """The experiment, read once in each process."""
    return _native.Worker(shared)
