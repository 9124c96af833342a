"""Rows as JSON whose objects are maps, in tables: merged by key, appended, made a table of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catalog_app.importing.spec import ColumnChoice
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.inputs_outputs import KeyedMerge
from lakeui.frontdoor.rows.json_columns import map_choices
from merge_app.upsert.inputs_outputs import Strategy
from tests.on_spark.rows.test_imports import load, send
from tests.support.lake import Lake

COLUMNS = (
    "id INT, m MAP<STRING, INT>, k MAP<INT, STRING>, s STRUCT<x: INT, m: MAP<STRING, INT>>,"
    " a ARRAY<MAP<STRING, STRUCT<p: INT, q: MAP<DATE, DECIMAL(20, 2)>>>>, w MAP<STRING, MAP<STRING, BOOLEAN>>"
)
EMPTY: dict[str, Any] = {"m": None, "k": None, "s": None, "a": None, "w": None}
BY_ID = KeyedMerge(Strategy.UPSERT, ("id",))
ROW = {
    "id": 1,
    "m": {"a": 1, "A": 2},
    "k": {"7": "seven", "-1": "minus"},
    "s": {"x": 1, "m": {"b": 2}},
    "a": [{"x": {"p": 1, "q": {"2024-01-02": 0.25}}, "y": {}}, {}, None],
    "w": {"o": {"t": True}, "p": {}, "q": None},
}
STORED = {
    **ROW,
    "a": [{"x": {"p": 1, "q": {"2024-01-02": "0.25"}}, "y": {"p": None, "q": None}}, {}, None],
}


def rows(lake: Lake, table: str = "d.t") -> list[dict[str, Any]]:
    answer = lake.sql(f"SELECT * FROM {table} ORDER BY id")
    names = [name for name, _ in answer.columns]
    return [dict(zip(names, row, strict=True)) for row in answer.rows]


def merged(lake: Lake, folder: Path, *given: dict[str, Any], merge: KeyedMerge = BY_ID) -> None:
    made = send(lake, json.dumps([{**EMPTY, **row} for row in given]).encode(), folder)
    load(lake, made, merge=merge)


@pytest.fixture
def table(lake: Lake) -> Lake:
    lake.sql(f"CREATE TABLE d.t ({COLUMNS})")
    return lake


def test_objects_become_table_maps_at_every_depth(table: Lake, tmp_path: Path) -> None:
    merged(table, tmp_path, ROW)
    assert rows(table) == [STORED]
    assert table.sql("SELECT k[7], a[0]['x'].q[DATE '2024-01-02'], w['o']['t'], size(m) FROM d.t").rows == [
        ["seven", "0.25", True, 2]
    ]
    head = table.head()
    merged(table, tmp_path, ROW)
    assert table.head() == head
    load(table, send(table, json.dumps({**ROW, "id": 2}).encode(), tmp_path), append=True)
    assert rows(table) == [STORED, {**STORED, "id": 2}]


def test_empty_objects_give_empty_maps_and_null_fields(table: Lake, tmp_path: Path) -> None:
    empty = {"id": 1, "m": {}, "k": {}, "s": {}, "a": [{}], "w": {}}
    merged(table, tmp_path, empty)
    load(table, send(table, json.dumps({**empty, "id": 2}).encode(), tmp_path), append=True)
    assert rows(table) == [{**empty, "id": number, "s": {"x": None, "m": None}} for number in (1, 2)]


def test_schema_evolution_adds_fields_to_structs_in_maps(table: Lake, tmp_path: Path) -> None:
    row = {"id": 1, "a": [{"x": {"p": 1, "new": "n"}}]}
    with pytest.raises(InvalidValue, match=r"Field a\.element\.value has no field new"):
        merged(table, tmp_path, row)
    merged(table, tmp_path, row, merge=KeyedMerge(Strategy.UPSERT, ("id",), (), True))
    assert rows(table)[0]["a"] == [{"x": {"p": 1, "q": None, "new": "n"}}]


@pytest.mark.parametrize(
    ("row", "refusal"),
    [
        ({"m": {"a": "1"}}, "Row 1: 1 of m.value is string"),
        ({"m": {"a": 2**31}}, "2147483648 does not fit into INT"),
        ({"m": [{"key": "a", "value": 1}]}, "Line 1 of the JSON: m is map<string,int>, and the file has an array"),
        ({"k": {"x": "1"}}, "Line 1 of the JSON: the key x of k is no int"),
        ({"a": [{"x": {"q": {"2024-01-02": 1, "2024-1-2": 2}}}]}, "A map has the key"),
        ({"a": [{"x": {"q": {"yesterday": 1}}}]}, "yesterday"),
    ],
)
def test_what_fits_no_table_map_changes_nothing(table: Lake, tmp_path: Path, row: dict[str, Any], refusal: str) -> None:
    head = table.head()
    with pytest.raises(InvalidValue, match=refusal):
        merged(table, tmp_path, {"id": 1, **row})
    assert table.head() == head


def test_a_chosen_type_makes_maps_in_new_tables(lake: Lake, tmp_path: Path) -> None:
    columns = [{"source": "k", "type": "map<int,string>"}, {"source": "s", "type": "struct<m:map<string,int>,x:int>"}]
    made = send(lake, b'{"k": {"1": "a"}, "s": {"m": {"b": 2}, "x": 3}}', tmp_path, columns=columns)
    load(lake, made)
    assert lake.sql("SELECT k[1], s.m['b'], s.x FROM d.t").rows == [["a", 2, 3]]


def test_keys_made_equal_by_the_column_are_refused(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, m MAP<DATE, INT>)")
    both = "map(TIMESTAMP_NTZ '2024-01-01 10:00:00', 1, TIMESTAMP_NTZ '2024-01-01 11:00:00', 2)"
    with pytest.raises(InvalidValue, match="A map has the key"):
        lake.sql(f"INSERT INTO d.t SELECT 1, {both}")
    lake.sql("INSERT INTO d.t SELECT 1, map(TIMESTAMP_NTZ '2024-01-01 10:00:00', 1)")
    lake.sql("INSERT INTO d.t SELECT 2, map()")
    assert lake.sql("SELECT m FROM d.t ORDER BY id").rows == [[{"2024-01-01": 1}], [{}]]


def test_a_batch_is_read_by_its_tables_maps() -> None:
    """A map of many keys is never read as a struct of as many fields."""
    from catalog_app.domain.schema import Column, Schema

    schema = Schema((Column(1, "a", "int"), Column(2, "m", "array<map<string,int>>")))
    assert map_choices(schema) == (ColumnChoice("m", "m", "array<map<string,int>>"),)
