"""DELETE of the rows whose key a subquery has: it is carried out as the merge that does the same."""

from __future__ import annotations

from catalog_app.domain.files import TableScan
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.merge_values import Act, Family, Rule, SourceRows
from lakeui.frontdoor.call import Call, ResolvedTable
from lakeui.frontdoor.columns.evolving import Evolved
from lakeui.frontdoor.expressions.analysis import rows_analyse
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
    alias = statement.alias or statement.table.table
    source = QuerySource(join.source.text, tables)
    rows = _source_rows(join, source)
    if rows.plain is None:
        rows_analyse(call.text, target.table.schema, alias, statement.where, tables=tables)
    merge = sql.MergeInto(
        statement.table,
        join.source,
        join.on,
        (sql.MergeClause(sql.MergeFamily.MATCHED, sql.MergeDelete()),),
        alias,
        join.source_alias,
        keys=(join.key,),
        is_by_keys_alone=not join.beside,
        beside=join.beside,
    )
    prepared = PreparedClauses(Evolved(target.table), (Rule(Family.MATCHED, Act.DELETE),), rows)
    return merge_from(call, merge, target, source, said="DELETE", prepared=prepared)


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
