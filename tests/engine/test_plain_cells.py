"""Rows that this process reads by their addresses: they are what Spark reads, and all else is Spark's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine import cells, plain_cells
from catalog_app.engine.plain_cells import plain_shown
from catalog_app.engine.session import SparkSessions
from catalog_app.storage.cells import RowCells
from tests.engine.conftest import lake_in
from tests.engine.lake import Lake, schema_of

KINDS = (
    *("id int not null", "Name string", "n bigint", "tiny tinyint", "small smallint", "price decimal(7,2)"),
    *("at timestamp", "on date", "yes boolean", "d double", "f float", "b binary", "ntz timestamp_ntz"),
    *("vc varchar(3)", "big decimal(38,10)"),
)
REST = (
    "|double('NaN')|float('-0.0')|X'00ff'|TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'|'v'|-1.5",
    "|double('-0.0')|float('Infinity')|X''|TIMESTAMP_NTZ'9999-12-31 23:59:59'|''|12345678901234567890.0123456789",
)
ROWS = (
    f"1|'a \"b\" \\\\\\\\ ß𝄞'|10|1|-5|1.5|TIMESTAMP'2024-01-01 00:00:00.000001'|DATE'2024-01-01'|true{REST[0]}",
    "2|''|-9223372036854775807|127|0|NULL|NULL|NULL|NULL" + "|NULL" * 6,
    f"3|'c'|30|-128|32767|0.25|TIMESTAMP'1500-01-01 00:00:00'|DATE'1500-02-28'|false{REST[1]}",
    f"4|'d'|0|0|0|-99999.99|TIMESTAMP'0001-01-01 00:00:00'|DATE'9999-12-31'|false{REST[1]}",
)


@pytest.fixture(scope="module")
def filled(sessions: SparkSessions, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Files by this process and by Spark; rows that were updated, which lie in a file with row ids, and deleted.

    No test changes them.
    """
    lake = lake_in(tmp_path_factory.mktemp("filled"), sessions)
    lake.schema = replace(schema_of(*KINDS), primary_key=(1, 2))
    lake.values(*ROWS)
    lake.values(*ROWS[::-1])
    named = ", ".join(f"`{column.name}`" for column in lake.schema.columns)
    numbered = named.replace("`id`", "CAST(id + 10 * i AS INT) AS id")
    lake.query(f"SELECT {numbered} FROM __lake_0, (SELECT explode(sequence(1, 4000)) AS i)")
    assert lake.update("id = 2", n="n + 1").rows == 2
    assert lake.delete("id = 3").rows == 2
    return lake


def by_spark(lake: Lake, scan: TableScan, addresses: Any, *, with_keys: bool) -> tuple[RowCells, list[list[Any]]]:
    def work(spark: Any) -> tuple[RowCells, list[list[Any]]]:
        return (
            cells.cells_read(spark, lake.engine._writer, scan, addresses, with_keys=with_keys),
            cells.cells_shown(spark, lake.warehouse, scan, addresses, with_keys=with_keys),
        )

    found: tuple[RowCells, list[list[Any]]] = lake.engine._sessions.run(work)
    return found


def same(
    lake: Lake, scan: TableScan, addresses: Any, monkeypatch: pytest.MonkeyPatch, *, with_keys: bool = False
) -> None:
    expected, shown = by_spark(lake, scan, addresses, with_keys=with_keys)
    with monkeypatch.context() as patched:
        patched.setattr(type(lake.engine._sessions), "run", lambda *_: pytest.fail("Spark was asked"))
        found = lake.engine.cells_read(scan, addresses, with_keys=with_keys)
        assert repr(lake.engine.cells_show(scan, addresses, with_keys=with_keys)) == repr(shown)
    assert found.columns.keys() == expected.columns.keys()
    for identifier, values in found.columns.items():
        assert values.type == expected.columns[identifier].type
        assert repr(values.to_pylist()) == repr(expected.columns[identifier].to_pylist())
    assert [values.to_pylist() for values in found.partition] == [values.to_pylist() for values in expected.partition]
    assert list(found.keys) == list(expected.keys)


