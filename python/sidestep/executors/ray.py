"""Ray: of this machine, or a cluster with an address.

A cluster that is not there is refused within ten seconds. A worker that dies has its batch made again by Ray; a node that
dies has those that were on it. When the head goes, `WorkersLost` is raised: what came in is kept.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from sidestep.executor_errors import ExecutorError, MissingExtra, NoAnswer, WorkersLost
from sidestep.executors import _answer
from sidestep.executors import work as worker
from sidestep.executors.protocol import Batch, Task, Work, as_batch

AHEAD = 4
"""Batches that are sent ahead, a core."""

DEATHS = 3
"""Ray makes a batch again so often when its worker dies."""


class Ray:
    """A Ray cluster.

    `to` is the address of its head (`HOST:6379`), or None: the one that this process is connected to, or else one of this
    machine that ends with the sweep; `jobs` is how many cores that one has.
    """

    def __init__(self, to: str | None = None, jobs: int | None = None) -> None:
        try:
            ray: Any = import_module("ray")
        except ImportError as why:
            raise MissingExtra("the executor ray", "ray", why) from why
        self._ray = ray
        self._refs: list[Any] = []
        self._over = False
        self._own = not ray.is_initialized()
        self.name = f"ray:{to}" if to else "ray"
        if not self._own:
            return
        options: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False, "configure_logging": False}
        if to is None:
            # Without it, an address that the environment names would be taken.
            try:
                ray.init(address="local", num_cpus=jobs, **options)
            except Exception as why:
                raise NoAnswer("Ray", "this machine", why) from why
            return
        _answer.listens("the Ray cluster", to)
        if not to.startswith("ray://"):
            _is_healthy(to)
        _answer.within("the Ray cluster", to, lambda: ray.init(address=to, **options), limit_s=60.0)

    @property
    def workers(self) -> int:
        """Cores of the cluster."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    def submit(self, work: Work, batches: Sequence[Sequence[Task]]) -> Iterator[Batch]:
        """See `Executor.submit`."""
        ray, self._over = self._ray, False
        # An exception of a run's own is not tried again: it would be the same.
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
            raise WorkersLost(f"{self.name} is gone, and nobody makes the other runs: {why}") from why

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
        """Takes back what workers have not made; a run that is under way ends on its own."""
        self._over = True
        refs, self._refs = self._refs, []
        for ref in refs:
            with suppress(Exception):
                self._ray.cancel(ref, force=False)

    def close(self) -> None:
        """Leaves the cluster, or ends the one that was started."""
        self.cancel()
        if self._own:
            self._ray.shutdown()


def _is_healthy(address: str) -> None:
    """Asks by another process: Ray's own code would wait for minutes, and cannot be ended. Errors: `NoAnswer`."""
    program = f"from ray.scripts.scripts import healthcheck; print(flush=True); healthcheck(['--address', {address!r}])"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as asked:
        # Loading Ray takes seconds of this machine, and is nobody's answer.
        if asked.stdout is not None:
            asked.stdout.readline()
        try:
            status = asked.wait(_answer.LIMIT_S)
        except subprocess.TimeoutExpired as why:
            asked.kill()
            raise NoAnswer("the Ray cluster", address, f"nothing came back within {_answer.LIMIT_S:.0f} s") from why
    if status != 0:
        raise NoAnswer("the Ray cluster", address, "it is no Ray cluster that is well")
