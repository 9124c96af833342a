"""What the start page shows of the lake, asked the way any user would ask."""

from __future__ import annotations

from typing import Any

from lakeui import frontdoor
from merge_app.jobs.context import Context


def lake_overview(user: Any) -> list[dict[str, Any]]:
    """Every catalog by ``name`` with its ``branches`` (the columns of SHOW BRANCHES by name). Raises LakeError."""
    names = [row["name"] for row in _rows("SHOW CATALOGS", None, user)]
    return [{"name": name, "branches": _rows("SHOW BRANCHES", name, user)} for name in names]


def _rows(statement: str, catalog: str | None, user: Any) -> list[dict[str, Any]]:
    session = frontdoor.Session(catalog=catalog, branch="main", user=user)
    result = frontdoor.execute(statement, session, Context())
    names = [name for name, _ in result.columns]
    return [dict(zip(names, row, strict=True)) for row in result.rows]
