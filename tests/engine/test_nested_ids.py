"""Every field inside of a column has an id, in the schema and in files, and is read by it."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.domain.nested import numbered
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import parse_identified, parse_type
from catalog_app.engine import appending
from tests.engine.lake import Lake

EVERYTHING = """struct<a#3:int,`b c`#4:array<#5:struct<x#6:int,y#7:string>>,m#8:map<#9:string,#10:array<#11:bigint>>,
    e#12:struct<z#13:double>>"""


def nested(identifier: int, name: str, text: str, *, aliases: tuple[int, ...] = ()) -> Column:
    kind = parse_identified(text)
    return Column(identifier, name, kind.text, aliases=aliases).with_fields(kind)


def schema(*columns: Column) -> Schema:
    return Schema((Column(1, "id", "bigint"), *columns))


def identified(field: pa.Field) -> Iterator[tuple[str, int]]:
    yield field.name, int((field.metadata or {}).get(b"PARQUET:field_id", 0))
    kind = field.type
    if pa.types.is_map(kind):
        yield from identified(kind.key_field)
        yield from identified(kind.item_field)
    elif pa.types.is_nested(kind):
        for place in range(kind.num_fields):
            yield from identified(kind.field(place))


@pytest.mark.parametrize("rows", [3, 12_000])
def test_files_hold_the_id_of_every_field(lake: Lake, rows: int) -> None:
    """Few rows are written by Arrow, many by Spark."""
    lake.schema = schema(nested(2, "s", EVERYTHING))
    value = """named_struct('a', 1, 'b c', array(named_struct('x', 1, 'y', 'q')), 'm', map('k', array(1L)),
        'e', named_struct('z', id / 2))"""
    (new,) = lake.query(f"SELECT id, {value} FROM range({rows})")
    stored = pq.read_schema(lake.warehouse.absolute(new.path))
    assert [item for field in stored for item in identified(field)] == [
        ("id", 1), ("s", 2), ("a", 3), ("b c", 4), ("element", 5), ("x", 6), ("y", 7), ("m", 8), ("key", 9),
        ("value", 10), ("element", 11), ("e", 12), ("z", 13),
    ]  # fmt: skip
    assert new.rows == rows
    assert lake.rows("SELECT count(*), sum(s.a), max(s.e.z), max(s.`b c`[0].x) FROM __lake_0") == [
        [rows, rows, (rows - 1) / 2, 1]
    ]


def test_many_rows_in_partitions_hold_ids_too(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "SMALL_SCAN_ROWS", 0)
    columns = (Column(1, "id", "bigint"), nested(2, "s", "struct<a#3:int>"))
    lake.schema = Schema(columns, partition_by=(1,))
    lake.query("SELECT id % 3, named_struct('a', CAST(id AS INT)) FROM range(20000)")
    for file in lake.files:
        stored = pq.read_schema(lake.warehouse.absolute(file.path))
        assert list(identified(stored.field("s"))) == [("s", 2), ("a", 3)]
    assert lake.rows("SELECT sum(s.a) FROM __lake_0") == [[19999 * 10000]]


def test_fields_are_read_by_id(lake: Lake) -> None:
    lake.schema = schema(nested(2, "s", "struct<x#3:int,y#4:string,gone#5:int>"))
    lake.values("1|named_struct('x', 1, 'y', 'one', 'gone', 7)", "2|NULL")
    # x and y change their names and their order, gone is dropped and added anew, x is wider, z is new.
    lake.schema = schema(nested(2, "t", "struct<x#4:string,gone#6:string,y#3:bigint,z#7:int>"))
    lake.values("3|named_struct('x', 'three', 'gone', 'new', 'y', 3, 'z', 4)")
    assert lake.rows() == [
        [1, {"x": "one", "gone": None, "y": 1, "z": None}],
        [2, None],
        [3, {"x": "three", "gone": "new", "y": 3, "z": 4}],
    ]
    assert lake.rows("SELECT t.y FROM __lake_0 WHERE t.x = 'one'") == [[1]]
    assert lake.rows("SELECT id FROM __lake_0 WHERE t.gone IS NULL AND t IS NOT NULL") == [[1]]
    lake.update("t.y = 1", t="named_struct('z', 9, 'y', t.y + 1, 'gone', t.gone, 'x', t.x)")
    assert lake.rows("SELECT t.x, t.y, t.z FROM __lake_0 WHERE id = 1") == [["one", 2, 9]]


