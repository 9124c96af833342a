"""Views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from catalog_app.domain.names import name_check
from catalog_app.domain.state import COMMENT
from catalog_app.selectors.objects import database_get
from catalog_app.selectors.views import ViewRead, ViewState, views_list
from lakeui.common.counts import counted
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, PropertyNotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, Place, place_of, table_exists, view_find
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.metadata_columns import without_metadata
from lakeui.frontdoor.queries.queries import query_source
from lakeui.sql import statements as sql
from merge_app.execution.views import ViewChange, view_commit

_Stated = TypeVar("_Stated", sql.CreateView, sql.AlterView)


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
    _query_check(call, statement)
    for column in statement.columns:
        name_check("column", column.name)
    change = ViewChange(
        present.view_id if present else 0,
        place.database.database_id,
        name,
        statement.text,
        columns=tuple((column.name, column.comment) for column in statement.columns),
        properties=dict(statement.properties),
        reads=_reads(place, statement.reads),
    )
    return _commit(call, place, "CREATE VIEW", present, change)


def alter_view(call: Call, statement: sql.AlterView) -> StatementResult:
    place, present = _view(call, statement.view)
    _query_check(call, statement)
    after = replace(present, query=statement.text, columns=(), reads=_reads(place, statement.reads))
    return _commit(call, place, "ALTER VIEW", present, ViewChange.to(after))


def rename_view(call: Call, statement: sql.RenameView) -> StatementResult:
    place, present = _view(call, statement.view)
    catalog, name = statement.new.catalog, statement.new.table
    if catalog is not None and call.catalog_named(catalog).pk != place.branch.catalog_id:
        raise InvalidValue("A view cannot move to another catalog.", remedy="Use CREATE VIEW there.")
    name_check("view", name)
    new_place = replace(place, database=database_get(place.snapshot, statement.new.database))
    other = view_find(new_place, name)
    for kind, is_taken in (
        ("table", table_exists(new_place, name)),
        ("view", other is not None and other.view_id != present.view_id),
    ):
        if is_taken:
            raise AlreadyExists(kind, f"{new_place.database.name}.{name}")
    after = replace(present, name=name, database_id=new_place.database.database_id)
    return _commit(call, place, "RENAME VIEW", present, ViewChange.to(after))


def set_view_properties(call: Call, statement: sql.SetViewProperties) -> StatementResult:
    place, present = _view(call, statement.view)
    after = replace(present, properties={**present.properties, **dict(statement.properties)})
    return _commit(call, place, "SET TBLPROPERTIES", present, ViewChange.to(after))


def unset_view_properties(call: Call, statement: sql.UnsetViewProperties) -> StatementResult:
    place, present = _view(call, statement.view)
    missing = [key for key in statement.keys if key not in present.properties]
    if missing and not statement.if_exists:
        raise PropertyNotFound(
            f"{present.name} has no property {missing[0]!r}.",
            remedy="Add IF EXISTS to pass over it.",
            property=missing[0],
        )
    left = {key: value for key, value in present.properties.items() if key not in statement.keys}
    return _commit(call, place, "UNSET TBLPROPERTIES", present, ViewChange.to(replace(present, properties=left)))


def drop_view(call: Call, statement: sql.DropView) -> StatementResult:
    place = place_of(call, statement.view)
    present = view_find(place, statement.view.table)
    if present is None:
        if statement.if_exists:
            return StatementResult()
        raise _view_missing(place, statement.view.table)
    return _commit(call, place, "DROP VIEW", present, ViewChange.to(present, is_dropped=True))


def view_comment(view: ViewState) -> str:
    return view.properties.get(COMMENT, "")


def view_properties(view: ViewState) -> dict[str, str]:
    """Those beside the comment."""
    return {key: value for key, value in view.properties.items() if key != COMMENT}


def _query_check(call: Call, statement: _Stated) -> None:
    """Spark resolves the query; the view names all of its columns or none."""
    source = query_source(call, without_metadata(statement.query))
    found = engine().describe(source.text, source.tables)
    columns = statement.columns if isinstance(statement, sql.CreateView) else ()
    if columns and len(columns) != len(found):
        raise InvalidValue(
            f"The view names {counted(len(columns), 'column')}, and its query has {len(found):,}.",
            remedy=f"Name each of them: {', '.join(name for name, _ in found)}.",
        )


def _reads(place: Place, named: Sequence[sql.NamedInView]) -> tuple[ViewRead, ...]:
    """What of the named is of the view's own branch, now and after each merge."""
    own = place.branch.catalog.name.casefold()
    return tuple(
        ViewRead(item.name.database, item.name.table, item.columns)
        for item in named
        if (item.name.catalog or own).casefold() == own
        and item.name.at is None
        and item.name.version is None
        and item.name.timestamp is None
    )


def _commit(call: Call, place: Place, operation: str, present: ViewState | None, change: ViewChange) -> StatementResult:
    """One commit; none where the view is that already."""
    if present is not None and change == ViewChange.to(present):
        return StatementResult(version=place.snapshot.version)
    applied = view_commit(place.snapshot, place.branch.pk, change, call.header(operation))
    return StatementResult(version=applied.version)


def _view(call: Call, name: sql.TableName) -> tuple[Place, ViewState]:
    place = place_of(call, name)
    present = view_find(place, name.table)
    if present is not None:
        return place, present
    if table_exists(place, name.table):
        label = f"{place.database.name}.{name.table}"
        raise InvalidValue(f"{label} is a table.", remedy="Use ALTER TABLE.")
    raise _view_missing(place, name.table)


def _view_missing(place: Place, name: str) -> NotFound:
    database = place.database
    nearest = nearest_name(name, [view.name for view in views_list(place.snapshot, [database.database_id])])
    return NotFound("view", f"{database.name}.{name}", nearest=f"{database.name}.{nearest}" if nearest else None)
