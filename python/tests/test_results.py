"""Result directories: what they say, who reads their tables, and when they go."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest

import sidestep


def test_a_run_says_what_it_ran(tiny: sidestep.Scenario, tmp_path: Path) -> None:
    result = sidestep.run(tiny, out=tmp_path / "r")
    assert result.path == tmp_path / "r"
    assert (result.status, result.schemes, result.seeds) == ("complete", ["dctcp", "dibs"], [1, 2])
    assert set(result.hashes) == {("dctcp", 1), ("dctcp", 2), ("dibs", 1), ("dibs", 2)}
    assert all(len(digits) == 16 for digits in result.hashes.values())
    assert result.summary == {"schema": 3, **json.loads((tmp_path / "r/summary.json").read_text())}
    assert result.text.startswith("tiny, seeds 1-2") and str(result) == result.text
    assert repr(result) == f"<Result tiny: dctcp, dibs; 2 seeds, complete: {tmp_path / 'r'}>"
    assert (result.claims, result.warnings) == ([], [])
    assert "wall_s" in result.manifest
    again = sidestep.show(tmp_path / "r")
    assert isinstance(again, sidestep.Result) and again.hashes == result.hashes


def test_every_table_is_there(tiny: sidestep.Scenario) -> None:
    result = sidestep.run(tiny, seeds=1)
    for name in ("flows", "queries", "groups", "ports", "subflows", "counts", "samples"):
        assert list(getattr(result, name).columns) == list(result.table(name).columns)
        assert len(getattr(result, name)) == len(result.table(name))
    assert len(result.flows) == 24
    with pytest.raises(sidestep.ResultError, match="has no table 'flow'; known: flows"):
        result.table("flow")
    with pytest.raises(sidestep.ResultError, match="has no table 'kernel': only `sidestep testbed run --kernel-stats`"):
        _ = result.kernel


def test_polars_pandas_pyarrow_and_duckdb_read_the_same(tiny: sidestep.Scenario) -> None:
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pandas")
    result = sidestep.run(tiny)
    for name in ("flows", "ports", "samples"):
        table = result.table(name)
        read = pyarrow.table(table)
        assert read.num_rows == len(table) and read.column_names == list(table.columns)
        rows: list[dict[str, Any]] = read.to_pylist()
        assert polars.DataFrame(table).to_dicts() == rows
        assert duckdb.from_arrow(read).fetchall() == [tuple(row.values()) for row in rows]
        frame = read.to_pandas(types_mapper=None, integer_object_nulls=True)
        assert len(frame) == len(rows) and list(frame.columns) == list(table.columns)
        for column in frame.columns:
            values = [None if value != value else value for value in frame[column].tolist()]
            assert values == [row[column] for row in rows], column


def test_a_temporary_result_goes_with_the_last_who_has_it(tiny: sidestep.Scenario, tmp_path: Path) -> None:
    result = sidestep.run(tiny, seeds=1)
    path, flows, saved = result.path, result.flows, result.save(tmp_path / "kept")
    hashes = result.hashes
    del result
    gc.collect()
    assert path.is_dir(), "its table is still there"
    assert len(flows) == 24
    del flows
    gc.collect()
    assert not path.exists() and not path.parent.exists()
    assert saved.path == tmp_path / "kept" and saved.hashes == hashes
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept"]
    with pytest.raises(sidestep.ResultError, match="it exists and is not an empty directory"):
        saved.save(tmp_path / "kept")


def test_a_sweep_has_axes_points_and_a_hash_a_run(tiny: sidestep.Scenario) -> None:
    over: dict[str, list[Any]] = {"switch.capacity": ["20 pkt", "100 pkt"], "workload.query.degree": [8, 12]}
    swept = sidestep.sweep(tiny, over, seeds=[1, 2])
    assert swept.axes == {"switch.capacity": ["20 pkt", "100 pkt"], "workload.query.degree": ["8", "12"]}
    assert len(swept.hashes) == 4 * 2 * 2
    alone = sidestep.run(tiny.with_({"switch.capacity": "20 pkt"}))
    assert swept.hashes[("20 pkt", "12"), "dibs", 2] == alone.hashes["dibs", 2]
    assert len(swept.points) > 0 and len(swept.counts) > 0 and len(swept.samples) > 0
    assert "2 of switch.capacity x 2 of workload.query.degree; dctcp, dibs; 2 seeds" in repr(swept)
    again = sidestep.show(swept.path)
    assert isinstance(again, sidestep.SweepResult) and again.hashes == swept.hashes


def test_a_figure_holds_the_papers_claims_against_the_runs() -> None:
    figure = sidestep.reproduce("dibs/fig02", quick=True)
    assert figure.figures == ["dibs/fig02"]
    assert [claim["verdict"] for claim in figure.claims] == ["reproduced"] * 3
    assert figure.report["quick"] is True
    assert figure.text.count("\n") == 3
    again = sidestep.show(figure.path)
    assert isinstance(again, sidestep.Reproduction) and again.report == figure.report
