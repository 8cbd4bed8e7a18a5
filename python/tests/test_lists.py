"""Columns of a table as lists."""

from pathlib import Path

import pytest

import sidestep as ss


@pytest.fixture(scope="module")
def result() -> ss.Result:
    return ss.run("quickstart", seeds=1)


def test_columns_come_in_the_order_asked_for_with_their_own_types(result: ss.Result) -> None:
    read = result.flows.to_dict(["scheme", "finished", "fct_us", "flow_id", "group_id"], limit=2)
    assert list(read) == ["scheme", "finished", "fct_us", "flow_id", "group_id"]
    assert [type(column[0]) for column in read.values()] == [str, bool, float, int, type(None)]
    assert {len(column) for column in read.values()} == {2}


def test_all_columns_and_rows_are_those_that_arrow_readers_see(result: ss.Result) -> None:
    polars = pytest.importorskip("polars")
    for name in ("flows", "ports", "counts", "queries", "groups"):
        table = result.table(name)
        assert table.to_dict() == polars.DataFrame(table).to_dict(as_series=False)


def test_a_column_with_a_dot_in_its_name_is_one() -> None:
    swept = ss.sweep("quickstart", over={"switch.capacity": ["50 pkt", "60 pkt"]}, seeds=1)
    assert set(swept.points.to_dict(["switch.capacity"])["switch.capacity"]) == {"50 pkt", "60 pkt"}


def test_a_column_that_is_not_there_is_refused_with_those_that_are(result: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError, match=r'flows.parquet has no column "fct_ms": expected one of flow_id, .*fct_us'):
        result.flows.to_dict(["fct_ms"])


def test_a_file_that_is_gone_or_no_table_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ss.ResultError, match=r"cannot read .*gone\.parquet: No such file"):
        ss.Table(tmp_path / "gone.parquet")
    (tmp_path / "text.parquet").write_text("no table")
    with pytest.raises(ss.ResultError, match=r"text\.parquet: expected Parquet, got "):
        ss.Table(tmp_path / "text.parquet")
