"""ALTER TABLE on columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.checks import check_name
from catalog_app.domain.generated import generated_key_of, identities_of
from catalog_app.domain.operations import ColumnAttribute, ColumnChange, Operation, OperationKind
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.domain.state_diff import state_after
from catalog_app.selectors.segments import segments_list, table_scan
from catalog_app.services import alterations
from catalog_app.services.files import identity_numbers_pass
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue, NotNullViolation, NotSupported
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.columns.fields import changes_fields, field_alter, field_rename, fields_add, fields_drop
from lakeui.frontdoor.columns.merge_settings import column_type_check, properties_after_drop, properties_after_rename
from lakeui.frontdoor.columns.new_table import defaults_check, table_columns
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.tables.generated_added import generated_add
from lakeui.frontdoor.tables.tables import commit_table
from lakeui.sql import statements as sql


def add_columns(call: Call, statement: sql.AddColumns) -> StatementResult:
    target = table_for_writing(call, statement.table)
    table = target.table
    given = [(definition, position) for definition, position in statement.columns if not definition.within]
    columns = table_columns(table.table_id, [definition for definition, _ in given], is_new=False)
    ids = {column.name.casefold(): column.id for column in columns}
    positions = [_position(table, position, ids) for _, position in given]
    defaults_check(columns)
    strict = any(not column.nullable and column.default is None for column in columns)
    change = alterations.columns_add(table, columns, positions, has_rows=strict and has_rows(target))
    fields = fields_add(table, [item for item in statement.columns if item[0].within])
    change = replace(change, changes=(*change.changes, *fields))
    if not statement.computes_rows:
        return commit_table(call, target, "ADD COLUMN", [change])
    if fields:
        raise NotSupported(
            "ADD COLUMN adds a generated column and a field of a column at once.", remedy="Write a statement for each."
        )
    return generated_add(call, target, statement, state_after(table, [change]), change)


def has_rows(target: ResolvedTable) -> bool:
    """Whether the table has live rows; the engine is asked only where deletes make the metadata unsure."""
    segments = segments_list(target.place.snapshot, target.table.table_id)
    if any(segment.deleted_rows == 0 for segment in segments):
        return True
    if not segments:
        return False
    return engine().live_rows(table_scan(target.place.snapshot, target.table, segments)) > 0


def _position(table: TableState, position: sql.Position | None, new_ids: dict[str, int]) -> int | None:
    if position is None:
        return None
    if position.after is None:
        return 0
    return new_ids.get(position.after.casefold()) or alterations.column_get(table, position.after).id


def drop_columns(call: Call, statement: sql.DropColumns) -> StatementResult:
    target = table_for_writing(call, statement.table)
    chosen = [column for name in statement.names if (column := target.table.schema.named(name)) is not None]
    own = [key for column in chosen for key in generated_key_of(target.table.properties, column)]
    left = {key: value for key, value in target.table.properties.items() if key not in own}
    change = alterations.columns_drop(
        replace(target.table, properties=left), statement.names, if_exists=statement.if_exists
    )
    fields = fields_drop(target.table, statement.fields, if_exists=statement.if_exists)
    names = [column.name for name in statement.names if (column := target.table.schema.named(name))]
    properties = properties_after_drop(target.table, names)
    generated = alterations.properties_unset(target.table, own) if own else None
    return commit_table(call, target, "DROP COLUMN", [_together(target.table, change, fields), properties, generated])


def _together(table: TableState, change: Operation | None, fields: Sequence[ColumnChange]) -> Operation | None:
    """One operation for changes of columns and of fields inside of them."""
    if change is None:
        return alterations.operation(table, OperationKind.COLUMN, fields) if fields else None
    return replace(change, changes=(*change.changes, *fields))


def rename_column(call: Call, statement: sql.RenameColumn) -> StatementResult:
    target = table_for_writing(call, statement.table)
    if statement.fields:
        fields = field_rename(target.table, statement.column, statement.fields, statement.new_name)
        return commit_table(call, target, "RENAME COLUMN", [_together(target.table, None, fields)])
    change = alterations.column_rename(target.table, statement.column, statement.new_name)
    old = alterations.column_get(target.table, statement.column).name
    properties = properties_after_rename(target.table, old, statement.new_name) if change else []
    return commit_table(call, target, "RENAME COLUMN", [change, *properties])


def alter_column(call: Call, statement: sql.AlterColumn) -> StatementResult:
    target = table_for_writing(call, statement.table)
    if changes_fields(target.table, statement):
        fields = field_alter(target.table, statement)
        return commit_table(call, target, "ALTER COLUMN", [_together(target.table, None, fields)])
    change = column_operation(target, statement.column, statement.change)
    return commit_table(call, target, "ALTER COLUMN", [change])


def column_operation(target: ResolvedTable, name: str, change: sql.ColumnAlteration) -> Operation | None:
    """What the alteration of a column comes to; None where it is so already."""
    table = target.table
    match change:
        case sql.ChangeType(new_type):
            column_type_check(table, name, new_type)
            return alterations.column_type(table, name, new_type)
        case sql.SetNotNull():
            _require_no_nulls(target, name)
            defaults_check([replace(alterations.column_get(table, name), nullable=False)])
            return alterations.column_attribute(table, name, ColumnAttribute.NULLABLE, False)
        case sql.DropNotNull():
            return alterations.column_attribute(table, name, ColumnAttribute.NULLABLE, True)
        case sql.SetDefault(expression):
            _require_not_generated(table, alterations.column_get(table, name))
            defaults_check([replace(alterations.column_get(table, name), default=expression)])
            return alterations.column_attribute(table, name, ColumnAttribute.DEFAULT, expression)
        case sql.DropDefault():
            return alterations.column_attribute(table, name, ColumnAttribute.DEFAULT, None)
        case sql.SyncIdentity():
            _identity_sync(target, name)
            return None
        case sql.SetComment(text):
            return alterations.column_attribute(table, name, ColumnAttribute.COMMENT, text)
        case sql.MoveColumn(position):
            return alterations.column_move(table, name, _position(table, position, {}) or 0)


def _require_not_generated(table: TableState, column: Column) -> None:
    key = next(generated_key_of(table.properties, column), None)
    if key is not None:
        raise InvalidValue(
            f"{column.name} is a generated column and takes no default.",
            remedy=f"Make it a plain one first: ALTER TABLE .. DROP CONSTRAINT `{check_name(key)}`.",
            column=column.name,
        )


def _identity_sync(target: ResolvedTable, name: str) -> None:
    """Numbers that are given out from now on lie behind the values that rows of the branch have."""
    table, column = target.table, alterations.column_get(target.table, name)
    identity = identities_of(table.properties, table.schema).get(column.id)
    if identity is None:
        raise InvalidValue(
            f"{column.name} is no identity column, so it has no counter that SYNC IDENTITY could move.",
            remedy="DESCRIBE EXTENDED names the identity columns.",
            column=column.name,
        )
    function = "max" if identity.step > 0 else "min"
    text = f"SELECT {function}({quote_name(column.name)}) AS v FROM `__lake_0`"
    scan = table_scan(target.place.snapshot, table)
    furthest = engine().select(text, {"__lake_0": scan}, limit=1).rows[0][0]
    if furthest is not None:
        identity_numbers_pass(table.table_id, identity.number_behind(int(furthest)))


def _require_no_nulls(target: ResolvedTable, name: str) -> None:
    column = alterations.column_get(target.table, name)
    segments = segments_list(target.place.snapshot, target.table.table_id)
    # Statistics before files: only files that hold nulls, or that the statistics do not cover, are read.
    unsure = []
    for segment in segments:
        known = next((segment.statistics[i] for i in column.ids if i in segment.statistics), None)
        if known is None or known.nulls:
            unsure.append(segment)
    if not unsure:
        return
    nulls = engine().null_counts(table_scan(target.place.snapshot, target.table, unsure), [column.name])
    if count := nulls[column.name]:
        rows = counted(count, "row")
        raise NotNullViolation(
            f"Column {column.name} of {target.label} has {rows} with NULL.",
            remedy="Fill them first: UPDATE ... SET ... WHERE ... IS NULL.",
            column=column.name,
        )
