"""docs/howto/back-up.md: a dump of the database and then a copy of the files are a lake again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from lakeui.runtime.postgres import postgres_program
from tests.support.lake import Lake

ROOT = Path(__file__).resolve().parents[3]


COMMANDS = """
import sys
import django
from django.core.management import call_command
django.setup()
call_command("check_catalog", "--rows", sys.argv[1])
call_command("verify_audit", sys.argv[1])
call_command("sql", "-c", sys.argv[1], "SELECT * FROM d.t")
"""
"""In one process: each of its own would load all of lakeui."""


@pytest.fixture
def own_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual one holds the files of all tests before."""
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", str(tmp_path / "usual"))
    (tmp_path / "usual").mkdir()


def test_a_backup_during_writes_is_a_whole_lake(
    own_warehouse: None, lake: Lake, database_url: str, tmp_path: Path
) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("UPDATE d.t SET name = 'c' WHERE id = 2")
    lake.sql("CREATE BRANCH b")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.sql("MERGE BRANCH b")

    dump = tmp_path / "lakeui.dump"
    _run("pg_dump", "--format=custom", f"--file={dump}", database_url)
    lake.sql("INSERT INTO d.t VALUES (3, 'after the dump')")
    shutil.copytree(settings.LAKEUI["WAREHOUSE"], tmp_path / "warehouse")

    name = f"restored_{lake.catalog}"
    restored = database_url.replace(connection.settings_dict["NAME"], name)
    _run("psql", database_url, "-c", f"CREATE DATABASE {name}")
    try:
        _run("pg_restore", f"--dbname={restored}", str(dump))
        environment = {**os.environ, "DATABASE_URL": restored, "LAKEUI_WAREHOUSE": str(tmp_path / "warehouse")}
        checked, verified, *answer = _output([sys.executable, "-c", COMMANDS, lake.catalog], environment).splitlines()
        assert "in order" in checked
        assert "1 records, in order" in verified
        assert answer[2].split() == ["2", "c"], answer
    finally:
        _run("psql", database_url, "-c", f"DROP DATABASE {name} WITH (FORCE)")


def _run(program: str, *arguments: str) -> None:
    _output([str(postgres_program(program)), *arguments], dict(os.environ))


def _output(command: list[str], environment: dict[str, str]) -> str:
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
