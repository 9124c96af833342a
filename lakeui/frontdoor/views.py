"""Views."""

from __future__ import annotations

from catalog_app.domain.names import name_check
from catalog_app.selectors.objects import views_list
from lakeui.common.errors import AlreadyExists, NotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.places import Call, Place, place_of, table_exists, view_find
from lakeui.frontdoor.queries import query_source
from lakeui.frontdoor.values import StatementResult
from lakeui.sql import statements as sql
from merge_app.execution.views import ViewChange, view_commit


def create_view(call: Call, statement: sql.CreateView) -> StatementResult:
    place = place_of(call, statement.view)
    name = statement.view.table
    name_check("view", name)
    if table_exists(place, name):
        raise AlreadyExists("table", f"{place.database.name}.{name}")
    present = view_find(place, name)
    if present is not None and statement.if_not_exists:
        return StatementResult()
    if present is not None and not statement.or_replace:
        raise AlreadyExists("view", f"{place.database.name}.{name}", remedy="Use CREATE OR REPLACE VIEW.")
    source = query_source(call, statement.query)
    engine().describe(source.text, source.tables)
    if present is not None and (present.name, present.query) == (name, statement.text):
        return StatementResult(version=place.snapshot.version)
    change = ViewChange(present.view_id if present else None, place.database.database_id, name, statement.text)
    applied = view_commit(place.snapshot, place.branch.pk, change, call.header("CREATE VIEW"))
    return StatementResult(version=applied.version)


def drop_view(call: Call, statement: sql.DropView) -> StatementResult:
    place = place_of(call, statement.view)
    present = view_find(place, statement.view.table)
    if present is None:
        if statement.if_exists:
            return StatementResult()
        raise _view_missing(place, statement.view.table)
    change = ViewChange(present.view_id, present.database_id, present.name, present.query, is_dropped=True)
    applied = view_commit(place.snapshot, place.branch.pk, change, call.header("DROP VIEW"))
    return StatementResult(version=applied.version)


def _view_missing(place: Place, name: str) -> NotFound:
    database = place.database
    nearest = nearest_name(name, [view.name for view in views_list(place.snapshot, [database.database_id])])
    return NotFound("view", f"{database.name}.{name}", nearest=f"{database.name}.{nearest}" if nearest else None)
