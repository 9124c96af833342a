"""Each cell of both rule tables, hit by one operation a side that meets no further condition."""

from __future__ import annotations

import itertools

import pytest

from catalog_app.domain.operations import ObjectName, Operation, OperationKind, PropertyChange, Rename
from catalog_app.domain.schema import Column
from catalog_app.rules.loader import CellVerdict, load_rules
from merge_app.planning.merge_plan import Verdict
from tests.planning.build import (
    add_column,
    cells,
    codes,
    compaction,
    database_operation,
    delete,
    drop,
    insert,
    merged,
    overwrite,
    partition,
    rename,
    set_property,
    update,
)

DATABASE_STEPS = {
    "source": {
        "drop": database_operation(OperationKind.DROP),
        "rename": database_operation(OperationKind.RENAME, Rename(ObjectName("shop"), ObjectName("mall"))),
        "set properties": database_operation(OperationKind.SET_PROPERTIES, PropertyChange("p", "1", "2")),
        "unset properties": database_operation(OperationKind.UNSET_PROPERTIES, PropertyChange("p", "1", None)),
    },
    "destination": {
        "drop": database_operation(OperationKind.DROP),
        "rename": database_operation(OperationKind.RENAME, Rename(ObjectName("shop"), ObjectName("store"))),
        "set properties": database_operation(OperationKind.SET_PROPERTIES, PropertyChange("q", "1", "2")),
        "unset properties": database_operation(OperationKind.UNSET_PROPERTIES, PropertyChange("q", "1", None)),
    },
}


def _table_steps(name: str, number: int) -> dict[str, Operation]:
    """One operation an axis; ``number`` keeps apart the files, properties, columns and partitions of both sides."""
    base = number + 1
    return {
        "drop": drop(),
        "rename": rename("orders", f"orders_{name}"),
        "properties": set_property(name, None, "1"),
        "column": add_column(Column(number + 5, name, "int")),
        "partition": partition(None, (name,)),
        "insert": insert(number + 2),
        "delete": delete((number + 3, base)),
        "update": update(number + 4, deletes=[(number + 3, base)]),
        "overwrite": overwrite(number + 6, removed=[base]),
        "compaction": compaction(number + 7, inputs=[base]),
    }


TABLE_STEPS = {"source": _table_steps("mine", 1000), "destination": _table_steps("theirs", 2000)}


def _check(table: str, steps: dict[str, dict[str, Operation]], source: str, destination: str) -> None:
    result = merged([steps["source"][source]], [steps["destination"][destination]])
    cell = load_rules().tables[table].cell(source, destination)
    expected = Verdict.CONFLICT if cell.verdict is CellVerdict.CONFLICT else Verdict.OK
    (judged,) = (f for f in result.findings if f.verdict is expected and f.rule_table == table)
    assert (judged.source_operation, judged.destination_operation) == (source, destination)
    assert judged.code == (cell.code if expected is Verdict.CONFLICT else "")
    assert (judged.source_versions, judged.destination_versions) == ((100,), (200,))
    assert "dev" in judged.message
    assert "main" in judged.message
    assert bool(result.conflicts) is (expected is Verdict.CONFLICT)


@pytest.mark.parametrize(("source", "destination"), list(itertools.product(DATABASE_STEPS["source"], repeat=2)))
def test_each_database_cell_is_judged_by_its_rule(source: str, destination: str) -> None:
    _check("database", DATABASE_STEPS, source, destination)


@pytest.mark.parametrize(("source", "destination"), list(itertools.product(TABLE_STEPS["source"], repeat=2)))
def test_each_table_cell_is_judged_by_its_rule(source: str, destination: str) -> None:
    _check("table", TABLE_STEPS, source, destination)


def test_every_conflict_is_reported_not_only_the_first() -> None:
    steps = TABLE_STEPS
    result = merged(
        [steps["source"]["delete"], steps["source"]["update"], steps["source"]["column"]],
        [steps["destination"]["insert"]],
    )
    assert codes(result.conflicts) == ["PREDICATE_DML_VS_INSERT", "PREDICATE_DML_VS_INSERT"]
    assert cells(result, Verdict.OK) == [("column", "insert")]
