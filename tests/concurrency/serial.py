"""The serial explanation of a recorded history: the same calls, one after the other, on the naive model.

Commits are taken in the order of their versions, a merge with its source as it was at the head that it names. If what
every branch shows afterwards is what the model shows, the history had a serial order, and nothing was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.concurrency.clients import Event
from tests.stateful.model import EVERYTHING, Branch, Column, Database, Model, Row, RowWork, Table
from tests.stateful.replay import merge

TABLE = ("table", 1)


class Serial:
    """The model, driven by events. ``explained`` counts merges."""

    def __init__(self, first_version: int, branches: Sequence[str]) -> None:
        self.model = Model()
        self.explained = 0
        main = self.model.branches["main"]
        self.model.create(main, first_version - 1, Database(1, "d"))
        columns = (Column(self.model.number(), "id", "int"), Column(self.model.number(), "n", "int"))
        self.model.create(main, first_version, Table(1, 1, "t", columns))
        for name in branches:
            self.model.create_branch(name, "main", first_version)

    def replay(self, events: Sequence[Event]) -> None:
        """Every event that changed something, by version; branches come right behind what they were cut from."""
        steps = [event for event in events if event.version is not None]
        steps += [event for event in events if event.kind == "create branch" and not event.code]
        for event in sorted(steps, key=_order):
            self._step[event.kind](self, event)

    def rows(self, branch: str) -> list[tuple[int, int]]:
        table = self.model.branches[branch].state.tables[1]
        return sorted((row["id"], row["n"]) for row in table.content())

    def _branch(self, event: Event) -> tuple[Branch, Table]:
        branch = self.model.branches[event.branch]
        return branch, branch.state.tables[1]

    def _insert(self, event: Event) -> None:
        branch, table = self._branch(event)
        assert event.version is not None
        self.model.insert(branch, event.version, table, [{"id": event.details["id"], "n": 0}])

    def _count(self, event: Event) -> None:
        branch, table = self._branch(event)
        matched = self._matched(branch, table, event)
        if matched:
            assert event.version is not None
            value = table.read(matched[0])["n"] + 1
            self.model.update(branch, event.version, table, matched, table.named("n"), value)

    def _delete(self, event: Event) -> None:
        branch, table = self._branch(event)
        matched = self._matched(branch, table, event)
        assert event.version is not None
        self.model.delete(branch, event.version, table, matched)

    def _matched(self, branch: Branch, table: Table, event: Event) -> list[Row]:
        """The row that a statement says it changed. Where an overwrite in between took the row, the statement was told
        that its change is discarded: it comes before the overwrite in the serial order.
        """
        notes = {note["code"] for note in event.details.get("notes", ())}
        if notes & {"DISCARDED_UPDATE", "DISCARDED_DELETE"}:
            return []
        matched = [row for row in table.rows.values() if table.read(row)["id"] == event.details["id"]]
        if not matched and event.kind != "delete":
            # A row that two deleted at once counts once (A2); any other change needs its row.
            raise AssertionError(f"no serial order explains {event}")
        return matched

    def _restore(self, event: Event) -> None:
        branch, table = self._branch(event)
        assert event.version is not None
        newest = max(version for version in branch.versions if version <= event.details["to"])
        then = branch.versions[newest].state.tables[1]
        work = RowWork(
            event.version, TABLE, "overwrite", tuple(table.rows.values()), tuple(then.rows.values()), EVERYTHING
        )
        branch.commit(event.version, branch.state.with_table(then), [work])

    def _merge(self, event: Event) -> None:
        destination = self.model.branches[event.branch]
        source = self._as_of(event.details["source"], event.details["source_head"])
        verdict = merge(source, destination)
        assert event.version is not None
        assert not verdict.required, f"no serial order explains that {event} was not refused"
        self.explained += 1
        destination.commit(event.version, verdict.state, verdict.entries, source.reach)

    def _as_of(self, name: str, version: int) -> Branch:
        branch = self.model.branches[name]
        newest = max(number for number in branch.versions if number <= version)
        return branch.cut(name, newest)

    def _create_branch(self, event: Event) -> None:
        parent = self.model.branches[event.details["parent"]]
        newest = max(version for version in parent.versions if version <= event.details["fork"])
        self.model.create_branch(event.branch, parent.name, newest)

    _step: dict[str, Callable[[Serial, Event], None]] = {
        "insert": _insert,
        "count": _count,
        "delete": _delete,
        "restore": _restore,
        "merge": _merge,
        "create branch": _create_branch,
    }


def _order(event: Event) -> tuple[int, int, float]:
    """By version; a branch comes right behind the version that it was cut at, and behind its parent."""
    if event.kind == "create branch":
        return event.details["fork"], 1, event.ended
    assert event.version is not None
    return event.version, 0, event.ended
