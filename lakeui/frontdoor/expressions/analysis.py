"""All expressions of a MERGE INTO, an UPDATE or a DELETE, resolved and typed before anything is read (rows §1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from catalog_app.domain.files import SHOWN_ROW_ID
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.expressions import Analysis, Expression, Reads, Role, Side
from catalog_app.engine.inputs_outputs import QuerySource, Tables
from catalog_app.engine.types import is_default, quoted, storage_type
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.compute import engine
from lakeui.sql import statements as sql
from lakeui.sql.positions import name_position

_READS = {
    sql.MergeFamily.MATCHED: Reads.BOTH,
    sql.MergeFamily.NOT_MATCHED: Reads.SOURCE,
    sql.MergeFamily.NOT_MATCHED_BY_SOURCE: Reads.TARGET,
}

Assigned = Sequence[tuple[Column, str]]
"""Columns with the texts of what goes into them."""


@dataclass(frozen=True, slots=True)
class MergeKinds:
    """Spark type texts: of the expressions that ON compares columns with, and of each clause's values by column."""

    keys: tuple[str, ...]
    values: tuple[Mapping[str, str], ...]


def rows_analyse(
    text: str,
    schema: Schema,
    alias: str,
    where: sql.Condition | None,
    assigned: Assigned = (),
    *,
    tables: Tables | None = None,
) -> dict[str, str]:
    """Analyse an UPDATE, or a DELETE, of a table that its expressions call by the alias. Answers the types of what is
    assigned, by column. ``tables``: what subqueries read, if there are any. Raises InvalidValue.
    """
    expressions = [Expression(where.text, Role.CONDITION, "WHERE")] if where is not None else []
    expressions += _values(assigned, "SET", Reads.TARGET, None)
    target = _target(schema, alias)
    if where is not None and quoted(SHOWN_ROW_ID) in where.text:
        target = Side(alias, (*target.columns, (SHOWN_ROW_ID, "bigint")))
    kinds = _run(text, Analysis(target, tuple(expressions), tables=tables), ()) if expressions else []
    found = zip(expressions, kinds, strict=True)
    return {expression.column.name: kind for expression, kind in found if expression.column is not None}


def condition_analyse(text: str, schema: Schema, alias: str, part: str) -> None:
    """Raise InvalidValue where the condition of that part of a statement cannot be resolved over the schema."""
    engine().analyse(Analysis(_target(schema, alias), (Expression(text, Role.CONDITION, part),)))


def merge_analyse(
    text: str,
    statement: sql.MergeInto,
    schema: Schema,
    source: Side,
    assigned: Sequence[Assigned],
    *,
    fills_fields: bool,
    source_query: QuerySource | None = None,
) -> MergeKinds:
    """The types of what the statement compares and writes. ``assigned``: of each clause what it writes; ``text``
    is what the person wrote, empty where that was no MERGE INTO. ``source_query`` as in Analysis. Raises InvalidValue.
    """
    expressions = [
        Expression(statement.on.text, Role.CONDITION, "ON", Reads.BOTH),
        *(Expression(key.source, Role.KEY, "ON", Reads.SOURCE) for key in statement.keys),
    ]
    for number, (clause, values) in enumerate(zip(statement.clauses, assigned, strict=True)):
        part, reads = f"WHEN {clause.family.value.upper()}", _READS[clause.family]
        if clause.condition is not None:
            expressions.append(Expression(clause.condition.text, Role.CONDITION, part, reads, clause=number))
        expressions += _values(values, part, reads, number)
    target = _target(schema, statement.alias)
    analysis = Analysis(target, tuple(expressions), source, fills_fields, source_query=source_query)
    kinds = _run(text, analysis, [clause.start for clause in statement.clauses])
    by_clause: list[dict[str, str]] = [{} for _ in statement.clauses]
    for expression, kind in zip(expressions, kinds, strict=True):
        if expression.clause is not None and expression.column is not None:
            by_clause[expression.clause][expression.column.name] = kind
    return MergeKinds(tuple(kinds[1 : 1 + len(statement.keys)]), tuple(by_clause))


def assigned_columns(schema: Schema, assignments: Sequence[tuple[str, str]], label: str) -> list[tuple[Column, str]]:
    """The assignments with their columns. Raises NotFound."""
    found = []
    for name, text in assignments:
        column = schema.named(name)
        if column is None:
            nearest = nearest_name(name, [item.name for item in schema.columns])
            raise NotFound("column", name, nearest=nearest, where=f"in table {label}")
        found.append((column, text))
    return found


def _target(schema: Schema, alias: str) -> Side:
    return Side(alias, tuple((column.name, storage_type(column.type)) for column in schema.columns))


def _values(assigned: Assigned, part: str, reads: Reads, clause: int | None) -> Iterator[Expression]:
    for column, text in assigned:
        if not is_default(text):
            yield Expression(text, Role.VALUE, part, reads, column, clause)


def _run(text: str, analysis: Analysis, starts: Sequence[int]) -> list[str]:
    try:
        return engine().analyse(analysis)
    except InvalidValue as error:
        raise _placed(error, text, starts) from error


def _placed(error: InvalidValue, text: str, starts: Sequence[int]) -> InvalidValue:
    """The error with the line and column of the name that it is about, where the statement has that."""
    details: Mapping[str, object] = error.details
    named, clause = str(details.get("name", "")), details.get("clause")
    start, end = 0, None
    if isinstance(clause, int):
        start, end = starts[clause - 1], (starts[clause] if clause < len(starts) else None)
    place = name_position(text, named.split("."), start=start, end=end) if named and text else None
    if place is None:
        return error
    line, column = place
    message = f"{error.message.removesuffix('.')} (line {line}, column {column})."
    return InvalidValue(message, remedy=error.remedy, **{**error.details, "line": line, "column": column})
