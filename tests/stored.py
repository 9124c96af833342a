"""A database that is filled once and put back for each test that begins with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import connection

from tests.e2e.lake import Lake
from tests.stateful.memory_engine import Contents, MemoryEngine

Made = TypeVar("Made")
Begin = Callable[..., Lake]
"""Gives the lake after the given statements on main."""
SCHEMA = "stored"


@dataclass(frozen=True, slots=True)
class _Stored:
    made: Any
    put_back: str
    """The function that puts its rows back."""
    engine: Contents | None


class StoredDatabases:
    """What tables hold, by name. Sequences go on: what a test makes after it was put back has ids of its own."""

    def __init__(self) -> None:
        self._stored: dict[Hashable, _Stored] = {}
        self._columns = _columns_by_table()

    def once(self, name: Hashable, make: Callable[[], Made], engine: MemoryEngine | None = None) -> Made:
        """What ``make`` answers, its database, and what the engine holds: made the first time, put back each further
        time.
        """
        stored = self._stored.get(name)
        if stored is None:
            made = make()
            contents = engine.contents() if engine else None
            self._stored[name] = _Stored(made, self._tables_store(len(self._stored)), contents)
            return made
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {stored.put_back}()")
        if engine and stored.engine:
            engine.contents_set(stored.engine)
        return stored.made

    def drop(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")

    def _tables_store(self, number: int) -> str:
        filled = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in self._columns)
        put_back = f"{SCHEMA}.put_back_{number}"
        statements = [f"DELETE FROM {table};" for table in self._columns]
        with connection.cursor() as cursor:
            cursor.execute(filled)
            tables = [table for (table,) in cursor.fetchall()]
            cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            for table in tables:
                columns, copy = self._columns[table], f"{SCHEMA}.{table}_{number}"
                cursor.execute(f"CREATE UNLOGGED TABLE {copy} AS TABLE {table}")
                statements.append(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {copy};")
            # Its plans are kept; triggers that keep history sleep meanwhile.
            cursor.execute(
                f"CREATE FUNCTION {put_back}() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica "
                f"AS $$\n#variable_conflict use_column\nBEGIN {' '.join(statements)} END $$"
            )
        return put_back


def _columns_by_table() -> dict[str, str]:
    """The columns of each table that tests may change, but those that PostgreSQL computes."""
    query = """SELECT table_name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
        FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
          AND table_name NOT IN ('auth_permission', 'django_content_type', 'django_migrations') GROUP BY table_name"""
    with connection.cursor() as cursor:
        cursor.execute(query)
        return dict(cursor.fetchall())
