"""Backups: a dump of the database and the files that it names, by one snapshot; and the way back.

A backup counts once its folder has its name; a run that is cut off leaves a folder ``.part-…`` that the next removes.
Files never change once written, so ``warehouse/`` holds each of them once for all backups of the folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from lakeui import __version__
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point
from lakeui.runtime.dumps import database_dump, database_load

PART = ".part-"
NAME_FORMAT = "%Y%m%dT%H%M%S.%fZ"
READ_BYTES = 1024 * 1024
Say = Callable[[str], None]

_NEEDED = """
SELECT f.path, max(f.bytes) FROM catalog_app_datafile f
WHERE EXISTS (SELECT 1 FROM catalog_app_segment s WHERE s.file_id = f.id)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.data_file_id = f.id) GROUP BY f.path
UNION ALL
SELECT f.path, max(f.bytes) FROM catalog_app_deletefile f
WHERE EXISTS (SELECT 1 FROM catalog_app_segmentdelete d WHERE d.delete_file_id = f.id)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.delete_file_id = f.id) GROUP BY f.path
UNION ALL
SELECT f.path, max(f.bytes) FROM catalog_app_segmentstamp p JOIN catalog_app_deletefile f ON f.id = p.rows_file_id
WHERE NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.delete_file_id = f.id) GROUP BY f.path
"""
"""By path, the bytes of what a branch shows at some version that VACUUM has not taken."""
_KEPT_WHERE_THERE = """
SELECT path FROM catalog_app_fileimport UNION SELECT path FROM catalog_app_publishedfile
"""
"""What waits to be imported, and metadata for other engines: it may go at any time."""
_VERSIONS = """
SELECT c.name, max(b.head_version) FROM catalog_app_catalog c JOIN catalog_app_branch b ON b.catalog_id = c.id
WHERE c.dropped_at IS NULL GROUP BY c.name ORDER BY c.name
"""
_BIRTH = "SELECT min(applied)::text FROM django_migrations"


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup. ``versions``: by catalog the newest version in it. ``birth`` tells this database from others."""

    name: str
    made_at: str
    lakeui: str
    birth: str
    dump_digest: str
    files: int
    bytes: int
    versions: dict[str, int] = field(default_factory=dict)

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.made_at)


@contextmanager
def folder_locked(folder: Path) -> Iterator[None]:
    """One run at a time in a folder of backups. Raises InvalidValue where another one works there."""
    _folder_make(folder)
    with (folder / ".lock").open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidValue(
                f"Another backup or restore works in {folder}.", remedy="Wait until it has ended."
            ) from None
        yield


