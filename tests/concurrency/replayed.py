"""The serial explanation of a recorded history by lakeui: the same calls, one after the other, on another lake."""

from __future__ import annotations

from collections.abc import Sequence

from lakeui.common.errors import LakeError
from lakeui.frontdoor import StatementResult
from tests.concurrency.clients import Event
from tests.concurrency.serial import in_serial_order, step_of
from tests.support.lake import Lake


class Replayed:
    """A lake on which no two calls meet. Versions of the history stand for those that the same commits have here."""

    def __init__(self, first_version: int, branches: Sequence[str]) -> None:
        self.lake = Lake()
        self.lake.sql("CREATE DATABASE d")
        self.lake.sql("CREATE TABLE d.t (id int, n int)")
        here = self.lake.head()
        self._versions = {branch: {first_version: here} for branch in ("main", *branches)}
        for branch in branches:
            self.lake.sql(f"CREATE BRANCH {branch}")
        self._sources = 0

    def replay(self, events: Sequence[Event]) -> None:
        """Fails where a call that did something cannot do it here."""
        for event in in_serial_order(events):
            try:
                done: StatementResult = step_of(self, event)(event)
            except LakeError as refusal:
                raise AssertionError(f"no serial order explains that {event} was not refused: {refusal}") from refusal
            version = event.details["fork"] if event.version is None else event.version
            self._versions.setdefault(event.branch, {})[version] = done.version or self.lake.head(event.branch)

    def rows(self, branch: str) -> list[tuple[int, int]]:
        return sorted(self.lake.rows("d.t", branch))

    def _as_of(self, branch: str, version: int) -> int:
        versions = self._versions[branch]
        return versions[max(number for number in versions if number <= version)]

    def _insert(self, event: Event) -> StatementResult:
        return self.lake.sql(f"INSERT INTO d.t VALUES ({event.details['id']}, 0)", event.branch)

    def _count(self, event: Event) -> StatementResult:
        done = self.lake.sql(f"UPDATE d.t SET n = n + 1 WHERE id = {event.details['id']}", event.branch)
        if not done.metrics["rows_updated"]:
            raise AssertionError(f"no serial order explains {event}")
        return done

    def _delete(self, event: Event) -> StatementResult:
        """A row that two deleted at once counts once (A2)."""
        return self.lake.sql(f"DELETE FROM d.t WHERE id = {event.details['id']}", event.branch)

    def _restore(self, event: Event) -> StatementResult:
        version = self._as_of(event.branch, event.details["to"])
        return self.lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", event.branch)

    def _merge(self, event: Event) -> StatementResult:
        source, head = event.details["source"], self._as_of(event.details["source"], event.details["source_head"])
        if self.lake.head(source) != head:
            self._sources += 1
            past = f"source_{self._sources}"
            self.lake.sql(f"CREATE BRANCH {past} FROM {source} VERSION AS OF {head}")
            source = past
        return self.lake.sql(f"MERGE BRANCH {source} TO {event.branch}")

    def _create_branch(self, event: Event) -> StatementResult:
        parent = event.details["parent"]
        version = self._as_of(parent, event.details["fork"])
        return self.lake.sql(f"CREATE BRANCH {event.branch} FROM {parent} VERSION AS OF {version}")
