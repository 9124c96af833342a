"""A checked query with its tables resolved: what the engine runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.files import TableScan
from catalog_app.engine.inputs_outputs import FileSource, QuerySource
from catalog_app.engine.types import quoted
from catalog_app.pruning.predicates import ANYTHING, Predicate
from catalog_app.selectors.segments import segments_list, table_scan
from catalog_app.selectors.snapshots import tag_find
from catalog_app.selectors.views import ViewState
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.frontdoor.call import Call, place_of, table_exists, table_for_reading, view_find
from lakeui.frontdoor.expressions.pruning import pruned
from lakeui.frontdoor.queries.change_tables import changes_found
from lakeui.frontdoor.queries.metadata_columns import (
    files_refuse,
    has_metadata_columns,
    metadata_shown,
    metadata_texts,
    with_metadata,
    without_metadata,
)
from lakeui.frontdoor.queries.restricted import restricted_source
from lakeui.frontdoor.queries.session_functions import parse_for
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
    shows = has_metadata_columns(call, query)
    text = query.beside if shows else query.text
    return QuerySource(text, _relations(call, query, depth, shows=shows))


def subquery_tables(call: Call, subqueries: sql.Subqueries) -> Relations | None:
    """What the subqueries of a statement read; None where it has none."""
    return _relations(call, subqueries, 0, shows=False) if subqueries.are_there else None


def _relations(call: Call, given: sql.Query | sql.Subqueries, depth: int, *, shows: bool) -> Relations:
    return {
        item.placeholder: changes_found(call, item.name, item.changes).query
        if item.changes is not None
        else _relation(
            call,
            item.name,
            given.where.get(item.placeholder, ANYTHING),
            depth,
            item.asked if shows else (),
        )
        for item in given.tables
    }


def _relation(
    call: Call, name: sql.TableName, where: Predicate, depth: int, asked: Sequence[str]
) -> TableScan | FileSource | QuerySource:
    """What a name stands for; of a table the files that can hold rows for which ``where`` is true. These show the
    metadata that is asked of their rows. The call keeps that the table was read.
    """
    temporary = call.temporary_tables.get(TableAddress(name.database, name.table))
    if temporary is not None:
        return temporary
    place = place_of(call, name)
    view = None if table_exists(place, name.table) else view_find(place, name.table)
    if view is None:
        found = table_for_reading(call, name)
        read = found.place.snapshot
        call.reads.add(TableRead(found.table.table_id, read.branch_ids[0], read.version))
        segments = segments_list(found.place.snapshot, found.table.table_id)
        if restrictions := call.restrictions(found.place.branch.catalog_id, found.table.table_id):
            # Files are not left out by what the query asks of values that it may not see.
            files_refuse(asked)
            scan = metadata_shown(found.place, table_scan(found.place.snapshot, found.table, segments), asked)
            return restricted_source(scan, found, restrictions, call.reader_name, metadata_texts(asked))
        scan = table_scan(found.place.snapshot, found.table, pruned(segments, found.table.schema.columns, where))
        return with_metadata(metadata_shown(found.place, scan, asked), asked) if asked else scan
    return view_source(call, view, name, depth + 1)


def view_source(call: Call, view: ViewState, name: sql.TableName, depth: int = 0) -> QuerySource:
    """The query of a view with its tables resolved. ``name``: what the statement calls the view."""
    return query_source(call, view_query(call, view, name), depth)


def view_query(call: Call, view: ViewState, name: sql.TableName) -> sql.Query:
    """The query of a view under the names of its columns. Tables that it names are those of the catalog, branch and
    version of which the view is asked for.
    """
    text = view.query
    if view.columns:
        columns = ", ".join(quoted(column) for column, _ in view.columns)
        text = f"SELECT * FROM (\n{text}\n) AS {quoted(view.name)} ({columns})"
    statement = parse_for(call, text)
    assert isinstance(statement, sql.Select)
    query = statement.query
    return without_metadata(replace(query, tables=tuple(_as_of(call, item, name) for item in query.tables)))


def _as_of(call: Call, item: sql.TableReference, view: sql.TableName) -> sql.TableReference:
    name = item.name
    is_past = view.version is not None or view.timestamp is not None
    catalog = name.catalog or view.catalog
    is_elsewhere = (
        name.catalog is not None and name.catalog.casefold() != call.catalog_named(view.catalog).name.casefold()
    )
    at = name.at or (None if is_elsewhere else view.at)
    found = replace(name, catalog=catalog, at=at)
    if not is_past or name.version is not None or name.timestamp is not None:
        return replace(item, name=found)
    if item.changes is not None or (is_elsewhere and view.version is not None):
        what = "changes of a table" if item.changes is not None else "a table of another catalog"
        raise NotSupported(
            f"The view {view.database}.{view.table} reads {what}, so it has no past version of its own.",
            remedy="Write its query with the versions that you mean.",
        )
    is_tag = at is not None and tag_find(call.catalog_named(catalog), at) is not None
    if is_tag and name.at is not None:
        return replace(item, name=found)
    return replace(item, name=replace(found, version=view.version, timestamp=view.timestamp))
