"""``lakeui backup`` and ``lakeui restore``: a whole lake comes back, whatever runs or dies meanwhile."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.runtime import backup_files, backups
from lakeui.runtime.backup_places import PART, place_locked
from lakeui.runtime.backups import (
    MARK,
    Backup,
    backup_choose,
    backup_make,
    backups_list,
    backups_prune,
)
from tests.backups.conftest import Commands
from tests.support.lake import Lake


def done(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def said_by(*command: str) -> str:
    said = StringIO()
    call_command(*command, stdout=said)
    return said.getvalue()


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
        backup_make(Warehouse(str(tmp_path / "kept")), say=quiet)
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
    first = backup_make(Warehouse(str(kept)), say=quiet)
    copied = {path: path.stat().st_ino for path in (kept / "warehouse").rglob("*.parquet")}
    insert(lake, 2)
    second = backup_make(Warehouse(str(kept)), say=quiet)
    now = {path: path.stat().st_ino for path in (kept / "warehouse").rglob("*.parquet")}
    assert copied.items() < now.items()
    assert [one.name for one in backups_list(Warehouse(str(kept)))] == [first.name, second.name]
    assert kept.stat().st_mode & 0o077 == 0, "the dump holds hashes of passwords"
    assert second.files == first.files + 1


def test_links_are_links_and_the_folder_lies_outside(lake: Lake, own_warehouse: Path, tmp_path: Path) -> None:
    insert(lake, 1)
    backup_make(Warehouse(str(tmp_path / "kept")), say=quiet, link=True)
    placed = next((tmp_path / "kept" / "warehouse").rglob("*.parquet"))
    assert placed.stat().st_nlink > 1
    with pytest.raises(InvalidValue, match="lie in each other"):
        backup_make(Warehouse(str(own_warehouse / "kept")), say=quiet)


def test_what_vacuum_took_meanwhile_makes_no_backup(lake: Lake, own_warehouse: Path, tmp_path: Path) -> None:
    insert(lake, 1)
    gone = next(own_warehouse.rglob("*.parquet"))
    content = gone.read_bytes()
    gone.unlink()
    with pytest.raises(InvalidValue, match="is not there any more"):
        backup_make(Warehouse(str(tmp_path / "kept")), say=quiet)
    assert backups_list(Warehouse(str(tmp_path / "kept"))) == []
    gone.write_bytes(content)
    backup_make(Warehouse(str(tmp_path / "kept")), say=quiet)
    assert not list((tmp_path / "kept").glob(f"{PART}*"))


@pytest.mark.parametrize("point", ["backup.dumped", "backup.copying", "backup.naming"])
def test_a_killed_backup_is_none(lake: Lake, commands: Commands, tmp_path: Path, point: str) -> None:
    insert(lake, 1, 2)
    kept = tmp_path / "kept"
    assert commands(["backup", str(kept)], kill=point, here=True).returncode == -signal.SIGKILL
    assert backups_list(Warehouse(str(kept))) == []
    with pytest.raises(InvalidValue, match="no whole backup"):
        backup_choose(Warehouse(str(kept)))
    insert(lake, 3)
    backup_make(Warehouse(str(kept)), say=quiet)
    assert "rows [1, 2, 3]" in done(commands(["restore", str(kept)], ["rows", "main"]))
    assert [path.name for path in kept.iterdir() if path.name.startswith(PART)] == []


@pytest.mark.parametrize("point", ["backup.copying", "restoring.files", "restoring.loaded"])
def test_a_restore_that_was_killed_continues(lake: Lake, commands: Commands, tmp_path: Path, point: str) -> None:
    insert(lake, 1, 2)
    backup_make(Warehouse(str(tmp_path / "kept")), say=quiet)
    restore = ["restore", str(tmp_path / "kept")]
    assert commands(restore, kill=point).returncode == -signal.SIGKILL
    said = done(commands(restore, ["rows", "main"]))
    assert "rows [1, 2]" in said
    assert f"{lake.catalog}: in order" in said


def test_nothing_is_overwritten(lake: Lake, commands: Commands, own_warehouse: Path, tmp_path: Path) -> None:
    insert(lake, 1)
    kept = str(tmp_path / "kept")
    backup_make(Warehouse(kept), say=quiet)
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
    made = backup_make(Warehouse(str(kept)), say=quiet)
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


@pytest.mark.parametrize("path", ["../x", "a/../../x", "", "a\0b", "/etc/x"])
def test_a_list_names_no_file_outside_its_backup(tmp_path: Path, path: str) -> None:
    made = listed(tmp_path / "kept", f"1\t{path}")
    with pytest.raises(InvalidValue, match="outside of its files"):
        backups._files_of(Warehouse(str(tmp_path / "kept")), made)


def test_no_link_leads_out_of_a_backup(tmp_path: Path) -> None:
    kept, away = tmp_path / "kept", tmp_path / "away"
    made = listed(kept, "1\ta/secret")
    away.mkdir()
    (away / "secret").write_text("s")
    (kept / "warehouse" / "a").symlink_to(away)
    (kept / "b" / "database.dump").write_bytes((kept / "b" / "files.txt").read_bytes())
    with pytest.raises(InvalidValue, match="outside of its files"):
        backups._whole_require(Warehouse(str(kept)), made, backups._files_of(Warehouse(str(kept)), made))
    (tmp_path / "link").symlink_to(away / "secret")
    for link in (True, False):
        with pytest.raises(InvalidValue, match="symbolic link"):
            backup_files._file_place(tmp_path / "link", tmp_path / "placed", link=link)
    assert not (tmp_path / "placed").exists()


def test_an_adopted_file_stays_and_is_not_written(
    lake: Lake, commands: Commands, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What the table took over is looked at before and after, and lies in no backup."""
    folder = tmp_path_factory.mktemp("theirs")
    pq.write_table(pa.table({"id": pa.array([7], pa.int32())}), folder / "a.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (str(folder),))
        lake.sql(f"CREATE TABLE d.theirs FROM PARQUET '{folder}'")
    taken = folder / "a.parquet"
    before = taken.stat()
    kept = Warehouse(str(tmp_path / "kept"))
    made = backup_make(kept, say=quiet)
    assert f"file://{taken}" in backups._files_of(kept, made)
    assert not list((tmp_path / "kept" / "warehouse").rglob("a.parquet"))
    assert f"{lake.catalog}: in order" in done(commands(["restore", str(tmp_path / "kept")]))
    assert (taken.stat().st_ino, taken.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    taken.rename(folder / "aside")
    with pytest.raises(InvalidValue, match="is not there any more"):
        backup_make(kept, say=quiet)
    # Backups of other tests are of this table too.
    (folder / "aside").rename(taken)


def test_backup_without_files_needs_them_in_warehouse(
    lake: Lake, commands: Commands, own_warehouse: Path, tmp_path: Path
) -> None:
    insert(lake, 1, 2)
    kept = tmp_path / "kept"
    call_command("backup", str(kept), "--without-files")
    assert not (kept / "warehouse").exists()
    assert said_by("backup", str(kept), "--list").rstrip().endswith(", without files")
    assert "is not there any more" in commands(["restore", str(kept)]).stdout
    shutil.copytree(own_warehouse, tmp_path / "restored")
    said = done(commands(["restore", str(kept)], ["rows", "main"]))
    assert "rows [1, 2]" in said
    assert f"{lake.catalog}: in order" in said
    with pytest.raises(CommandError, match="exclude each other"):
        call_command("backup", str(kept), "--without-files", "--link")


def test_backups_are_restored_to_a_time_or_version(lake: Lake, commands: Commands, tmp_path: Path) -> None:
    insert(lake, 1)
    lake.sql("CREATE BRANCH b")
    version = lake.head()
    kept = tmp_path / "kept"
    backup_make(Warehouse(str(kept)), say=quiet)
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        time = cursor.fetchone()[0].isoformat()
    insert(lake, 2)
    insert(lake, 3, branch="b")
    lake.sql("CREATE BRANCH later")
    backup_make(Warehouse(str(kept)), say=quiet)
    insert(lake, 4)
    said = done(commands(["restore", str(kept), "--at", time], ["rows", "main"], ["rows", "b"]))
    assert said.count("rows [1]") == 2
    assert "later: made later" in said
    assert f"{lake.catalog}: in order" in said
    with pytest.raises(CommandError, match="--catalog"):
        call_command("restore", str(kept), "--at", str(version))
    assert (
        backup_choose(Warehouse(str(kept)), catalog=lake.catalog, version=version).name
        == backups_list(Warehouse(str(kept)))[0].name
    )


def test_a_version_of_one_catalog_is_restored(lake: Lake, commands: Commands, tmp_path: Path) -> None:
    insert(lake, 1)
    version = lake.head()
    insert(lake, 2)
    kept = str(tmp_path / "kept")
    backup_make(Warehouse(kept), say=quiet)
    restore: list[Any] = ["restore", kept, "--at", str(version), "--catalog", lake.catalog]
    assert "rows [1]" in done(commands(restore, ["rows", "main"]))


def test_a_point_after_newest_backup_is_in_none(lake: Lake, tmp_path: Path) -> None:
    backup_make(Warehouse(str(tmp_path / "kept")), say=quiet)
    with pytest.raises(InvalidValue, match="is in no backup"):
        call_command("restore", str(tmp_path / "kept"), "--at", "2999-01-01T00:00:00")
    with pytest.raises(CommandError, match="is no time"):
        call_command("restore", str(tmp_path / "kept"), "--at", "yesterday")


def test_old_backups_go_with_files_only_they_have(lake: Lake, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    for number in range(3):
        insert(lake, number)
        backup_make(Warehouse(str(kept)), say=quiet)
    stray = kept / "warehouse" / "9" / "stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_text("")
    assert backups_prune(Warehouse(str(kept)), keep=1) == (2, 1)
    assert len(backups_list(Warehouse(str(kept)))) == 1
    backup_choose(Warehouse(str(kept)))


def test_a_folder_admits_one_run_at_a_time(lake: Lake, tmp_path: Path) -> None:
    with (
        place_locked(Warehouse(str(tmp_path / "kept"))),
        pytest.raises(InvalidValue, match="Another backup or restore"),
    ):
        call_command("backup", str(tmp_path / "kept"))
