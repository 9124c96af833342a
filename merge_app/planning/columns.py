"""The source's column changes applied to the target's schema, by column id (semantics §3 A6, §4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from catalog_app.domain.operations import ColumnAttribute, ColumnChange
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import parse_identified, widens
from catalog_app.rules.codes import VerdictCode
from lakeui.common.records import record
from merge_app.planning.nested_columns import AppliedFields, fields_apply, fields_join

ColumnChanges = Mapping[tuple[int, ColumnAttribute], ColumnChange]


@dataclass(frozen=True, slots=True)
class ColumnProblem:
    code: VerdictCode
    note: str
    message: str
    details: dict[str, Any]


@record(frozen=True, slots=True)
class AppliedColumns:
    """The target's schema afterwards, and why it may not be made."""

    schema: Schema
    problems: tuple[ColumnProblem, ...] = ()


def columns_apply(
    schema: Schema,
    source: ColumnChanges,
    destination: ColumnChanges,
    *,
    source_schema: Schema | None = None,
    replaces_rows: bool = False,
) -> AppliedColumns:
    """Apply ``source`` to ``schema``: drops, then changes of columns that are there, then additions, then positions.

    Names are judged on what comes out, so columns may swap names. ``source_schema``, which the source ended in, gives
    the order of the columns where the target altered none. ``replaces_rows``: the source overwrites the whole
    table, as a restore does that makes a type narrower or older rows read otherwise.
    """
    if not source:
        return AppliedColumns(schema if destination else _in_order_of(schema, source_schema))
    applied = _Applied(schema, destination, source_schema, replaces_rows=replaces_rows)
    by_attribute = sorted(source.values(), key=lambda change: change.attribute is not ColumnAttribute.EXISTS)
    for change in by_attribute:
        if change.attribute is ColumnAttribute.EXISTS and change.after is None:
            applied.drop(change)
    for change in by_attribute:
        if change.attribute not in (ColumnAttribute.EXISTS, ColumnAttribute.POSITION):
            applied.alter(change)
    for change in by_attribute:
        if change.attribute is ColumnAttribute.EXISTS and change.after is not None:
            applied.add(Column.from_json(change.after))
    applied.check_names()
    for change in by_attribute:
        if change.attribute is ColumnAttribute.POSITION:
            applied.schema = applied.schema.moved(change.column_id, change.after)
    # Several moves of one side have no net that says their order, but the schema that they ended in does.
    final = applied.schema if destination else _in_order_of(applied.schema, source_schema)
    return AppliedColumns(final, tuple(applied.problems))


