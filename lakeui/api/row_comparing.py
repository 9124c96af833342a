"""Rows of one table that a side of a comparison changed, kept in the cache by both heads."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache

from catalog_app.selectors.lineage import branch_lineage
from catalog_app.selectors.objects import tables_load
from lakeui.api.comparing import SECONDS_KEPT, Pair, comparison_read
from lakeui.api.paging import KeysetPage
from lakeui.common.errors import NotFound
from lakeui.frontdoor.row_changes import row_differences
from merge_app.execution.base import base_lineage
from merge_app.jobs.context import Context

ROW_ID = 1
"""Where the row id stands in a row of changes."""


def rows_read(pair: Pair, table_id: int, side: str, page: KeysetPage) -> dict[str, Any]:
    """A page of changed rows: ``columns``, ``rows`` and whether there are ``more``. An update's two rows stay together.

    Raises NotFound where the side has no such table.
    """
    behind = page.after[0] if page.after else None
    part = f"rows:{side}:{table_id}:{page.limit}:{behind}"
    known: dict[str, Any] | None = cache.get(pair.cache_key(part))
    if known is None:
        known = _computed(pair, table_id, side, page.limit, behind)
        cache.set(pair.cache_key(part), known, SECONDS_KEPT)
    return known


def _computed(pair: Pair, table_id: int, side: str, limit: int, behind: int | None) -> dict[str, Any]:
    there, here = branch_lineage(pair.source), branch_lineage(pair.destination)
    branch, lineage = (pair.source, there) if side == "source" else (pair.destination, here)
    table = tables_load(lineage, [table_id]).get(table_id)
    if table is None or table.is_dropped:
        raise NotFound("table", str(table_id), where=f"on branch {branch.name}")
    base = base_lineage(there, here)
    found = row_differences(Context(), base, lineage, table, limit=2 * limit + 1, behind=behind).found
    identifiers = list(dict.fromkeys(row[ROW_ID] for row in found.rows))
    chosen = set(identifiers[:limit])
    return {
        "base_version": comparison_read(pair)["summary"]["merge_base"],
        "version": branch.head_version,
        "columns": [{"name": name, "type": kind} for name, kind in found.columns],
        "rows": [row for row in found.rows if row[ROW_ID] in chosen],
        "more": len(identifiers) > limit,
    }
