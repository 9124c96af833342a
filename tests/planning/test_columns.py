"""A6: columns by id, names on the outcome, types by widening, values of required columns (semantics §3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog_app.domain.operations import ColumnAttribute, Operation
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from merge_app.planning.merge_plan import MergePlan, TableFacts, Verdict
from tests.planning.build import (
    ORDERS,
    TABLE,
    A,
    B,
    add_column,
    cells,
    codes,
    column,
    drop_column,
    insert,
    merged,
    overwrite,
    rename_column,
    retype,
    table_of,
    update,
)

C = Column(3, "c", "int")


def _destination(*columns: Column) -> dict[str, object]:
    return {"tables": {TABLE: replace(ORDERS, schema=Schema(columns))}}


def _schema_after(result: MergePlan) -> Schema:
    after = table_of(result).after
    assert isinstance(after, TableState)
    return after.schema


def _schema(source: list[Operation], destination: list[Operation], *columns: Column) -> Schema:
    result = merged(source, destination, **_destination(*columns))
    assert codes(result.conflicts) == []
    return _schema_after(result)


def test_a_type_unchanged_by_the_target_is_widened() -> None:
    assert _schema([retype(1, "int", "bigint")], [], A, B).columns == (replace(A, type="bigint"), B)


def test_equal_widening_on_both_sides_is_no_change() -> None:
    wide = replace(A, type="bigint")
    assert _schema([retype(1, "int", "bigint")], [retype(1, "int", "bigint")], wide, B).columns == (wide, B)


@pytest.mark.parametrize(("of_source", "of_target"), [("int", "bigint"), ("bigint", "string"), ("int", "smallint2")])
def test_a_target_type_that_does_not_widen_conflicts(of_source: str, of_target: str) -> None:
    of_target = of_target.replace("smallint2", "decimal(10,0)")
    result = merged(
        [retype(1, "smallint", of_source)],
        [retype(1, "smallint", of_target)],
        **_destination(replace(A, type=of_target)),
    )
    assert codes(result.conflicts) == ["COLUMN_TYPE_NARROWING"]
    assert result.conflicts[0].note == "A6.1"
    assert cells(result, Verdict.CONFLICT) == [("column", "column")]


def test_a_column_renamed_twice_takes_the_sources_name() -> None:
    result = merged([rename_column(1, "a", "x")], [rename_column(1, "a", "y")], **_destination(replace(A, name="y"), B))
    assert _schema_after(result).columns[0].name == "x"
    assert codes(result.notes) == ["OVERRIDDEN_BY_SOURCE"]


def test_columns_may_swap_names() -> None:
    source = [rename_column(1, "a", "t"), rename_column(2, "b", "a"), rename_column(1, "t", "b")]
    assert _schema(source, [], A, B).columns == (replace(A, name="b"), replace(B, name="a"))


def test_a_rename_onto_another_columns_name_is_taken() -> None:
    result = merged([rename_column(1, "a", "c")], [add_column(C)], **_destination(A, B, C))
    assert codes(result.conflicts) == ["COLUMN_NAME_TAKEN"]


def test_adding_onto_a_renamed_columns_name_is_taken() -> None:
    result = merged([add_column(C)], [rename_column(1, "a", "C")], **_destination(replace(A, name="C"), B))
    assert codes(result.conflicts) == ["COLUMN_NAME_TAKEN"]


def test_a_column_both_sides_add_has_both_ids() -> None:
    of_source = Column(9, "C", "bigint", nullable=False, default="7", initial_default="7")
    schema = _schema([add_column(of_source)], [add_column(C)], A, B, C)
    assert schema.columns[2] == Column(3, "C", "bigint", nullable=False, default="7", initial_default="7", aliases=(9,))
    assert schema.column(9) == schema.columns[2]


def test_adding_a_narrower_column_conflicts() -> None:
    wide = replace(C, type="bigint")
    result = merged([add_column(Column(9, "c", "int"))], [add_column(wide)], **_destination(A, B, wide))
    assert codes(result.conflicts) == ["COLUMN_TYPE_NARROWING"]


def test_a_column_dropped_on_both_sides_is_fine() -> None:
    assert _schema([drop_column(A)], [drop_column(A)], B).columns == (B,)


def test_changing_a_dropped_column_conflicts_despite_its_name() -> None:
    again = Column(4, "a", "int")
    source = [rename_column(1, "a", "x"), retype(1, "int", "bigint")]
    result = merged(source, [drop_column(A), add_column(again)], **_destination(again, B))
    assert codes(result.conflicts) == ["COLUMN_MISSING"]
    assert "column a" in result.conflicts[0].message


def test_dropping_a_column_the_target_changed_is_noted() -> None:
    result = merged([drop_column(A)], [retype(1, "int", "bigint")], **_destination(replace(A, type="bigint"), B))
    assert codes(result.findings) == ["DROPS_DEST_CHANGES", ""]


def test_dropping_a_name_and_adding_it_again_works() -> None:
    assert _schema([drop_column(A), add_column(Column(9, "a", "string"))], [], A, B).columns == (
        B,
        Column(9, "a", "string"),
    )


def test_an_unaltered_target_takes_the_sources_last_schema() -> None:
    source_schema = Schema((C, B, A))
    result = merged(
        [add_column(C)],
        [insert(9)],
        source_tables={TABLE: replace(ORDERS, schema=source_schema)},
        facts={TABLE: TableFacts()},
    )
    assert _schema_after(result) == source_schema


REQUIRED = replace(C, nullable=False)


def _lacking(side: str, column_id: int, rows: int = 4) -> dict[str, object]:
    return {"facts": {TABLE: TableFacts(lacking={(side, column_id): rows})}}


@pytest.mark.parametrize(
    ("axis", "operation"),
    [("insert", insert(9)), ("update", update(9, deletes=[(8, 1)])), ("overwrite", overwrite(9, removed=[1]))],
)
def test_source_rows_without_required_values_conflict(axis: str, operation: Operation) -> None:
    fields = {**_destination(A, B, REQUIRED), **_lacking("source", REQUIRED.id)}
    result = merged([operation], [add_column(REQUIRED)], **fields)
    assert codes(result.conflicts) == ["NOT_NULL_WITHOUT_VALUE"]
    assert cells(result, Verdict.CONFLICT) == [(axis, "column")]


@pytest.mark.parametrize(
    ("axis", "operation"),
    [("insert", insert(9)), ("update", update(9, deletes=[(8, 1)])), ("overwrite", overwrite(9, removed=[1]))],
)
def test_target_rows_without_required_values_conflict(axis: str, operation: Operation) -> None:
    result = merged([add_column(REQUIRED)], [operation], **_lacking("destination", REQUIRED.id))
    assert codes(result.conflicts) == ["NOT_NULL_WITHOUT_VALUE"]
    assert cells(result, Verdict.CONFLICT) == [("column", axis)]


def test_no_row_without_a_value_is_no_conflict() -> None:
    assert merged([add_column(REQUIRED)], [insert(9)], facts={TABLE: TableFacts()}).conflicts == ()


def test_tightened_nullability_meets_nulls_of_the_other_side() -> None:
    tightened = column(1, ColumnAttribute.NULLABLE, True, False)
    (conflict,) = merged([tightened], [insert(9)], **_lacking("destination", 1, 2)).conflicts
    assert (conflict.code, conflict.details["rows"]) == ("NOT_NULL_WITHOUT_VALUE", 2)


def test_columns_nullable_in_the_result_are_not_judged() -> None:
    assert merged([add_column(C)], [insert(9)], **_lacking("destination", C.id)).conflicts == ()
