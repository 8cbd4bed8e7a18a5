"""Ray: of this machine, or a cluster at an address.

A cluster that does not answer is refused within ten seconds. One that answered has a minute to accept this process, and
one started here two. Ray repeats the batch of a dead worker, and the batches of a dead node. If the head dies,
`WorkersLost` is raised, and received records are kept.
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from sidestep.executor_errors import ExecutorError, MissingExtra, NoAnswer, WorkersLost
from sidestep.executors import _answer
from sidestep.executors import work as worker
from sidestep.executors._ray_head import Head
from sidestep.executors._registry import package_of
from sidestep.executors.protocol import Batch, Task, Work, as_batch

AHEAD = 4
"""Batches sent in advance, for each core."""

DEATHS = 3
"""Times that Ray repeats a batch after the death of its worker."""

JOIN_S = 60.0
"""Limit for a cluster that has answered to accept this process, in seconds."""


def of_words(address: str, jobs: int | None) -> "Ray":
    """Makes an executor from the address behind `ray:`."""
    return Ray(address or None, jobs)


class Ray:
    """Ray cluster.

    `to` is the address of its head (`HOST:6379`, or `ray://HOST:10001` of its server for clients elsewhere), or None:
    the cluster that this process is connected to, or else one of this machine that ends with the sweep; `jobs` is the
    number of its cores.
    """

    def __init__(self, to: str | None = None, jobs: int | None = None) -> None:
        ray = self._ray = package_of("ray")
        self._refs: list[Any] = []
        self._over = False
        self._head: Head | None = None
        self._own = not ray.is_initialized()
        self.name = f"ray:{to}" if to else "ray"
        if not self._own:
            return
        options: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False, "configure_logging": False}
        if to is None:
            self._head = Head(jobs, _is_healthy)
            to = self._head.address
        else:
            _ask(to)
        try:
            _answer.within("the Ray cluster", to, lambda: ray.init(address=to, **_of_client(to, options)), limit_s=JOIN_S)
        except BaseException as why:
            self.close()
            if isinstance(why, RuntimeError | ValueError):
                raise NoAnswer("the Ray cluster", to, why) from why
            raise

    @property
    def workers(self) -> int:
        """Cores of the cluster."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """See `Executor.submit`."""
        ray, self._over = self._ray, False
        # An exception raised by a run is not retried: it would occur again.
        remote = ray.remote(max_retries=DEATHS, num_cpus=1)(worker.make)
        shared = ray.put(work.shared)
        left = list(reversed(batches))
        try:
            while (left or self._refs) and not self._over:
                while left and len(self._refs) < AHEAD * max(self.workers, 1):
                    batch = [tuple(task) for task in left.pop()]
                    self._refs.append(remote.remote(shared, batch, work.store))
                done, self._refs = ray.wait(self._refs, num_returns=1, timeout=1.0)
                for ref in done:
                    yield as_batch(self._result(ref))
        except (ray.exceptions.RaySystemError, ConnectionError) as why:
            raise WorkersLost(f"{self.name} is gone, and the remaining runs have no workers: {why}") from why

    def _result(self, ref: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(ref)
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError) as why:
            raise WorkersLost(f"{DEATHS + 1} workers of {self.name} died with the same runs: {why}") from why
        except errors.RayTaskError as why:
            cause = why.cause
            if isinstance(cause, ExecutorError):
                raise cause from None
            if isinstance(cause, ModuleNotFoundError):
                raise ExecutorError(
                    f"a worker of {self.name} cannot load Sidestep ({cause}): install the same version there"
                ) from why
            raise

    def cancel(self) -> None:
        """Cancels runs that have not started; running ones end by themselves."""
        self._over = True
        refs, self._refs = self._refs, []
        for ref in refs:
            with suppress(Exception):
                self._ray.cancel(ref, force=False)

    def close(self) -> None:
        """Leaves the cluster, or ends the one that was started."""
        self.cancel()
        if self._own:
            with suppress(Exception):
                self._ray.shutdown()
        if self._head is not None:
            self._head.end()


def _of_client(address: str, options: dict[str, Any]) -> dict[str, Any]:
    # A client elsewhere cannot set the other options.
    return {"log_to_driver": False} if address.startswith("ray://") else options


def _ask(address: str) -> None:
    """Refuses a cluster that does not answer. All queries share one deadline. Errors: `NoAnswer`, `MissingExtra`."""
    deadline = time.monotonic() + _answer.LIMIT_S
    _answer.listens("the Ray cluster", address)
    if address.startswith("ray://"):
        _takes_clients(address, deadline)
    else:
        _is_healthy(address, deadline)


def _takes_clients(address: str, deadline: float) -> None:
    try:
        grpc: Any = import_module("grpc")
    except ImportError as why:
        raise MissingExtra(f"the client for {address}", "ray", why) from why
    with grpc.insecure_channel(address.removeprefix("ray://")) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=max(deadline - time.monotonic(), 0.1))
        except grpc.FutureTimeoutError as why:
            raise NoAnswer("the Ray cluster", address, f"no answer within {_answer.LIMIT_S:.0f} s") from why


def _is_healthy(address: str, deadline: float) -> None:
    """Queries by another process: Ray's code would wait for minutes, and cannot be stopped. Errors: `NoAnswer`."""
    program = f"from ray.scripts.scripts import healthcheck; print(flush=True); healthcheck(['--address', {address!r}])"
    asked_s = time.monotonic()
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as asked:
        # Loading Ray takes seconds of this machine, which do not count as waiting for the answer.
        if asked.stdout is not None:
            asked.stdout.readline()
        loaded_s = time.monotonic() - asked_s
        try:
            status = asked.wait(max(deadline + loaded_s - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired as why:
            asked.kill()
            raise NoAnswer("the Ray cluster", address, f"no answer within {_answer.LIMIT_S:.0f} s") from why
    if status != 0:
        raise NoAnswer("the Ray cluster", address, "expected a healthy Ray cluster, but its health check failed")
