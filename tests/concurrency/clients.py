"""Clients that change one lake at once, and what they saw: the recorded history."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from lakeui.common.errors import LakeError
from lakeui.frontdoor import Session, StatementResult, execute
from merge_app.audit.selectors import audit_get

REFUSALS = {"MERGE_CONFLICT", "NOT_FOUND", "ALREADY_EXISTS", "BRANCH_MOVED", "SAME_BRANCH"}
"""What a client among others has to expect. Any other error is a bug."""


@dataclass(frozen=True, slots=True)
class Event:
    """One call. ``version`` is that of the commit it made, None for none; times are seconds of one clock."""

    kind: str
    branch: str
    began: float
    ended: float
    version: int | None = None
    code: str = ""
    details: dict[str, Any] = field(default_factory=dict)


class Client:
    """Does random things to table ``d.t (id, n)`` on random branches until the time is over."""

    def __init__(self, number: int, catalog: str, branches: list[str], deadline: float) -> None:
        self._random = random.Random(number)
        self._number = number
        self._catalog = catalog
        self._branches = branches
        self._deadline = deadline
        self._made = 0
        self._cut = 0
        self.events: list[Event] = []
        self.failures: list[BaseException] = []
        self.thread = threading.Thread(target=self._run, name=f"client-{number}")

    def _run(self) -> None:
        actions = (
            *[self._insert] * 5,
            *[self._count_up] * 4,
            *[self._delete] * 2,
            *[self._merge] * 3,
            *[self._restore] * 1,
            *[self._create_branch] * 1,
            *[self._drop_branch] * 1,
        )
        try:
            while time.monotonic() < self._deadline:
                self._random.choice(actions)()
        except BaseException as failure:  # noqa: BLE001 - shown by the test
            self.failures.append(failure)
        finally:
            connection.close()

    def _call(self, kind: str, branch: str, text: str, **details: Any) -> StatementResult | None:
        began = time.monotonic()
        try:
            result = execute(text, Session(catalog=self._catalog, branch=branch))
        except LakeError as refusal:
            if refusal.code not in REFUSALS:
                raise
            self.events.append(Event(kind, branch, began, time.monotonic(), None, refusal.code, details))
            return None
        ended = time.monotonic()
        made = result.version if _committed(kind, result) else None
        details = {
            **details,
            **{key: result.extra[key] for key in ("merge_id", "outcome", "notes") if key in result.extra},
        }
        if "merge_id" in details:
            details["source_head"] = audit_get(details["merge_id"])["source_head"]
        self.events.append(Event(kind, branch, began, ended, made, "", details))
        return result

    def _some_branch(self) -> str:
        return self._random.choice(list(self._branches))

    def _insert(self) -> None:
        self._made += 1
        row = self._number * 1_000_000 + self._made
        self._call("insert", self._some_branch(), f"INSERT INTO d.t VALUES ({row}, 0)", id=row)

    def _ids(self, branch: str) -> list[int]:
        result = execute("SELECT id FROM d.t", Session(catalog=self._catalog, branch=branch))
        return [row[0] for row in result.rows]

    def _pick(self, branch: str) -> int | None:
        try:
            found = self._ids(branch)
        except LakeError:
            return None
        return self._random.choice(found) if found else None

    def _count_up(self) -> None:
        branch = self._some_branch()
        row = self._pick(branch)
        if row is not None:
            self._call("count", branch, f"UPDATE d.t SET n = n + 1 WHERE id = {row}", id=row)

    def _delete(self) -> None:
        branch = self._some_branch()
        row = self._pick(branch)
        if row is not None:
            self._call("delete", branch, f"DELETE FROM d.t WHERE id = {row}", id=row)

    def _merge(self) -> None:
        source, destination = self._some_branch(), self._some_branch()
        self._call("merge", destination, f"MERGE BRANCH {source} TO {destination}", source=source)

    def _restore(self) -> None:
        written = [event for event in self.events if event.version and event.branch in self._branches]
        if written:
            chosen = self._random.choice(written)
            statement = f"RESTORE TABLE d.t TO VERSION AS OF {chosen.version}"
            self._call("restore", chosen.branch, statement, to=chosen.version)

    def _create_branch(self) -> None:
        if len(self._branches) > 12:
            return
        self._cut += 1
        parent, name = self._some_branch(), f"b{self._number}_{self._cut}"
        result = self._call("create branch", name, f"CREATE BRANCH {name} FROM {parent}", parent=parent)
        if result is not None:
            self.events[-1].details["fork"] = result.version
            self._branches.append(name)

    def _drop_branch(self) -> None:
        branch = self._some_branch()
        if branch != "main" and len(self._branches) > 4 and self._random.random() < 0.3:
            if branch in self._branches:
                self._branches.remove(branch)
            self._call("drop branch", branch, f"DROP BRANCH {branch}")


def _committed(kind: str, result: StatementResult) -> bool:
    """Whether the call made a commit; statements that change nothing answer with the head."""
    if kind in ("insert", "count", "delete"):
        return any(result.metrics.get(name) for name in ("rows_inserted", "rows_updated", "rows_deleted"))
    if kind == "merge":
        return result.extra.get("outcome") == "merged"
    return kind == "restore" and result.extra.get("outcome") == "restore"
