"""The statements that a person ran: kept, listed and removed for that person alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from catalog_app.domain.roles import Action, Principal
from catalog_app.selectors.people import scope_require
from catalog_app.selectors.rows import DISK_CAN_WAIT, cursor_open, fetch_all, is_alone
from lakeui.common.errors import NotFound
from merge_app.queries.models import KeptStatement

LONGEST_TEXT = 10_000
"""Of a longer text the beginning is kept."""
BATCH = 5_000

_ADD = f"""
    INSERT INTO merge_app_keptstatement
        (owner_id, catalog, branch, text, is_cut, created_at, milliseconds, outcome, row_count, version, task_id)
    VALUES (%(owner)s, %(catalog)s, %(branch)s, %(text)s, %(is_cut)s, %(created_at)s, %(milliseconds)s, %(outcome)s,
        %(row_count)s, %(version)s, %(task)s)
    ON CONFLICT (task_id) DO NOTHING
    RETURNING {DISK_CAN_WAIT}"""
_END = r"""
    UPDATE merge_app_keptstatement kept SET
        outcome = CASE WHEN task.state = 'succeeded' THEN 'OK' ELSE coalesce(task.error->>'code', 'INTERNAL_ERROR') END,
        milliseconds = round(1000 * extract(epoch FROM task.finished_at - kept.created_at)),
        row_count = coalesce(
            (SELECT sum(value::bigint) FROM jsonb_each_text(
                CASE jsonb_typeof(task.result->'metrics') WHEN 'object' THEN task.result->'metrics' END)
             WHERE key LIKE 'rows\_%%'),
            (task.result->>'row_count')::bigint),
        version = (task.result->>'version')::bigint
    FROM jobs_task task WHERE task.id = %(task)s AND kept.task_id = task.id"""
_OLD = """
    DELETE FROM merge_app_keptstatement WHERE id IN (
        SELECT id FROM merge_app_keptstatement WHERE created_at < %(before)s LIMIT %(batch)s)"""
_TOO_MANY = """
    DELETE FROM merge_app_keptstatement WHERE id IN (
        SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY owner_id ORDER BY created_at DESC, id DESC) AS place
            FROM merge_app_keptstatement) ranked
        WHERE place > %(most)s LIMIT %(batch)s)"""


@dataclass(frozen=True, slots=True)
class Ran:
    """A statement that ran, or that a task is to run: then ``outcome`` is "" and ``task`` names it."""

    owner: int
    catalog: str
    branch: str
    text: str
    created_at: datetime
    milliseconds: int | None = None
    outcome: str = ""
    row_count: int | None = None
    version: int | None = None
    task: UUID | None = None


def statement_add(ran: Ran) -> None:
    """Keep the statement, in one round trip that waits for no disk. That of a task that has one already stays."""
    given = {name: getattr(ran, name) for name in Ran.__slots__}
    text = ran.text.replace("\x00", "\ufffd")
    given |= {"text": text[:LONGEST_TEXT], "is_cut": len(text) > LONGEST_TEXT}
    fetch_all(_ADD, given | is_alone(), prepared=True)


def statement_ended(task_id: UUID) -> None:
    """Say of the task's statement how the task ended, in the transaction of that end."""
    with cursor_open(prepared=True) as cursor:
        cursor.execute(_END, {"task": task_id})


def statements_of(
    user_id: int, *, catalog: str = "", branch: str = "", outcome: str = "", search: str = ""
) -> QuerySet[KeptStatement]:
    """Those of the person. A superuser finds no others here."""
    found = KeptStatement.objects.filter(owner=user_id)
    if catalog:
        found = found.filter(catalog__iexact=catalog)
    if branch:
        found = found.filter(branch__iexact=branch)
    if outcome:
        found = found.filter(outcome=outcome.upper())
    if search:
        found = found.filter(text__icontains=search)
    return found


def statement_get(user_id: int, statement_id: int) -> KeptStatement:
    """The person's statement. Those of others cannot be seen. Raises NotFound."""
    found = statements_of(user_id).filter(pk=statement_id).first()
    if found is None:
        raise NotFound("statement", str(statement_id), where="of yours: it was deleted, or is no longer kept")
    return found


def statements_remove(*, principal: Principal, found: QuerySet[KeptStatement]) -> int:
    """Remove statements of the person, and answer how many. A task that runs one of them runs on."""
    scope_require(principal, Action.DELETE_STATEMENTS)
    return found.delete()[0]


def statements_tidy(now: datetime) -> int:
    """Remove statements that are too old, and of each person those beyond the most that are kept."""
    before = now - timedelta(days=float(settings.LAKEUI["STATEMENT_DAYS"]))
    given = {"before": before, "most": int(settings.LAKEUI["STATEMENTS_KEPT"]), "batch": BATCH}
    return sum(_removed(query, given) for query in (_OLD, _TOO_MANY))


def _removed(query: str, given: dict[str, Any]) -> int:
    removed = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(query, given)
            removed += cursor.rowcount
            if cursor.rowcount < BATCH:
                return removed
