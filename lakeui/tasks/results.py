"""Making a kept result, in the request or as a task; both answer the same."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import inf
from typing import Any
from uuid import uuid4

from django.conf import settings

from catalog_app.models import KeptResult
from catalog_app.services.results import GIB, result_begin, result_finish
from catalog_app.storage.warehouse import Warehouse
from lakeui import frontdoor
from merge_app.jobs.context import Context

KEEPS_RESULT = "keeps_result"
"""The parameter of a task that says that the rows are kept rather than answered."""
UNLIMITED_SECONDS = 7 * 24 * 3600.0
"""How long a result may be made where tasks have no limit; then its files go."""


def warehouse_now() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])


def result_make(said: frontdoor.ParsedStatement | str, session: frontdoor.Session, context: Context) -> dict[str, Any]:
    """Run the query and keep its rows; answers the body. What an earlier attempt at the task had made is answered."""
    from lakeui.frontdoor.entries.results import query_keep

    warehouse = warehouse_now()
    user_id = session.user_id
    assert user_id is not None, "a result belongs to a person"
    longest = timedelta(seconds=float(settings.LAKEUI["QUERY_TASK_SECONDS"]) or UNLIMITED_SECONDS)
    identity, text = context.task_id or uuid4(), said if isinstance(said, str) else said.text
    most_bytes = float(settings.LAKEUI["RESULT_GIGABYTES"]) * GIB or inf
    begun = result_begin(identity=identity, user_id=user_id, statement=text, longest=longest, most_bytes=most_bytes)
    if begun.files is not None:
        return _body(begun)
    folder = warehouse.new_result(begun.pk)
    try:
        kept = query_keep(said, session, folder, context)
    except BaseException:
        # Another attempt may be at work beside this one: the row stays until it expires.
        warehouse.discard(folder)
        raise
    finished = result_finish(
        begun,
        kept.rows,
        catalogs=kept.catalogs,
        version=kept.version,
        warehouse=warehouse,
        most_bytes=most_bytes,
    )
    return _body(finished)


def _body(kept: KeptResult) -> dict[str, Any]:
    """What the API shows of a kept result, as ``lakeui.api.sql.result_views.ResultAnswer`` declares it."""
    return {
        "id": str(kept.pk),
        "url": result_address(kept),
        "statement": kept.statement,
        "columns": result_columns(kept),
        "row_count": kept.row_count,
        "bytes": kept.bytes,
        "version": kept.version,
        "created_at": _text(kept.created_at),
        "expires_at": _text(kept.expires_at),
    }


def result_address(kept: KeptResult) -> str:
    return f"/api/v1/results/{kept.pk}/"


def result_columns(kept: KeptResult) -> list[dict[str, str]]:
    return [{"name": name, "type": kind} for name, kind in kept.columns]


def _text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
