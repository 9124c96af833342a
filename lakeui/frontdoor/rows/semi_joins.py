"""DELETE and UPDATE of the rows whose key a subquery has: carried out as the merge that does the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.files import TableScan
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.merge_values import Act, Family, Rule, SourceRows
from lakeui.frontdoor.call import Call, ResolvedTable
from lakeui.frontdoor.columns.evolving import Evolved
from lakeui.frontdoor.expressions.analysis import assigned_columns, rows_analyse
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.plain_reads import plain_read
from lakeui.frontdoor.queries.queries import Relations
from lakeui.frontdoor.rows.merge_clauses import PreparedClauses
from lakeui.frontdoor.rows.merge_into import merge_from
from lakeui.sql import statements as sql


def delete_matching(
    call: Call, statement: sql.Delete, target: ResolvedTable, join: sql.SemiJoin, tables: Relations
) -> StatementResult:
    """Delete the rows that the merge would match."""
    source = QuerySource(join.source.text, tables)
    rows = _source_rows(join, source)
    if rows.plain is None:
        alias = statement.alias or statement.table.table
        rows_analyse(call.text, target.table.schema, alias, statement.where, tables=tables)
    merge = _merge(statement, join, sql.MergeDelete())
    prepared = PreparedClauses(Evolved(target.table), (Rule(Family.MATCHED, Act.DELETE),), rows)
    return merge_from(call, merge, target, source, said="DELETE", prepared=prepared)


def update_matching(
    call: Call,
    statement: sql.Update,
    target: ResolvedTable,
    join: sql.SemiJoin,
    tables: Relations,
    assignments: Sequence[tuple[str, str]],
) -> StatementResult:
    """Update the rows that the merge would match. ``assignments``: those of the statement and what follows of them."""
    schema, alias = target.table.schema, statement.alias or statement.table.table
    source = QuerySource(join.source.text, tables)
    assigned = assigned_columns(schema, assignments, target.label)
    kinds = rows_analyse(call.text, schema, alias, statement.where, assigned, tables=tables)
    rule = Rule(Family.MATCHED, Act.UPDATE, None, {column.name: text for column, text in assigned}, kinds)
    # A row that meets several of the source is updated once, which a merge refuses.
    rows = replace(_source_rows(join, source), is_distinct=True)
    prepared = PreparedClauses(Evolved(target.table), (rule,), rows)
    merge = _merge(statement, join, sql.MergeUpdate(tuple(assignments)))
    return merge_from(call, merge, target, source, said="UPDATE", prepared=prepared)


def _merge(statement: sql.Delete | sql.Update, join: sql.SemiJoin, action: sql.MergeAction) -> sql.MergeInto:
    return sql.MergeInto(
        statement.table,
        join.source,
        join.on,
        (sql.MergeClause(sql.MergeFamily.MATCHED, action),),
        statement.alias or statement.table.table,
        join.source_alias,
        keys=(join.key,),
        is_by_keys_alone=not join.beside,
        beside=join.beside,
    )


def _source_rows(join: sql.SemiJoin, source: QuerySource) -> SourceRows:
    """The one column of the source, of which the type is known."""
    (scan,) = (relation for relation in source.tables.values() if isinstance(relation, TableScan))
    column = scan.schema.named(join.read)
    assert column is not None, "a semi-join reads a column that is there"
    return SourceRows(
        source,
        join.source_alias,
        keys=(join.key.source,),
        described=((join.column, column.type),),
        key_types=(column.type,),
        plain=plain_read(join.source, source),
    )
