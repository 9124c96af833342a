"""ALTER TABLE on partitions: values that exist by declaration or by their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import FileEffects
from catalog_app.domain.partitions import is_partition_text
from catalog_app.domain.quoting import quote_text
from catalog_app.selectors.objects import TableState
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.services import alterations
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.checks import partition_check
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.writes import rows_commit
from lakeui.frontdoor.tables.tables import commit_table, with_notice
from lakeui.sql import statements as sql


def _present(target: ResolvedTable) -> dict[PartitionValues, list[SegmentState]]:
    """The segments of each partition that the table has; none where it is only declared."""
    found: dict[PartitionValues, list[SegmentState]] = {values: [] for values in target.table.declared_partitions}
    for segment in segments_list(target.place.snapshot, target.table.table_id):
        found.setdefault(segment.partition, []).append(segment)
    return found


def _removed(segments: Iterable[SegmentState]) -> FileEffects:
    return FileEffects(removed=tuple(segment.file_id for segment in segments))


def _label(target: ResolvedTable, values: PartitionValues) -> str:
    columns = target.table.schema.partition_columns
    return ", ".join(f"{column.name} = {value}" for column, value in zip(columns, values, strict=True))


def add_partition(call: Call, statement: sql.AddPartition) -> StatementResult:
    target = table_for_writing(call, statement.table)
    present = _present(target)
    stated = [_stored_values(target.table, values) for values in statement.partitions]
    for place, values in enumerate(stated):
        if values in stated[:place]:
            raise InvalidValue(f"The partition {_label(target, values)} is added twice.", remedy="Add it once.")
        if values in present and not statement.if_not_exists:
            raise AlreadyExists("partition", _label(target, values), where=f"in table {target.label}")
    fresh = [values for values in stated if values not in present]
    changes = [alterations.partition_change(target.table, None, values) for values in fresh]
    return commit_table(call, target, "ADD PARTITION", changes)


def drop_partition(call: Call, statement: sql.DropPartition) -> StatementResult:
    target = table_for_writing(call, statement.table)
    present = _present(target)
    chosen: set[PartitionValues] = set()
    for given in statement.partitions:
        matching = partitions_matching(target.table, present, given)
        if not matching and not statement.if_exists:
            named = ", ".join(f"{name} = {value}" for name, value in given)
            raise NotFound("partition", named, where=f"in table {target.label}")
        chosen |= matching
    changes = [
        alterations.partition_change(target.table, values, None, effects=_removed(present[values]))
        for values in sorted(chosen, key=repr)
    ]
    dropped = commit_table(call, target, "DROP PARTITION", changes)
    if not (statement.purge and chosen):
        return dropped
    return with_notice(
        dropped, "PURGE: the partitions are dropped; their files stay for RESTORE until VACUUM removes them."
    )


def partitions_matching(
    table: TableState, present: Iterable[PartitionValues], given: sql.PartitionValuesByColumn
) -> set[PartitionValues]:
    """The partitions that have these values, of which there may be fewer than partition columns."""
    columns = [column.name.casefold() for column in table.schema.partition_columns]
    by_name = {name.casefold(): value for name, value in given}
    if not columns or not by_name.keys() <= set(columns):
        # Raises: it names the columns that there are.
        alterations.partition_values(table, given)
    return _matching(columns, present, by_name) or _matching(columns, present, _stored_texts(table, by_name))


def _matching(
    columns: list[str], present: Iterable[PartitionValues], wanted: Mapping[str, str | None]
) -> set[PartitionValues]:
    return {values for values in present if all(values[columns.index(name)] == wanted[name] for name in wanted)}


def _stored_values(table: TableState, given: sql.PartitionValuesByColumn) -> PartitionValues:
    """One value per partition column, as rows of these values have it."""
    alterations.partition_values(table, given)
    texts = _stored_texts(table, {name.casefold(): value for name, value in given})
    return tuple(texts[column.name.casefold()] for column in table.schema.partition_columns)


def _stored_texts(table: TableState, given: Mapping[str, str | None]) -> dict[str, str | None]:
    """Texts by folded column name as the columns store them: ``07`` of an INT is ``7``, and a CHAR is padded.

    The engine is asked only where a text may have another form. It refuses what the column does not take.
    """
    columns = {column.name.casefold(): column for column in table.schema.partition_columns}
    texts = {name: text for name, text in given.items() if text is not None}
    open_names = [name for name, text in texts.items() if not is_partition_text(columns[name].type, text)]
    if not open_names:
        return dict(given)
    asked = {name: quote_text(texts[name]) for name in open_names}
    found = engine().partition_values([columns[name] for name in open_names], asked)
    return {**given, **dict(zip(open_names, found, strict=True))}


def rename_partition(call: Call, statement: sql.RenamePartition) -> StatementResult:
    """Where rows are merged by lineage, the segments say the new values and the files stay."""
    target = table_for_writing(call, statement.table)
    table = target.table
    before = alterations.partition_values(table, statement.before)
    after = _stored_values(table, statement.after)
    present = _present(target)
    if before not in present:
        before = _stored_values(table, statement.before)
    if before not in present:
        raise NotFound("partition", _label(target, before), where=f"in table {target.label}")
    if after in present:
        raise AlreadyExists("partition", _label(target, after), where=f"in table {target.label}")
    partition_check(target, present[before], after)
    change = alterations.partition_change(table, before, after, effects=_removed(present[before]))
    return rows_commit(call, target, "RENAME PARTITION", [change])
