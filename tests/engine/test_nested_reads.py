"""Fields inside of columns are read as the whole column is, and nothing else of it is read for them."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest

from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.reading import query_dataframe
from tests.engine.lake import Lake, schema_of

ROWS = ("1|named_struct('x', 1, 'y', 'one')", "2|NULL", "3|named_struct('x', NULL, 'y', 'three')")


@pytest.fixture
def people(lake: Lake) -> Lake:
    """Rows with x = 1, without a struct, and with a struct without x."""
    lake.schema = schema_of("id int", "s struct<x:int,y:string>")
    lake.values(*ROWS)
    return lake


def read_schema(lake: Lake, text: str) -> str:
    """What Spark reads of files for a query, as its plan says."""

    def work(spark: Any) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            query_dataframe(spark, lake.warehouse, text, {"__lake_0": lake.scan()}).explain()
        return " ".join(part.split("\n")[0] for part in printed.getvalue().split("ReadSchema: ")[1:])

    return lake.engine._sessions.run(work)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT s.x FROM __lake_0", [[1], [None], [None]]),
        ("SELECT s.y FROM __lake_0", [["one"], ["three"], [None]]),
        ("SELECT id FROM __lake_0 WHERE s.x = 1", [[1]]),
        ("SELECT id FROM __lake_0 WHERE s.x IS NULL", [[2], [3]]),
        ("SELECT id FROM __lake_0 WHERE s IS NULL", [[2]]),
        ("SELECT count(*) FROM __lake_0 WHERE s.x IS NULL AND s IS NOT NULL", [[1]]),
        ("SELECT a.id, b.id FROM __lake_0 a JOIN __lake_0 b ON a.s.x = b.s.x", [[1, 1]]),
        ("SELECT s.x, s FROM __lake_0 WHERE id = 1", [[1, {"x": 1, "y": "one"}]]),
    ],
)
def test_one_field_of_a_struct_is_read(people: Lake, query: str, answer: list[list[Any]]) -> None:
    assert people.rows(query) == sorted(answer, key=repr)


def test_rows_are_deleted_and_updated_by_a_field(people: Lake) -> None:
    assert people.delete("s.y = 'three'").rows == 1
    assert people.update("s.x IS NULL", id="5").rows == 1
    assert people.update("s.x = 1", s="named_struct('x', s.x + 1, 'y', 'u')").rows == 1
    assert people.rows() == [[1, {"x": 2, "y": "u"}], [5, None]]


def test_nothing_is_deleted_where_the_field_has_values(lake: Lake) -> None:
    lake.schema = schema_of("id int", "s struct<x:int,y:string>")
    lake.values("1|named_struct('x', 1, 'y', 'a')", "2|named_struct('x', 2, 'y', 'b')")
    assert lake.delete("s.x IS NULL").rows == 0
    assert lake.update("s.x IS NULL", id="9").rows == 0
    assert [row[0] for row in lake.rows("SELECT s.x FROM __lake_0")] == [1, 2]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT a[0].k FROM __lake_0", [[1]]),
        ("SELECT transform(a, e -> e.n) FROM __lake_0", [[["p", "q"]]]),
        ("SELECT e.k FROM __lake_0 LATERAL VIEW explode(a) t AS e", [[1], [2]]),
        ("SELECT m['k'].n FROM __lake_0", [["v"]]),
        ("SELECT d.in.x FROM __lake_0", [[7]]),
        ("SELECT d.in FROM __lake_0", [[{"x": 7, "y": 8}]]),
        ("SELECT id FROM __lake_0 WHERE d.in.y = 8 AND m['k'].k = 3", [[1]]),
    ],
)
def test_fields_in_arrays_maps_and_structs_are_read(lake: Lake, query: str, answer: list[list[Any]]) -> None:
    lake.schema = schema_of(
        "id int",
        "a array<struct<k:int,n:string>>",
        "m map<string,struct<k:int,n:string>>",
        "d struct<`in`:struct<x:int,y:int>,o:int>",
    )
    lake.query(
        """SELECT 1, array(named_struct('k', 1, 'n', 'p'), named_struct('k', 2, 'n', 'q')),
        map('k', named_struct('k', 3, 'n', 'v')), named_struct('in', named_struct('x', 7, 'y', 8), 'o', 9)"""
    )
    assert lake.rows(query.replace("d.in", "d.`in`")) == sorted(answer, key=repr)


def test_only_the_field_asked_for_is_read(people: Lake) -> None:
    assert read_schema(people, "SELECT s.x FROM __lake_0") == "struct<s:struct<x:int>>"
    people.schema = Schema((Column(1, "id", "int"), Column(2, "renamed", "struct<x:int,y:string>")))
    assert read_schema(people, "SELECT renamed.y FROM __lake_0") == "struct<s:struct<y:string>>"
    assert people.rows("SELECT renamed.x FROM __lake_0 WHERE renamed.y = 'one'") == [[1]]


def test_nested_columns_and_their_neighbours_take_any_name(lake: Lake) -> None:
    names = ["base", "_metadata", "_row_id", "__c3", "a.b", "Base2", "ti`ck", "ß"]
    kind = "struct<x:int,y:int>"
    lake.schema = Schema(tuple(Column(number, name, kind) for number, name in enumerate(names, start=1)))
    lake.values("|".join(f"named_struct('x', {number}, 'y', 0)" for number in range(len(names))))
    fields = ", ".join(f"`{name.replace('`', '``')}`.x" for name in names)
    assert lake.rows(f"SELECT {fields} FROM __lake_0") == [list(range(len(names)))]
    lake.update("`base`.x = 0 AND `_metadata`.x = 1", __c3="named_struct('x', `_row_id`.x + 10, 'y', 1)")
    assert lake.rows("SELECT `__c3`.x, `base`.x FROM __lake_0") == [[12, 0]]


def test_a_column_takes_the_name_that_another_had(lake: Lake) -> None:
    lake.schema = schema_of("s struct<x:int,y:int>", "t struct<x:int,y:int>")
    lake.values("named_struct('x', 1, 'y', 2)|named_struct('x', 3, 'y', 4)")
    lake.schema = Schema((Column(1, "t", "struct<x:int,y:int>"), Column(2, "s", "struct<x:int,y:int>")))
    lake.values("named_struct('x', 5, 'y', 6)|named_struct('x', 7, 'y', 8)")
    assert lake.rows("SELECT t.x, s.x FROM __lake_0") == [[1, 3], [5, 7]]
