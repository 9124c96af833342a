"""Spark's values of partition transforms are those of the pure ones; what files say of their rows is true of each."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.transforms import Transform, is_taken, transform_value
from catalog_app.engine import writing
from catalog_app.engine.transforms import transform_sql
from lakeui.common.errors import InvalidValue
from tests.engine.lake import Lake, schema_of

CHANCE = random.Random(30)
TEXTS = [
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "abcde",
    "é",
    "日本語",
    "👩‍🚀x",
    "a" * 40,
    "a" * 63 + "é",
    "\u0000b",
    "ÿ",
    "iceberg",
]
WHOLE = [
    0,
    1,
    -1,
    34,
    7,
    -10,
    2**31 - 1,
    -(2**31) + 1000,
    *(CHANCE.randrange(-(2**31) + 1000, 2**31) for _ in range(20)),
]
LONG = [
    2**63 - 1,
    -(2**63) + 1000,
    2**32,
    -(2**32) - 1,
    *WHOLE,
    *(CHANCE.randrange(-(2**62), 2**62) for _ in range(20)),
]
TIMES = [
    *("1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "1969-12-31 00:00:00", "1968-02-29 12:00:00.000001"),
    *("2017-11-16 22:31:08", "2017-11-16 22:31:08.000001", "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"),
    *("1900-03-01 00:00:00", "2024-12-31 23:00:00", "1969-01-01 00:00:00", "1582-10-15 10:00:00"),
]
NUMBERS = [
    "0.00",
    "14.20",
    "-14.20",
    "1.27",
    "1.28",
    "-1.28",
    "-1.29",
    "327.67",
    "-327.69",
    "9999999999999999.99",
    "-0.01",
]


def cases() -> dict[str, list[tuple[str, Any]]]:
    """By type SQL of values, and what they are here."""
    text = [(f"X'{value.encode().hex()}'", value) for value in TEXTS]
    return {
        "int": [(str(value), value) for value in WHOLE],
        "smallint": [(str(value), value) for value in (0, -1, 32767, -32700, 5)],
        "bigint": [(f"{value}L", value) for value in LONG],
        "string": [(f"CAST({sql} AS STRING)", value) for sql, value in text],
        "binary": [(sql, value.encode()) for sql, value in text],
        "date": [(f"DATE'{value[:10]}'", value[:10]) for value in TIMES],
        "timestamp": [(f"TIMESTAMP'{value}+00:00'", value + "+00:00") for value in TIMES],
        "timestamp_ntz": [(f"TIMESTAMP_NTZ'{value}'", value) for value in TIMES],
        "decimal(18,2)": [(f"CAST('{value}' AS DECIMAL(18,2))", value) for value in NUMBERS],
        "decimal(38,2)": [(f"CAST('{value}' AS DECIMAL(38,2))", value) for value in NUMBERS],
        "decimal(9,0)": [
            (f"CAST('{value}' AS DECIMAL(9,0))", value) for value in ("0", "-7", "128", "999999999", "-129")
        ],
    }


WANTED = [
    *((name, 0) for name in ("years", "months", "days", "hours")),
    *(("bucket", count) for count in (1, 16, 2**31 - 1)),
    *(("truncate", width) for width in (1, 3, 10, 50)),
]


@pytest.mark.parametrize("column_type", list(cases()))
def test_spark_makes_the_same_values(lake: Lake, column_type: str) -> None:
    given = cases()[column_type]
    wanted = [Transform(name, number, 1) for name, number in WANTED if is_taken(name, column_type)]
    assert wanted
    values = ", ".join(
        f"({place}, CAST({text} AS {column_type}))" for place, (text, _) in enumerate([*given, ("NULL", 0)])
    )
    made = ", ".join(f"CAST({transform_sql(one, column_type, 'c')} AS STRING)" for one in wanted)
    rows = lake.engine.select(f"SELECT n, {made} FROM VALUES {values} AS t(n, c) ORDER BY n", {}, limit=1000).rows
    for (_, value), row in zip([*given, ("NULL", None)], rows, strict=True):
        expected = [transform_value(one, column_type, value) for one in wanted]
        assert row[1:] == [None if item is None else str(item) for item in expected], (value, wanted)


@pytest.mark.parametrize("is_small", [True, False], ids=["by Arrow", "by a job"])
def test_each_file_holds_only_values_that_it_names(lake: Lake, is_small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_small:
        monkeypatch.setattr(writing, "SMALL_ROWS", 0)
    layout = (Transform("bucket", 3, 1), Transform("days", 0, 2), Transform("truncate", 60, 3))
    lake.schema = replace(
        schema_of("id bigint", "at timestamp", "name string", "p string", partition_by=[4]), layout=layout
    )
    lake.query(
        "SELECT id, timestampadd(HOUR, 9 * id, TIMESTAMP'1969-12-30 00:00:00'), repeat(chr(97 + id % 2), 70),"
        " IF(id % 3 = 0, NULL, 'x') FROM range(12)"
    )
    new = lake.query("SELECT NULL, NULL, NULL, NULL")
    assert [laid.value for laid in new[0].layout] == [None, None, None]
    seen = 0
    for file in lake.files:
        table = pq.read_table(lake.warehouse.absolute(file.path), partitioning=None)
        assert (len(file.partition), len(file.layout)) == (1, 3)
        for row in table.to_pylist():
            for laid in file.layout:
                kind = lake.schema.column(laid.transform.column_id)
                assert kind is not None
                assert laid.type == kind.type
                assert transform_value(laid.transform, kind.type, row[kind.name]) == laid.value
            seen += 1
    assert seen == 13
    assert len({file.layout for file in lake.files}) > 6


def test_a_job_lays_buckets_of_many_rows(lake: Lake) -> None:
    lake.schema = replace(schema_of("id bigint"), layout=(Transform("bucket", 4, 1),))
    new = lake.query("SELECT id FROM range(20000)")
    assert {laid.value for file in new for laid in file.layout} == {0, 1, 2, 3}
    assert len(new) == 4
    for file in new:
        (laid,) = file.layout
        ids = pq.read_table(lake.warehouse.absolute(file.path), columns=["id"], partitioning=None).column(0).to_pylist()
        assert {transform_value(laid.transform, "bigint", value) for value in ids[:200]} == {laid.value}


def test_a_value_below_its_type_is_refused(lake: Lake) -> None:
    lake.schema = replace(schema_of("id int"), layout=(Transform("truncate", 10, 1),))
    with pytest.raises(InvalidValue, match="-2147483650BD does not fit into INT"):
        lake.values("-2147483648")


# -- compaction ---------------------------------------------------------------------------------------------------


def compacted(lake: Lake, *order_by: int, target_bytes: int = 1 << 20) -> list[NewDataFile]:
    before = lake.row_ids("id")
    new = lake.engine.compact(lake.scan(), target_bytes=target_bytes, order_by=order_by)
    lake.files = []
    lake.add(new)
    assert lake.row_ids("id") == before
    return new


def test_compaction_lays_files_of_another_layout(lake: Lake) -> None:
    lake.schema = schema_of("id bigint", "p string", partition_by=[2])
    lake.query("SELECT id, IF(id < 50, 'a', 'b') FROM range(100)")
    lake.delete("id = 7")
    bucket = Transform("bucket", 2, 1)
    lake.schema = replace(lake.schema, layout=(bucket,))
    lake.query("SELECT id, 'a' FROM range(100, 103)")
    new = compacted(lake)
    assert sorted((file.partition, [laid.value for laid in file.layout]) for file in new if file.rows > 3) == [
        *((("a",), [0]), (("a",), [1]), (("b",), [0]), (("b",), [1])),
    ]
    assert sum(file.rows for file in new) == 102
    again = compacted(lake)
    assert len(again) == 4


def test_an_order_makes_bounds_of_each_column_narrow(lake: Lake) -> None:
    lake.schema = schema_of("id bigint", "a int", "b string", "c double")
    lake.query(
        "SELECT id, CAST(id * 7919 % 1000 AS INT), format_string('%04d', id * 104729 % 1000),"
        " IF(id % 50 = 0, NULL, CAST('NaN' AS DOUBLE)) FROM range(40000)"
    )
    size = sum(file.bytes for file in compacted(lake))
    new = compacted(lake, 2, 3, 4, target_bytes=max(size // 16, 1))
    assert len(new) > 8
    assert all([laid.transform.column_id for laid in file.layout] == [2, 3, 4] for file in new)
    for column, bounds in ((2, (500, 500)), (3, ("0500", "0500"))):
        reached = [
            file
            for file in new
            if file.statistics is not None
            and file.statistics[column].minimum <= bounds[0]
            and file.statistics[column].maximum >= bounds[1]
        ]
        assert 0 < len(reached) <= len(new) * 0.6, column
