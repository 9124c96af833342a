"""MERGE INTO before a row is read: what its clauses come to, resolved and typed against both tables (rows §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from catalog_app.domain.generated import writing_schema
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.types import value_type
from catalog_app.engine.constants import may_have_constants
from catalog_app.engine.expressions import Side
from catalog_app.engine.failures import null_refused
from catalog_app.engine.merge_values import Act, Family, Rule, SourceRows
from catalog_app.engine.types import storable_type
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.columns.evolving import Evolved, SourceColumns, evolved
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.analysis import Assigned, assigned_columns, merge_analyse
from lakeui.frontdoor.expressions.field_values import all_columns, kept_beside
from lakeui.frontdoor.expressions.generated import with_generated
from lakeui.sql import statements as sql

_ACTS = {sql.MergeUpdate: Act.UPDATE, sql.MergeInsert: Act.INSERT, sql.MergeDelete: Act.DELETE}


@dataclass(frozen=True, slots=True)
class PreparedClauses:
    """``evolved``: the table that rows are written to. ``source`` has the expressions that ON compares columns with."""

    evolved: Evolved
    rules: tuple[Rule, ...]
    source: SourceRows


def merge_prepare(
    statement: sql.MergeInto,
    table: TableState,
    source: SourceRows,
    described: SourceColumns | None,
    *,
    text: str,
    dropped: Sequence[str],
    fills_fields: bool,
) -> PreparedClauses:
    """Analyse the whole statement. ``described`` are the source's columns where they are known, ``text`` is what a
    person wrote, empty where that was no MERGE. Raises NotFound, InvalidValue.
    """
    known = _described(source) if described is None else tuple(described)
    columns = [(name, storable_type(kind)) for name, kind in known]
    fresh = evolved(table, statement, columns, source.alias, dropped=dropped)
    schema = writing_schema(fresh.table)
    assigned = [
        _assigned(clause, schema, columns, source.alias, statement, keeps_fields=bool(text))
        for clause in statement.clauses
    ]
    if text:
        _require_values(statement, schema, assigned)
    kinds = merge_analyse(
        text,
        statement,
        schema,
        Side(source.alias, known),
        assigned,
        fills_fields=fills_fields,
        source_query=source.query if text and may_have_constants(source.query) else None,
    )
    typed = zip(statement.keys, kinds.keys, strict=True)
    keys = [(key.source, kind) for key, kind in typed if table.schema.named(key.column) is not None]
    texts, types = tuple(text for text, _ in keys), tuple(kind for _, kind in keys)
    asked = replace(source, keys=texts, described=known, key_types=types)
    return PreparedClauses(fresh, tuple(map(_rule, statement.clauses, assigned, kinds.values)), asked)


def _described(source: SourceRows) -> tuple[tuple[str, str], ...]:
    """The source's columns, as its alias renames them."""
    found = engine().describe(source.query.text, source.query.tables)
    if source.columns is None:
        return tuple(found)
    if len(source.columns) != len(found):
        raise InvalidValue(
            f"The source has {counted(len(found), 'column')}, its alias names {len(source.columns)}.",
            remedy="Name as many columns as the source has.",
        )
    return tuple((name, kind) for name, (_, kind) in zip(source.columns, found, strict=True))


def _assigned(
    clause: sql.MergeClause,
    schema: Schema,
    columns: SourceColumns,
    alias: str,
    statement: sql.MergeInto,
    *,
    keeps_fields: bool,
) -> list[tuple[Column, str]]:
    """What the clause writes. ``keeps_fields``: ``UPDATE SET *`` keeps fields that a struct of the source lacks."""
    if isinstance(clause.action, sql.MergeDelete):
        return []
    given: Sequence[tuple[str, str]] | None = clause.action.assignments
    is_update = isinstance(clause.action, sql.MergeUpdate)
    if given is None:
        given = _by_name(schema, columns, alias, is_lenient=statement.with_schema_evolution)
        given = _without_equal(schema, given, statement) if is_update else given
        if is_update and keeps_fields and statement.with_schema_evolution:
            given = _with_kept_fields(schema, given, columns, statement.alias)
    elif isinstance(clause.action, sql.MergeUpdate):
        given = all_columns(schema, clause.action, statement.alias)
    return assigned_columns(
        schema, with_generated(schema, given, statement.alias if is_update else None), statement.table.table
    )


def _require_values(statement: sql.MergeInto, schema: Schema, assigned: Sequence[Assigned]) -> None:
    """Refuse an INSERT that leaves out a column which takes no NULL and has no default, whether a row comes or not."""
    for clause, given in zip(statement.clauses, assigned, strict=True):
        if isinstance(clause.action, sql.MergeInsert) and clause.action.assignments is not None:
            named = {column.id for column, _ in given}
            for column in schema.columns:
                is_filled = column.default is not None or column.identity is not None
                if not column.nullable and not is_filled and column.id not in named:
                    raise null_refused(column.name)


def _by_name(schema: Schema, columns: SourceColumns, alias: str, *, is_lenient: bool) -> list[tuple[str, str]]:
    """What ``*`` stands for: every column of the target from the source's of that name."""
    names = {name.casefold(): name for name, _ in columns}
    given = []
    for column in schema.columns:
        found = names.get(column.name.casefold())
        if found is not None:
            given.append((column.name, f"{quote_name(alias)}.{quote_name(found)}"))
        elif not is_lenient and column.generated is None and column.identity is None:
            raise InvalidValue(
                f"The source has no column {column.name}, which * would take from it.",
                remedy="Name the columns, add it to the source, or write MERGE WITH SCHEMA EVOLUTION INTO.",
                column=column.name,
            )
    return given


def _with_kept_fields(
    schema: Schema, given: Sequence[tuple[str, str]], columns: SourceColumns, target: str
) -> list[tuple[str, str]]:
    """What ``UPDATE SET *`` gives: a struct of the source that has fewer fields sets these alone."""
    kinds = {name.casefold(): kind for name, kind in columns}

    def value(name: str, text: str) -> str:
        column = schema.named(name)
        if column is None or column.nested is None:
            return text
        old = f"{quote_name(target)}.{quote_name(column.name)}"
        return kept_beside(column.parsed, value_type(kinds[name.casefold()]), old, text)

    return [(name, value(name, text)) for name, text in given]


def _without_equal(schema: Schema, given: Sequence[tuple[str, str]], statement: sql.MergeInto) -> list[tuple[str, str]]:
    """What ``UPDATE SET *`` gives, without identity columns that ON compares with the same value."""
    compared = {(key.column.casefold(), _bare(key.source)) for key in statement.keys}
    return [
        (name, text)
        for name, text in given
        if not ((column := schema.named(name)) and column.identity and (name.casefold(), _bare(text)) in compared)
    ]


def _bare(text: str) -> str:
    return text.replace("`", "").casefold()


def _rule(clause: sql.MergeClause, assigned: Assigned, kinds: Mapping[str, str]) -> Rule:
    condition = clause.condition.text if clause.condition else None
    values = {column.name: text for column, text in assigned}
    return Rule(Family(clause.family.value), _ACTS[type(clause.action)], condition, values, kinds)
