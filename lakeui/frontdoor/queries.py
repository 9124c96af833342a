"""A checked query with its tables resolved: what the engine runs."""

from __future__ import annotations

from catalog_app.engine.values import QuerySource
from lakeui.frontdoor.places import Call, place_of, table_exists, table_for_reading, view_find
from lakeui.sql import statements as sql
from lakeui.common.errors import InvalidValue
from catalog_app.selectors.segments import table_scan
from lakeui.sql.parse import parse

DEPTH = 32
"""Views may stand on views; not without end."""


def query_source(call: Call, query: sql.Query, depth: int = 0) -> QuerySource:
    """Placeholders become scans; a view becomes its own query, in parentheses."""
    if depth > DEPTH:
        raise InvalidValue("Views refer to each other in a circle.", remedy="Replace one of them.")
    tables = {}
    text = query.text
    for reference in query.tables:
        place = place_of(call, reference.name)
        view = None if table_exists(place, reference.name.table) else view_find(place, reference.name.table)
        if view is None:
            found = table_for_reading(call, reference.name)
            tables[reference.placeholder] = table_scan(found.place.lineage, found.table)
            continue
        inner = parse(view.query)
        assert isinstance(inner, sql.Select)
        source = query_source(call, inner.query, depth + 1)
        renamed = {name: f"{reference.placeholder}_{name.lstrip('_')}" for name in source.tables}
        body = source.text
        for name, fresh in sorted(renamed.items(), key=lambda pair: -len(pair[0])):
            body = body.replace(name, fresh)
        text = text.replace(f"{reference.placeholder} ", f"({body}) ")
        tables |= {renamed[name]: scan for name, scan in source.tables.items()}
    return QuerySource(text, tables)
