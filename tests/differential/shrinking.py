"""A history that shows a difference, made smaller while it still shows one of the same kind on the same statement."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from tests.differential.running import Difference
from tests.differential.statements import Create, History, Insert, Merge, Setup

Item = TypeVar("Item")
Shows = Callable[[History], Difference | None]


def alone(history: History, difference: Difference) -> History:
    """The history with nothing tried and asked but the statement that differs."""
    statement = difference.statement
    return replace(
        history,
        trials=tuple(item for item in history.trials if item == statement)[:1],
        questions=tuple(item for item in history.questions if item == statement)[:1],
    )


def smaller(history: History, shows: Shows, *, attempts: int) -> tuple[History, Difference | None]:
    """Drop statements, rows, columns and clauses, as long as what is left ``shows`` a difference."""
    found = shows(history)
    while found is not None:
        for candidate in _candidates(history):
            if attempts == 0:
                return history, found
            attempts -= 1
            again = shows(candidate)
            if again is not None:
                history, found = candidate, again
                break
        else:
            break
    return history, found


def _candidates(history: History) -> Iterator[History]:
    """Histories with a little less, those that leave out most first."""
    setup = history.setup
    for place, statement in enumerate(setup):
        if not isinstance(statement, Create):
            yield replace(history, setup=(*setup[:place], *setup[place + 1 :]))
    for place, statement in enumerate(setup):
        if isinstance(statement, Insert) and len(statement.rows) > 1:
            half = len(statement.rows) // 2
            for rows in (statement.rows[:half], statement.rows[half:]):
                yield replace(history, setup=(*setup[:place], replace(statement, rows=rows), *setup[place + 1 :]))
    yield from _with_fewer_columns(history)
    yield from _with_fewer_clauses(history)


def _with_fewer_columns(history: History) -> Iterator[History]:
    """Without a column that nothing names but the table and positional INSERTs."""
    for create in (item for item in history.setup if isinstance(item, Create)):
        for place, (name, _) in enumerate(create.columns):
            if any(re.search(rf"\b{name}\b", text) for text in _naming(history)):
                continue
            setup = tuple(_without(statement, create.table, place) for statement in history.setup)
            yield replace(history, setup=setup)


def _naming(history: History) -> Iterator[str]:
    for statement in (*history.setup, *history.trials, *history.questions):
        if isinstance(statement, Insert) and not statement.into and not statement.query:
            continue
        if not isinstance(statement, Create):
            yield statement.text


def _without(statement: Setup, table: str, place: int) -> Setup:
    if isinstance(statement, Create) and statement.table == table:
        return replace(statement, columns=_cut(statement.columns, place))
    if isinstance(statement, Insert) and statement.table == table and statement.rows:
        return replace(statement, rows=tuple(_cut(row, place) for row in statement.rows))
    return statement


def _cut(items: tuple[Item, ...], place: int) -> tuple[Item, ...]:
    return (*items[:place], *items[place + 1 :])


def _with_fewer_clauses(history: History) -> Iterator[History]:
    for merge in history.trials:
        if isinstance(merge, Merge) and len(merge.clauses) > 1:
            for place in range(len(merge.clauses)):
                yield replace(history, trials=(replace(merge, clauses=_cut(merge.clauses, place)),))


def shown(history: History, difference: Difference) -> str:
    """What somebody needs who looks into it: the seed, the statements, and what differs."""
    statements = [*history.setup, *history.trials, *history.questions]
    asked = "" if difference.statement in statements else f"{difference.statement.text};\n"
    lines = "".join(f"{statement.text};\n" for statement in statements)
    return f"seed {history.seed}\n{lines}{asked}=> {difference.text}"
