"""Keyed merges into a managed table: rows of a file as the source of a MERGE INTO that compares a key (rows §3, §4)."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.generated import writing_schema
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.types import value_type
from catalog_app.engine.inputs_outputs import FileSource, QuerySource
from catalog_app.engine.map_keys import with_single_keys
from catalog_app.engine.types import storage_type
from catalog_app.importing.spec import ColumnChoice
from lakeui.common.counts import counted
from lakeui.common.errors import DuplicateKey, InvalidValue, NotFound, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, ResolvedTable
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import KeyedMerge, StatementResult
from lakeui.frontdoor.rows.merge_into import UNNAMED_SOURCE, merge_from
from lakeui.sql import statements as sql
from merge_app.upsert.inputs_outputs import ExtraColumns, refuse_extra_columns

_FILE, _TARGET, _RANK = "__lake_0", "__lake_target", "__lake_rank"
_LISTED = 10
_NESTED = ("array", "map", "struct", "variant")


def keyed_merge(
    call: Call, target: ResolvedTable, merge: KeyedMerge, rows: FileSource, columns: Sequence[ColumnChoice]
) -> StatementResult:
    """Merge the file's rows, of these columns, as one commit. Raises NotFound, DuplicateKey."""
    names = [choice.name for choice in columns]
    _require_given((*merge.key_columns, *merge.dedup_by), names)
    keys_require(target, merge)
    if not merge.schema_evolution and merge.extra_columns is ExtraColumns.REFUSE:
        known = [column.name for column in target.table.schema.columns]
        refuse_extra_columns(known, names, ranking=merge.dedup_by, where=f"table {target.label}")
    if not merge.schema_evolution:
        _require_whole(target, names)
    batch = QuerySource(_batch_text(merge, columns), {_FILE: rows})
    call.context.step("compare keys", f"{counted(rows.rows, 'row')} of the batch")
    _refuse_duplicates(merge, batch)
    return merge_from(call, _statement(target, merge, batch.text), target, batch, fills_fields=True)


def keys_require(target: ResolvedTable, merge: KeyedMerge) -> None:
    """Raise NotFound for a key that the table lacks, NotSupported for one that cannot be compared."""
    _require(merge.key_columns, [column.name for column in target.table.schema.columns], f"in table {target.label}")
    _require_plain(target, merge.key_columns)


def _require(wanted: Sequence[str], known: Sequence[str], where: str) -> None:
    folded = {name.casefold() for name in known}
    for name in wanted:
        if name.casefold() not in folded:
            raise NotFound("column", name, nearest=nearest_name(name, known), where=where)


def _require_given(wanted: Sequence[str], given: Sequence[str]) -> None:
    """Refuse a key, or a column that ranks rows, that the batch lacks."""
    folded = {name.casefold() for name in given}
    for name in wanted:
        if name.casefold() not in folded:
            error = NotFound("column", name, nearest=nearest_name(name, given), where="in the batch")
            error.remedy = error.remedy if error.details["nearest"] else f"The batch has {_some(given)}."
            raise error


def _require_whole(target: ResolvedTable, given: Sequence[str]) -> None:
    """Refuse a batch that lacks a column of the table: its rows take the place of whole rows."""
    folded = {name.casefold() for name in given}
    missing = [
        column.name
        for column in writing_schema(target.table).columns
        if column.name.casefold() not in folded and not (column.generated or column.identity)
    ]
    if missing:
        raise InvalidValue(
            f"The batch lacks {_some(missing)} of table {target.label}.",
            remedy="Add it, or merge with schema_evolution. Rows that are there keep their values of it, new rows get"
            " its default, or NULL.",
            column=missing[0],
            columns=missing,
        )


def _some(names: Sequence[str]) -> str:
    """The columns by name; the first ones where they are many."""
    listed = ", ".join(names[:_LISTED]) + (", .." if len(names) > _LISTED else "")
    return f"the column{'s' if len(names) > 1 else ''} {listed}"


