"""Sweeps: runs of a scenario at several points."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sidestep import _native
from sidestep._native import Plugin
from sidestep.errors import ScenarioError, check_jobs
from sidestep.policy import Scheme, several
from sidestep.progress import Progress
from sidestep.results import SweepResult, TemporaryPlace
from sidestep.run import Cache, How, Left, Seeds, Tell, carry_out, interruptible, source_of
from sidestep.scenario import ScenarioLike, scenario_of

if TYPE_CHECKING:
    from sidestep.executors import Executor

__all__ = ["sweep"]


@interruptible()
def sweep(
    scenario: ScenarioLike,
    over: Mapping[str, Sequence[Any]] | None = None,
    *,
    seeds: Seeds = None,
    quick: bool = False,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    cache: Cache = None,
    policies: Sequence[Scheme | Plugin] | Scheme | Plugin = (),
    executor: str | Executor | None = None,
    force: bool = False,
    progress: Progress = None,
) -> SweepResult:
    """Runs every combination of values with every scheme and seed.

    `over` names dotted keys and their values, as `{"switch.capacity": ["50 pkt", "100 pkt"]}`; the last varies fastest.
    A file with `[sweep]` needs no `over`.

    `executor` selects where the runs are made: by default threads of this process, otherwise `"local:processes"`,
    `"dask:tcp://HOST:8786"`, `"ray"`, `"slurm:partition=short"` or an object (`sidestep.executors`). The result's bytes
    do not depend on it. With an executor `cache` may be a URL, as `"s3://bucket/runs"`. All other arguments are those
    of `run`.

    Raises the errors of `run`, and `sidestep.executors.ExecutorError` when an executor could not make all runs.
    """
    swept = scenario_of(scenario)
    if over:
        swept = swept._over(over)
    source = source_of(swept, seeds, quick=quick)

    if executor is not None:
        own = several(policies)
        return _by_executor(source, executor, own, out=out, jobs=jobs, cache=cache, force=force, progress=progress)

    def work(how: How, tell: Tell) -> Left:
        return _native.sweep(source, how, tell, several(policies))

    return carry_out(SweepResult, work, out=out, jobs=jobs, cache=cache, force=force, progress=progress)


def _by_executor(
    source: _native.Source,
    executor: str | Executor,
    policies: Sequence[Scheme | Plugin],
    *,
    out: str | os.PathLike[str] | None,
    jobs: int | None,
    cache: Cache,
    force: bool,
    progress: Progress,
) -> SweepResult:
    """Runs the sweep by an executor."""
    from sidestep.executors import Partial, carry_out

    if policies:
        names = ", ".join(repr(scheme.name) for scheme in policies)
        expected = f"None with policies of your own ({names}), which executors cannot run"
        said = f"executor: expected {expected}; got {executor!r}"
        raise ScenarioError.of_call(said, "executor", expected=expected, got=executor)
    check_jobs(jobs)
    holder = TemporaryPlace() if out is None else None
    place = holder.path / "result" if holder is not None else out
    try:
        path, _ = carry_out(_native.Plan.of(source), executor, place, cache or None, progress, jobs=jobs, force=force)
    except Partial as stopped:
        interrupt = KeyboardInterrupt(*stopped.args)
        interrupt.partial = SweepResult(stopped.partial, _holder=holder) if stopped.partial else None  # type: ignore[attr-defined]
        raise interrupt from stopped
    return SweepResult(path, _holder=holder)
