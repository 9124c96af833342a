"""Views as a snapshot shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from catalog_app.selectors.objects import VISIBLE
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot


@dataclass(frozen=True, slots=True)
class ViewRead:
    """A table or view of the view's own branch that its query names, with the columns that it may mean, folded."""

    database: str
    table: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ViewState:
    """``columns``: name and comment of each, () where the query names them. ``reads`` is () also of a view that was
    made before views kept it.
    """

    view_id: int
    database_id: int
    name: str
    query: str
    columns: tuple[tuple[str, str | None], ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[ViewRead, ...] = ()


_VIEWS = f"""
WITH {SNAPSHOT}
SELECT DISTINCT ON (r.view_id)
       r.view_id, r.database_id, r.name, r.query, r.is_dropped, r.columns, r.properties, r.reads
FROM snapshot l JOIN catalog_app_viewrecord r ON {VISIBLE}
WHERE r.database_id = ANY(%(databases)s) OR r.view_id = ANY(%(views)s)
ORDER BY r.view_id, l.depth
"""


def views_list(snapshot: Snapshot, database_ids: Iterable[int]) -> list[ViewState]:
    """The valid views of these databases, by name."""
    rows = fetch_all(_VIEWS, {**snapshot.parameters, "databases": list(database_ids), "views": []})
    return sorted((_view_state(row) for row in rows if not row[4]), key=lambda view: view.name.casefold())


def views_load(snapshot: Snapshot, view_ids: Iterable[int]) -> dict[int, ViewState]:
    """The valid ones of these views, by id."""
    rows = fetch_all(_VIEWS, {**snapshot.parameters, "databases": [], "views": list(view_ids)})
    return {row[0]: _view_state(row) for row in rows if not row[4]}


_VIEW_MADE = f"""
WITH {SNAPSHOT}
SELECT r.version, c.committed_at
FROM snapshot l JOIN catalog_app_viewrecord r ON {VISIBLE}
JOIN catalog_app_commit c ON c.branch_id = r.branch_id AND c.version = r.version
WHERE r.view_id = %(view)s
ORDER BY l.depth LIMIT 1
"""


def view_made(snapshot: Snapshot, view_id: int) -> tuple[int, datetime]:
    """The version of the commit that made a valid view what it is, and when."""
    ((version, at),) = fetch_all(_VIEW_MADE, {**snapshot.parameters, "view": view_id})
    return version, at


def _view_state(row: tuple[Any, ...]) -> ViewState:
    columns, properties, reads = map(json_value, row[5:])
    read = tuple(ViewRead(database, table, tuple(names)) for database, table, names in reads)
    view_id, database_id, name, query = row[:4]
    return ViewState(view_id, database_id, name, query, tuple((c, said) for c, said in columns), properties, read)
