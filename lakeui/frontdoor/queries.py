"""A checked query with its tables resolved: what the engine runs."""

from __future__ import annotations

from catalog_app.domain.files import TableScan
from catalog_app.engine.values import FileSource, QuerySource
from catalog_app.selectors.segments import table_scan
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.places import Call, place_of, table_exists, table_for_reading, view_find
from lakeui.sql import statements as sql
from lakeui.sql.parse import parse
from merge_app.pipelines.definition.writes import BATCH

DEPTH = 32
"""Views may stand on views; not without end."""


def query_source(call: Call, query: sql.Query, depth: int = 0) -> QuerySource:
    """Every placeholder becomes a scan, or the query of the view that it names."""
    if depth > DEPTH:
        raise InvalidValue("Views refer to each other in a circle.", remedy="Replace one of them.")
    return QuerySource(query.text, {item.placeholder: _relation(call, item.name, depth) for item in query.tables})


def _relation(call: Call, name: sql.TableName, depth: int) -> TableScan | FileSource | QuerySource:
    if call.batch is not None and (name.database, name.table) == (BATCH.database, BATCH.table):
        return call.batch
    place = place_of(call, name)
    view = None if table_exists(place, name.table) else view_find(place, name.table)
    if view is None:
        found = table_for_reading(call, name)
        return table_scan(found.place.lineage, found.table)
    statement = parse(view.query)
    assert isinstance(statement, sql.Select)
    return query_source(call, statement.query, depth + 1)
