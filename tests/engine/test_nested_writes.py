"""Fields of structs are matched by name wherever columns are, by place in a plain INSERT, at every depth."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.domain.schema import Column
from catalog_app.engine.inputs_outputs import FileSource
from lakeui.common.errors import InvalidValue
from tests.engine.lake import TABLE, Lake, schema_of

SWAPPED = "named_struct('b', 'B', 'a', 'A')"
RIGHT = {"a": "A", "b": "B"}


@pytest.fixture
def pairs(lake: Lake) -> Lake:
    lake.schema = schema_of(
        "id int",
        "s struct<a:string,b:string>",
        "l array<struct<a:string,b:string>>",
        "m map<string,struct<a:string,b:string>>",
    )
    return lake


def by_name(value: str) -> str:
    return f"SELECT array({value}) AS l, map('k', {value}) AS m, {value} AS s, 1 AS id"


def test_insert_by_name_matches_fields_by_name(pairs: Lake) -> None:
    pairs.query(by_name(SWAPPED), by_name=True)
    assert pairs.rows() == [[1, RIGHT, [RIGHT], {"k": RIGHT}]]


def test_plain_inserts_match_fields_by_place_like_columns(pairs: Lake) -> None:
    pairs.query(f"SELECT 1, {SWAPPED}, array({SWAPPED}), NULL")
    pairs.values("2|named_struct('x', 'first', 'y', 'second')|NULL|map()")
    swapped = {"a": "B", "b": "A"}
    assert pairs.rows() == [[1, swapped, [swapped], None], [2, {"a": "first", "b": "second"}, None, {}]]


def test_update_matches_fields_by_name(pairs: Lake) -> None:
    pairs.values("1|NULL|NULL|NULL")
    pairs.update(None, s=SWAPPED, l=f"array({SWAPPED}, NULL)", m=f"map('k', {SWAPPED})")
    assert pairs.rows() == [[1, RIGHT, [RIGHT, None], {"k": RIGHT}]]


def test_null_and_empty_are_values_at_every_depth(pairs: Lake) -> None:
    pairs.query("SELECT NULL AS s, 1 AS id, array() AS l, map() AS m", by_name=True)
    pairs.query(by_name("named_struct('b', NULL, 'a', NULL)"), by_name=True)
    nothing = {"a": None, "b": None}
    assert pairs.rows() == [[1, None, [], {}], [1, nothing, [nothing], {"k": nothing}]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("named_struct('b', 'B')", "The value for s lacks the field a."),
        ("named_struct('a', 'A', 'b', 'B', 'c', 'C')", "Column s has no field c."),
        ("named_struct('a', 'A', 'A', 'B', 'b', 'C')", "The value for s has the field a twice."),
        ("'text'", "Column s is struct<a:string,b:string>; a value of type string does not go into it."),
        (
            "named_struct('a', array(1), 'b', 'B')",
            "Field s.a is string; a value of type array<int> does not go into it.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(pairs: Lake, value: str, message: str) -> None:
    pairs.values("1|NULL|NULL|NULL")
    for attempt in (
        lambda: pairs.query(f"SELECT 1 AS id, {value} AS s", by_name=True),
        lambda: pairs.update(None, s=value),
    ):
        with pytest.raises(InvalidValue) as refused:
            attempt()
        assert refused.value.message == message
    assert pairs.rows("SELECT s FROM __lake_0") == [[None]]


def test_a_plain_insert_counts_the_fields(pairs: Lake) -> None:
    with pytest.raises(InvalidValue, match="Column s has 2 fields, the value has 3"):
        pairs.values("1|named_struct('a', 'A', 'b', 'B', 'c', 'C')|NULL|NULL")


def test_fields_are_cast_and_lengths_hold_inside(lake: Lake) -> None:
    lake.schema = schema_of("s struct<n:smallint,v:varchar(3)>", "l array<char(2)>", "d array<decimal(5,2)>")
    lake.query("SELECT named_struct('v', 'abc ', 'n', 5L) AS s, array('x') AS l, array(1, 2.5) AS d", by_name=True)
    assert lake.rows() == [[{"n": 5, "v": "abc"}, ["x "], ["1.00", "2.50"]]]
    with pytest.raises(InvalidValue, match=r"column s\.v is longer than 3"):
        lake.update(None, s="named_struct('n', 1, 'v', 'abcd')")
    with pytest.raises(InvalidValue):
        lake.update(None, s="named_struct('n', 100000, 'v', 'a')")


def test_a_value_is_computed_once(lake: Lake) -> None:
    lake.schema = schema_of("s struct<a:double,b:double>")
    lake.query("SELECT named_struct('b', r, 'a', r) AS s FROM (SELECT rand() AS r)", by_name=True)
    ((value,),) = lake.rows()
    assert value["a"] == value["b"]


def test_files_may_lack_fields_and_hold_only_null(pairs: Lake) -> None:
    table = pa.table(
        {
            "s": pa.array([{"b": "B"}, None], pa.struct([("b", pa.string())])),
            "l": pa.array([None, None], pa.string()),
            "id": pa.array([1, 2], pa.int32()),
        }
    )
    append_file(pairs, table)
    assert pairs.rows() == [[1, {"a": None, "b": "B"}, None, None], [2, None, None, None]]
    text = table.set_column(1, "l", pa.array(["text", None]))
    with pytest.raises(InvalidValue, match="Column l has fields inside, but a value for it is a text"):
        append_file(pairs, text)


def append_file(lake: Lake, table: pa.Table) -> None:
    """Insert the rows of a file by name, as an import does."""
    folder = lake.warehouse.new_staging(TABLE)
    lake.warehouse.make_folder(folder)
    pq.write_table(table, lake.warehouse.absolute(f"{folder}/rows.parquet"), filesystem=lake.warehouse.filesystem)
    source = FileSource(f"{folder}/rows.parquet", tuple(table.column_names), table.num_rows)
    lake.add(
        lake.engine.append(TABLE, lake.schema, source, columns=None, by_name=True, partition=None, fills_fields=True)
    )


def test_names_of_fields_may_be_any_text(lake: Lake) -> None:
    kind = "struct<`a b`:int,`ti``ck`:int,`x.y`:int,`ü`:int,`select`:int,`it's`:int>"
    lake.schema = schema_of(Column(1, "s", kind))
    value = "named_struct('it\\'s', 6, 'select', 5, 'ü', 4, 'x.y', 3, 'ti`ck', 2, 'a b', 1)"
    lake.query(f"SELECT {value} AS s", by_name=True)
    assert lake.rows("SELECT s.`a b`, s.`ti``ck`, s.`x.y`, s.`ü`, s.`select`, s.`it's` FROM __lake_0") == [
        [1, 2, 3, 4, 5, 6]
    ]
    described = lake.engine.describe("SELECT s FROM __lake_0", {"__lake_0": lake.scan()})
    assert described == [("s", "struct<`a b`:int,`ti``ck`:int,`x.y`:int,`ü`:int,select:int,`it's`:int>")]
