"""A database that is filled once and put back for each test that begins with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.support.lake import Lake
from tests.support.memory_engine import Contents, MemoryEngine
from tests.support.own_connection import ASIDE

Made = TypeVar("Made")
Begin = Callable[..., Lake]
"""Gives the lake after the given statements on main."""


@dataclass(frozen=True, slots=True)
class _Stored:
    made: Any
    put_back: str
    """The statement that puts its rows back."""
    engine: Contents | None


class StoredDatabases:
    """What tables hold, by name. Sequences go on: what a test makes after it was put back has ids of its own."""

    def __init__(self) -> None:
        self._stored: dict[Hashable, _Stored] = {}

    def once(self, name: Hashable, make: Callable[[], Made], engine: MemoryEngine | None = None) -> Made:
        """What ``make`` answers, its database, and what the engine holds: made the first time, put back each further
        time.
        """
        stored = self._stored.get(name)
        if stored is None:
            made = make()
            contents = engine.contents() if engine else None
            self._stored[name] = _Stored(made, _tables_store(len(self._stored)), contents)
            return made
        ASIDE.execute(stored.put_back)
        if engine and stored.engine:
            engine.contents_set(stored.engine)
        return stored.made

    def drop(self) -> None:
        ASIDE.close()


def _tables_store(number: int) -> str:
    """Keep the rows of all tables, for as long as the connection is open."""
    columns, function = ASIDE.columns(), f"pg_temp.put_back_{number}()"
    copies, statements = [], [f"DELETE FROM {table};" for table in columns]
    for place, table in enumerate(ASIDE.filled()):
        copy = f"pg_temp.kept_{number}_{place}"
        copies.append(f"CREATE TEMPORARY TABLE {copy} AS TABLE {table};")
        statements.append(f"INSERT INTO {table} ({columns[table]}) SELECT {columns[table]} FROM {copy};")
    # Its plans are kept.
    body = f"#variable_conflict use_column\nBEGIN {' '.join(statements)} END"
    ASIDE.execute(f"{' '.join(copies)} CREATE FUNCTION {function} RETURNS void LANGUAGE plpgsql AS $$\n{body} $$")
    return f"SELECT {function}"
