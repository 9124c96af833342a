"""Backups: a dump of the database and the files that it names, by one snapshot; and the way back.

A backup counts once it has its name. Files never change once written, so ``warehouse/`` holds each of them once for all
backups of the place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from django.conf import settings
from django.db import connection, transaction

from catalog_app.domain.files import is_outside
from catalog_app.storage.warehouse import Warehouse
from lakeui import __version__
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point
from lakeui.runtime.backup_files import files_check, files_keep, sizes
from lakeui.runtime.backup_places import (
    CONTENTS,
    DUMP,
    FILES,
    backup_remove,
    names,
    part_made,
    part_publish,
    place_claim,
    text_of,
)
from lakeui.runtime.dumps import database_dump, database_load
from lakeui.runtime.variable_types import is_root

NAME_FORMAT = "%Y%m%dT%H%M%S.%fZ"
Size = TypeVar("Size", int, int | None)
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
    """One backup. ``versions``: by catalog the newest version in it. ``birth`` tells this database from others. Without
    ``has_files`` the files are where the warehouse is, or where its store keeps copies of its own.
    """

    name: str
    made_at: str
    lakeui: str
    birth: str
    dump_digest: str
    files: int
    bytes: int
    versions: dict[str, int] = field(default_factory=dict)
    has_files: bool = True

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.made_at)


def backup_place(said: str) -> Warehouse:
    """A folder of this machine, or an address in the store of the settings. Raises InvalidValue otherwise."""
    if not is_root(said):
        raise InvalidValue(
            f"Backups cannot lie at {said}.", remedy="Name a folder, or an address such as s3://bucket/backups."
        )
    return Warehouse(said)


def backup_make(place: Warehouse, *, say: Say, link: bool = False, has_files: bool = True) -> Backup:
    """A new backup of database and warehouse. People go on working. ``link``: hard links instead of copies. Without
    ``has_files`` the backup names the files, and their sizes, and holds none of them.

    The list of files and the dump are of one snapshot. Raises InvalidValue where a file of it is not there any more,
    since VACUUM ran meanwhile.
    """
    warehouse = _warehouse()
    _place_check(place, warehouse, link=link)
    place_claim(place)
    with part_made(place) as part:
        with transaction.atomic():
            needed, versions, birth, made_at = _dumped(part / DUMP, say)
        fault_point("backup.dumped")
        say(f"keeping {counted(len(needed), 'file')}" if has_files else f"looking at {counted(len(needed), 'file')}")
        inside, outside = _inside(needed), _outside(needed)
        kept = files_check(warehouse, outside if has_files else needed)
        if has_files:
            kept |= files_keep(warehouse, _files(place), inside, link=link)
        lines = "".join(f"{size}\t{path}\n" for path, size in sorted(kept.items()))
        (part / FILES).write_text(lines, encoding="utf-8")
        made = Backup(
            name=made_at.astimezone(UTC).strftime(NAME_FORMAT),
            made_at=made_at.astimezone(UTC).isoformat(),
            lakeui=__version__,
            birth=birth,
            dump_digest=_digest(part / DUMP),
            files=len(kept),
            bytes=sum(kept.values()),
            versions=versions,
            has_files=has_files,
        )
        (part / CONTENTS).write_text(json.dumps(asdict(made), indent=2), encoding="utf-8")
        part_publish(place, part, made.name)
    return made


def _dumped(dump: Path, say: Say) -> tuple[dict[str, int | None], dict[str, int], str, datetime]:
    """Dump the database; the files that it needs, by catalog the newest version, its birth, and the time."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot(), now()")
        snapshot, made_at = cursor.fetchone()
        needed = {**dict.fromkeys(_column(cursor, _KEPT_WHERE_THERE)), **_pairs(cursor, _NEEDED)}
        versions = _pairs(cursor, _VERSIONS)
        (birth,) = _column(cursor, _BIRTH)
    say("dumping the database")
    database_dump(dump, snapshot=snapshot)
    return needed, versions, birth, made_at


def _place_check(place: Warehouse, warehouse: Warehouse, *, link: bool) -> None:
    if place.overlaps(warehouse):
        raise InvalidValue(f"{place.root} and the warehouse lie in each other.", remedy="Choose another place.")
    if link and not (place.is_local and warehouse.is_local):
        raise InvalidValue("An object store has no hard links.", remedy="Leave --link out.")


def backups_list(place: Warehouse) -> list[Backup]:
    """Whole backups, oldest first."""
    return [Backup(**json.loads(text_of(place, f"{name}/{CONTENTS}"))) for name in names(place)]


