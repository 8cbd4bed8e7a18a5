"""Sweeps across machines: who makes the runs, and where their records are kept.

    ss.sweep(scenario, executor="local")                    threads of this machine (also "local:processes")
    ss.sweep(scenario, executor="dask")                     Dask's cluster of this machine's processes
    ss.sweep(scenario, executor="dask:tcp://HOST:8786")     an existing scheduler; also a `distributed.Client`
    ss.sweep(scenario, executor="ray")                      Ray of this machine, or "ray:HOST:6379"
    ss.sweep(scenario, executor="slurm:partition=short")    Slurm, by submitit
    ss.sweep(scenario, executor=Mine())                     whatever has the methods of `Executor`

The result's bytes do not depend on who made the runs, `manifest.json` apart.
"""

from sidestep.executor_errors import ExecutorError, MissingExtra, NoAnswer, OtherVersion, WorkersLost
from sidestep.executors._choose import choose
from sidestep.executors._run import Partial, carry_out, run
from sidestep.executors.protocol import Batch, Executor, Made, Task, Work

__all__ = [
    "Batch",
    "Executor",
    "ExecutorError",
    "Made",
    "MissingExtra",
    "NoAnswer",
    "OtherVersion",
    "Partial",
    "Task",
    "Work",
    "WorkersLost",
    "carry_out",
    "choose",
    "run",
]