def addresses_of(files: list[FileScan]) -> Any:
    """Some rows of each file, out of order, and one twice."""
    found = [file.base + place for file in files for place in {0, file.rows // 3, file.rows - 1}]
    return np.array([*found[::-1], found[0]], dtype=np.int64)


@pytest.mark.parametrize("with_keys", [False, True])
def test_rows_of_plain_types_are_what_spark_reads(
    filled: Lake, monkeypatch: pytest.MonkeyPatch, with_keys: bool
) -> None:
    assert any(file.stores_row_ids for file in filled.files)
    same(filled, filled.scan(), addresses_of(filled.files), monkeypatch, with_keys=with_keys)


def test_some_columns_under_new_names_in_another_order(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns are found by id: of a file that was written before a column came it is NULL."""
    columns = [replace(column, name=f"other{column.id}") for column in filled.schema.columns[::-1]]
    later = Column(99, "later", "bigint")
    scan = replace(filled.scan(), schema=Schema(columns=(later, *columns[3:7])))
    same(filled, scan, addresses_of(filled.files), monkeypatch)


def test_small_row_groups_and_batches(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_cells, "BATCH_ROWS", 7)
    monkeypatch.setattr(plain_cells, "BATCH_BYTES", 500)
    every = np.concatenate([np.arange(file.base, file.base + file.rows) for file in filled.files])
    same(filled, filled.scan(), every[:: len(every) // 150], monkeypatch, with_keys=True)


def test_partitions_say_their_values(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.schema = schema_of("id int", "p string", "q int", partition_by=(2, 3))
    lake.values("1|'a'|1", "2|NULL|2", "3|''|NULL", "4|'ß/='|-1")
    same(lake, lake.scan(), addresses_of(lake.files), monkeypatch)


def test_no_rows_have_types_all_the_same(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    same(filled, filled.scan(), np.zeros(0, dtype=np.int64), monkeypatch)


def widened(lake: Lake) -> TableScan:
    return replace(lake.scan(), schema=schema_of("id bigint"))


def padded(lake: Lake) -> TableScan:
    return replace(lake.scan(), schema=Schema((Column(2, "name", "char(3)"),)))


def filled_up(lake: Lake) -> TableScan:
    return replace(
        lake.scan(), schema=Schema((Column(1, "id", "int"), Column(99, "later", "int", initial_default="5")))
    )


def outside(lake: Lake) -> TableScan:
    files = tuple(replace(file, path=f"file:///{file.path}") for file in lake.files)
    return replace(lake.scan(), files=files)


def without_ids(lake: Lake) -> TableScan:
    return replace(lake.scan(), files=tuple(replace(file, by_name=True) for file in lake.files))


def moved(lake: Lake) -> TableScan:
    files = tuple(replace(file, is_moved=True, partition=("x",)) for file in lake.files)
    return replace(lake.scan(), schema=replace(lake.schema, partition_by=(2,)), files=files)


def lost(lake: Lake) -> TableScan:
    return replace(lake.scan(), files=tuple(replace(file, path=f"{file.path}.lost") for file in lake.files))


@pytest.mark.parametrize("left", [widened, padded, filled_up, outside, without_ids, moved, lost])
def test_what_needs_decoding_or_refusal_goes_to_spark(filled: Lake, left: Any) -> None:
    scan, addresses = left(filled), addresses_of(filled.files)
    assert plain_cells.plain_cells(filled.warehouse, filled.scan(), addresses) is not None
    assert plain_cells.plain_cells(filled.warehouse, scan, addresses) is None


def test_nested_types_are_left_to_spark(lake: Lake) -> None:
    lake.schema = schema_of("id int", "s struct<x:int>")
    lake.query("SELECT 1, named_struct('x', 1)")
    addresses = addresses_of(lake.files)
    assert plain_cells.plain_cells(lake.warehouse, lake.scan(), addresses) is None
    assert (
        plain_cells.plain_cells(lake.warehouse, replace(lake.scan(), schema=schema_of("id int")), addresses) is not None
    )


@pytest.mark.parametrize("bound", ["MOST_VALUES", "MOST_BYTES"])
def test_very_many_values_are_left_to_spark(filled: Lake, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setattr(plain_cells, bound, 10)
    assert plain_cells.plain_cells(filled.warehouse, filled.scan(), addresses_of(filled.files)) is None


def test_a_long_text_is_not_copied_per_row(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.schema = schema_of("id int", "t string")
    lake.query("SELECT CAST(id AS INT), repeat('x', 10000) FROM range(5000)")
    every = np.arange(lake.files[0].base, lake.files[0].base + 5000)
    monkeypatch.setattr(plain_cells, "MOST_BYTES", 10_000_000)
    assert plain_cells.plain_cells(lake.warehouse, lake.scan(), every) is None
    assert plain_cells.plain_cells(lake.warehouse, lake.scan(), every[:500]) is not None


@pytest.mark.parametrize("kind", ["double", "date", "string"])
def test_keys_that_spark_writes_differently_go_to_spark(lake: Lake, kind: str) -> None:
    lake.schema = replace(schema_of(f"k {kind}"), primary_key=(1,))
    lake.values({"double": "1.5", "date": "DATE'2024-01-01'", "string": "'a\\tb'"}[kind])
    addresses = addresses_of(lake.files)
    assert plain_cells.plain_cells(lake.warehouse, lake.scan(), addresses) is not None
    assert plain_cells.plain_cells(lake.warehouse, lake.scan(), addresses, with_keys=True) is None


def test_an_address_of_no_file_is_no_row(filled: Lake) -> None:
    assert plain_shown(filled.warehouse, filled.scan(), np.array([5], dtype=np.int64)) is None