def _folder_make(folder: Path) -> None:
    """A dump holds hashes of passwords and tokens: a folder that is new is its owner's alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def backup_make(folder: Path, *, say: Say, link: bool = False) -> Backup:
    """A new backup of database and warehouse. People go on working. ``link``: hard links instead of copies.

    The list of files and the dump are of one snapshot. Raises InvalidValue where a file of it is not there any more,
    since VACUUM ran meanwhile.
    """
    warehouse = _warehouse()
    if folder.resolve().is_relative_to(warehouse) or warehouse.is_relative_to(folder.resolve()):
        raise InvalidValue(f"{folder} and the warehouse lie in each other.", remedy="Choose another folder.")
    for left in folder.glob(f"{PART}*"):
        shutil.rmtree(left)
    part = folder / f"{PART}{os.getpid()}"
    _folder_make(folder)
    part.mkdir()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_export_snapshot(), now()")
            snapshot, made_at = cursor.fetchone()
            needed: dict[str, int | None] = {
                **dict.fromkeys(_column(cursor, _KEPT_WHERE_THERE)),
                **_pairs(cursor, _NEEDED),
            }
            versions = _pairs(cursor, _VERSIONS)
            (birth,) = _column(cursor, _BIRTH)
        say("dumping the database")
        dump = part / "database.dump"
        database_dump(dump, snapshot=snapshot)
    fault_point("backup.dumped")
    say(f"keeping {len(needed)} files")
    kept = _files_keep(warehouse, folder / "warehouse", needed, link=link)
    lines = "".join(f"{size}\t{path}\n" for path, size in sorted(kept.items()))
    (part / "files.txt").write_text(lines, encoding="utf-8")
    made = Backup(
        name=made_at.astimezone(UTC).strftime(NAME_FORMAT),
        made_at=made_at.astimezone(UTC).isoformat(),
        lakeui=__version__,
        birth=birth,
        dump_digest=_digest(dump),
        files=len(kept),
        bytes=sum(kept.values()),
        versions=versions,
    )
    (part / "backup.json").write_text(json.dumps(asdict(made), indent=2), encoding="utf-8")
    _sync(part)
    fault_point("backup.naming")
    part.rename(folder / made.name)
    _sync(folder)
    return made


def backups_list(folder: Path) -> list[Backup]:
    """Whole backups, oldest first."""
    found = sorted(path.parent for path in folder.glob("[0-9]*/backup.json"))
    return [Backup(**json.loads((path / "backup.json").read_text(encoding="utf-8"))) for path in found]


def backups_prune(folder: Path, *, keep: int) -> tuple[int, int]:
    """Remove all but the newest ``keep`` backups, and the files that only they have; how many of each."""
    going = backups_list(folder)[:-keep]
    for backup in going:
        # Without this file it is no backup, whatever is left of it.
        (folder / backup.name / "backup.json").unlink()
        shutil.rmtree(folder / backup.name)
    needed = {path for backup in backups_list(folder) for path in _files_of(folder, backup)}
    root, removed = folder / "warehouse", 0
    for path in root.rglob("*"):
        if path.is_file() and path.relative_to(root).as_posix() not in needed:
            path.unlink()
            removed += 1
    return len(going), removed


def backup_choose(
    folder: Path, *, time: datetime | None = None, catalog: str = "", version: int | None = None
) -> Backup:
    """The newest backup; of a point in time the first that was made after it, since it has all history before. Raises
    InvalidValue where there is none.
    """
    found = backups_list(folder)
    if not found:
        raise InvalidValue(f"There is no whole backup in {folder}.", remedy="Name the folder that `backup` wrote to.")
    newest = found[-1]
    if version is not None:
        found = [backup for backup in found if backup.versions.get(catalog, -1) >= version]
    elif time is not None:
        found = [backup for backup in found if backup.time >= time]
    else:
        return newest
    if not found:
        raise InvalidValue(
            f"That point is in no backup: the newest is of {newest.made_at}.",
            remedy="Restore that one, without --at. What came later is in no backup.",
        )
    return found[0]


MARK = ".lakeui-restore.json"


def backup_restore(folder: Path, backup: Backup, *, say: Say) -> None:
    """Put a backup into an empty database and an empty warehouse. Cut off, it continues when it is run again.

    Everything of the backup is looked at before anything is written. Raises InvalidValue where something is missing,
    or where there is something already. The caller removes the mark in the warehouse when it has done its part.
    """
    source, target = folder / backup.name, _warehouse()
    files = _files_of(folder, backup)
    _whole_require(folder, backup, files)
    mark = target / MARK
    goes_on = mark.is_file() and json.loads(mark.read_text(encoding="utf-8")) == backup.name
    if not goes_on and target.is_dir() and any(target.iterdir()):
        raise InvalidValue(
            f"The warehouse {target} is not empty.", remedy="Move it away, or name an empty one by LAKEUI_WAREHOUSE."
        )
    is_loaded = _tables() > 0
    if is_loaded and not (goes_on and _birth() == backup.birth):
        raise InvalidValue(
            f"The database {connection.settings_dict['NAME']} is not empty.",
            remedy="Name an empty one by DATABASE_URL (createdb).",
        )
    target.mkdir(parents=True, exist_ok=True)
    mark.write_text(json.dumps(backup.name), encoding="utf-8")
    say(f"putting {len(files)} files back")
    _files_keep(folder / "warehouse", target, dict(files), link=False)
    fault_point("restoring.files")
    if not is_loaded:
        say("loading the database")
        # One transaction: the database is empty or whole.
        connection.close()
        database_load(source / "database.dump")
    fault_point("restoring.loaded")


def restore_finish() -> None:
    (_warehouse() / MARK).unlink(missing_ok=True)


def _whole_require(folder: Path, backup: Backup, files: dict[str, int]) -> None:
    if _digest(folder / backup.name / "database.dump") != backup.dump_digest:
        raise InvalidValue(f"The dump of backup {backup.name} was changed.", remedy="Restore another backup.")
    root = folder / "warehouse"
    wrong = [
        path for path, size in files.items() if not (root / path).is_file() or (root / path).stat().st_size != size
    ]
    for path in files:
        if not Path(path).is_absolute() and not (root / path).resolve().is_relative_to(root.resolve()):
            raise _outside(backup, path)
    if len(files) != backup.files or wrong:
        raise InvalidValue(
            f"Backup {backup.name} is not whole: {len(wrong)} files are missing or of another size, such as"
            f" {', '.join(wrong[:3]) or 'those of its list'}.",
            remedy="Restore another backup.",
        )


def _files_of(folder: Path, backup: Backup) -> dict[str, int]:
    lines = (folder / backup.name / "files.txt").read_text(encoding="utf-8").splitlines()
    files = {path: int(size) for size, _, path in (line.partition("\t") for line in lines)}
    for path in files:
        if not path or "\0" in path or ".." in PurePosixPath(path).parts:
            raise _outside(backup, path)
    return files


def _outside(backup: Backup, path: str) -> InvalidValue:
    return InvalidValue(
        f"Backup {backup.name} lists {path!r}, which lies outside of its files.", remedy="Restore another backup."
    )


def _files_keep(source: Path, target: Path, needed: dict[str, int | None], *, link: bool) -> dict[str, int]:
    """Have each file in the target too; by path, the size. A file has its name there once it is whole.

    Without a size it may be missing in the source; with one it must be there, or be in the target already. Files with
    an absolute path were taken over: they stay where they lie, and nothing is written there.
    """
    kept = {}
    for path, size in needed.items():
        placed, read = target / path, source / path
        if size is not None and placed.is_file() and placed.stat().st_size == size:
            kept[path] = size
            continue
        if not read.is_file() or Path(path).is_absolute():
            if size is None:
                continue
            raise InvalidValue(
                f"The file {path} is not there any more, or has another size: VACUUM ran, or the disk lost it.",
                remedy="Run it again; where it stays so, check_catalog names what is missing.",
            )
        placed.parent.mkdir(parents=True, exist_ok=True)
        _file_place(read, placed, link=link)
        kept[path] = placed.stat().st_size
        fault_point("backup.copying")
        if size not in (None, kept[path]):
            raise InvalidValue(
                f"The file {path} has {kept[path]} bytes instead of {size}.", remedy="Run check_catalog."
            )
    return kept


def _file_place(read: Path, placed: Path, *, link: bool) -> None:
    """Raises InvalidValue where ``read`` is a symbolic link: what it leads to is no file of the lake."""
    if read.is_symlink():
        raise InvalidValue(f"The file {read} is a symbolic link.", remedy="Put the file itself there.")
    part = placed.with_name(f"{PART}{placed.name}")
    part.unlink(missing_ok=True)
    if link:
        try:
            os.link(read, part)
        except OSError:
            raise InvalidValue(
                "The folder and the warehouse lie on different disks.", remedy="Leave --link out."
            ) from None
    else:
        # Neither is followed, also where one comes to be a link meanwhile.
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with (
            os.fdopen(os.open(read, os.O_RDONLY | os.O_NOFOLLOW), "rb") as source,
            os.fdopen(os.open(part, new, 0o666), "wb") as written,
        ):
            shutil.copyfileobj(source, written, READ_BYTES)
            written.flush()
            os.fsync(written.fileno())
    part.rename(placed)


def _warehouse() -> Path:
    root = settings.LAKEUI["WAREHOUSE"]
    if "://" in root:
        raise InvalidValue("The warehouse is no folder.", remedy="Use the copies of the object store, and pg_dump.")
    return Path(root).resolve()


def _tables() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()")
        return int(cursor.fetchone()[0])


def _birth() -> str:
    with connection.cursor() as cursor:
        return str(_column(cursor, _BIRTH)[0])


def _column(cursor: Any, query: str) -> list[Any]:
    cursor.execute(query)
    return [row[0] for row in cursor.fetchall()]


def _pairs(cursor: Any, query: str) -> dict[str, int]:
    cursor.execute(query)
    return dict(cursor.fetchall())


def _digest(path: Path) -> str:
    with path.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def _sync(folder: Path) -> None:
    """What the folder holds is on the disk."""
    for path in (*(one for one in folder.iterdir() if one.is_file() and one.name != ".lock"), folder):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
