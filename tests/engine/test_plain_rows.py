"""Rows of a MERGE's source that are inserted without a job of Spark: when, and as what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

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


def test_conditions_defaults_partitions_and_many_rows_reach_spark() -> None:
    assert inserted("id bigint", values=PLAIN, condition="`s`.`id` > 1") is None
    assert inserted("id bigint", values=PLAIN, source=replace(SOURCE, table=None)) is None
    schema = schema_of("id bigint", "name string")
    defaults = replace(schema, columns=(replace(schema.columns[0], default="7"), *schema.columns[1:]))
    split = replace(schema, partition_by=(schema.columns[1].id,))
    for changed in (defaults, split):
        rule = Rule(Family.NOT_MATCHED, Act.INSERT, None, {"name": PLAIN["name"]})
        assert plain_rows(Target(1, changed), SOURCE, [rule], np.array([], dtype=np.int64), lambda *_: None) is None


def test_a_name_of_two_columns_is_no_column() -> None:
    twice = replace(SOURCE, columns=(*COLUMNS[:2], ("NAME", "string")))
    assert source_column(SOURCE, "`s`.`Name`") == 1
    assert source_column(twice, "`s`.`Name`") is None
    assert source_column(SOURCE, "`t`.`Name`") is None
