"""INSERT: values fit or are refused whole; files by partition value; statistics that may be relied on."""

from __future__ import annotations

import pytest

from catalog_app.domain.files import ColumnStatistics
from lakeui.common.errors import InvalidValue, LakeError, NotFound, NotNullViolation
from tests.engine.lake import Lake, schema_of


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("tinyint", "128"),
        ("int", "2147483648"),
        ("int", "'abc'"),
        ("int", "1 / 0"),
        ("decimal(3,1)", "100"),
        ("varchar(2)", "'abc'"),
        ("date", "'2026-02-30'"),
        ("boolean", "1"),
        ("int", "DATE'2020-01-01'"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(lake: Lake, kind: str, text: str) -> None:
    lake.schema = schema_of(f"x {kind}")
    with pytest.raises(InvalidValue) as caught:
        lake.values(text)
    assert "SQLSTATE" not in caught.value.message
    assert lake.stored_files() == []


def test_a_missing_required_value_names_the_column(lake: Lake) -> None:
    lake.schema = schema_of("k int", "städte string not null")
    with pytest.raises(NotNullViolation) as caught:
        lake.values("1|'x'", "2|NULL")
    assert caught.value.details["column"] == "städte"
    with pytest.raises(NotNullViolation):
        lake.query("SELECT id, nullif(id, 49999) FROM range(50000)")
    assert lake.stored_files() == []


def test_wrong_counts_and_names_are_refused(lake: Lake) -> None:
    lake.schema = schema_of("a int", "b int")
    for attempt in (
        lambda: lake.values("1"),
        lambda: lake.values("1|2|3"),
        lambda: lake.query("SELECT 1"),
        lambda: lake.values("1|2", columns=("a", "a")),
    ):
        with pytest.raises(InvalidValue):
            attempt()
    with pytest.raises(NotFound):
        lake.values("1", columns=("nope",))
    with pytest.raises(NotFound):
        lake.query("SELECT 1 AS nope", by_name=True)


def test_by_name_ignores_order_and_case(lake: Lake) -> None:
    lake.schema = schema_of("a int", "b string", "c int")
    lake.query("SELECT 'x' AS B, 1 AS A", by_name=True)
    assert lake.rows() == [[1, "x", None]]


def test_no_rows_make_no_file(lake: Lake) -> None:
    lake.schema = schema_of("a int")
    assert lake.query("SELECT * FROM __lake_0") == []
    assert lake.query("SELECT id FROM range(100000) WHERE id < 0") == []
    assert lake.stored_files() == []


@pytest.mark.parametrize("rows", [3, 60_000])
def test_one_insert_file_has_addresses_as_row_ids(lake: Lake, rows: int) -> None:
    lake.schema = schema_of("a bigint")
    (file,) = lake.query(f"SELECT id FROM range(0, {rows}, 1, 4)")
    assert (file.rows, file.stores_row_ids, file.partition) == (rows, False, ())
    assert file.bytes == lake.warehouse.size(file.path)
    assert lake.stored_files() == [file.path]
    assert sorted(lake.row_ids("a").values()) == list(range(file.base, file.base + rows))


VALUES = ["a b", "a/b", "a=b", "ü", "", "%2F", "x" * 300, "__HIVE_DEFAULT_PARTITION__", "null", "a'b", "{x}", " "]


@pytest.mark.parametrize("copies", [1, 2000])
def test_one_file_per_partition_value_whatever_the_value(lake: Lake, copies: int) -> None:
    lake.schema = schema_of("p string", "n bigint", partition_by=[1])
    listed = ", ".join("('" + value.replace("'", "\\'") + "')" for value in VALUES)
    text = f"SELECT p, id FROM (VALUES {listed}, (CAST(NULL AS STRING)) AS v(p)) CROSS JOIN range({copies})"
    new = lake.query(text)
    assert {file.partition: file.rows for file in new} == {(value,): copies for value in [*VALUES, None]}
    assert len(new) == len(VALUES) + 1
    assert sorted(lake.rows("SELECT DISTINCT p FROM __lake_0"), key=repr) == sorted(
        [[v] for v in [*VALUES, None]], key=repr
    )


def test_partition_values_are_the_texts_that_spark_makes(lake: Lake) -> None:
    lake.schema = schema_of("d date", "n decimal(5,2)", "t timestamp", partition_by=[1, 2, 3])
    (file,) = lake.values("DATE'2020-01-02'|1.5|TIMESTAMP'2020-01-02 03:04:05'")
    assert file.partition == ("2020-01-02", "1.50", "2020-01-02 03:04:05")


@pytest.mark.parametrize("copies", [1, 30_000])
def test_bounds_never_promise_too_much(lake: Lake, copies: int) -> None:
    lake.schema = schema_of(
        "i int", "s string", "d double", "m decimal(10,2)", "t timestamp", "a array<int>", "x int", "z date", "b binary"
    )
    long = "'" + "z" * 100 + "'"
    row_one = "(1, 'a', 1.5D, 1.25, TIMESTAMP'2020-01-01 00:00:00', array(1), NULL, DATE'2020-01-01', X'00')"
    row_two = f"(5, {long}, double('NaN'), -7, TIMESTAMP'2021-01-01 00:00:00.5', NULL, NULL, NULL, X'01')"
    (file,) = lake.query(
        f"SELECT v.* FROM (VALUES {row_one}, {row_two}) AS v(i,s,d,m,t,a,x,z,b) CROSS JOIN range({copies})"
    )
    stats = file.statistics
    assert stats is not None
    assert stats[1] == ColumnStatistics(1, 5, 0)
    assert (stats[2].minimum, stats[2].nulls) == ("a", 0)
    assert stats[2].maximum is None or (stats[2].maximum >= "z" * 100 and len(stats[2].maximum) <= 64)
    assert stats[3].maximum is None
    assert stats[4] == ColumnStatistics("-7.00", "1.25", 0)
    assert stats[5] == ColumnStatistics("2020-01-01T00:00:00.000000Z", "2021-01-01T00:00:00.500000Z", 0)
    assert stats[6] == ColumnStatistics(None, None, copies)
    assert stats[7] == ColumnStatistics(None, None, 2 * copies)
    assert stats[8] == ColumnStatistics("2020-01-01", "2020-01-01", copies)
    assert (stats[9].minimum, stats[9].maximum) == (None, None)


def test_a_query_error_is_users_and_suggests_names(lake: Lake) -> None:
    lake.schema = schema_of("amount int")
    with pytest.raises(LakeError) as caught:
        lake.rows("SELECT amonut FROM __lake_0")
    assert caught.value.code == "INVALID_VALUE"
    assert "amonut" in caught.value.message
    assert "amount" in caught.value.remedy
    assert "temp_view" not in caught.value.message + caught.value.remedy