def _require_plain(target: ResolvedTable, key_columns: Sequence[str]) -> None:
    """Refuse keys of nested types, as merges into data sets do."""
    for name in key_columns:
        column = target.table.schema.named(name)
        if column is not None and column.type.partition("<")[0] in _NESTED:
            raise NotSupported(
                f"Column {name} of type {column.type} cannot be a key.",
                remedy="Keys are numbers, text, bytes, booleans, dates and times.",
                column=name,
            )


def typed_rows(rows: FileSource, columns: Sequence[ColumnChoice]) -> QuerySource:
    """The file's rows in the types that were chosen: a file of text holds texts."""
    return QuerySource(_typed_text(columns), {_FILE: rows})


def _typed_text(columns: Sequence[ColumnChoice]) -> str:
    typed = (f"{_typed_value(choice)} AS {quote_name(choice.name)}" for choice in columns)
    return f"SELECT {', '.join(typed)} FROM {_FILE}"


def _typed_value(choice: ColumnChoice) -> str:
    return with_single_keys(f"CAST({quote_name(choice.name)} AS {storage_type(choice.type)})", value_type(choice.type))


def _batch_text(merge: KeyedMerge, columns: Sequence[ColumnChoice]) -> str:
    """The rows that take part, in their types: of each key those that rank first, where ranks are asked for."""
    names = [quote_name(choice.name) for choice in columns]
    base = _typed_text(columns)
    if not merge.dedup_by:
        return base
    order = ", ".join(f"{quote_name(name)} DESC NULLS LAST" for name in merge.dedup_by)
    rank = f"rank() OVER (PARTITION BY {_listed(merge.key_columns)} ORDER BY {order}) AS {_RANK}"
    return f"SELECT {', '.join(names)} FROM (SELECT *, {rank} FROM ({base})) WHERE {_RANK} = 1"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(quote_name, names))


def _refuse_duplicates(merge: KeyedMerge, batch: QuerySource) -> None:
    """Refuse two rows with one key. The file does not change: what is read here is what is merged."""
    keys = _listed(merge.key_columns)
    text = f"SELECT {keys}, count(*) FROM ({batch.text}) GROUP BY {keys} HAVING count(*) > 1 ORDER BY {keys}"
    for *values, count in engine().select(text, batch.tables, limit=1).rows:
        key = ", ".join(f"{name} = {value}" for name, value in zip(merge.key_columns, values, strict=True))
        remedy = "Keep one row a key, or name columns in dedup_by: the greatest wins."
        if merge.dedup_by:
            remedy = "Rows tie in dedup_by; name another column that tells them apart."
        raise DuplicateKey(f"The batch has {count} rows with {key}.", remedy=remedy, rows=count)


def _statement(target: ResolvedTable, merge: KeyedMerge, text: str) -> sql.MergeInto:
    keys = tuple(
        sql.MergeKey(name, f"{quote_name(UNNAMED_SOURCE)}.{quote_name(name)}", null_safe=True)
        for name in merge.key_columns
    )
    on, on_present = (
        " AND ".join(f"{quote_name(_TARGET)}.{quote_name(key.column)} {equals} {key.source}" for key in keys)
        for equals in ("<=>", "=")
    )
    clauses = []
    if merge.strategy.updates:
        clauses.append(sql.MergeClause(sql.MergeFamily.MATCHED, sql.MergeUpdate(), None))
    if merge.strategy.inserts:
        clauses.append(sql.MergeClause(sql.MergeFamily.NOT_MATCHED, sql.MergeInsert(), None))
    return sql.MergeInto(
        sql.TableName(target.table.name, target.place.database.name),
        sql.Query(text),
        sql.Condition(on),
        tuple(clauses),
        _TARGET,
        UNNAMED_SOURCE,
        None,
        keys,
        is_by_keys_alone=True,
        with_schema_evolution=merge.schema_evolution,
        on_present=on_present,
    )
