"""Sweeps across machines: executors make the runs, storage keeps their records.

    ss.sweep(scenario, executor="local")                    threads of this machine
    ss.sweep(scenario, executor="dask:tcp://HOST:8786")     a Dask scheduler that is there; also a `distributed.Client`
    ss.sweep(scenario, executor=Mine())                     whatever has the methods of `Executor`

`FORMS` lists how executors are written. The result's bytes do not depend on the executor, except `manifest.json`.
"""

from sidestep.executor_errors import ExecutorError, MissingExtra, NoAnswer, OtherVersion, Unwritable, WorkersLost
from sidestep.executors._choose import choose
from sidestep.executors._registry import FORMS
from sidestep.executors._run import Partial, carry_out, run
from sidestep.executors.protocol import Batch, Executor, Made, Task, Work

__all__ = [
    "FORMS",
    "Batch",
    "Executor",
    "ExecutorError",
    "Made",
    "MissingExtra",
    "NoAnswer",
    "OtherVersion",
    "Partial",
    "Task",
    "Unwritable",
    "Work",
    "WorkersLost",
    "carry_out",
    "choose",
    "run",
]
