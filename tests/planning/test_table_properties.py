"""Properties that lakeui reads are judged when they are set."""

from __future__ import annotations

import pytest

from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.table_properties import (
    GRANULARITIES,
    KNOWN,
    column_merge_renamed,
    merge_properties_check,
    merges_by,
    properties_check,
)
from lakeui.common.errors import InvalidValue
from merge_app.lineage.facts import Granularity


@pytest.mark.parametrize("key", KNOWN)
def test_a_known_property_takes_only_its_values(key: str) -> None:
    for value in KNOWN[key]:
        properties_check({key: value})
    for value in ("foo", "", "Copy-On-Write"):
        with pytest.raises(InvalidValue, match="cannot be") as refusal:
            properties_check({"owner": "x", key: value})
        assert refusal.value.details["field"] == key


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("write.merge.mod", "write.merge.mode"),
        ("WRITE.MERGE.MODE", "write.merge.mode"),
        ("write.updte.mode", "write.update.mode"),
        ("merge.zzz", None),
    ],
)
def test_our_unknown_property_is_refused_naming_the_nearest(key: str, nearest: str | None) -> None:
    with pytest.raises(InvalidValue, match="no table property") as refusal:
        properties_check({key: "copy-on-write"})
    assert (refusal.value.details["field"], refusal.value.details["nearest"]) == (key, nearest)


def test_all_other_names_are_the_person_s_own() -> None:
    properties_check({"owner": "x", "writer": "y", "merged": "", "mergex.y": "z", "delta.x": "1"})


COLUMNS = (
    Column(1, "id", "bigint"),
    Column(2, "v", "string"),
    Column(3, "counts", "int"),
    Column(4, "p", "int"),
    Column(5, "tags", "array<string>"),
)
SCHEMA = Schema(COLUMNS, (), (4,))


@pytest.mark.parametrize(
    ("properties", "said", "nearest"),
    [
        ({"merge.column.m": "sum"}, "no column m", None),
        ({"merge.column.count": "sum"}, "no column count", "merge.column.counts"),
        ({"merge.column.COUNTS": "sum"}, "no column COUNTS", "merge.column.counts"),
        ({"merge.column.v": "sum"}, "column v is string", None),
        ({"merge.column.counts": "union"}, "column counts is int", None),
        ({"merge.column.tags": "sum"}, "column tags is array", None),
        ({"merge.column.p": "sum"}, "p is a partition column", None),
        ({"merge.column.counts": "sum", "merge.conflicts": "row"}, "needs merge.conflicts = 'cell'", None),
    ],
)
def test_an_impossible_column_property_is_refused_by_name(
    properties: dict[str, str], said: str, nearest: str | None
) -> None:
    with pytest.raises(InvalidValue, match=said) as refusal:
        merge_properties_check(properties, SCHEMA, "cell")
    assert refusal.value.details["field"] == next(iter(properties))
    assert refusal.value.details.get("nearest") == nearest


def test_column_properties_need_merging_by_cell() -> None:
    wanted = {"merge.column.counts": "sum", "merge.column.tags": "union"}
    merge_properties_check(wanted, SCHEMA, "cell")
    merge_properties_check({**wanted, "merge.conflicts": "cell"}, SCHEMA, "file")
    with pytest.raises(InvalidValue, match=r"needs merge\.conflicts"):
        merge_properties_check(wanted, SCHEMA, "file")


def test_primary_key_tables_take_only_column_properties() -> None:
    keyed = Schema(COLUMNS, (1,))
    merge_properties_check({"merge.column.counts": "sum"}, keyed, "file")
    with pytest.raises(InvalidValue, match="id is part of the primary key"):
        merge_properties_check({"merge.column.id": "sum"}, keyed, "file")
    merge_properties_check({"merge.column.counts": "sum"}, Schema(COLUMNS, (1,), (1,)), "file")
    merge_properties_check({"write.merge.mode": "copy-on-write"}, keyed, "cell")
    with pytest.raises(InvalidValue, match="merged by key and cell"):
        merge_properties_check({"merge.conflicts": "row"}, keyed, "file")


@pytest.mark.parametrize(
    ("value", "type_text", "expected"),
    [
        ("sum", "decimal(10,2)", True),
        ("sum", "double", True),
        ("sum", "date", False),
        ("union", "array<int>", True),
        ("union", "map<string,int>", False),
    ],
)
def test_which_types_sums_and_unions_take(value: str, type_text: str, expected: bool) -> None:
    assert merges_by(value, type_text) is expected


def test_the_property_of_a_column_follows_its_name() -> None:
    assert column_merge_renamed({"merge.column.n": "sum"}, "n", "total") == {"merge.column.total": "sum"}
    assert column_merge_renamed({"merge.column.n": "sum"}, "m", "total") == {}


def test_the_settings_are_those_of_the_core() -> None:
    assert set(GRANULARITIES) == set(Granularity)
