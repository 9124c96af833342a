"""Statements that a person runs are kept for that person, whatever becomes of them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from lakeui.common.errors import OK, outcome_of
from lakeui.sql.secrets import may_hold_secret
from merge_app.queries.history import Ran, statement_add

logger = logging.getLogger(__name__)


class Keeping:
    """The statement while it runs. ``ran`` None: nothing of it is kept."""

    def __init__(self, ran: Ran | None) -> None:
        self._ran = ran
        self._began = time.perf_counter()

    def becomes(self, task_id: UUID) -> None:
        """The task runs it. Keep that in the transaction in which the task is queued; its end says how it ended."""
        if self._ran is not None:
            statement_add(replace(self._ran, task=task_id))
            self._ran = None

    def answers(self, body: Mapping[str, Any]) -> None:
        """The body of its answer, which says how many rows it has, or changed."""
        if self._ran is not None:
            written = [count for name, count in (body.get("metrics") or {}).items() if name.startswith("rows_")]
            rows = sum(written) if written else body.get("row_count")
            self._ran = replace(self._ran, row_count=rows, version=body.get("version"))

    def ended(self, outcome: str) -> None:
        """Keep it. That it cannot be kept is no failure of the statement."""
        if self._ran is None:
            return
        took = round(1000 * (time.perf_counter() - self._began))
        try:
            statement_add(replace(self._ran, outcome=outcome, milliseconds=took))
        except DatabaseError:
            logger.warning("a statement of user %s could not be kept", self._ran.owner, exc_info=True)


@contextmanager
def statement_kept(parameters: Mapping[str, Any], user: Any) -> Iterator[Keeping]:
    """Keep the ``statement`` of ``parameters``, which is run or queued inside, for the user; None for no one."""
    keeping = Keeping(_ran(parameters, user))
    try:
        yield keeping
    except BaseException as error:
        keeping.ended(outcome_of(error))
        raise
    keeping.ended(OK)


def _ran(parameters: Mapping[str, Any], user: Any) -> Ran | None:
    text = parameters["statement"]
    if user is None or user.pk is None or not settings.LAKEUI["STATEMENTS_KEPT"] or may_hold_secret(text):
        return None
    return Ran(
        owner=int(user.pk),
        catalog=parameters["catalog"] or "",
        branch=parameters["branch"],
        text=text,
        created_at=timezone.now(),
    )
