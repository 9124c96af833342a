"""A merge names what it leaves out: a change of one side that the result does not show has a note on its table."""

from __future__ import annotations

from typing import Any

from tests.lineage.histories.history import History, Merged
from tests.lineage.histories.row_laws import Row, RowLaw, is_same
from tests.lineage.histories.states import Shown, State
from tests.lineage.histories.wide import WideHistory

Held = tuple[tuple[str, str], ...]
"""A row's values by name of column; nothing where the row is gone."""


class NothingIsSilent(RowLaw):
    """Both sides changed a row, each unknown to the other; the result shows neither side's change in silence.

    A side that holds again what the row was at a change that both know changed nothing (P7).
    """

    def begun(self, history: History) -> None:
        super().begun(history)
        self.asked = 0
        self.images: dict[Row, list[tuple[int, Held]]] = {}
        self._note(history.states["main"])

    def _note(self, state: State) -> None:
        for number, table in state.tables.items():
            for i in table.rows:
                self.images.setdefault((number, i), []).append((self.events, _held(table, i)))

    def changed(self, history: History, b: str, sql: str, before: State, after: State) -> None:
        super().changed(history, b, sql, before, after)
        self._note(after)
        for number, table in before.tables.items():
            for i in table.rows.keys() - (after.tables[number].rows.keys() if number in after.tables else set()):
                self.images.setdefault((number, i), []).append((self.events, ()))

    def merged(self, history: History, merge: Merged) -> None:
        assert isinstance(history, WideHistory)
        self.ids = {number: table_id for table_id, number in history.reader.numbers.items()}
        self.notes: list[dict[str, Any]] = history.notes
        super().merged(history, merge)
        if not merge.is_refused:
            self._note(merge.after)

    def check(self, merge: Merged, of_source: set[int], of_target: set[int]) -> None:
        reported = {item["object_id"] for item in self.notes if item["kind"] == "table"}
        for row, source, target, after in self.rows(merge):
            number, i = row
            s, d = (self.last[name].get(row, 0) for name in (merge.source, merge.target))
            if not (s and d) or s in of_target or d in of_source or self.ids[number] in reported:
                continue
            known = {held for event, held in self.images.get(row, ()) if event in of_source & of_target or not event}
            # Of a row that both never knew, they know that there was none.
            known = known or {()}
            for name, side in (("source", source), ("target", target)):
                self.asked += 1
                if _is_among(_held(side, i), known) or _is_shown(side, after, i):
                    continue
                by_cell = after.is_keyed or target.properties.get("merge.conflicts") == "cell"
                if by_cell and all(i in table.rows for table in (source, target, after)):
                    continue
                raise AssertionError(f"the {name}'s change of row {i} of {after.path} is left out in silence")


def _held(table: Shown, i: int) -> Held:
    if i not in table.rows:
        return ()
    # Where it lies is a fact of its own.
    return tuple(sorted((c.name, repr(table.rows[i][c.id])) for c in table.columns.values() if c.name != "p"))


def _is_among(held: Held, known: set[Held]) -> bool:
    """Whether the row was like this, in the columns that it had then too."""
    of_source = dict(held)
    return any(
        bool(held) == bool(each) and all(of_source.get(name, value) == value for name, value in each) for each in known
    )


def _is_shown(side: Shown, after: Shown, i: int) -> bool:
    return (i in side.rows) == (i in after.rows) and (i not in side.rows or is_same(side, after, i))
