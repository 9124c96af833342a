"""Which conditions with a subquery mean the same as what a merge compares, over the tables that they name."""

from __future__ import annotations

from catalog_app.domain.files import TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.by_key import assigned
from catalog_app.engine.merge_by_key import are_comparable, terms_beside
from catalog_app.engine.merge_source import FEW_ROWS
from lakeui.frontdoor.queries.queries import Relations
from lakeui.sql import statements as sql


def semi_join_meant(
    statement: sql.Delete | sql.Update, schema: Schema, tables: Relations | None
) -> sql.SemiJoin | None:
    """The condition as a merge compares it, where that means the same and can do without Spark. ``tables``: what the
    subqueries of the statement read.
    """
    found = statement.semi_join
    if found is None or tables is None:
        return None
    alias = statement.alias or statement.table.table
    column = schema.named(found.key.column)
    (source,) = (tables[item.placeholder] for item in found.source.tables)
    if column is None or schema.partition_by or terms_beside(schema, alias, found.beside) is None:
        return None
    if not isinstance(source, TableScan) or source.shows or sum(file.rows for file in source.files) > FEW_ROWS:
        return None
    # A name that the source lacks would be one of the target, and the target's name may be a column of the source.
    if any(source.schema.named(name) is None for name in found.names) or source.schema.named(alias) is not None:
        return None
    read = source.schema.named(found.read)
    is_meant = read is not None and are_comparable(column.type, read.type)
    return found if is_meant and (isinstance(statement, sql.Delete) or _is_by_key(statement, schema, alias)) else None


def _is_by_key(statement: sql.Update, schema: Schema, alias: str) -> bool:
    """Whether new values are such as an UPDATE by key gives."""
    return not statement.fields and assigned(schema, statement.assignments, alias) is not None
