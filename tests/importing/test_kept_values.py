"""A file's values stay what they are in the types of a table, at every depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.importing.lossless import values_require
from catalog_app.importing.scanning import file_convert, untyped_columns
from catalog_app.importing.spec import ColumnChoice, FileFormat, Reading
from lakeui.common.errors import InvalidValue

TAGS = pa.map_(pa.string(), pa.list_(pa.float64()))
REFUSED: list[tuple[list[Any], pa.DataType, str, str]] = [
    ([None, {"x": "7"}], pa.struct([("x", pa.string())]), "struct<x:int>", "Row 2: 7 of c.x is string"),
    ([{"x": "7"}], pa.struct([("x", pa.string())]), "struct<X:decimal(9,2)>", "Row 1: 7 of c.X is string"),
    (
        [{"x": "true"}],
        pa.struct([("x", pa.string())]),
        "struct<x:boolean>",
        "does not go into boolean",
    ),
    ([{"x": True}], pa.struct([("x", pa.bool_())]), "struct<x:int>", "is boolean"),
    ([{"x": 5}], pa.struct([("x", pa.int64())]), "struct<x:timestamp>", "is bigint"),
    ([[], [None, "7"]], pa.list_(pa.string()), "array<bigint>", "Row 2: 7 of c.element is string"),
    (
        [{"x": 1.5}],
        pa.struct([("x", pa.float64())]),
        "struct<x:int>",
        "1.5 of column c.x would lose digits as int",
    ),
    ([[1.0], None, [2.0, 2.5]], pa.list_(pa.float64()), "array<int>", "Row 3: 2.5 of column c.element would lose"),
    ([[{"x": 1.23456789}]], pa.list_(pa.struct([("x", pa.float64())])), "array<struct<x:float>>", "c.element.x"),
    ([[("a", [1.0]), ("b", [1.5])]], TAGS, "map<string,array<int>>", "Row 1: 1.5 of column c.value.element would"),
    ([1.5], pa.float64(), "int", "Row 1: 1.5 of column c would lose digits as int"),
    (["1234567890" * 3 + ".125"], pa.string(), "decimal(38,2)", "125 of column c would lose digits as decimal(38,2)"),
    ([None, 3_600_000_000], pa.timestamp("us"), "date", "Row 2: 1970-01-01 01:00:00.000000 of column c would lose its"),
    ([-1000], pa.timestamp("ms", "UTC"), "date", "would lose its time as date"),
    (["2026-01-31", "2026-01-31T00:10:00Z"], pa.string(), "date", "Row 2: 2026-01-31T00:10:00Z of column c would lose"),
    ([["2026-1-31 9:00"]], pa.list_(pa.string()), "array<date>", "c.element would lose its time"),
    ([1_000_000_001], pa.timestamp("ns"), "timestamp", "would lose its time as timestamp"),
]
KEPT: list[tuple[list[Any], pa.DataType, str]] = [
    ([{"x": None}, None], pa.struct([("x", pa.string())]), "struct<x:int>"),
    ([{"x": "2026-01-31"}], pa.struct([("x", pa.string())]), "struct<x:date>"),
    ([{"x": 7}], pa.struct([("x", pa.int64())]), "struct<x:string>"),
    ([{"x": 7.0}], pa.struct([("x", pa.float64())]), "struct<x:int>"),
    ([{"y": "7"}], pa.struct([("y", pa.string())]), "struct<x:int>"),
    ([[7]], pa.list_(pa.int64()), "array<double>"),
    (["7"], pa.string(), "int"),
    (["1234567890" * 3 + ".120"], pa.string(), "decimal(38,2)"),
    ([-86_400, None], pa.timestamp("s"), "date"),
    (["2026-01-31", " 2026-1-1 ", "2026-01-31T00:00:00Z", "2026-01-31 00:00", "x"], pa.string(), "date"),
    (["2026-01-31 10:00:00"], pa.string(), "timestamp"),
    ([1_000_001_000, None], pa.timestamp("ns"), "timestamp"),
]


@pytest.mark.parametrize(("values", "kind", "wanted", "said"), REFUSED)
def test_changed_values_are_refused_by_row_and_field(
    values: list[Any], kind: pa.DataType, wanted: str, said: str
) -> None:
    with pytest.raises(InvalidValue) as refusal:
        values_require(pa.array(values, kind), "c", wanted, first_row=1)
    assert said in refusal.value.message


@pytest.mark.parametrize(
    ("values", "kind", "wanted", "said"),
    [
        ([None, "7"], pa.string(), "int", "Row 2: 7 of c is string, which does not go into int"),
        (["9.50"], pa.string(), "decimal(9,2)", "is string"),
        (["nan"], pa.string(), "double", "is string"),
        ([True], pa.bool_(), "int", "is boolean"),
    ],
)
def test_a_text_is_no_number_with_kept_kinds(values: list[Any], kind: pa.DataType, wanted: str, said: str) -> None:
    with pytest.raises(InvalidValue) as refusal:
        values_require(pa.array(values, kind), "c", wanted, first_row=1, keeps_kind=True)
    assert said in refusal.value.message
    assert f"An import takes it where {wanted} is chosen" in str(refusal.value.remedy)


def test_json_may_write_special_numbers_as_texts() -> None:
    values_require(pa.array(["NaN", "-Infinity", None]), "c", "double", first_row=1, keeps_kind=True)
    values_require(pa.array([{"x": "NaN"}]), "c", "struct<x:float>", first_row=1)
    values_require(pa.array([None], pa.string()), "c", "int", first_row=1, keeps_kind=True)


def test_a_json_column_keeps_its_kind_where_asked(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text('[{"id": "7", "n": 1}]')
    reading = Reading(columns=(ColumnChoice("id", "id", "int"), ColumnChoice("n", "n", "int")))
    file_convert(file, FileFormat.JSON, reading, tmp_path / "taken.parquet", keep_kind={"n"})
    with pytest.raises(InvalidValue, match="7 of id is string"):
        file_convert(file, FileFormat.JSON, reading, tmp_path / "refused.parquet", keep_kind={"id"})


def test_columns_without_a_type_are_found(tmp_path: Path) -> None:
    rows = pa.table({"id": [1], "v": pa.nulls(1), "": pa.nulls(1)})
    with pa.ipc.new_stream(tmp_path / "rows.arrow", rows.schema) as writer:
        writer.write_table(rows)
    pq.write_table(rows, tmp_path / "rows.parquet")
    assert untyped_columns(tmp_path / "rows.arrow", FileFormat.ARROW) == {"v", "column_3"}
    assert untyped_columns(tmp_path / "rows.parquet", FileFormat.PARQUET) == {"v", "column_3"}


@pytest.mark.parametrize(("values", "kind", "wanted"), KEPT)
def test_a_value_that_stays_unchanged_is_taken(values: list[Any], kind: pa.DataType, wanted: str) -> None:
    values_require(pa.array(values, kind), "c", wanted, first_row=1)