def backups_prune(place: Warehouse, *, keep: int) -> tuple[int, int]:
    """Remove all but the newest ``keep`` backups, and the files that only they have; how many of each."""
    found = backups_list(place)
    if not found:
        raise InvalidValue(f"There is no whole backup in {place.root}.", remedy="Back up first: nothing was removed.")
    going = found[:-keep]
    for backup in going:
        backup_remove(place, backup.name)
    needed = {path for backup in backups_list(place) for path in _files_of(place, backup)}
    kept = _files(place)
    stray = [file.path for file in kept.all_under("") if file.path not in needed]
    for path in stray:
        kept.remove(path)
    return len(going), len(stray)


def backup_choose(
    place: Warehouse, *, time: datetime | None = None, catalog: str = "", version: int | None = None
) -> Backup:
    """The newest backup; of a point in time the first that was made after it, since it has all history before. Raises
    InvalidValue where there is none.
    """
    found = backups_list(place)
    if not found:
        raise InvalidValue(
            f"There is no whole backup in {place.root}.", remedy="Name the place that `backup` wrote to."
        )
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


def backup_restore(place: Warehouse, backup: Backup, *, say: Say) -> None:
    """Put a backup into an empty database and an empty warehouse. Cut off, it continues when it is run again. A backup
    without files goes to a warehouse that has them.

    Everything of the backup is looked at before anything is written. Raises InvalidValue where something is missing,
    or where there is something already. The caller removes the mark in the warehouse when it has done its part.
    """
    target, files = _warehouse(), _files_of(place, backup)
    with place.local_copy(f"{backup.name}/{DUMP}") as dump:
        if _digest(dump) != backup.dump_digest:
            raise InvalidValue(f"The dump of backup {backup.name} was changed.", remedy="Restore another backup.")
        _whole_require(place, backup, files)
        goes_on = target.exists(MARK) and json.loads(text_of(target, MARK)) == backup.name
        if backup.has_files and not goes_on and target.all_under(""):
            raise InvalidValue(
                f"The warehouse {target.root} is not empty.",
                remedy="Move it away, or name an empty one by LAKEUI_WAREHOUSE.",
            )
        is_loaded = _tables() > 0
        if is_loaded and not (goes_on and _birth() == backup.birth):
            raise InvalidValue(
                f"The database {connection.settings_dict['NAME']} is not empty.",
                remedy="Name an empty one by DATABASE_URL (createdb).",
            )
        files_check(target, _outside(files) if backup.has_files else files)
        target.replace(MARK, json.dumps(backup.name).encode())
        if backup.has_files:
            say(f"putting {counted(len(files), 'file')} back")
            files_keep(_files(place), target, _inside(files))
        fault_point("restoring.files")
        if not is_loaded:
            say("loading the database")
            # One transaction: the database is empty or whole.
            connection.close()
            database_load(dump)
    fault_point("restoring.loaded")


def restore_finish() -> None:
    _warehouse().remove(MARK)


def _whole_require(place: Warehouse, backup: Backup, files: dict[str, int]) -> None:
    held = _inside(files) if backup.has_files else {}
    kept = _files(place)
    if kept.is_local:
        root = Path(kept.root)
        for path in held:
            if not (root / path).resolve().is_relative_to(root):
                raise _stray(backup, path)
    found = sizes(kept, held)
    wrong = [path for path, size in held.items() if found.get(path) != size]
    if len(files) != backup.files or wrong:
        raise InvalidValue(
            f"Backup {backup.name} is not whole: {counted(len(wrong), 'file is', 'files are')} missing or of another"
            f" size, such as {', '.join(wrong[:3]) or 'those of its list'}.",
            remedy="Restore another backup.",
        )


def _files(place: Warehouse) -> Warehouse:
    """Where the files of all backups of the place lie, each once."""
    return place.below("warehouse")


def _inside(files: Mapping[str, Size]) -> dict[str, Size]:
    return {path: size for path, size in files.items() if not is_outside(path)}


def _outside(files: Mapping[str, Size]) -> dict[str, Size]:
    """Of tables that were taken over: their files stay where they lie."""
    return {path: size for path, size in files.items() if is_outside(path)}


def _files_of(place: Warehouse, backup: Backup) -> dict[str, int]:
    lines = text_of(place, f"{backup.name}/{FILES}").splitlines()
    files = {path: int(size) for size, _, path in (line.partition("\t") for line in lines)}
    for path in files:
        is_foreign = not is_outside(path) and path.startswith("/")
        if not path or "\0" in path or is_foreign or ".." in PurePosixPath(path).parts:
            raise _stray(backup, path)
    return files


def _stray(backup: Backup, path: str) -> InvalidValue:
    return InvalidValue(
        f"Backup {backup.name} lists {path!r}, which lies outside of its files.", remedy="Restore another backup."
    )


def _warehouse() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])


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
