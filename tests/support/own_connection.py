"""A second connection to the test database, which empties tables and fills them. Triggers of history sleep there.

PostgreSQL forgets every plan of a connection whose ``session_replication_role`` changes. So the connection of the tests
never changes it: its plans are made once, not once a test.
"""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import connection

KEPT = ("auth_permission", "django_content_type", "django_migrations")
"""Tables whose rows Django writes into a fresh database."""

_OPTIONS = "-c session_replication_role=replica -c lock_timeout=60s"
_COLUMNS = """
SELECT table_name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER' AND table_name <> ALL(%s)
GROUP BY table_name
"""
_VERSIONS_DROP = """
DO $$ DECLARE found text; BEGIN
    FOR found IN SELECT relname FROM pg_class WHERE relkind = 'S' AND relname LIKE 'catalog\\_version\\_%' LOOP
        EXECUTE format('DROP SEQUENCE %I', found);
    END LOOP;
END $$;
"""
"""Each catalog numbers its versions. Hundreds that no one has any more make each dump of the database long."""


class Aside:
    """What it writes is committed at once. Whoever calls it has no transaction open: where the tests hold a lock, the
    wait for it ends with an error.
    """

    def __init__(self) -> None:
        self._opened: psycopg.Connection[Any] | None = None
        self._columns: dict[str, str] = {}

    def execute(self, statements: str) -> None:
        """One or several statements without parameters, in one round trip and in one transaction."""
        assert not connection.in_atomic_block, "what the open transaction wrote would stay"
        self._connection().execute(statements, prepare=False)

    def columns(self) -> dict[str, str]:
        """The columns of each table that tests may change, but those that PostgreSQL computes."""
        if not self._columns:
            self._columns = dict(self._connection().execute(_COLUMNS, [list(KEPT)]).fetchall())
        return self._columns

    def filled(self) -> list[str]:
        """The tables that hold rows."""
        asked = (f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in self.columns())
        return [table for (table,) in self._connection().execute(" UNION ALL ".join(asked)).fetchall()]

    def empty(self, *, forgets_versions: bool = False) -> None:
        """In place of TRUNCATE, which makes new files for each table and index, and takes longer than most tests.
        ``forgets_versions`` at the end of a module: until then its lakes may be put back.
        """
        self.execute("SELECT pg_temp.empty_all()" + (f";{_VERSIONS_DROP}" if forgets_versions else ""))

    def close(self) -> None:
        """Temporary tables and functions go with the connection."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _connection(self) -> psycopg.Connection[Any]:
        if self._opened is None or self._opened.closed:
            given = connection.settings_dict
            named = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
            parts = {part: given[name] for part, name in named.items() if given[name]}
            self._opened = psycopg.connect(**parts, **given["OPTIONS"], options=_OPTIONS, autocommit=True)
            # Its plans are kept: to read and to plan so many statements takes longer than to run them.
            deletes = " ".join(f"DELETE FROM {table};" for table in self.columns())
            body = f"CREATE FUNCTION pg_temp.empty_all() RETURNS void LANGUAGE plpgsql AS $$ BEGIN {deletes} END $$"
            self.execute(body)
        return self._opened


ASIDE = Aside()
