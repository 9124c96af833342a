"""Which queries show columns of a table as they lie in its files."""

from __future__ import annotations

from catalog_app.domain.files import TableScan
from catalog_app.engine.inputs_outputs import PlainRead, QuerySource
from lakeui.sql import statements as sql
from lakeui.sql.plain import plain_columns


def plain_read(query: sql.Query, source: QuerySource) -> PlainRead | None:
    """The query as columns of one table, where it is no more than that. None where rows are restricted: the source is a
    query then.
    """
    shown = plain_columns(query)
    scan = None if shown is None else source.tables[shown.placeholder]
    if shown is None or not isinstance(scan, TableScan) or scan.shows:
        return None
    if shown.columns is None:
        return PlainRead(scan, tuple((column.name, column) for column in scan.schema.columns), shown.limit)
    found = [(name, scan.schema.named(column)) for name, column in shown.columns]
    known = tuple((name, column) for name, column in found if column is not None)
    return PlainRead(scan, known, shown.limit) if len(known) == len(found) else None
