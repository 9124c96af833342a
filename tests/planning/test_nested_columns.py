"""A6 for fields inside of columns: by id, names on the outcome, types by widening."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog_app.domain.operations import ColumnAttribute, Operation
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import parse_identified
from merge_app.planning.field_changes import field_settings, paths_changed
from merge_app.planning.merge_plan import MergePlan
from tests.planning.build import ORDERS, TABLE, A, add_column, codes, column, drop_column, merged, table_of

BASE = "struct<x#3:int,y#4:string,in#5:struct<p#6:int>>"


def nested(text: str, identifier: int = 2, name: str = "s", aliases: tuple[int, ...] = ()) -> Column:
    kind = parse_identified(text)
    return Column(identifier, name, kind.text, aliases=aliases).with_fields(kind)


def change(after: str, before: str = BASE) -> Operation:
    return column(2, ColumnAttribute.NESTED, before, after)


def merge(source: str, destination: str, *, base: str = BASE) -> MergePlan:
    """Both sides made these types of the base's."""
    of_target = [change(destination, base)] if destination != base else []
    tables = {TABLE: replace(ORDERS, schema=Schema((A, nested(destination))))}
    return merged([change(source, base)], of_target, tables=tables)


def outcome(result: MergePlan) -> str | None:
    assert codes(result.conflicts) == []
    found: Column = table_of(result).after.schema.columns[1]  # type: ignore[union-attr]
    assert found.type == found.parsed.text
    return found.nested


@pytest.mark.parametrize(
    ("source", "destination", "after"),
    [
        # Added, dropped, renamed, widened and moved where the target did nothing.
        ("struct<x#3:int,y#4:string,in#5:struct<p#6:int>,z#7:int>", BASE, None),
        ("struct<y#4:string,in#5:struct<p#6:int>>", BASE, None),
        ("struct<q#3:int,y#4:string,in#5:struct<p#6:int>>", BASE, None),
        ("struct<x#3:bigint,y#4:string,in#5:struct<p#6:bigint>>", BASE, None),
        ("struct<in#5:struct<p#6:int>,x#3:int,y#4:string>", BASE, None),
        ("struct<x#7:string,y#4:string,in#5:struct<p#6:int,o#8:date>>", BASE, None),
        # Both sides changed something else.
        (
            "struct<x#3:bigint,y#4:string,in#5:struct<p#6:int>,z#7:int>",
            "struct<x#3:int,why#4:string,in#5:struct<p#6:int,o#8:int>>",
            "struct<x#3:bigint,why#4:string,in#5:struct<p#6:int,o#8:int>,z#7:int>",
        ),
        # The target dropped what the source left alone, and the other way round.
        (
            "struct<x#3:bigint,y#4:string,in#5:struct<p#6:int>>",
            "struct<x#3:int>",
            "struct<x#3:bigint>",
        ),
        ("struct<x#3:int>", "struct<x#3:bigint,wide#4:string,in#5:struct<p#6:int>>", "struct<x#3:bigint>"),
        # The same name added on both sides is one field, with the fields of both.
        (
            "struct<x#3:int,y#4:string,in#5:struct<p#6:int>,z#7:struct<a#8:int,b#9:int>>",
            "struct<x#3:int,y#4:string,in#5:struct<p#6:int>,z#10:struct<b#11:smallint,c#12:int>>",
            "struct<x#3:int,y#4:string,in#5:struct<p#6:int>,z#10+7:struct<b#11+9:int,c#12:int,a#8:int>>",
        ),
        # Names may be swapped.
        ("struct<y#3:int,x#4:string,in#5:struct<p#6:int>>", BASE, None),
    ],
)
def test_fields_are_merged_one_by_one(source: str, destination: str, after: str | None) -> None:
    assert outcome(merge(source, destination)) == (after or source)


