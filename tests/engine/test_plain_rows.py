"""Rows of a MERGE's source that are inserted without a job of Spark: when, and as what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.domain.schema import Schema
from catalog_app.domain.transforms import Transform
from catalog_app.engine.held_rows import held_columns, held_for_insert, held_with_keys
from catalog_app.engine.merge_values import Act, Family, FrozenSource, Rule
from catalog_app.engine.plain_rows import plain_rows, source_column
from catalog_app.engine.targets import Target
from tests.engine.lake import schema_of

COLUMNS = (("id", "bigint"), ("Name", "string"), ("price", "decimal(5,2)"))
ROWS = pa.table(
    {
        "c0": pa.array([1, 2, 3], pa.int64()),
        "c1": pa.array(["a", None, "c"]),
        "c2": pa.array([None, None, None], pa.decimal128(5, 2)),
    }
)
SOURCE = FrozenSource("folder", "s", COLUMNS, 3, 100, table=ROWS)
PLAIN = {"id": "`s`.`id`", "name": "`S`.`name`"}


def inserted(
    *columns: str,
    values: dict[str, str],
    condition: str | None = None,
    source: FrozenSource = SOURCE,
    left_out: tuple[int, ...] = (),
) -> list[dict[str, Any]] | None:
    rules = [Rule(Family.NOT_MATCHED, Act.INSERT, condition, values)]
    without = np.array(left_out, dtype=np.int64)
    found = plain_rows(Target(1, schema_of(*columns)), source, rules, without, lambda *_: None)
    return None if found is None else found.to_pylist()


def test_columns_are_taken_unchanged_without_numbered_rows() -> None:
    found = inserted("id bigint not null", "name string", "until timestamp", values=PLAIN, left_out=(1,))
    assert found == [{"__c1": 1, "__c2": "a", "__c3": None}, {"__c1": 3, "__c2": "c", "__c3": None}]


def test_a_column_without_values_has_sparks_type() -> None:
    target = Target(1, schema_of("id bigint", "at timestamp", "price decimal(7,3)"))
    rule = Rule(Family.NOT_MATCHED, Act.INSERT, None, {"id": PLAIN["id"], "price": "NULL"})
    found = plain_rows(target, SOURCE, [rule], np.array([], dtype=np.int64), lambda *_: None)
    assert found is not None
    assert found.schema.types == [pa.int64(), pa.timestamp("us", "UTC"), pa.decimal128(7, 3)]


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        (("id int",), PLAIN),
        (("id bigint", "name varchar(9)"), PLAIN),
        (("id bigint", "name string not null"), PLAIN),
        (("id bigint", "price decimal(7,2)"), PLAIN | {"price": "`s`.`price`"}),
        (("id bigint", "name string"), PLAIN | {"name": "upper(`s`.`name`)"}),
        (("id bigint", "list array<int>"), PLAIN),
    ],
)
def test_what_asks_for_more_is_left_to_spark(columns: tuple[str, ...], values: dict[str, str]) -> None:
    assert inserted(*columns, values=values) is None


def test_conditions_defaults_and_many_rows_reach_spark() -> None:
    assert inserted("id bigint", values=PLAIN, condition="`s`.`id` > 1") is None
    assert inserted("id bigint", values=PLAIN, source=replace(SOURCE, table=None)) is None
    schema = schema_of("id bigint", "name string")
    defaults = replace(schema, columns=(replace(schema.columns[0], default="7"), *schema.columns[1:]))
    assert _all_rows(defaults, {"name": PLAIN["name"]}) is None


def _all_rows(schema: Schema, values: dict[str, str]) -> pa.Table | None:
    rule = Rule(Family.NOT_MATCHED, Act.INSERT, None, values)
    return plain_rows(Target(1, schema), SOURCE, [rule], np.array([], dtype=np.int64), lambda *_: None)


def test_rows_have_the_texts_of_their_partitions() -> None:
    schema = schema_of("id bigint", "name string", partition_by=(1, 2))
    found = _all_rows(schema, PLAIN)
    assert found is not None
    assert found.column("__lake_p0").to_pylist() == ["1", "2", "3"]
    assert found.column("__lake_p1").to_pylist() == ["a", None, "c"]


@pytest.mark.parametrize("is_laid", [False, True])
def test_other_partitions_reach_spark(is_laid: bool) -> None:
    schema = schema_of("id bigint", "price decimal(5,2)", partition_by=() if is_laid else (2,))
    layout = (Transform("bucket", 4, 1),) if is_laid else ()
    assert _all_rows(replace(schema, layout=layout), {"id": PLAIN["id"], "price": "`s`.`price`"}) is None


def test_a_name_of_two_columns_is_no_column() -> None:
    twice = replace(SOURCE, columns=(*COLUMNS[:2], ("NAME", "string")))
    assert source_column(SOURCE, "`s`.`Name`") == 1
    assert source_column(twice, "`s`.`Name`") is None
    assert source_column(SOURCE, "`t`.`Name`") is None


def test_held_rows_enter_a_table_by_name() -> None:
    held = held_columns(SOURCE, ["NAME", "id"])
    assert held is not None
    assert held.columns == (("NAME", "string"), ("id", "bigint"))
    found = held_for_insert(Target(1, schema_of("id bigint", "until timestamp", "name string")), held)
    assert found is not None
    assert found.to_pylist()[1:] == [{"__c1": n, "__c2": None, "__c3": t} for n, t in ((2, None), (3, "c"))]


@pytest.mark.parametrize("change", ["generated", "clustered", "unknown"])
def test_held_rows_that_ask_for_more_reach_spark(change: str) -> None:
    held = held_columns(SOURCE, ["id"])
    assert held is not None
    schema = schema_of("id bigint", "next bigint")
    first, second = schema.columns
    changed = {
        "generated": replace(schema, columns=(first, replace(second, generated="id + 1"))),
        "clustered": replace(schema, clustered_by=(1,)),
        "unknown": schema_of("other bigint"),
    }
    assert held_for_insert(Target(1, schema), held) is not None
    assert held_for_insert(Target(1, changed[change]), held) is None


def test_many_rows_or_char_are_not_held() -> None:
    assert held_columns(replace(SOURCE, table=None), ["id"]) is None
    assert held_columns(replace(SOURCE, chars={1: "char(3)"}), ["name"]) is None
    assert held_columns(replace(SOURCE, chars={1: "char(3)"}), ["id"]) is not None


def test_keys_stand_once_behind_held_rows() -> None:
    """NULL is a key. Columns that are no keys are NULL there."""
    schema = pa.schema([pa.field("c0", pa.int64(), nullable=False), pa.field("c1", pa.string())])
    rows = pa.table({"c0": [1, 1, 2, 3], "c1": ["a", "a", None, None]}, schema=schema)
    source = replace(SOURCE, columns=COLUMNS[:2], table=rows, rows=4)
    found = held_with_keys(source, ["NAME"], mark="part", row="row", key="key")
    assert found.columns == (("id", "bigint"), ("Name", "string"), ("part", "string"))
    assert found.table is not None
    assert found.table.slice(0, 4).select(["c0", "c1"]).to_pylist() == rows.to_pylist()
    behind = {(row["c0"], row["c1"], row["c2"]) for row in found.table.slice(4).to_pylist()}
    assert behind == {(None, "a", "key"), (None, None, "key")}
    assert (found.rows, set(found.table.column("c2").slice(0, 4).to_pylist())) == (6, {"row"})
    ((kind, values),) = [key for key in found.keys if key is not None]
    assert (kind, set(values.to_pylist()), found.key_types) == ("string", {"a", None}, ("string",))
