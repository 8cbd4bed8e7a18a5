"""Head of Ray on this machine, as a separate process.

If Ray cannot start, it waits for a minute and then ends the process that called it, with the whole sweep. In a separate
process it ends only that one. The head listens on this machine only, and ends with the process that started it, however
that ends.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress

from sidestep.executor_errors import NoAnswer

START_S = 120.0
"""Limit of the start in seconds, all attempts together. Ray gives up after 30: then the start is tried again."""

END_S = 20.0
"""Time that it has to end its processes, in seconds."""

PROGRAM = """
import os, signal, sys, threading
def end_with_whoever_started_it():
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=end_with_whoever_started_it, daemon=True).start()
from ray.scripts.scripts import main
main()
"""


class Head:
    """Running head. `is_well` queries the cluster at an address before a deadline, and raises `NoAnswer`."""

    def __init__(self, jobs: int | None, is_well: Callable[[str, float], None]) -> None:
        deadline = time.monotonic() + START_S
        said = "its health was never checked"
        while time.monotonic() < deadline:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            self.address = f"127.0.0.1:{port}"
            # A loaded machine misses Ray's heartbeats; this cluster cannot survive the loss of its only node.
            patient = json.dumps({"health_check_failure_threshold": 100})
            words = ["--node-ip-address=127.0.0.1", f"--port={port}", f"--num-cpus={jobs or len(os.sched_getaffinity(0))}"]
            with tempfile.TemporaryFile() as log:
                self._process = subprocess.Popen(
                    [
                        sys.executable,
                        "-c",
                        PROGRAM,
                        "start",
                        "--head",
                        *words,
                        "--include-dashboard=false",
                        f"--system-config={patient}",
                        "--block",
                    ],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                )
                if self._comes_up(deadline, is_well):
                    return
                self.end()
                log.seek(0)
                lines = log.read().decode(errors="replace").split("\n")
                said = next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")
        raise NoAnswer("Ray", "this machine", f"Ray did not start within {START_S:.0f} s: {said}")

    def _comes_up(self, deadline: float, is_well: Callable[[str, float], None]) -> bool:
        port = int(self.address.rpartition(":")[2])
        while self._process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                is_open = probe.connect_ex(("127.0.0.1", port)) == 0
            if is_open:
                with suppress(NoAnswer):
                    is_well(self.address, deadline)
                    return True
            time.sleep(0.1)
        return False

    def end(self) -> None:
        """Ends the head and its processes."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.terminate()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
