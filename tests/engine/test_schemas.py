"""Files of older and merged schemas are decoded by column id."""

from __future__ import annotations

from catalog_app.domain.schema import Column, Schema
from tests.engine.lake import Lake, schema_of


def test_a_renamed_column_keeps_its_values(lake: Lake) -> None:
    lake.schema = schema_of("a int", "b int")
    lake.values("1|2")
    lake.schema = Schema((Column(1, "b", "int"), Column(2, "a", "int")))
    assert lake.rows("SELECT a, b FROM __lake_0") == [[2, 1]]


def test_a_dropped_and_readded_name_is_another_column(lake: Lake) -> None:
    lake.schema = schema_of("k int", "a int")
    lake.values("1|10")
    lake.schema = Schema((Column(1, "k", "int"), Column(3, "a", "string")))
    lake.values("2|'new'")
    assert lake.rows() == [[1, None], [2, "new"]]


def test_older_rows_read_as_the_columns_initial_default(lake: Lake) -> None:
    lake.schema = schema_of("k int")
    lake.values("1")
    lake.schema = Schema(
        (Column(1, "k", "int"), Column(2, "d", "string", default="'later'", initial_default="'first'"))
    )
    lake.values("2", columns=("k",))
    lake.values("3|DEFAULT", "4|NULL")
    assert lake.rows() == [[1, "first"], [2, "later"], [3, "later"], [4, None]]
    assert lake.rows("SELECT k FROM __lake_0 WHERE d = 'first'") == [[1]]


def test_columns_are_found_by_either_branchs_id(lake: Lake) -> None:
    lake.schema = schema_of("k int", Column(2, "x", "int"))
    lake.values("1|10")
    lake.schema = Schema((Column(1, "k", "int"), Column(9, "x", "int")))
    lake.values("2|20")
    lake.schema = Schema((Column(1, "k", "int"), Column(9, "x", "bigint", aliases=(2,))))
    lake.values("3|30")
    lake.update("k < 3", x="x + 1")
    assert lake.rows() == [[1, 11], [2, 21], [3, 30]]


def test_names_may_be_any_text(lake: Lake) -> None:
    names = ["base", "_metadata", "pos", "_row_id", "a b", "a.b", "ti`ck", "ß", "{t}", "x=y/z", "select", "__partition"]
    lake.schema = Schema(tuple(Column(number, name, "int") for number, name in enumerate(names, start=1)))
    lake.values("|".join(str(number) for number in range(len(names))), "|".join(["-1"] * len(names)))
    lake.delete("`base` = -1 AND `a.b` = -1 AND `ti``ck` < 0 AND `{t}` < 0")
    lake.update("`_metadata` = 1", **{"x=y/z": "`base` + `_row_id` + 96"})
    assert lake.rows() == [[0, 1, 2, 3, 4, 5, 6, 7, 8, 99, 10, 11]]


def test_a_table_without_files_answers_its_columns(lake: Lake) -> None:
    lake.schema = schema_of("a int", "b array<struct<c:date>>", "c varchar(3)")
    result = lake.engine.select("SELECT * FROM __lake_0", {"__lake_0": lake.scan()}, limit=5)
    assert result.columns == (("a", "int"), ("b", "array<struct<c:date>>"), ("c", "string"))
    assert result.rows == []