@pytest.mark.parametrize(
    ("source", "destination", "code", "path"),
    [
        ("struct<x#3:bigint,y#4:string>", "struct<y#4:string>", "COLUMN_MISSING", "s.x"),
        ("struct<q#3:int,y#4:string>", "struct<y#4:string>", "COLUMN_MISSING", "s.x"),
        ("struct<z#3:int,y#4:string>", "struct<x#3:int,y#4:string,z#9:int>", "COLUMN_NAME_TAKEN", "s.z"),
        ("struct<x#3:int,y#4:string,z#8:int>", "struct<z#3:int,y#4:string>", "COLUMN_NAME_TAKEN", "s.z"),
        ("struct<x#3:bigint,y#4:string>", "struct<x#3:decimal(10,0),y#4:string>", "COLUMN_TYPE_NARROWING", "s.x"),
        (
            "struct<x#3:int,y#4:string,z#8:int>",
            "struct<x#3:int,y#4:string,z#9:string>",
            "COLUMN_TYPE_NARROWING",
            "s.z",
        ),
    ],
)
def test_what_cannot_be_applied_is_named_by_path(source: str, destination: str, code: str, path: str) -> None:
    result = merge(source, destination, base="struct<x#3:int,y#4:string>")
    assert [(item.code, item.details["column"]) for item in result.conflicts] == [(code, path)]
    assert path in result.conflicts[0].message


def test_elements_keys_and_values_are_widened_in_place() -> None:
    base = "map<#3:string,#4:array<#5:struct<x#6:int>>>"
    source = "map<#3:string,#4:array<#5:struct<x#6:bigint>>>"
    destination = "map<#3:string,#4:array<#5:struct<x#6:int,y#7:int>>>"
    assert outcome(merge(source, destination, base=base)) == "map<#3:string,#4:array<#5:struct<x#6:bigint,y#7:int>>>"
    result = merge(source, "map<#3:string,#4:array<#5:struct<>>>", base=base)
    assert result.conflicts[0].details["column"] == "s.value.element.x"


def test_competing_names_and_drops_over_changes_are_noted() -> None:
    renamed = merge("struct<a#3:int,y#4:string>", "struct<b#3:int,y#4:string>", base="struct<x#3:int,y#4:string>")
    assert outcome(renamed) == "struct<a#3:int,y#4:string>"
    dropped = merge("struct<y#4:string>", "struct<x#3:bigint,y#4:string>", base="struct<x#3:int,y#4:string>")
    assert outcome(dropped) == "struct<y#4:string>"
    assert (codes(renamed.notes), codes(dropped.notes)) == (["OVERRIDDEN_BY_SOURCE"], ["DROPS_DEST_CHANGES"])
    assert dropped.notes[0].details["column"] == "x"


def test_a_change_of_an_absent_column_is_missing() -> None:
    tables = {TABLE: replace(ORDERS, schema=Schema((A,)))}
    result = merged([change("struct<x#3:bigint>")], [drop_column(nested(BASE))], tables=tables)
    assert codes(result.conflicts) == ["COLUMN_MISSING"]


def test_columns_both_sides_added_have_fields_of_both() -> None:
    of_source, of_target = nested("struct<x#3:bigint,y#4:int>"), nested("struct<x#6:int,z#7:int>", 5)
    tables = {TABLE: replace(ORDERS, schema=Schema((A, of_target)))}
    result = merged([add_column(of_source)], [add_column(of_target)], tables=tables)
    assert outcome(result) == "struct<x#6+3:bigint,z#7:int,y#4:int>"


def test_what_ends_where_it_began_is_no_change() -> None:
    wide = "struct<x#3:int,y#4:string,in#5:struct<p#6:int>,z#7:int>"
    tables = {TABLE: replace(ORDERS, schema=Schema((A, nested(BASE))))}
    result = merged([change(wide), change(BASE, wide)], [], tables=tables)
    assert [item for item in result.objects if item.after != item.before] == []


def test_changing_nested_columns_sets_fields_one_by_one() -> None:
    before, after = "struct<x#3:int,y#4:int>", "struct<a#3:bigint,z#5:int,y#4:int>"
    assert set(field_settings(before, after)) == {(3, "name"), (3, "type"), (5, "exists")}


def test_changes_are_named_by_path() -> None:
    after = "struct<q#3:int,y#4:string,in#5:struct<p#6:bigint,n#8:int>>"
    assert paths_changed(BASE, after, "s") == ["s.q", "s.in.p", "s.in.n"]
    assert paths_changed(BASE, "struct<y#4:string,x#3:int,in#5:struct<p#6:int>>", "s") == ["s"]
