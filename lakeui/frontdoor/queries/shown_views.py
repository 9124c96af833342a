"""A view as other engines get it: its query in Spark's SQL, with tables that they find in the same catalog."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.engine.types import quoted
from catalog_app.iceberg.views import ShownView
from catalog_app.selectors.views import ViewState, view_made
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.frontdoor.call import Call, Place, view_asked
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.queries.queries import DEPTH, view_source
from lakeui.frontdoor.queries.views import view_comment, view_properties
from lakeui.sql import statements as sql
from lakeui.sql.query import build_view, with_names
from lakeui.sql.session_values import session_values_refused

_WAY_OUT = "Read it through lakeui, or make a table of it by CREATE TABLE … AS SELECT."


def view_shown(call: Call, name: sql.TableName, location: str) -> ShownView:
    """The view that ``name`` stands for. Raises NotSupported where another engine would not answer what lakeui does.
    Spark says the types of its columns.
    """
    asked = view_asked(call, name)
    assert asked is not None
    place, view = asked
    text = _text(call, name, place, view, 0)
    source = view_source(call, view, name)
    comments = dict(view.columns)
    columns = [(column, kind, comments.get(column)) for column, kind in engine().describe(source.text, source.tables)]
    version, at = view_made(place.snapshot, view.view_id)
    return ShownView(
        view.view_id,
        place.database.name,
        text,
        columns,
        version,
        int(at.timestamp() * 1000),
        location,
        {**view_properties(view), **({"comment": comment} if (comment := view_comment(view)) else {})},
    )


def _text(call: Call, name: sql.TableName, place: Place, view: ViewState, depth: int) -> str:
    label = f"{place.database.name}.{view.name}"
    if depth > DEPTH:
        raise InvalidValue("Views refer to each other in a circle.", remedy="Replace one of them.")
    try:
        with session_values_refused("other engines answer it otherwise."):
            query, _ = build_view(view.query)
    except InvalidValue as error:
        raise _refused(label, f"it cannot be read outside of lakeui: {error}") from error
    for item in query.tables:
        _table_check(call, label, place, item)
        inner = replace(name, database=item.name.database, table=item.name.table)
        below = view_asked(call, inner)
        if below is not None:
            # An engine loads that view too, and would be refused then.
            _text(call, inner, *below, depth + 1)
    names = {item.placeholder: f"{quoted(item.name.database)}.{quoted(item.name.table)}" for item in query.tables}
    text = with_names(query, names)
    if not view.columns:
        return text
    columns = ", ".join(quoted(column) for column, _ in view.columns)
    return f"SELECT * FROM (\n{text}\n) AS {quoted(view.name)} ({columns})"


def _table_check(call: Call, label: str, place: Place, item: sql.TableReference) -> None:
    name = item.name
    shown = f"{name.database}.{name.table}"
    if item.changes is not None:
        raise _refused(label, "it reads changes of a table, which no other engine has.")
    if name.catalog is not None and name.catalog.casefold() != place.branch.catalog.name.casefold():
        raise _refused(label, f"it reads {name.catalog}.{shown} of another catalog.")
    if name.at is not None or name.version is not None or name.timestamp is not None:
        raise _refused(label, f"it reads {shown} of another branch or version, each of which is a catalog of its own.")


def _refused(label: str, why: str) -> NotSupported:
    return NotSupported(f"The view {label} is not shown to other engines: {why}", remedy=_WAY_OUT)
