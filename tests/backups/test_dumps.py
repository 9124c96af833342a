"""A dump is put back through psql: all of it or nothing, on servers that are older than the programs too."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from django.db import connection, transaction

from lakeui.common.errors import InvalidValue
from lakeui.runtime import dumps

pytestmark = pytest.mark.django_db(transaction=True)
UNKNOWN_TO_16 = "SET transaction_timeout"


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    made = tmp_path / "database.dump"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        dumps.database_dump(made, snapshot=cursor.fetchone()[0])
    return made


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What psql is given, where a program that only keeps it stands in for it."""
    kept, psql = tmp_path / "given.sql", tmp_path / "psql"
    psql.write_text(f"#!/bin/sh\nexec cat > {kept}\n")
    psql.chmod(psql.stat().st_mode | stat.S_IXUSR)
    real = dumps._program
    monkeypatch.setattr(dumps, "_program", lambda name: str(psql) if name == "psql" else real(name))
    return kept


def test_an_older_server_gets_no_unknown_settings(dump: Path, given: Path) -> None:
    dumps.database_load(dump)
    text = given.read_text()
    assert text.startswith("BEGIN;\n")
    assert text.endswith("COMMIT;\n")
    assert UNKNOWN_TO_16 not in text
    assert "FROM pg_catalog.pg_settings WHERE name = 'transaction_timeout'" in text
    assert "COPY public.catalog_app_branch" in text


def test_a_truncated_archive_is_not_committed(dump: Path, given: Path) -> None:
    dump.write_bytes(dump.read_bytes()[: dump.stat().st_size // 2])
    with pytest.raises(InvalidValue, match="pg_restore failed"):
        dumps.database_load(dump)
    assert not given.read_text().endswith("COMMIT;\n")


def test_what_the_server_refuses_is_said(dump: Path) -> None:
    """The database of the tests is not empty, so the first CREATE is refused; psql says which."""
    with pytest.raises(InvalidValue, match=r"psql failed.*already exists"):
        dumps.database_load(dump)
