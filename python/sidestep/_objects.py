"""Records in object storage, by fsspec."""

import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from typing import Any

from sidestep import _claims, _native
from sidestep._claims import LEFT_S, Claim, Renew, Watch
from sidestep.errors import ScenarioError
from sidestep.executor_errors import MissingExtra, Unwritable


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
            # A listing that another process has changed must not be taken from a cache.
            self._fs: Any
            self._fs, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        except ValueError as why:
            expected = "a directory or a URL that fsspec knows"
            said = f"cache: expected {expected}, got {url!r}: {why}"
            raise ScenarioError.of_call(said, "cache", expected=expected, got=url) from why
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
        """Returns the record, if it is complete."""
        record = self._read(self._file(key))
        return record if record is not None and _native.is_record(record) else None

    def put(self, key: str, record: bytes) -> None:
        """Writes the record. Errors: `Unwritable`."""
        self._write(self._file(key), record)

    def _write(self, path: str, content: bytes) -> None:
        try:
            self._fs.pipe_file(path, content)
        except Exception as why:
            raise Unwritable(f"{self.place}: {why}") from why

    def there(self, keys: Iterable[str]) -> set[str]:
        """Returns the keys that have a file: one listing for all."""
        try:
            paths = self._fs.find(self._root)
        except Exception:
            return set()
        ends = (path.rsplit("/", 1)[-1] for path in paths if path.endswith(".record"))
        return {name.removesuffix(".record") for name in ends} & set(keys)

    def claim(self, key: str, *, wait: bool) -> Claim | None:
        """Claims the key by a conditional put, if the storage has one. Errors: `Unwritable`."""
        path, watch = self._file(key, "claim"), Watch()
        while self._tells:
            try:
                self._fs.pipe_file(path, self._content(), mode="create")
            except FileExistsError:
                content = self._read(path)
                if watch.is_stale(content) or _claims.is_gone((content or b"").decode(errors="replace")):
                    self._write(path, self._content())
                elif not wait:
                    return None
                else:
                    time.sleep(_claims.WATCH_S)
                    continue
            except (NotImplementedError, TypeError, ValueError):
                # Without a conditional put every process makes the run.
                self._tells = False
                break
            except Exception as why:
                raise Unwritable(f"{self.place}: {why}") from why
            return Claim(Renew(lambda: self._write(path, self._content()), lambda: self._fs.rm_file(path)))
        return Claim(None)

    def _content(self) -> bytes:
        # Every write differs: that shows others a renewal.
        self._count += 1
        return f"{_claims.own()} {self._token} {self._count}".encode()

    def probe(self) -> None:
        """Writes an object and removes it. Errors: `Unwritable`."""
        path = f"{self._root}/.sweep-{uuid.uuid4().hex}"
        self._write(path, b"")
        with suppress(Exception):
            self._fs.rm_file(path)

    def clean(self) -> None:
        """Removes claims whose process has ended, and claims that nobody renewed for a day."""
        with suppress(Exception):
            for path in self._fs.find(self._root):
                if not path.endswith(".claim"):
                    continue
                modified: datetime = self._fs.modified(path)
                old = datetime.now(modified.tzinfo).timestamp() - modified.timestamp() > LEFT_S
                if old or _claims.is_gone((self._read(path) or b"").decode(errors="replace")):
                    self._fs.rm_file(path)
