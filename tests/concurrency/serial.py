"""The serial explanation of a recorded history: the same calls, one after the other, on the reference model.

Commits are taken in the order of their versions, a merge with its source as it was at the head that it names. If what
every branch shows afterwards is what the model shows, the history had a serial order, and nothing was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.concurrency.clients import Event
from tests.reference.facts import Refused
from tests.reference.lake import Lake
from tests.reference.state import State
from tests.reference.statements import NewRow, delete, insert, put_attributes, restore, update

TABLE = "T1"
WIDTH = 1
"""The type of both columns; a cell is a value and its width."""
COLUMNS = {f"column__{name}__{of}": value for name in ("id", "n") for of, value in (("name", name), ("type", WIDTH))}
COLUMNS |= {f"column__{name}__exists": (None,) for name in ("id", "n")}
PARTITION = ""
"""Of a table without partitions."""
SOURCE = "the source as of its head"


class Serial:
    """The model, driven by events. ``explained`` counts merges."""

    def __init__(self, first_version: int, branches: Sequence[str]) -> None:
        self.lake = Lake()
        self.explained = 0
        self.versions: dict[str, dict[int, State]] = {"main": {}}
        self._commit("main", first_version, put_attributes("D1", exists=True, name="d"))
        self._commit("main", first_version, put_attributes(TABLE, exists=True, name="t", home="D1", **COLUMNS))
        for name in branches:
            self._branch(name, "main", first_version)

    def replay(self, events: Sequence[Event]) -> None:
        for event in in_serial_order(events):
            try:
                step_of(self, event)(event)
            except Refused as refused:
                raise AssertionError(f"no serial order explains that {event} was not refused: {refused}") from refused

    def rows(self, branch: str) -> list[tuple[int, int]]:
        return sorted(_cells(self.lake.branches[branch]).values())

    def _commit(self, branch: str, version: int, *statements: Any, also: State | None = None) -> None:
        self.lake.version = version - 1
        self.lake.commit(branch, *statements, also=also)
        self.versions[branch][version] = self.lake.branches[branch]

    def _branch(self, name: str, parent: str, version: int) -> None:
        state = self._as_of(parent, version)
        self.lake.branch(name, state)
        self.versions[name] = {version: state}

    def _as_of(self, name: str, version: int) -> State:
        states = self.versions[name]
        return states[max(number for number in states if number <= version)]

    def _insert(self, event: Event) -> None:
        row = NewRow(None, {"id": (event.details["id"], WIDTH), "n": _written(0, event)}, PARTITION)
        self._commit(event.branch, _version(event), insert(TABLE, [row]))

    def _count(self, event: Event) -> None:
        matched = self._matched(event)
        if matched:
            ((_, n),) = matched.values()
            self._commit(
                event.branch, _version(event), update(TABLE, matched.__contains__, {"n": _written(n + 1, event)})
            )

    def _delete(self, event: Event) -> None:
        self._commit(event.branch, _version(event), delete(TABLE, self._matched(event).__contains__))

    def _matched(self, event: Event) -> dict[Any, tuple[int, int]]:
        """The row that a statement says it changed. Where an overwrite in between took the row, the statement says that
        its change is discarded: it comes before the overwrite in the serial order.
        """
        notes = {note["code"] for note in event.details.get("notes", ())}
        if notes & {"DISCARDED_UPDATE", "DISCARDED_DELETE"}:
            return {}
        rows = _cells(self.lake.branches[event.branch])
        matched = {row: cells for row, cells in rows.items() if cells[0] == event.details["id"]}
        if not matched and event.kind != "delete":
            # A row that two deleted at once counts once (A2); any other change needs its row.
            raise AssertionError(f"no serial order explains {event}")
        return matched

    def _restore(self, event: Event) -> None:
        then = self._as_of(event.branch, event.details["to"])
        self._commit(event.branch, _version(event), restore(then, [TABLE]), also=then)

    def _merge(self, event: Event) -> None:
        self.lake.branch(SOURCE, self._as_of(event.details["source"], event.details["source_head"]))
        self.lake.version = _version(event) - 1
        self.lake.merge(SOURCE, event.branch)
        self.explained += 1
        self.versions[event.branch][_version(event)] = self.lake.branches[event.branch]

    def _create_branch(self, event: Event) -> None:
        self._branch(event.branch, event.details["parent"], event.details["fork"])


def step_of(player: object, event: Event) -> Callable[[Event], Any]:
    """What carries an event of this kind out."""
    found: Callable[[Event], Any] = getattr(player, f"_{event.kind.replace(' ', '_')}")
    return found


def in_serial_order(events: Sequence[Event]) -> list[Event]:
    """Every event that changed something, by version; branches come right behind what they were cut from."""
    steps = [event for event in events if event.version is not None]
    steps += [event for event in events if event.kind == "create branch" and not event.code]
    return sorted(steps, key=_order)


def _cells(state: State) -> dict[Any, tuple[int, int]]:
    """Of table t, by row: id and n."""
    return {row: (cell_of_id[0], n[0][0]) for row, (_, cell_of_id, n) in state.seen()[TABLE][2].items()}


def _written(n: int, event: Event) -> Any:
    """The cell n of a new image. Without a primary key the value of a row is where its image lies (lineage §1): a row
    that counts to the same number again has another value.
    """
    return (n, event.version), WIDTH


def _version(event: Event) -> int:
    assert event.version is not None
    return event.version


def _order(event: Event) -> tuple[int, int, float]:
    """By version; a branch comes right behind the version that it was cut at, and behind its parent."""
    if event.kind == "create branch":
        return event.details["fork"], 1, event.ended
    return _version(event), 0, event.ended