class _Applied:
    """The schema as it changes, column by column."""

    def __init__(
        self, schema: Schema, destination: ColumnChanges, source_schema: Schema | None, *, replaces_rows: bool
    ) -> None:
        self.schema = schema
        self._source_schema = source_schema
        self._replaces_rows = replaces_rows
        self.problems: list[ColumnProblem] = []
        self._destination = destination
        self._added: set[int] = set()
        self._renamed: set[int] = set()
        self._missing: set[int] = set()

    def drop(self, change: ColumnChange) -> None:
        gone = {column.id for i in change.column_ids if (column := self.schema.column(i)) is not None}
        if gone:
            self.schema = _with_columns(self.schema, (c for c in self.schema.columns if c.id not in gone))

    def alter(self, change: ColumnChange) -> None:
        column = self.schema.column(change.column_id)
        if column is None:
            self._report_missing(change)
            return
        match change.attribute:
            case ColumnAttribute.NAME:
                self._renamed.add(column.id)
                self.schema = self.schema.with_column(replace(column, name=change.after))
            case ColumnAttribute.TYPE:
                is_replaced = self._replaces_rows and column.type == change.before
                self._retype(column, change.after, change.column_id, replaced=is_replaced)
            case ColumnAttribute.NESTED:
                self._change_fields(column, change)
            case ColumnAttribute.NULLABLE:
                self.schema = self.schema.with_column(replace(column, nullable=change.after))
            case ColumnAttribute.DEFAULT:
                self.schema = self.schema.with_column(replace(column, default=change.after))
            case ColumnAttribute.INITIAL_DEFAULT:
                self.schema = self.schema.with_column(self._with_initial(column, change.after))
            case _:
                self.schema = self.schema.with_column(replace(column, comment=change.after))

    def add(self, column: Column) -> None:
        # An earlier merge may have made it one column with another on the source: what it is there was judged since.
        added_ids = column.ids
        column = (self._source_schema.column(column.id) if self._source_schema is not None else None) or column
        same = next((c for i in (*added_ids, *column.ids) if (c := self.schema.column(i)) is not None), None)
        if same is not None:
            # Both sides brought it back, each perhaps as it was at another time.
            self._renamed.add(same.id)
            self._join(same, column)
            return
        holder = self.schema.named(column.name)
        if holder is None or not self._is_new(holder):
            self._added.add(column.id)
            self.schema = _with_columns(self.schema, (*self.schema.columns, column))
            return
        self._join(holder, column)

    def _join(self, holder: Column, column: Column) -> None:
        """Make the source's column one with the target's, which keeps its id."""
        if holder.nested is not None and column.nested is not None:
            self._take_fields(holder, fields_join(holder.parsed, column.parsed, column=column.name))
        else:
            self._retype(holder, column.type, column.id)
        holder = self.schema.column(holder.id) or holder
        merged = replace(
            holder,
            name=column.name,
            nullable=column.nullable,
            default=column.default,
            comment=holder.comment if column.comment is None else column.comment,
            aliases=(*holder.aliases, *(i for i in column.ids if i not in holder.ids)),
        )
        self.schema = self.schema.with_column(self._with_initial(merged, column.initial_default))

    def _change_fields(self, column: Column, change: ColumnChange) -> None:
        if change.before is None or change.after is None or column.nested is None:
            # One of them has no fields with ids: all of the type is compared.
            wanted = column.type if change.after is None else parse_identified(change.after).text
            self._retype(column, wanted, change.column_id)
            return
        ended = None if self._source_schema is None else self._source_schema.column(change.column_id)
        applied = fields_apply(
            parse_identified(change.before),
            parse_identified(change.after),
            column.parsed,
            column=column.name,
            source=None if ended is None else ended.parsed,
            replaces_rows=self._replaces_rows,
        )
        self._take_fields(column, applied)

    def _take_fields(self, column: Column, applied: AppliedFields) -> None:
        self.schema = self.schema.with_column(column.with_fields(applied.kind))
        self.problems += (
            ColumnProblem(
                item.code, item.note, item.message, {"column": item.path, "column_id": column.id, **item.details}
            )
            for item in applied.problems
        )

    def _with_initial(self, column: Column, wanted: str | None) -> Column:
        """Rows of the target that read as a value keep it, unless those of the source take their place."""
        is_free = self._replaces_rows or column.initial_default is None
        return replace(column, initial_default=wanted) if is_free else column

    def check_names(self) -> None:
        """A column that the source named must be alone in bearing its name."""
        for column in self.schema.columns:
            if column.id not in self._added | self._renamed:
                continue
            others = [c for c in self.schema.columns if c.id != column.id and _same_name(c, column)]
            # Of two columns that the source named, both ends of the pair would be reported.
            if others and not any(c.id in self._added | self._renamed and c.id < column.id for c in others):
                self.problems.append(
                    ColumnProblem(
                        VerdictCode.COLUMN_NAME_TAKEN,
                        "A6",
                        f"The source calls a column {column.name}, which another column of the target is called.",
                        {"column": column.name, "column_id": column.id, "taken_by": others[0].id},
                    )
                )

    def _retype(self, column: Column, wanted: str, source_id: int, *, replaced: bool = False) -> None:
        """``replaced``: a restore made the type narrower together with all rows, and finds it as it was."""
        if replaced or widens(column.type, wanted):
            self.schema = self.schema.with_column(replace(column, type=wanted))
            return
        self.problems.append(
            ColumnProblem(
                VerdictCode.COLUMN_TYPE_NARROWING,
                "A6.1",
                f"The source makes column {column.name} {wanted}, but it is {column.type} on the target,"
                f" which does not widen to {wanted}.",
                {
                    "column": column.name,
                    "column_id": source_id,
                    "destination_column_id": column.id,
                    "destination_type": column.type,
                    "source_type": wanted,
                },
            )
        )

    def _report_missing(self, change: ColumnChange) -> None:
        if change.column_id in self._missing:
            return
        self._missing.add(change.column_id)
        dropped = next((item for item in self._destination.values() if _drops(item, change.column_id)), None)
        named = None if self._source_schema is None else self._source_schema.column(change.column_id)
        unknown = named.name if named is not None else f"with id {change.column_id}"
        name = dropped.before["name"] if dropped is not None else unknown
        self.problems.append(
            ColumnProblem(
                VerdictCode.COLUMN_MISSING,
                "A6",
                f"The source changed column {name}, which the target dropped.",
                {"column": name, "column_id": change.column_id, "attribute": change.attribute.value},
            )
        )

    def _is_new(self, column: Column) -> bool:
        """Whether one of the sides added it since base: then an addition of its name means the same column."""
        by_destination = any(
            (change := self._destination.get((identifier, ColumnAttribute.EXISTS))) is not None
            and change.after is not None
            for identifier in column.ids
        )
        return by_destination or column.id in self._added


def _drops(change: ColumnChange, column_id: int) -> bool:
    return change.attribute is ColumnAttribute.EXISTS and bool(change.before) and column_id in change.column_ids


def _same_name(first: Column, second: Column) -> bool:
    return first.name.casefold() == second.name.casefold()


def _with_columns(schema: Schema, columns: Iterable[Column]) -> Schema:
    return Schema(tuple(columns), schema.primary_key, schema.partition_by)


def _in_order_of(schema: Schema, source: Schema | None) -> Schema:
    if source is None or source is schema or source.columns == schema.columns:
        return schema
    if {c.id for c in source.columns} != {c.id for c in schema.columns} or set(source.columns) != set(schema.columns):
        return schema
    return _with_columns(schema, source.columns)
