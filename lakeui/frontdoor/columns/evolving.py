"""WITH SCHEMA EVOLUTION: columns that the source brings, as changes of the target's schema (rows §1.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from catalog_app.domain.checks import column_free_check
from catalog_app.domain.operations import ColumnAttribute, ColumnChange, Operation, OperationKind
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.domain.state_diff import state_after
from catalog_app.domain.types import canonical_type, value_type, widens
from catalog_app.engine.types import storable_type
from catalog_app.services import alterations
from catalog_app.services.field_alterations import fields_change, type_grown
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.columns.fields import with_ids
from lakeui.frontdoor.columns.new_table import table_columns
from lakeui.sql import statements as sql

SourceColumns = Sequence[tuple[str, str]]
"""(name, Spark type text) of every column of a source."""


@dataclass(frozen=True, slots=True)
class Evolved:
    """The table in the schema that rows are written under, and what makes it of the present one, if anything."""

    table: TableState
    change: Operation | None = None


def evolved(
    table: TableState, statement: sql.MergeInto, columns: SourceColumns, alias: str, *, dropped: Sequence[str] = ()
) -> Evolved:
    """Add the columns, and the fields inside of them, that a clause takes from a source column of the same name; widen
    where the source is wider.
    """
    if not statement.with_schema_evolution:
        return Evolved(table)
    return with_columns(table, dict(_taken(statement, columns, alias)), dropped=dropped)


def evolved_by_insert(table: TableState, statement: sql.Insert, columns: SourceColumns) -> Evolved:
    """By name all columns of the query are taken. By place those behind the table's last column are new ones under
    their own names, and fields inside of columns go by place, so none is added. Raises InvalidValue.
    """
    if statement.by_name:
        return with_columns(table, dict(columns))
    own = table.schema.columns
    taken = {column.name: kind for column, (_, kind) in zip(own, columns, strict=False) if column.nested is None}
    known = {column.name.casefold() for column in own}
    for name, kind in columns[len(own) :]:
        if name.casefold() in known:
            raise InvalidValue(
                f"The query gives {name} behind the last column of {table.name}, which has such a column.",
                remedy="Give the column another name, or write INSERT WITH SCHEMA EVOLUTION INTO t BY NAME.",
                column=name,
            )
        known.add(name.casefold())
        taken[name] = kind
    return with_columns(table, taken)


def with_columns(table: TableState, taken: Mapping[str, str], *, dropped: Sequence[str] = ()) -> Evolved:
    """The table that takes columns of these names and Spark types: new ones are added, narrower ones widened, and those
    that are ``dropped`` go.
    """
    added = [(name, kind) for name, kind in taken.items() if table.schema.named(name) is None]
    definitions = [sql.ColumnDefinition(name, canonical_type(storable_type(kind))) for name, kind in added]
    new = table_columns(table.table_id, definitions, is_new=False) if definitions else []
    changes = list(alterations.columns_add(table, new, [None] * len(new), has_rows=True).changes) if new else []
    for name, kind in taken.items():
        column = table.schema.named(name)
        if column is not None and column.nested is not None:
            grown = with_ids(table.table_id, type_grown(column.parsed, value_type(storable_type(kind))))
            change = fields_change(column, grown)
            if change is not None:
                column_free_check(table.properties, column)
                changes.append(change)
        elif column is not None and is_wider(kind, column):
            column_free_check(table.properties, column)
            changes.append(ColumnChange(column.id, ColumnAttribute.TYPE, column.type, canonical_type(kind)))
    gone = alterations.columns_drop(table, dropped)
    if gone is not None:
        changes += gone.changes
    if not changes:
        return Evolved(table)
    whole = alterations.operation(table, OperationKind.COLUMN, changes)
    return Evolved(state_after(table, [whole]), whole)


def _taken(statement: sql.MergeInto, columns: SourceColumns, alias: str) -> Iterator[tuple[str, str]]:
    """(name in the target, type) of the source columns that some clause assigns directly under their own name."""
    by_name = {name.casefold(): (name, kind) for name, kind in columns}
    for clause in statement.clauses:
        if isinstance(clause.action, sql.MergeDelete):
            continue
        if clause.action.assignments is None:
            yield from columns
            continue
        for name, text in clause.action.assignments:
            source = by_name.get(name.casefold())
            if source is not None and text.casefold() in _spellings(source[0], alias):
                yield name, source[1]


def _spellings(name: str, alias: str) -> tuple[str, str]:
    bare = quote_name(name).casefold()
    return bare, f"{quote_name(alias).casefold()}.{bare}"


def is_wider(kind: str, column: Column) -> bool:
    """Whether the column has to be widened for values of the Spark type ``kind``. NULL without a type fits as it is."""
    wide = value_type(kind)
    return wide.text != column.type and widens(column.type, wide.text)


def grown_type(column: Column, kind: str) -> str:
    """The type that a column has after values of the Spark type ``kind`` went into it with schema evolution."""
    if column.nested is not None:
        return type_grown(column.parsed, value_type(storable_type(kind))).text
    return canonical_type(kind) if is_wider(kind, column) else column.type
