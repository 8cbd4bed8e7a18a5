"""Columns of a table as lists."""

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
    with pytest.raises(ValueError, match=r'flows.parquet has no column "fct_ms": expected one of flow_id, .*fct_us'):
        result.flows.to_dict(["fct_ms"])