def test_array_and_map_fields_are_read_by_id(lake: Lake) -> None:
    lake.schema = schema(
        nested(2, "a", "array<#3:struct<x#4:int,y#5:int>>"), nested(6, "m", "map<#7:int,#8:struct<x#9:int>>")
    )
    lake.query("SELECT 1, array(named_struct('x', 1, 'y', 2), NULL), map(5, named_struct('x', 6))")
    lake.schema = schema(
        nested(2, "a", "array<#3:struct<y#4:bigint,x#10:int>>"),
        nested(6, "m", "map<#7:bigint,#8:struct<q#9:bigint,x#11:date>>"),
    )
    assert lake.rows() == [[1, [{"y": 1, "x": None}, None], {"5": {"q": 6, "x": None}}]]
    assert lake.rows("SELECT a.y, m[5L].q, m[5L].x FROM __lake_0") == [[[1, None], 6, None]]


def test_files_without_ids_are_read_by_names(lake: Lake) -> None:
    lake.schema = Schema((Column(1, "id", "bigint"), Column(2, "s", "struct<x:int,y:int>")))
    lake.values("1|named_struct('x', 1, 'y', 2)")
    # What was written before fields had ids lies under a schema that has been given these since.
    known = schema(nested(2, "s", "struct<x#3:int,y#4:int>"))
    lake.files = [type(file)(file.file_id, file.path, file.base, file.rows, known) for file in lake.files]
    lake.schema = schema(nested(2, "s", "struct<y#3:int,x#5:int,z#4:int>"))
    assert lake.rows() == [[1, {"y": 1, "x": None, "z": 2}]]


def test_fields_are_found_by_either_branchs_id(lake: Lake) -> None:
    lake.schema = schema(nested(2, "s", "struct<x#3:int>"))
    lake.values("1|named_struct('x', 1)")
    lake.schema = schema(nested(2, "s", "struct<n#9:int>"))
    lake.values("2|named_struct('n', 2)")
    lake.schema = schema(nested(2, "s", "struct<n#9+3:bigint>"))
    assert lake.rows("SELECT id, s.n FROM __lake_0") == [[1, 1], [2, 2]]


def test_text_with_ids_is_read_again() -> None:
    kind = parse_identified(EVERYTHING)
    assert parse_identified(kind.identified) == kind
    assert numbered(parse_type("struct<a:int,b:array<int>>"), iter((7, 8, 9))).identified == (
        "struct<a#7:int,b#8:array<#9:int>>"
    )


@pytest.mark.parametrize("rows", [4, 12_000])
def test_a_nested_columns_smallest_leaf_counts_its_nulls(lake: Lake, rows: int) -> None:
    lake.schema = schema(
        nested(2, "s", "struct<x#3:int,`a.b`#4:string>"),
        nested(5, "l", "array<#6:struct<x#7:int>>"),
        nested(8, "m", "map<#9:string,#10:array<#11:int>>"),
    )
    (new,) = lake.query(f"""SELECT id,
        IF(id = 0, NULL, named_struct('x', CAST(NULL AS INT), 'a.b', IF(id = 1, NULL, repeat('long', 9)))),
        CASE id WHEN 0 THEN NULL WHEN 1 THEN array() WHEN 2 THEN array(NULL) ELSE array(named_struct('x', 1)) END,
        CASE id WHEN 0 THEN NULL WHEN 1 THEN NULL WHEN 2 THEN map() ELSE map('k', NULL) END FROM range({rows})""")
    assert {key: value.nulls for key, value in new.statistics.items()} == {1: 0, 2: 1, 5: 1, 8: 2}
