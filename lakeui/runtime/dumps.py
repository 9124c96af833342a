"""The programs of PostgreSQL on the database of the settings: a dump, and a dump put back."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Any

from django.db import connection

from lakeui.common.errors import InvalidValue
from lakeui.runtime.postgres import postgres_program
from lakeui.runtime.problems import RuntimeProblem

HEAD_LINES = 100
_SETS = b"SET transaction_timeout = 0;\n"
_SETS_WHERE_KNOWN = (
    b"SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings WHERE name = 'transaction_timeout';\n"
)


def database_dump(target: Path, *, snapshot: str) -> None:
    """All of the database as that snapshot of a transaction sees it."""
    command = [_program("pg_dump"), "--format=custom", f"--snapshot={snapshot}", f"--file={target}"]
    ran = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise _failed("pg_dump", ran.stderr)


def database_load(dump: Path) -> None:
    """Put a dump into the empty database, all of it or nothing.

    The statements go through psql: programs of PostgreSQL 17 and newer set what older servers do not know. The COMMIT
    comes after the last statement, so whatever ends before it leaves nothing.
    """
    reads = [_program("pg_restore"), "--no-owner", "--no-privileges", "--file=-", str(dump)]
    runs = [_program("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
    with tempfile.TemporaryFile() as read_errors, tempfile.TemporaryFile() as run_errors:
        with (
            subprocess.Popen(
                runs, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=run_errors
            ) as server,
            subprocess.Popen(reads, stdout=subprocess.PIPE, stderr=read_errors) as archive,
        ):
            assert archive.stdout is not None
            assert server.stdin is not None
            is_taken = _pass_on(archive, archive.stdout, server.stdin)
        if server.returncode != 0:
            raise _failed("psql", _text(run_errors))
        if not is_taken:
            raise _failed("pg_restore", _text(read_errors))


def _pass_on(archive: subprocess.Popen[bytes], source: IO[bytes], target: IO[bytes]) -> bool:
    """Whether all statements were there and given on. Where the server ended, its own status says why."""
    try:
        target.write(b"BEGIN;\n")
        for _ in range(HEAD_LINES):
            line = source.readline()
            target.write(_SETS_WHERE_KNOWN if line == _SETS else line)
        shutil.copyfileobj(source, target)
        if archive.wait() != 0:
            return False
        target.write(b"COMMIT;\n")
        target.flush()
    except BrokenPipeError:
        archive.kill()
        return False
    finally:
        _close(target)
    return True


def _close(target: IO[bytes]) -> None:
    try:
        target.close()
    except BrokenPipeError:
        # What was not written is not needed: the server has ended.
        return


def _text(errors: IO[bytes]) -> str:
    errors.seek(0)
    return errors.read().decode(errors="replace")


def _failed(program: str, said: str) -> InvalidValue:
    return InvalidValue(f"{program} failed: {said.strip()[-1000:]}", remedy="Mend that, and run it again.")


def _environment() -> dict[str, str]:
    """How the programs reach the database. The password is in no command line."""
    chosen: dict[str, Any] = connection.settings_dict
    names = {"HOST": "PGHOST", "PORT": "PGPORT", "USER": "PGUSER", "PASSWORD": "PGPASSWORD", "NAME": "PGDATABASE"}
    said = {variable: str(chosen[name]) for name, variable in names.items() if chosen[name]}
    options = {f"PG{name.upper()}": str(value) for name, value in chosen["OPTIONS"].items() if name.startswith("ssl")}
    return {**os.environ, **options, **said}


def _program(name: str) -> str:
    """The one of the embedded PostgreSQL, which knows all servers up to its own version; else the one on PATH."""
    try:
        return str(postgres_program(name))
    except RuntimeProblem:
        found = shutil.which(name)
        if found is None:
            raise InvalidValue(f"There is no {name} here.", remedy="Install the client of PostgreSQL.") from None
        return found
