"""From what a user wrote to an executor."""

from typing import Any

from sidestep.errors import ScenarioError
from sidestep.executors.protocol import Executor

KINDS = ("local", "local:processes", "dask", "dask:ADDRESS", "ray", "ray:ADDRESS", "slurm", "slurm:OPTION=VALUE,…")


def choose(what: Any, jobs: int | None = None) -> Executor:
    """The executor that `what` names, or is; `jobs` is how many runs at a time where it is this machine's.

    Errors: `ScenarioError` for a name that is none; `MissingExtra`; `NoAnswer` within ten seconds.
    """
    if jobs is not None and jobs < 1:
        raise ScenarioError(f"jobs: expected at least 1, got {jobs}")
    if not isinstance(what, str):
        if isinstance(what, Executor):
            return what
        if type(what).__module__.partition(".")[0] == "distributed":
            from sidestep.executors.dask import Dask

            return Dask(what)
        raise ScenarioError(f"executor: expected one of {', '.join(KINDS)}, or an object as in Executor, got {what!r}")
    kind, _, rest = what.partition(":")
    if kind == "local" and rest in ("", "threads", "processes"):
        from sidestep.executors.local import Local

        return Local(jobs, processes=rest == "processes")
    if kind == "dask":
        from sidestep.executors.dask import Dask

        return Dask(rest or None, jobs)
    if kind == "ray":
        from sidestep.executors.ray import Ray

        return Ray(rest or None, jobs)
    if kind == "slurm":
        from sidestep.executors.slurm import Slurm

        return Slurm.from_words(rest)
    raise ScenarioError(f"executor: expected one of {', '.join(KINDS)}, got {what!r}")
