"""Processes that start anew, without the script that started them."""

import sys
import threading
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

_HIDING = threading.Lock()


class _Process(SpawnProcess):
    """Process that does not run the main script again.

    A spawned process runs it to find its definitions; here none are needed, and a script without
    `if __name__ == "__main__":` would start its sweep again in each process.
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
    """Context that makes such processes, for a pool."""

    Process = _Process
