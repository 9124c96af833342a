"""What no state may be, judged on what comes out, whoever brought it (R6)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.reference.state import State


def breaches(state: State) -> set[str]:
    """Names are unique; no row id lives under two keys (R14); required columns have values; types hold their values.

    A cell is text and width.
    """
    live = [o for o in state.facts if state.is_alive(o)]
    names = [(state.value(o, "home"), state.value(o, "name")) for o in live]
    found = {"NAME_EXISTS"} if len(set(names)) < len(names) else set()
    return found.union(*(of_table(state, t) for t in live))


def of_table(state: State, t: str) -> Iterator[str]:
    columns = state.columns(t)
    if len({column.name for column in columns.values()}) < len(columns):
        yield "COLUMN_NAME_TAKEN"
    rows = state.rows(t)
    if state.is_keyed(t) and len({state.value(t, "id", r) for r in rows}) < len(rows):
        yield "PRIMARY_KEY_CLASH"
    for fact in rows.values():
        for c, column in columns.items():
            cell = column.read(fact.value, c)
            if cell is None and column.required:
                yield "NOT_NULL_WITHOUT_VALUE"
            if cell is not None and cell[1] > column.type:
                yield "COLUMN_TYPE_NARROWING"
