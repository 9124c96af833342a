"""Rows of one table that a comparison's sides changed, of one side or side by side, kept in the cache by both heads."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from django.core.cache import cache

from catalog_app.domain.row_merge import Behind
from catalog_app.domain.schema import Column, Schema
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.api.compare.comparing import SECONDS_KEPT, Pair, comparison_read
from lakeui.api.http.paging import KeysetPage
from lakeui.common.errors import NotFound
from lakeui.frontdoor.compute import engine, reading
from merge_app.comparison.compared_rows import row_pages, side_rows
from merge_app.comparison.profiles import ChangedRow, ProfiledColumn, rows_profiled
from merge_app.comparison.row_pages import ComparedRow

ROW_ID = 1
"""Where the row id stands in a row of changes."""


def rows_read(pair: Pair, table_id: int, side: str, page: KeysetPage, *, change: str | None = None) -> dict[str, Any]:
    """A page of changed rows: ``columns``, ``rows`` with the ``keys`` that name them, and whether there are ``more``.
    An update's two rows stay together. With ``change`` only the rows that were inserted, updated or deleted.

    Raises NotFound where the side has no such table.
    """
    behind = page.after[0] if page.after else None
    part = f"rows:{side}:{table_id}:{page.limit}:{behind}:{change}"
    known: dict[str, Any] | None = cache.get(pair.cache_key(part))
    if known is None:
        with pair.reading():
            known = _computed(pair, table_id, side, page.limit, behind, change)
        cache.set(pair.cache_key(part), known, SECONDS_KEPT)
    return known


def _computed(
    pair: Pair, table_id: int, side: str, limit: int, behind: int | None, change: str | None
) -> dict[str, Any]:
    branch = pair.source if side == "source" else pair.destination
    table = tables_load(branch_snapshot(branch), [table_id]).get(table_id)
    if table is None or table.is_dropped:
        raise NotFound("table", str(table_id), where=f"on branch {branch.name}")
    with reading():
        found = side_rows(
            pair.source,
            pair.destination,
            table,
            engine,
            of_source=side == "source",
            limit=limit,
            behind=behind,
            change=change,
        )
    columns = [("change", "string"), ("row_id", "bigint"), *((c.name, c.type) for c in table.schema.columns)]
    return {
        "base_version": comparison_read(pair)["summary"]["merge_base"],
        "version": branch.head_version,
        "columns": [{"name": name, "type": kind} for name, kind in columns],
        "rows": found.rows,
        "keys": found.keys,
        "more": found.truncated,
    }


def sides_read(pair: Pair, table_id: int, page: KeysetPage, *, only_conflicts: bool) -> dict[str, Any]:
    """A page of rows that either side changed, as the merge judges them, and whether there are ``more``.

    Raises NotFound where neither side has such a table.
    """
    behind = Behind(*page.after) if page.after else None
    part = f"sides:{table_id}:{page.limit}:{only_conflicts}:{behind}"
    key = pair.cache_key(hashlib.sha256(part.encode()).hexdigest())
    known: dict[str, Any] | None = cache.get(key)
    if known is None:
        with pair.reading(), reading():
            pages = row_pages(
                pair.source, pair.destination, table_id, pair.resolutions, engine, only_conflicts=only_conflicts
            )
            found = pages.page(limit=page.limit, behind=behind)
        known = {
            "source_head": pair.source.head_version,
            "destination_head": pair.destination.head_version,
            "columns": [_sides_column(pages.schema, column) for column in pages.schema.columns],
            "rows": [_sides_row(row) for row in found.rows],
            "more": found.truncated,
        }
        cache.set(key, known, SECONDS_KEPT)
    return known


PROFILED = 20_000
"""So many changed rows are counted at most: each is held in memory four times."""


def profile_read(pair: Pair, table_id: int) -> dict[str, Any]:
    """What the source's changes do to the values of each column, counted from the rows that the merge looks at.

    Raises NotFound where neither side has such a table.
    """
    key = pair.cache_key(f"values:{table_id}")
    known: dict[str, Any] | None = cache.get(key)
    if known is None:
        with pair.reading(), reading():
            pages = row_pages(pair.source, pair.destination, table_id, pair.resolutions, engine, only_conflicts=False)
            found = pages.page(limit=PROFILED)
        columns = [_sides_column(pages.schema, column) for column in pages.schema.columns]
        changed = (
            ChangedRow(row.base, row.source, row.result, is_open=row.is_open)
            for row in found.rows
            if row.source_change is not None
        )
        profile = rows_profiled([ProfiledColumn(**column) for column in columns], changed)
        known = {
            "source_head": pair.source.head_version,
            "destination_head": pair.destination.head_version,
            "is_whole": not found.truncated,
            **asdict(profile),
        }
        cache.set(key, known, SECONDS_KEPT)
    return known


def sides_key(row: dict[str, Any]) -> tuple[bool, str]:
    """The key that a page behind this row begins behind."""
    return row["is_conflict"], row["key"]


def _sides_column(schema: Schema, column: Column) -> dict[str, Any]:
    return {"id": column.id, "name": column.name, "type": column.type, "is_key": column.id in schema.primary_key}


def _sides_row(row: ComparedRow) -> dict[str, Any]:
    return {
        "key": row.key,
        "is_conflict": row.is_conflict,
        "is_open": row.is_open,
        "source_change": row.source_change,
        "dest_change": row.target_change,
        "base": row.base,
        "source": row.source,
        "destination": row.target,
        "result": row.result,
    }
