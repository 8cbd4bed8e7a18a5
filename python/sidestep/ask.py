"""Queries without a run, or about results: the command's `--json` as dictionaries."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sidestep import _native
from sidestep._native import Plugin
from sidestep.errors import ResultError
from sidestep.policy import Scheme, several
from sidestep.results import Reproduction, Result, SweepResult
from sidestep.run import _jobs, source_of
from sidestep.scenario import Scenario, ScenarioLike

__all__ = ["check", "list", "show", "why"]


def check(scenario: ScenarioLike, *, quick: bool = False, jobs: int | None = None) -> dict[str, Any]:
    """Explains a scenario: every value with its source, the offered load, an estimate of the run time, warnings.

    The dictionary is that of `sidestep check --json`: `scenarios` holds the answer, `problems` the errors. A file that
    cannot be read therefore raises no exception. Rates are in bit/s, times in the unit of their name.
    """
    if isinstance(scenario, Scenario):
        source = source_of(scenario, quick=quick)
    else:
        found = _native.Source.find(os.fspath(scenario))
        source = _native.Source(found.name, found.text, folder=found.folder, figure=found.figure, quick=quick)
    return _dict(_native.check(source, _jobs(jobs)))


def list(kind: str | None = None) -> dict[str, Any]:  # noqa: A001  the command's name
    """Lists the choices: of one kind, as `list("buffers")`, or of all. Each item has its summary, source and parameters."""
    return _dict(_native.list(kind))


def show(path: str | os.PathLike[str]) -> Result | SweepResult | Reproduction:
    """Returns the result of an earlier call, by the path of its directory."""
    directory = Path(path)
    if (directory / "report.json").is_file():
        return Reproduction(directory)
    # The command's message for a directory without a result.
    _native.show(directory)
    found = Result(directory)
    return SweepResult(directory) if "experiment" in found.summary else found


def why(
    result: Result | str | os.PathLike[str],
    *,
    scheme: str | None = None,
    seed: int | None = None,
    packet: str | None = None,
    flow: int | None = None,
    dropped: bool = False,
    detoured: bool = False,
    class_: str | None = None,
    files: str | os.PathLike[str] | None = None,
    policies: Sequence[Scheme | Plugin] | Scheme | Plugin = (),
) -> dict[str, Any]:
    """Explains the path of one packet, or lists packets. For this, the run is repeated.

    `packet` is its source host and its number there, as `"100:3"`; `flow`, `dropped` and `detoured` list packets. With
    `class_`, a workload or a class of a flow list, only those of its flows; alone it lists those of its slowest flow.
    `scheme` and `seed` are needed if the result has several. `files` is the folder of the files that the scenario
    names. For a scheme with your own policies, pass these again in `policies`, as to `run`: results do not store their
    code. The dictionary is that of `sidestep why --json`; times are in the units of their keys.
    `run["same"]` is True if the repeated run equals the recorded one.

    Raises `ResultError` for a scheme, seed or packet that the result does not have, and for policies that are missing
    or differ from those of the run; `PolicyError` when one of them fails.
    """
    if isinstance(result, SweepResult | Reproduction):
        raise ResultError(f"cannot explain {result.path}: expected the result of one scenario, as sidestep.run leaves it")
    directory = result.path if isinstance(result, Result) else Path(result)
    return _dict(
        _native.why(
            directory,
            scheme=scheme,
            seed=seed,
            packet=packet,
            flow=flow,
            dropped=dropped,
            detoured=detoured,
            class_=class_,
            files=Path(files) if files is not None else None,
            policies=several(policies),
        )
    )


def _dict(text: str) -> dict[str, Any]:
    read = json.loads(text)
    assert isinstance(read, dict)
    return read
