"""Lakes on the engine in memory, whose files lie in a warehouse of this folder's own: a backup is of all lakes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from lakeui.runtime.postgres import postgres_program
from tests.support.lake import Lake
from tests.without_spark.conftest import services

__all__ = ["services"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def own_warehouse(services: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The usual one holds files of tests whose metadata are gone, and the other way round."""
    made = tmp_path_factory.mktemp("lake") / "warehouse"
    made.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "WAREHOUSE", str(made))
        yield made


@pytest.fixture
def lake(own_warehouse: Path) -> Lake:
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, name STRING)")
    return fresh


COMMANDS = """
import json, os, signal, sys, traceback
import django
django.setup()
import tests.without_spark.module
from django.conf import settings
from django.db import connection
from django.core.management import call_command
from lakeui.frontdoor import Session, execute

def run(catalog, asked):
    for command in asked:
        if command[0] == "rows":
            found = execute("SELECT id FROM d.t", Session(catalog, command[1])).rows
            print("rows", sorted(row[0] for row in found))
        elif command[0] == "sql":
            execute(command[1], Session(catalog, "main"))
        else:
            call_command(*command)

print("loaded", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    database, warehouse, output, catalog, asked = json.loads(line)
    signal.alarm(300)
    connection.settings_dict["NAME"], settings.LAKEUI["WAREHOUSE"] = database, warehouse
    for stream in (1, 2):
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    status = 0
    try:
        run(catalog, asked)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
"""
"""One process loads lakeui. Each run of commands is a copy of it, which may be killed."""

Commands = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def store_environment() -> dict[str, str]:
    """How an object store is reached, where the warehouse lies in one."""
    return {}


@pytest.fixture
def restored(tmp_path: Path) -> Path | str:
    """The warehouse of the new machine."""
    return tmp_path / "restored"


@pytest.fixture(scope="module")
def loaded(
    own_warehouse: Path | str, store_environment: dict[str, str], database_url: str, faults: Path
) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, **store_environment, "LAKEUI_FAULTS": str(faults), "DATABASE_URL": database_url}
    program = [sys.executable, "-c", COMMANDS]
    with subprocess.Popen(
        program, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loaded\n"
        yield process
        process.kill()


@pytest.fixture
def commands(
    lake: Lake,
    loaded: subprocess.Popen[str],
    own_warehouse: Path | str,
    restored: Path | str,
    database_url: str,
    tmp_path: Path,
    faults: Path,
) -> Iterator[Commands]:
    """Run commands on an empty database and warehouse, as on a new machine. ``kill`` names a point to die at."""
    here_name = connection.settings_dict["NAME"]
    name = f"restored_{uuid.uuid4().hex[:10]}"
    _psql(database_url, f"CREATE DATABASE {name}")

    def run(*asked: list[str], kill: str = "", here: bool = False) -> subprocess.CompletedProcess[str]:
        assert loaded.stdin is not None
        assert loaded.stdout is not None
        if kill:
            (faults / kill).write_text("kill")
        places = (here_name, own_warehouse) if here else (name, restored)
        output = tmp_path / f"output-{uuid.uuid4().hex}"
        given = [*map(str, places), str(output), lake.catalog, asked]
        print(json.dumps(given), file=loaded.stdin, flush=True)
        status = int(loaded.stdout.readline())
        for left in faults.iterdir():
            left.unlink()
        return subprocess.CompletedProcess(asked, status, output.read_text(), "")

    yield run
    _psql(database_url, f"DROP DATABASE {name} WITH (FORCE)")


def _psql(url: str, statement: str) -> None:
    subprocess.run([str(postgres_program("psql")), url, "-qc", statement], check=True, capture_output=True)
