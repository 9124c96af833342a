"""docs/operations.md, "Backup": a dump of the database and then a copy of the files are a lake again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.db import connection

from lakeui.runtime.postgres import postgres_program
from tests.e2e.lake import Lake

ROOT = Path(__file__).resolve().parents[2]


def test_a_backup_made_while_people_write_is_a_whole_lake(lake: Lake, database_url: str, tmp_path: Path) -> None:
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
        environment = {"DATABASE_URL": restored, "LAKEUI_WAREHOUSE": str(tmp_path / "warehouse")}
        assert "in order" in _manage(environment, "check_catalog", "--rows", lake.catalog)
        assert "1 records, in order" in _manage(environment, "verify_audit", lake.catalog)
        answer = _manage(environment, "sql", "-c", lake.catalog, "SELECT * FROM d.t")
        assert [line.split() for line in answer.splitlines()][2:3] == [["2", "c"]], answer
    finally:
        _run("psql", database_url, "-c", f"DROP DATABASE {name} WITH (FORCE)")


def _manage(environment: dict[str, str], *arguments: str) -> str:
    return _output([sys.executable, "manage.py", *arguments], {**os.environ, **environment})


def _run(program: str, *arguments: str) -> None:
    _output([str(postgres_program(program)), *arguments], dict(os.environ))


def _output(command: list[str], environment: dict[str, str]) -> str:
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
