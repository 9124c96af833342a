"""The state that the changes of a statement leave is what the statement's own difference leads to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog_app.domain.operations import ColumnAttribute
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.domain.state_diff import state_after, state_operations
from catalog_app.domain.types import parse_identified
from tests.planning.build import ORDERS, SHOP, A, B, add_column, column, partition

NESTED = Column(4, "s", "").with_fields(parse_identified("struct<x#5:int>"))
GROWN = Column(4, "s", "").with_fields(parse_identified("struct<x#5:bigint,y#6:int>"))
BEFORE = replace(ORDERS, schema=Schema((A, B, NESTED)), declared_partitions=frozenset({("x",), ("y",)}))


@pytest.mark.parametrize(
    "after",
    [
        replace(BEFORE, name="other", database_id=7),
        replace(BEFORE, properties={"p": "2", "r": "3"}),
        replace(BEFORE, declared_partitions=frozenset({("y",), ("z",)})),
        replace(BEFORE, schema=Schema((replace(B, name="a"), replace(A, name="b", type="bigint"), GROWN))),
        replace(BEFORE, schema=Schema((NESTED, Column(9, "n", "int", nullable=False, default="1"), A))),
    ],
)
def test_a_difference_leads_to_its_state(after: TableState) -> None:
    assert state_after(BEFORE, state_operations(BEFORE, after)) == after


def test_a_database_becomes_what_differs() -> None:
    after = DatabaseState(SHOP.database_id, "mall", properties={"q": "1", "r": "1"})
    assert state_after(SHOP, state_operations(SHOP, after)) == after


def test_a_column_moves_behind_a_later_one() -> None:
    moved = column(8, ColumnAttribute.POSITION, None, 9)
    added = [add_column(Column(8, "m", "int")), moved, add_column(Column(9, "n", "int"))]
    assert [item.id for item in state_after(ORDERS, added).schema.columns] == [1, 2, 9, 8]


def test_a_renamed_partition_stays_declared() -> None:
    assert state_after(BEFORE, [partition(("x",), ("z",))]).declared_partitions == {("y",), ("z",)}
    assert state_after(BEFORE, [partition(("q",), ("z",))]).declared_partitions == BEFORE.declared_partitions
