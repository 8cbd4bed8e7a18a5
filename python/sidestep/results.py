"""Results of a call: a result directory, and its numbers."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from sidestep import _native
from sidestep._native import Table
from sidestep.errors import ResultError

__all__ = ["Reproduction", "Result", "SweepResult"]


class Claims(list[dict[str, Any]]):
    """Claims of papers, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from sidestep import _html

        return _html.claims(self)


class _Directory:
    """Result directory: the common part of runs, sweeps and figures."""

    _tables: tuple[str, ...] = ()
    _summary_file = "summary.json"

    def __init__(self, path: str | os.PathLike[str], *, _holder: TemporaryPlace | None = None) -> None:
        self._path = Path(path)
        self._holder = _holder
        if not (self._path / "manifest.json").is_file():
            raise ResultError(f"cannot read {self._path}: expected a result directory, got one without manifest.json")

    @property
    def path(self) -> Path:
        """The result directory. Without `out` it is temporary, and removed with the last reference to this object."""
        return self._path

    def save(self, directory: str | os.PathLike[str]) -> Self:
        """Copies the result directory to `directory`, which must be empty or new; returns the result there."""
        target = Path(directory)
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise ResultError(f"cannot write results to {target}: it exists and is not an empty directory")
        target.parent.mkdir(parents=True, exist_ok=True)
        # All or nothing: the name appears when the copy is complete.
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as staged:
            copied = shutil.copytree(self._path, Path(staged) / "copy")
            copied.replace(target)
        return type(self)(target)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Numbers, as `sidestep show --json` prints them, with `schema`. Units are in the names: `qct_ms`, `share`."""
        return {"schema": int(_native.build_info()["json_schema"]), **self._json(self._summary_file)}

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The record of the run: time, values with their sources, and cost (`manifest.json`)."""
        return self._json("manifest.json")

    @property
    def status(self) -> str:
        """`complete`, or `partial` after an interruption."""
        return str(self.summary["status"])

    @property
    def claims(self) -> Claims:
        """The claims of papers, with their verdicts here."""
        return Claims(self.summary["claims"])

    @property
    def warnings(self) -> list[str]:
        """Warnings to read before trusting a number."""
        return list(self.summary["warnings"])

    @property
    def text(self) -> str:
        """The command's table."""
        return _native.show(self._path)

    def table(self, name: str) -> Table:
        """Returns table `name` as Arrow, for `polars.DataFrame` or `pyarrow.table`, and through these for DuckDB, pandas."""
        if name not in self._tables:
            known = ", ".join(self._tables)
            raise ResultError(f"{self._path} has no table {name!r}; known: {known}")
        return Table(self._path / f"{name}.parquet", self)

    def _json(self, name: str) -> dict[str, Any]:
        path = self._path / name
        try:
            read = json.loads(path.read_text())
        except OSError as error:
            raise ResultError(f"cannot read {path}: {error.strerror}") from error
        except ValueError as error:
            raise ResultError(f"cannot read {path}: expected JSON, got {error}") from error
        assert isinstance(read, dict)
        return read

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._about()}, {self.status}: {self._path}>"

    def _repr_html_(self) -> str:
        """Returns a table and a picture, for notebooks."""
        raise NotImplementedError

    def _about(self) -> str:
        raise NotImplementedError


class _Runs(_Directory):
    """Runs of schemes with seeds, at one point or at several."""

    @property
    def schemes(self) -> list[str]:
        """The schemes that ran, in the scenario's order."""
        return list(dict.fromkeys(run["scheme"] for run in self.manifest["runs"]))

    @property
    def seeds(self) -> list[int]:
        """The seeds of the numbers; in a partial result the seeds with which every scheme ended."""
        return [int(seed) for seed in self.summary["seeds"]]

    @property
    def counts(self) -> Table:
        """The counts of each run, a row a count."""
        return self.table("counts")

    @property
    def samples(self) -> Table:
        """The samples of probes, a row a value."""
        return self.table("samples")


