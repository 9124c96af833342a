"""The conditions that cells of the rule tables name (semantics §3: same key, A1, A3, A6, P), as pure functions.

A condition looks at one object's changes on both sides and answers its problems, each placed in a cell that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import (
    ColumnAttribute,
    OperationKind,
    PartitionChange,
    PropertyChange,
)
from catalog_app.domain.schema import Column, Schema
from catalog_app.rules.codes import VerdictCode
from catalog_app.rules.loader import CONDITIONS, RuleTable
from merge_app.planning.columns import ColumnRedo
from merge_app.planning.files import SideFiles, divergence
from merge_app.planning.findings import Problem
from merge_app.planning.row_merges import row_problems
from merge_app.planning.surviving import ObjectChanges
from merge_app.planning.values import SchemaCoverage, TableFacts

ROW_AXES = ("insert", "update", "overwrite")
"""The operations that bring rows into a table."""
ROW_PLACING_AXES = (*ROW_AXES, "partition")
"""Those, and what keeps rows from being swept away: a partition's new name."""


@dataclass(frozen=True, slots=True)
class Case:
    """What conditions may look at. ``columns`` is None for a database, ``stricter`` what ``columns_stricter`` finds."""

    source: ObjectChanges
    destination: ObjectChanges
    columns: ColumnRedo | None = None
    facts: TableFacts = field(default_factory=TableFacts)
    stricter: frozenset[int] = frozenset()


def problems(rules: RuleTable, case: Case) -> list[Problem]:
    """Every problem that the conditions named in this rule table find."""
    found = []
    for name in rules.conditions:
        for problem in _BY_NAME[name](case):
            if rules.cell(*problem.cell).condition != name:
                raise ValueError(f"condition {name!r} judged the cell {problem.cell}, which does not name it")
            found.append(problem)
    return found


def required_columns(changes: ObjectChanges) -> set[int]:
    """Ids of the columns that a side added as, or tightened to, NOT NULL."""
    found = set()
    for (column_id, attribute), change in changes.columns.items():
        if attribute is ColumnAttribute.EXISTS and change.after is not None:
            if not change.after["nullable"]:
                found.add(column_id)
        elif attribute is ColumnAttribute.NULLABLE and change.after is False:
            found.add(column_id)
    return found


def columns_stricter(destination: Schema, source: Schema | None) -> frozenset[int]:
    """Ids of columns that are NOT NULL on the destination while the source's rows may lack them, whoever made them so:
    sides come apart also by what one of them did before it dropped the table.
    """
    # One definition is one value: its columns, which may still be text, need not be looked at.
    if source is None or source is destination:
        return frozenset()
    found: set[int] = set()
    for column in destination.columns:
        theirs = next((known for i in column.ids if (known := source.column(i)) is not None), None)
        if not column.nullable and (theirs is None or theirs.nullable):
            found.update(column.ids)
    return frozenset(found)


def _same_key_unset(case: Case) -> Iterator[Problem]:
    axis = "properties" if "properties" in case.source.versions else "unset properties"
    mine, theirs = _unset(case.source.properties), _unset(case.destination.properties)
    for key in mine:
        if key in theirs:
            yield Problem(
                (axis, axis),
                VerdictCode.UNSET_SAME_PROPERTY,
                "same key",
                f"Both sides unset the property {key}.",
                {"property": key},
            )


def _unset(changes: Mapping[str, PropertyChange]) -> list[str]:
    return [key for key, change in changes.items() if change.after is None]


def _same_file_deleted(case: Case) -> Iterator[Problem]:
    yield from _same_files(case, OperationKind.DELETE, VerdictCode.SAME_FILE_UPDATE_DELETE, "A1")


def _same_file_updated(case: Case) -> Iterator[Problem]:
    yield from _same_files(case, OperationKind.UPDATE, VerdictCode.SAME_FILE_UPDATE_UPDATE, "A3")


def _same_files(case: Case, other: OperationKind, code: VerdictCode, note: str) -> Iterator[Problem]:
    if not any(operation.kind is OperationKind.UPDATE for operation in case.source.history):
        return
    diverged = divergence(case.source.object_id, case.facts.diverged)
    mine = SideFiles(case.source.history, restores_are_own=True, left_out=diverged).touched_base(
        operation for operation in case.source.history if operation.kind is OperationKind.UPDATE
    )
    theirs = SideFiles(case.destination.past).touched_base(
        operation for operation in case.destination.history if operation.kind is other
    )
    common = sorted(mine & theirs)
    if common:
        files = "one file" if len(common) == 1 else f"{len(common)} files"
        yield Problem(
            ("update", other.value),
            code,
            note,
            f"Both touched {files} that {'was' if len(common) == 1 else 'were'} there before.",
            {"files": common},
        )


def _rows_of_one_key(case: Case) -> Iterator[Problem]:
    if case.facts.rows is not None:
        yield from row_problems(case.facts.rows)


