"""A checked query with its tables resolved: what the engine runs."""

from __future__ import annotations

from collections.abc import Mapping

from catalog_app.domain.files import TableScan
from catalog_app.engine.values import FileSource, QuerySource
from catalog_app.pruning.predicates import ANYTHING, Predicate
from catalog_app.selectors.objects import ViewState
from catalog_app.selectors.segments import segments_list, table_scan
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.asking_session import parse_for
from lakeui.frontdoor.change_tables import changes_found
from lakeui.frontdoor.places import Call, place_of, table_exists, table_for_reading, view_find
from lakeui.frontdoor.pruning import pruned
from lakeui.sql import statements as sql
from merge_app.execution.reads import TableRead
from merge_app.pipelines.definition.templates import TableAddress

Relations = Mapping[str, TableScan | FileSource | QuerySource]

DEPTH = 32
"""Views may stand on views; not without end."""


def query_source(call: Call, query: sql.Query, depth: int = 0) -> QuerySource:
    """Every placeholder becomes a scan, or the query of the view that it names."""
    if depth > DEPTH:
        raise InvalidValue("Views refer to each other in a circle.", remedy="Replace one of them.")
    return QuerySource(query.text, _relations(call, query, depth))


def subquery_tables(call: Call, subqueries: sql.Subqueries) -> Relations | None:
    """What the subqueries of a statement read; None where it has none."""
    return _relations(call, subqueries, 0) if subqueries.are_there else None


def _relations(call: Call, given: sql.Query | sql.Subqueries, depth: int) -> Relations:
    return {
        item.placeholder: changes_found(call, item.name, item.changes).query
        if item.changes is not None
        else _relation(call, item.name, given.where.get(item.placeholder, ANYTHING), depth)
        for item in given.tables
    }


def _relation(call: Call, name: sql.TableName, where: Predicate, depth: int) -> TableScan | FileSource | QuerySource:
    """What a name stands for; of a table the files that can hold rows for which ``where`` is true; the
    call keeps that it was read.
    """
    aside = call.aside.get(TableAddress(name.database, name.table))
    if aside is not None:
        return aside
    place = place_of(call, name)
    view = None if table_exists(place, name.table) else view_find(place, name.table)
    if view is None:
        found = table_for_reading(call, name)
        read = found.place.snapshot
        call.reads.add(TableRead(found.table.table_id, read.branch_ids[0], read.version))
        segments = segments_list(found.place.snapshot, found.table.table_id)
        return table_scan(found.place.snapshot, found.table, pruned(segments, found.table.schema.columns, where))
    return view_source(call, view, depth + 1)


def view_source(call: Call, view: ViewState, depth: int = 0) -> QuerySource:
    """The query of a view with its tables resolved."""
    statement = parse_for(call, view.query)
    assert isinstance(statement, sql.Select)
    return query_source(call, statement.query, depth)