class Result(_Runs):
    """Result of a scenario: every scheme with every seed.

    The columns of each table are in `docs/reference/metrics.md` and in `manifest["columns"]`; units are in their names.
    """

    _tables = ("flows", "queries", "groups", "ports", "subflows", "counts", "samples", "kernel")

    @property
    def hashes(self) -> dict[tuple[str, int], str]:
        """The trajectory hash of each run that ended, by scheme and seed; equal hashes mean equal deliveries."""
        runs = (run for run in self.manifest["runs"] if "trajectory_hash" in run)
        return {(run["scheme"], run["seed"]): run["trajectory_hash"] for run in runs}

    @property
    def flows(self) -> Table:
        """A row a flow: ends, start, size, completion time (`fct_us`, microseconds), losses."""
        return self.table("flows")

    @property
    def queries(self) -> Table:
        """A row a query: an aggregator's request and its slowest answer (`qct_us`, microseconds)."""
        return self.table("queries")

    @property
    def groups(self) -> Table:
        """A row a group of a flow list, with the completion time of the group (`group_us`, microseconds)."""
        return self.table("groups")

    @property
    def ports(self) -> Table:
        """A row a port of a switch: packets sent, dropped, marked and detoured."""
        return self.table("ports")

    @property
    def subflows(self) -> Table:
        """A row a subflow, for transports with subflows."""
        return self.table("subflows")

    @property
    def kernel(self) -> Table:
        """The kernel's reports about senders, a row an answer; only from `sidestep testbed run --kernel-stats`."""
        return self.table("kernel")

    def table(self, name: str) -> Table:
        """Returns table `name` as Arrow, for `polars.DataFrame` or `pyarrow.table`, and through these for DuckDB, pandas."""
        if name == "kernel" and not (self.path / "kernel.parquet").exists():
            raise ResultError(f"{self.path} has no table 'kernel': only `sidestep testbed run --kernel-stats` writes one")
        return super().table(name)

    def _repr_html_(self) -> str:
        from sidestep import _html

        return _html.result(self.summary, _html.picture(self.path))

    def _about(self) -> str:
        return f"{self.summary['scenario']}: {', '.join(self.schemes)}; {_seeds(self.seeds)}"


class SweepResult(_Runs):
    """Result of a sweep: every point with every scheme and seed."""

    _tables = ("points", "counts", "samples")

    @property
    def axes(self) -> dict[str, list[str]]:
        """The swept keys with their values; the last axis varies fastest."""
        return {axis["name"]: list(axis["values"]) for axis in self.summary["axes"]}

    @property
    def hashes(self) -> dict[tuple[tuple[str, ...], str, int], str]:
        """The trajectory hash of each run that ended, by values on the axes, scheme and seed."""
        runs = (run for run in self.manifest["runs"] if "trajectory_hash" in run)
        return {(tuple(run["at"]), run["scheme"], run["seed"]): run["trajectory_hash"] for run in runs}

    @property
    def points(self) -> Table:
        """A row a point, scheme and seed: a column an axis and a column a metric, units in their names."""
        return self.table("points")

    def _repr_html_(self) -> str:
        from sidestep import _html

        return _html.sweep(self.summary, _html.picture(self.path))

    def _about(self) -> str:
        axes = " x ".join(f"{len(values)} of {name}" for name, values in self.axes.items())
        return f"{self.summary['experiment']}: {axes}; {', '.join(self.schemes)}; {_seeds(self.seeds)}"


class Reproduction(_Directory):
    """Result of figures of papers: `summary` is `report.json`, `claims` holds each claim with its verdict."""

    _summary_file = "report.json"

    @property
    def report(self) -> dict[str, Any]:
        """The report as `sidestep reproduce --json` prints it: totals, claims, figures with points and plots."""
        return self.summary

    @property
    def figures(self) -> list[str]:
        """The figures, as `dibs/fig08`."""
        return [str(figure["name"]) for figure in self.summary["figures"]]

    @property
    def warnings(self) -> list[str]:
        """Warnings to read before trusting a number, each with its figure."""
        figures = self.summary["figures"]
        return [f"{figure['name']}: {said}" for figure in figures for said in figure["warnings"]]

    @property
    def text(self) -> str:
        """A line a claim: its verdict, the figure, the paper's sentence."""
        lines = (f"{claim['verdict']:16} {claim['figure']}: {claim['says']}" for claim in self.claims)
        return "\n".join(lines) + "\n"

    def _repr_html_(self) -> str:
        from sidestep import _html

        drawn = (_html.picture(self.path / figure) for figure in self.figures)
        return _html.reproduction(self.summary, next(filter(None, drawn), ""))

    def _about(self) -> str:
        totals = self.summary["totals"]
        return f"{self.summary['asked']}: {totals['reproduced']} of {totals['claims']} claims reproduced"


def _seeds(seeds: list[int]) -> str:
    return "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"


class TemporaryPlace:
    """Directory that is removed with this object, or when the program ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="sidestep-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
