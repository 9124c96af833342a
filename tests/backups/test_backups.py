"""``lakeui backup`` and ``lakeui restore``: a whole lake comes back, whatever runs or dies meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from lakeui.common.errors import InvalidValue
from lakeui.runtime import backups
from lakeui.runtime.backups import (
    MARK,
    PART,
    Backup,
    backup_choose,
    backup_make,
    backups_list,
    backups_prune,
    folder_locked,
)
from lakeui.runtime.postgres import postgres_program
from tests.support.lake import Lake

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = """
import json, os, signal, sys, traceback
import django
django.setup()
import tests.without_spark.module
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from lakeui.frontdoor import Session, execute

def run(catalog, asked):
    for command in asked:
        if command[0] == "rows":
            found = execute("SELECT id FROM d.t", Session(catalog, command[1])).rows
            print("rows", sorted(row[0] for row in found))
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
def loaded(own_warehouse: Path, database_url: str, faults: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "LAKEUI_FAULTS": str(faults), "DATABASE_URL": database_url}
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
    own_warehouse: Path,
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
        places = (here_name, own_warehouse) if here else (name, tmp_path / "restored")
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


def done(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def quiet(_: str) -> None:
    pass


def insert(lake: Lake, *ids: int, branch: str = "main") -> None:
    for number in ids:
        lake.sql(f"INSERT INTO d.t VALUES ({number}, 'n')", branch)


@contextlib.contextmanager
def written_meanwhile(lake: Lake, first: int) -> Iterator[list[int]]:
    """Somebody inserts rows, one commit each, until the block ends."""
    written: list[int] = []
    stop = threading.Event()

    def write() -> None:
        number = first
        while not stop.is_set():
            insert(lake, number)
            written.append(number)
            number += 1
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield written
    finally:
        stop.set()
        writer.join()


def test_a_backup_made_during_commits_is_consistent(lake: Lake, commands: Commands, tmp_path: Path) -> None:
    insert(lake, 1, 2)
    lake.sql("CREATE BRANCH b")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.sql("MERGE BRANCH b")
    with written_meanwhile(lake, 100) as written:
        while not written:
            pass
        before = len(written)
        backup_make(tmp_path / "kept", say=quiet)
        after = len(written) + 1
    said = done(commands(["restore", str(tmp_path / "kept")], ["rows", "main"]))
    rows = json.loads(said.rpartition("rows ")[2])
    assert rows[0] == 2
    assert rows[1:] == list(range(100, 100 + len(rows) - 1))
    assert before <= len(rows) - 1 <= after
    assert f"{lake.catalog}: in order" in said
    assert "people and groups" in said
    assert not (tmp_path / "restored" / MARK).exists()


def test_a_second_backup_copies_only_what_is_new(lake: Lake, tmp_path: Path) -> None:
    insert(lake, 1)
    kept = tmp_path / "kept"
    first = backup_make(kept, say=quiet)
    copied = {path: path.stat().st_ino for path in (kept / "warehouse").rglob("*.parquet")}
    insert(lake, 2)
    second = backup_make(kept, say=quiet)
    now = {path: path.stat().st_ino for path in (kept / "warehouse").rglob("*.parquet")}
    assert copied.items() < now.items()
    assert [one.name for one in backups_list(kept)] == [first.name, second.name]
    assert kept.stat().st_mode & 0o077 == 0, "the dump holds hashes of passwords"
    assert second.files == first.files + 1


def test_links_are_links_and_the_folder_lies_outside(lake: Lake, own_warehouse: Path, tmp_path: Path) -> None:
    insert(lake, 1)
    backup_make(tmp_path / "kept", say=quiet, link=True)
    placed = next((tmp_path / "kept" / "warehouse").rglob("*.parquet"))
    assert placed.stat().st_nlink > 1
    with pytest.raises(InvalidValue, match="lie in each other"):
        backup_make(own_warehouse / "kept", say=quiet)


def test_what_vacuum_took_meanwhile_makes_no_backup(lake: Lake, own_warehouse: Path, tmp_path: Path) -> None:
    insert(lake, 1)
    gone = next(own_warehouse.rglob("*.parquet"))
    content = gone.read_bytes()
    gone.unlink()
    with pytest.raises(InvalidValue, match="is not there any more"):
        backup_make(tmp_path / "kept", say=quiet)
    assert backups_list(tmp_path / "kept") == []
    gone.write_bytes(content)
    backup_make(tmp_path / "kept", say=quiet)
    assert not list((tmp_path / "kept").glob(f"{PART}*"))


@pytest.mark.parametrize("point", ["backup.dumped", "backup.copying", "backup.naming"])
def test_a_killed_backup_is_none(lake: Lake, commands: Commands, tmp_path: Path, point: str) -> None:
    insert(lake, 1, 2)
    kept = tmp_path / "kept"
    assert commands(["backup", str(kept)], kill=point, here=True).returncode == -signal.SIGKILL
    assert backups_list(kept) == []
    with pytest.raises(InvalidValue, match="no whole backup"):
        backup_choose(kept)
    insert(lake, 3)
    backup_make(kept, say=quiet)
    assert "rows [1, 2, 3]" in done(commands(["restore", str(kept)], ["rows", "main"]))
    assert [path.name for path in kept.iterdir() if path.name.startswith(PART)] == []


@pytest.mark.parametrize("point", ["backup.copying", "restoring.files", "restoring.loaded"])
def test_a_restore_that_was_killed_goes_on(lake: Lake, commands: Commands, tmp_path: Path, point: str) -> None:
    insert(lake, 1, 2)
    backup_make(tmp_path / "kept", say=quiet)
    restore = ["restore", str(tmp_path / "kept")]
    assert commands(restore, kill=point).returncode == -signal.SIGKILL
    said = done(commands(restore, ["rows", "main"]))
    assert "rows [1, 2]" in said
    assert f"{lake.catalog}: in order" in said


def test_nothing_is_overwritten(lake: Lake, commands: Commands, own_warehouse: Path, tmp_path: Path) -> None:
    insert(lake, 1)
    kept = str(tmp_path / "kept")
    backup_make(Path(kept), say=quiet)
    with pytest.raises(InvalidValue, match=r"The warehouse .* is not empty"):
        call_command("restore", kept)
    own_warehouse.rename(tmp_path / "aside")
    with pytest.raises(InvalidValue, match=r"The database .* is not empty"):
        call_command("restore", kept)
    assert not own_warehouse.exists()
    (tmp_path / "aside").rename(own_warehouse)


@pytest.mark.parametrize("harm", ["file", "dump", "list"])
def test_a_damaged_backup_is_refused_before_any_write(lake: Lake, tmp_path: Path, harm: str) -> None:
    insert(lake, 1)
    kept = tmp_path / "kept"
    made = backup_make(kept, say=quiet)
    harmed = {
        "file": next((kept / "warehouse").rglob("*.parquet")),
        "dump": kept / made.name / "database.dump",
        "list": kept / made.name / "files.txt",
    }[harm]
    harmed.write_bytes(harmed.read_bytes()[:-1] if harm != "list" else b"")
    with pytest.raises(InvalidValue, match=r"was changed|is not whole"):
        call_command("restore", str(kept))


def listed(folder: Path, *lines: str) -> Backup:
    """A backup that lists these files, and no more of it than the list."""
    (folder / "b").mkdir(parents=True)
    (folder / "warehouse").mkdir()
    (folder / "b" / "files.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Backup("b", "", "", "", backups._digest(folder / "b" / "files.txt"), len(lines), 0)


@pytest.mark.parametrize("path", ["../x", "a/../../x", "", "a\0b"])
def test_a_list_names_no_file_outside_its_backup(tmp_path: Path, path: str) -> None:
    made = listed(tmp_path / "kept", f"1\t{path}")
    with pytest.raises(InvalidValue, match="outside of its files"):
        backups._files_of(tmp_path / "kept", made)


def test_no_link_leads_out_of_a_backup(tmp_path: Path) -> None:
    kept, away = tmp_path / "kept", tmp_path / "away"
    made = listed(kept, "1\ta/secret")
    away.mkdir()
    (away / "secret").write_text("s")
    (kept / "warehouse" / "a").symlink_to(away)
    (kept / "b" / "database.dump").write_bytes((kept / "b" / "files.txt").read_bytes())
    with pytest.raises(InvalidValue, match="outside of its files"):
        backups._whole_require(kept, made, backups._files_of(kept, made))
    (tmp_path / "link").symlink_to(away / "secret")
    for link in (True, False):
        with pytest.raises(InvalidValue, match="symbolic link"):
            backups._file_place(tmp_path / "link", tmp_path / "placed", link=link)
    assert not (tmp_path / "placed").exists()


def test_an_adopted_file_stays_and_is_not_written(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("rows")
    before = taken.stat()
    assert backups._files_keep(tmp_path / "s", tmp_path / "t", {str(taken): 4}, link=False) == {str(taken): 4}
    with pytest.raises(InvalidValue, match="another size"):
        backups._files_keep(tmp_path / "s", tmp_path / "t", {str(taken): 5}, link=False)
    assert (taken.stat().st_ino, taken.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_backups_are_restored_to_a_time_or_version(lake: Lake, commands: Commands, tmp_path: Path) -> None:
    insert(lake, 1)
    lake.sql("CREATE BRANCH b")
    version = lake.head()
    kept = tmp_path / "kept"
    backup_make(kept, say=quiet)
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        time = cursor.fetchone()[0].isoformat()
    insert(lake, 2)
    insert(lake, 3, branch="b")
    lake.sql("CREATE BRANCH later")
    backup_make(kept, say=quiet)
    insert(lake, 4)
    said = done(commands(["restore", str(kept), "--at", time], ["rows", "main"], ["rows", "b"]))
    assert said.count("rows [1]") == 2
    assert "later: made later" in said
    assert f"{lake.catalog}: in order" in said
    with pytest.raises(CommandError, match="--catalog"):
        call_command("restore", str(kept), "--at", str(version))
    assert backup_choose(kept, catalog=lake.catalog, version=version).name == backups_list(kept)[0].name


def test_a_version_of_one_catalog_is_restored(lake: Lake, commands: Commands, tmp_path: Path) -> None:
    insert(lake, 1)
    version = lake.head()
    insert(lake, 2)
    kept = str(tmp_path / "kept")
    backup_make(Path(kept), say=quiet)
    restore: list[Any] = ["restore", kept, "--at", str(version), "--catalog", lake.catalog]
    assert "rows [1]" in done(commands(restore, ["rows", "main"]))


def test_a_point_after_newest_backup_is_in_none(lake: Lake, tmp_path: Path) -> None:
    backup_make(tmp_path / "kept", say=quiet)
    with pytest.raises(InvalidValue, match="is in no backup"):
        call_command("restore", str(tmp_path / "kept"), "--at", "2999-01-01T00:00:00")
    with pytest.raises(CommandError, match="is no time"):
        call_command("restore", str(tmp_path / "kept"), "--at", "yesterday")


def test_old_backups_go_with_files_only_they_have(lake: Lake, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    for number in range(3):
        insert(lake, number)
        backup_make(kept, say=quiet)
    stray = kept / "warehouse" / "9" / "stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_text("")
    assert backups_prune(kept, keep=1) == (2, 1)
    assert len(backups_list(kept)) == 1
    backup_choose(kept)


def test_a_folder_admits_one_run_at_a_time(lake: Lake, tmp_path: Path) -> None:
    with folder_locked(tmp_path / "kept"), pytest.raises(InvalidValue, match="Another backup or restore"):
        call_command("backup", str(tmp_path / "kept"))
