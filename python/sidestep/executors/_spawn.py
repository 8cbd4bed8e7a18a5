"""Processes that are started anew, and know nothing of the script that started them."""

import sys
import threading
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

_HIDING = threading.Lock()


class _Process(SpawnProcess):
    """A process that does not run the main script again.

    A spawned process runs it to find what it defines; here that is nothing, and a script without `if __name__ ==
    "__main__":` would begin its sweep once more in each process.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        with _HIDING:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                sys.modules["__main__"] = main


class Spawn(SpawnContext):
    """What a pool of such processes is made with."""

    Process = _Process