def _columns(case: Case) -> Iterator[Problem]:
    for problem in case.columns.problems if case.columns is not None else ():
        yield Problem(("column", "column"), problem.code, problem.note, problem.message, problem.details)


def _required_values(case: Case) -> Iterator[Problem]:
    """A6.2, in both directions: rows of the one side against the column that the other side made required."""
    if case.columns is None:
        return
    if case.facts.lacking is not None:
        yield from _lacking(case, case.columns.schema, case.facts.lacking)
        return
    for side, changes, required in (
        ("source", case.source, required_columns(case.destination) | case.stricter),
        ("destination", case.destination, required_columns(case.source)),
    ):
        axis = next((axis for axis in ROW_AXES if changes.hits(axis)), None) if required else None
        source = case.source
        is_swept = source.overwrites_all if case.facts.rows_plan is None else source.sweeps_all
        replaced = side == "destination" and is_swept and not case.facts.arrived
        if axis is None or replaced:
            continue
        cell = (axis, "column") if side == "source" else ("column", axis)
        for column in case.columns.schema.columns:
            if column.nullable or required.isdisjoint(column.ids):
                continue
            rows = sum(_rows_lacking(item, column) for item in case.facts.coverage if item.side == side)
            if rows:
                yield _without_value(cell, column, side, rows)


def _lacking(case: Case, schema: Schema, lacking: Mapping[tuple[str, int], int]) -> Iterator[Problem]:
    """The same where live rows of the result were counted."""
    for (side, column_id), rows in lacking.items():
        column = schema.column(column_id)
        if column is None or column.nullable:
            continue
        changes = case.source if side == "source" else case.destination
        axis = next((axis for axis in ROW_AXES if changes.hits(axis)), ROW_AXES[0])
        yield _without_value((axis, "column") if side == "source" else ("column", axis), column, side, rows)


def _without_value(cell: tuple[str, str], column: Column, side: str, rows: int) -> Problem:
    return Problem(
        cell,
        VerdictCode.NOT_NULL_WITHOUT_VALUE,
        "A6.2",
        f"Column {column.name} is NOT NULL without a default; rows of the {side} without a value: {rows}.",
        {"column": column.name, "column_id": column.id, "side": side, "rows": rows},
    )


def _rows_lacking(coverage: SchemaCoverage, column: Column) -> int:
    if all(coverage.schema.column(identifier) is None for identifier in column.ids):
        return 0 if column.initial_default is not None else coverage.live_rows
    return sum(coverage.nulls.get(identifier, 0) for identifier in column.ids)


def _partitions(case: Case) -> Iterator[Problem]:
    mine = case.source.partitions
    freed = {change.before for change in mine if change.before is not None}
    for change in mine:
        if change.before is None or change.after is None or change in case.destination.partitions:
            continue
        if any(theirs.before == change.before for theirs in case.destination.partitions):
            yield _partition_problem(
                ("partition", "partition"), VerdictCode.PARTITION_DROPPED_ON_DEST, change, "is not there any more"
            )
        filler = _filler(case, change.after)
        if change.after not in freed and filler is not None:
            yield _partition_problem(
                ("partition", filler), VerdictCode.PARTITION_EXISTS, change, "cannot take that name, which is in use"
            )


def _partition_problem(cell: tuple[str, str], code: VerdictCode, change: PartitionChange, what: str) -> Problem:
    before, after = partition_text(change.before), partition_text(change.after)
    message = f"The source renamed partition {before} to {after}; on the destination it {what}."
    details = {"partition": list(change.before or ()), "renamed_to": list(change.after or ())}
    return Problem(cell, code, "P", message, details)


def partition_text(values: PartitionValues | None) -> str:
    """Partition values for people: ``(2013, NULL)``."""
    return "(" + ", ".join("NULL" if value is None else value for value in values or ()) + ")"


def _filler(case: Case, values: PartitionValues) -> str | None:
    """The destination's operation that put rows into a partition or declared it; None where it is free."""
    if any(change.after == values for change in case.destination.partitions):
        return "partition"
    files = SideFiles(case.destination.history)
    makers = {files.maker[item.file_id].kind.value for item in files.live_added() if item.partition == values}
    for axis in (*ROW_AXES, "partition"):
        if axis in makers:
            return axis
    if case.facts.destination_partitions.get(values, 0):
        hit = [axis for axis in (*ROW_AXES, "partition") if case.destination.hits(axis)]
        return hit[0] if hit else "partition"
    return None


_BY_NAME: dict[str, Callable[[Case], Iterator[Problem]]] = {
    "same key unset": _same_key_unset,
    "columns": _columns,
    "values of required columns": _required_values,
    "partitions": _partitions,
    "same file deleted": _same_file_deleted,
    "same file updated": _same_file_updated,
    "rows of one key": _rows_of_one_key,
}

if set(_BY_NAME) != CONDITIONS:
    raise AssertionError(f"conditions without a function: {set(_BY_NAME) ^ CONDITIONS}")
