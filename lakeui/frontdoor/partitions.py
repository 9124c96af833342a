"""ALTER TABLE on partitions: values that exist by declaration or by their rows."""

from __future__ import annotations

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import FileEffects
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.services import alterations
from lakeui.common.errors import AlreadyExists, NotFound
from lakeui.frontdoor.committing import commit_operations
from lakeui.frontdoor.data import definition_of
from lakeui.frontdoor.ddl import commit_table
from lakeui.frontdoor.places import Call, TablePlace, table_for_writing
from lakeui.frontdoor.values import StatementResult
from lakeui.sql import statements as sql


def _known(target: TablePlace, values: PartitionValues) -> tuple[bool, list[SegmentState]]:
    segments = segments_list(target.place.snapshot, target.table.table_id)
    chosen = [segment for segment in segments if segment.partition == values]
    return bool(chosen) or values in target.table.declared_partitions, chosen


def _label(target: TablePlace, values: PartitionValues) -> str:
    columns = target.table.schema.partition_columns
    return ", ".join(f"{column.name} = {value}" for column, value in zip(columns, values, strict=True))


def add_partition(call: Call, statement: sql.AddPartition) -> StatementResult:
    target = table_for_writing(call, statement.table)
    values = alterations.partition_values(target.table, statement.values)
    exists, _ = _known(target, values)
    if exists:
        if statement.if_not_exists:
            return StatementResult(version=target.place.snapshot.version)
        raise AlreadyExists("partition", _label(target, values), where=f"in table {target.label}")
    change = alterations.partition_change(target.table, None, values)
    return commit_table(call, target, "ADD PARTITION", [change])


def drop_partition(call: Call, statement: sql.DropPartition) -> StatementResult:
    target = table_for_writing(call, statement.table)
    chosen = _matching(target, statement.values)
    if not chosen:
        if statement.if_exists:
            return StatementResult(version=target.place.snapshot.version)
        named = ", ".join(f"{name} = {value}" for name, value in statement.values)
        raise NotFound("partition", named, where=f"in table {target.label}")
    changes = []
    for values in chosen:
        effects = FileEffects(removed=tuple(segment.file_id for segment in _known(target, values)[1]))
        changes.append(alterations.partition_change(target.table, values, None, effects=effects))
    return commit_table(call, target, "DROP PARTITION", changes)


def _matching(target: TablePlace, given: sql.PartitionValuesByColumn) -> list[PartitionValues]:
    """The partitions that have these values, of which there may be fewer than partition columns."""
    columns = [column.name.casefold() for column in target.table.schema.partition_columns]
    by_name = {name.casefold(): value for name, value in given}
    if not columns or not by_name.keys() <= set(columns):
        # Raises: it names the columns that there are.
        alterations.partition_values(target.table, given)
    wanted = {columns.index(name): value for name, value in by_name.items()}
    segments = segments_list(target.place.snapshot, target.table.table_id)
    known = {segment.partition for segment in segments} | target.table.declared_partitions
    return sorted((v for v in known if all(v[place] == value for place, value in wanted.items())), key=repr)


def rename_partition(call: Call, statement: sql.RenamePartition) -> StatementResult:
    """Where rows are merged by lineage, the segments say the new values and the files stay."""
    target = table_for_writing(call, statement.table)
    table = target.table
    before = alterations.partition_values(table, statement.before)
    after = alterations.partition_values(table, statement.after)
    exists, segments = _known(target, before)
    if not exists:
        raise NotFound("partition", _label(target, before), where=f"in table {target.label}")
    if _known(target, after)[0]:
        raise AlreadyExists("partition", _label(target, after), where=f"in table {target.label}")
    effects = FileEffects(removed=tuple(segment.file_id for segment in segments))
    change = alterations.partition_change(table, before, after, effects=effects)
    return commit_operations(
        call,
        branch=target.place.branch,
        seen=target.place.snapshot,
        operation="RENAME PARTITION",
        operations=[change],
        databases={target.place.database.database_id: target.place.database},
        tables={table.table_id: table},
        definitions=definition_of(target),
    )
