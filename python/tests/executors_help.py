"""A sweep that executors make in tests, and what they are compared by."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from sidestep import executors
from sidestep.executors import Batch, Executor, Task, Work

SWEEP = """
title = "for executors"
duration = "2 ms"
schemes = ["dctcp", "dibs"]
seeds = "1..3"
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "query"
rate = "2 k/s"
degree = 6
size = "20 kB"
[sweep]
"workload.query.degree" = [4, 6, 8]
"switch.capacity" = ["20 pkt", "50 pkt", "100 pkt"]
"""

RUNS = 9 * 2 * 3


def files(result: Path) -> dict[str, bytes]:
    """What every file of a result directory holds, but the manifest, which says who made it."""
    every = (path for path in result.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(result)): path.read_bytes() for path in every}


def records(folder: Path) -> set[str]:
    """Keys of the records that a directory keeps."""
    return {path.stem for path in folder.glob("??/*.record")}


def local(tmp: Path, text: str = SWEEP) -> dict[str, bytes]:
    """What the sweep comes to with threads of this process."""
    return files(executors.run(text, "sweep.toml", out=tmp / "by-threads", jobs=1))


class Watched:
    """Another executor, with something done once a first record has come in, while others are under way."""

    def __init__(self, executor: Executor, then: Callable[[], object]) -> None:
        self.executor, self.then, self.name = executor, then, executor.name
        self.batches = 0
        self.travelled = 0
        """Records that came by the executor, and not by the folder that both see."""

    @property
    def workers(self) -> int:
        return self.executor.workers

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        for batch in self.executor.submit(work, batches):
            self.travelled += sum(made.record is not None for made in batch.made)
            yield batch
            self.batches += 1
            if self.batches == 1:
                self.then()

    def cancel(self) -> None:
        self.executor.cancel()

    def close(self) -> None:
        self.executor.close()


def kill(process: subprocess.Popen[bytes]) -> None:
    """As the kernel does to who takes too much memory."""
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def start(command: Sequence[str], log: Path, *, new_session: bool = False, **more: str) -> subprocess.Popen[bytes]:
    """Starts a process of this Python; what it says is in `log`."""
    with log.open("wb") as to:
        words, env = [sys.executable, "-m", *command], {**os.environ, **more}
        return subprocess.Popen(words, stdout=to, stderr=to, env=env, start_new_session=new_session)


def free_ports(many: int) -> list[str]:
    """Ports that nobody has now."""
    with ExitStack() as held:
        servers = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(many)]
        return [str(server.getsockname()[1]) for server in servers]


def is_open(port: str) -> bool:
    """Does somebody listen there?"""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


def another_version(work: Work) -> Work:
    """As if code of another version asked: to workers it is they who have another."""
    asked = json.loads(work.shared)
    asked["code"] = "0.0.9-other"
    return Work(json.dumps(asked).encode(), work.store)


def until(true: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Waits until something is true of a process that lives. However slow the machine is, it may take minutes."""
    for _ in range(6_000):
        if true():
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError(f"it did not come up:\n{log.read_text()}")
