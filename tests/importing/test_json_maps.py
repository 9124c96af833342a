"""Objects of JSON are maps where the type of the column says so, at any depth."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.importing.scanning import file_convert, file_open, file_scan, file_types
from catalog_app.importing.spec import ColumnChoice, FileFormat, Reading
from lakeui.common.errors import InvalidValue


def read(folder: Path, text: str, kind: str) -> tuple[str, list[Any]]:
    """The type and the values of column c, read as ``kind`` and kept as that."""
    file = folder / "file.json"
    file.write_text(text)
    reading = Reading(columns=(ColumnChoice("c", "c", kind),))
    file_convert(file, FileFormat.JSON, reading, io.BytesIO(), keep_kind=["c"])
    with file_open(file, FileFormat.JSON, reading) as opened:
        values = [row["c0"] for batch in opened.batches for row in batch.to_pylist(maps_as_pydicts="strict")]
    return file_types(file, FileFormat.JSON, reading)["c"], values


@pytest.mark.parametrize(
    ("kind", "value", "read_as", "expected"),
    [
        ("map<string,int>", '{"a": 1, "b": 2}', "map<string,bigint>", {"a": 1, "b": 2}),
        ("map<string,int>", '{"a": 1, "b": null}', "map<string,bigint>", {"a": 1, "b": None}),
        (
            "map<string,string>",
            '{"a": "1", "A": "2", "": "\\ud83d\\ude00\\n"}',
            "map<string,string>",
            {"a": "1", "A": "2", "": "😀\n"},
        ),
        ("map<string,int>", "{}", "map<string,string>", {}),
        (
            "struct<m:map<string,int>,x:int>",
            '{"m": {"a": 1}, "x": 2}',
            "struct<m:map<string,bigint>,x:bigint>",
            {"m": {"a": 1}, "x": 2},
        ),
        ("struct<m:map<string,int>>", '{"M": {"a": 1}}', "struct<M:map<string,bigint>>", {"M": {"a": 1}}),
        (
            "array<map<string,int>>",
            '[{"a": 1}, {}, null, {"b": 2}]',
            "array<map<string,bigint>>",
            [{"a": 1}, {}, None, {"b": 2}],
        ),
        (
            "map<string,map<string,int>>",
            '{"a": {"x": 1}, "b": {}, "c": null}',
            "map<string,map<string,bigint>>",
            {"a": {"x": 1}, "b": {}, "c": None},
        ),
        (
            "map<string,struct<x:int,y:string>>",
            '{"a": {"x": 1}, "b": {"y": "t"}}',
            "map<string,struct<x:bigint,y:string>>",
            {"a": {"x": 1, "y": None}, "b": {"x": None, "y": "t"}},
        ),
        (
            "map<string,array<map<string,boolean>>>",
            '{"a": [{"t": true, "f": false}]}',
            "map<string,array<map<string,boolean>>>",
            {"a": [{"t": True, "f": False}]},
        ),
        ("map<int,string>", '{"1": "a", "-2": "b"}', "map<bigint,string>", {1: "a", -2: "b"}),
        (
            "map<decimal(20,0),double>",
            '{"12345678901234567891": 0.5}',
            "map<decimal(20,0),double>",
            {Decimal("12345678901234567891"): 0.5},
        ),
        ("map<boolean,string>", '{"true": "a", "false": "b"}', "map<boolean,string>", {True: "a", False: "b"}),
        ("map<date,string>", '{"2024-01-01": "a"}', "map<string,string>", {"2024-01-01": "a"}),
        (
            "map<string,decimal(20,2)>",
            '{"a": 12345678901234567.25}',
            "map<string,decimal(20,2)>",
            {"a": Decimal("12345678901234567.25")},
        ),
        (
            "map<string,decimal(38,0)>",
            '{"a": 12345678901234567890123, "b": 1}',
            "map<string,decimal(38,0)>",
            {"a": Decimal("12345678901234567890123"), "b": Decimal(1)},
        ),
    ],
)
def test_an_object_is_a_map(tmp_path: Path, kind: str, value: str, read_as: str, expected: Any) -> None:
    assert read(tmp_path, f'{{"c": null}}\n{{"c": {value}, "d": {{"e": 1.50}}}}', kind) == (read_as, [None, expected])


def test_the_text_of_other_columns_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.write_text('[{"c": {"a": 1},\n "n": [1.50, 12345678901234567890], "s": "\\u00e9 \\"x\\"", "t": {"z": null}}]')
    reading = Reading(columns=(ColumnChoice("c", "c", "map<string,int>"),))
    with file_open(file, FileFormat.JSON, reading) as opened:
        (row,) = [row for batch in opened.batches for row in batch.to_pylist()]
    assert list(row.values())[1:] == [[Decimal("1.50"), Decimal("12345678901234567890")], 'é "x"', {"z": None}]


@pytest.mark.parametrize(
    ("kind", "value", "refusal"),
    [
        ("map<string,int>", "5", "Line 2 of the JSON: c is map<string,int>, and the file has 5 there."),
        (
            "map<string,int>",
            '[{"key": "a", "value": 1}]',
            "Line 2 of the JSON: c is map<string,int>, and the file has an array there.",
        ),
        (
            "struct<m:array<map<string,int>>>",
            '{"m": [["a", 1]]}',
            "Line 2 of the JSON: c.m.element is map<string,int>, and the file has an array there.",
        ),
        (
            "map<string,map<string,int>>",
            '{"a": "x"}',
            'Line 2 of the JSON: c.value is map<string,int>, and the file has "x" there.',
        ),
        ("map<int,string>", '{"one": "a"}', "Line 2 of the JSON: the key one of c is no int."),
        ("map<int,string>", '{"01": "a"}', "Line 2 of the JSON: the key 01 of c is no int."),
        ("map<boolean,string>", '{"True": "a"}', "Line 2 of the JSON: the key True of c is no boolean."),
        ("map<struct<x:int>,string>", '{"1": "a"}', "Line 2 of the JSON: the key 1 of c is no struct<x:int>."),
        ("map<string,int>", '{"a": 1, "a": 2}', "The object that begins on line 2 of the JSON has the member a twice."),
        ("map<string,int>", '{"a": 1, "b": "2"}', "Values of column c.value are of the types number and string."),
        ("map<string,int>", '{"a": "1"}', "Row 2: 1 of c.value is string, which does not go into int."),
        ("map<string,int>", '{"a": 1.5}', "Row 2: 1.5 of column c.value would lose digits as int."),
        ("map<decimal(3,1),int>", '{"1.0": 1, "1": 2}', "Row 2: a map in c has the key 1.0 twice."),
        ("array<map<int,int>>", '[{"0": 1}, {"0": 1, "-0": 2}]', "Row 2: a map in c.element has the key 0 twice."),
        ("map<double,int>", '{"0.0": 1, "-0.0": 2}', "Row 2: a map in c has the key 0.0 twice."),
    ],
)
def test_what_is_no_map_is_refused_by_place(tmp_path: Path, kind: str, value: str, refusal: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        read(tmp_path, f'{{"c": null}}\n{{"c": {value}}}', kind)
    assert refused.value.message == refusal


def test_an_empty_object_is_a_struct_of_nulls(tmp_path: Path) -> None:
    kind = "struct<x:int,s:struct<y:array<int>>>"
    _, values = read(tmp_path, '{"c": {}}\n{"c": null}', kind)
    assert values == [{"x": None, "s": None}, None]
    _, values = read(tmp_path, '{"c": {"s": {}}}\n{"c": null}', kind)
    assert values == [{"s": {"y": None}}, None]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["{}", "null"], "map<string,string>"),
        (['{"a": {}}', "{}"], "struct<a:map<string,string>>"),
        (["[{}]"], "array<map<string,string>>"),
        (['{"Accept": "x"}', '{"accept": "y", "other": null}'], "map<string,string>"),
        (['[{"k": {"a": 1, "A": 2.5}}]'], "array<struct<k:map<string,double>>>"),
        (['{"a": {"b": 1, "B": 2}, "A": {"b": 3}}'], "map<string,map<string,bigint>>"),
        (['{"a": 1}'], "struct<a:bigint>"),
    ],
)
def test_what_cannot_be_a_struct_becomes_a_map(tmp_path: Path, rows: list[str], expected: str) -> None:
    file = tmp_path / "file.json"
    file.write_text("\n".join(f'{{"c": {row}}}' for row in rows))
    scan = file_scan(file, FileFormat.JSON, Reading())
    assert [column.inferred for column in scan.columns] == [expected]
    assert scan.rows == len(rows)


def test_names_differing_in_case_and_type_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.write_text('{"c": {"a": 1, "A": "x"}}')
    with pytest.raises(InvalidValue, match="Column c holds objects with the fields a and A"):
        file_scan(file, FileFormat.JSON, Reading())


ONE = pa.map_(pa.string(), pa.int32())


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        (pa.array([[("k", 1)], [("k", 1), ("k", 2)]], ONE), "Row 2: a map in c has the key k twice."),
        (
            pa.array([[], None, [{"m": [("a", 1), ("b", 1), ("b", 2)]}]], pa.list_(pa.struct([("m", ONE)]))),
            "Row 3: a map in c.element.m has the key b twice.",
        ),
        (
            pa.array([[("a", [("x", 1), ("x", 1)])]], pa.map_(pa.string(), ONE)),
            "Row 1: a map in c.value has the key x twice.",
        ),
        (
            pa.array([[({"x": 1}, 1), ({"x": 1}, 2)]], pa.map_(pa.struct([("x", pa.int32())]), pa.int32())),
            "Row 1: a map in c has the key {'x': 1} twice.",
        ),
        (
            pa.array([[(float("nan"), 1), (float("nan"), 2)]], pa.map_(pa.float64(), pa.int32())),
            "Row 1: a map in c has the key nan twice.",
        ),
    ],
    ids=["plain", "inside", "of a map", "a struct", "NaN"],
)
def test_a_parquet_map_with_duplicate_key_is_refused(tmp_path: Path, values: pa.Array, refusal: str) -> None:
    file = tmp_path / "file.parquet"
    pq.write_table(pa.table({"c": values}), file)
    scan = file_scan(file, FileFormat.PARQUET, Reading())
    with pytest.raises(InvalidValue) as refused:
        file_convert(file, FileFormat.PARQUET, scan.reading, io.BytesIO())
    assert refused.value.message == refusal
