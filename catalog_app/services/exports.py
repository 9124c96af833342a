"""EXPORT: metadata of Apache Iceberg as files in a folder, which engines read without a server.

A table's folder holds all that describes it: manifests and delete files by digest, metadata by version, and last
``version-hint.text``, which names the metadata that count. Cut off, an export leaves the one before it. Data files stay
where they lie, for as long as the version that was exported is kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow.fs as pafs
from django.utils import timezone

from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.domain.stores import is_in_store
from catalog_app.models import Catalog
from catalog_app.selectors.objects import databases_list, tables_list
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.selectors.table_versions import table_change
from catalog_app.services.published import HANDED_OUT
from catalog_app.services.publishing import form_of, metadata_make
from catalog_app.services.publishing_files import Kept, Wanted
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue, LakeError
from lakeui.common.faults import fault_point

CONTENTS = "export.json"
"""What an export says of itself: tables, folders, versions."""
_HINT = "version-hint.text"
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_OURS = re.compile(r"[0-9a-f]{64}\.(avro|parquet|puffin)|v\d+\.metadata\.json|.+\.part")


@dataclass(slots=True)
class Exported:
    """By the names of tables: the folder and the version of each, and why others were left out."""

    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Folder:
    """The folder of one exported table. Names say content, so what is there need not be made again."""

    warehouse: Warehouse
    folder: str
    kept: set[str] = field(default_factory=set)

    def keep(self, suffix: str, wanted: Wanted) -> list[Kept]:
        found = []
        for digest, make in wanted:
            path = f"{self.folder}/metadata/{digest}{suffix}"
            content, rows = make()
            if not self.warehouse.exists(path):
                self.warehouse.replace(path, content)
            self.kept.add(path.rpartition("/")[2])
            found.append(Kept(path, rows, len(content)))
        return found

    def finish(self, version: int, metadata: dict[str, Any]) -> None:
        """Make the metadata those that count, and remove what no reader has had for a day."""
        name = f"v{version}.metadata.json"
        self.warehouse.replace(f"{self.folder}/metadata/{name}", json.dumps(metadata).encode())
        fault_point("export.written")
        self.warehouse.replace(f"{self.folder}/metadata/{_HINT}", str(version).encode())
        self.kept.add(name)
        self._tidy()

    def _tidy(self) -> None:
        filesystem, before = self.warehouse.filesystem, timezone.now() - HANDED_OUT
        selector = pafs.FileSelector(self.warehouse.absolute(f"{self.folder}/metadata"))
        for info in filesystem.get_file_info(selector):
            is_old = info.type == pafs.FileType.File and info.mtime < before
            if is_old and info.base_name not in self.kept and _OURS.fullmatch(info.base_name):
                filesystem.delete_file(info.path)


def tables_export(
    warehouse: Warehouse,
    snapshot: Snapshot,
    folder: str,
    *,
    said: dict[str, Any],
    only: Sequence[str] = (),
    form: int | None = None,
) -> Exported:
    """Export the tables that the chain sees, or those named ``database.table``, into a folder: below the warehouse, or
    absolute. ``said``: what is exported, in words of the export. ``form``: the version of Iceberg's format; None: as
    each table says. Raises InvalidValue for a folder of another export.
    """
    before = _contents(warehouse, folder, said)
    chosen = _chosen(snapshot, only)
    done = Exported()
    for label, database, table in chosen:
        change = table_change(snapshot, table.table_id)
        below = _name(database.name, f"database-{database.database_id}"), _name(table.name, f"table-{table.table_id}")
        place = Folder(warehouse, "/".join((folder, *below)))
        try:
            metadata = metadata_make(place, snapshot, table, change, form or form_of(table))
        except LakeError as error:
            done.refused[label] = str(error)
            continue
        place.finish(change.version, metadata)
        done.tables[label] = {"folder": place.folder.removeprefix(f"{folder}/"), "version": change.version}
    known = before.get("tables", {})
    # What is not exported any more must not be read as if it were.
    gone = set(known) - set(done.tables) if not only else set(known) & set(done.refused)
    for label in gone:
        if known[label]["folder"] not in {entry["folder"] for entry in done.tables.values()}:
            _forget(warehouse, f"{folder}/{known[label]['folder']}/metadata/{_HINT}")
    kept = {label: entry for label, entry in known.items() if only and label not in gone}
    contents = {**said, "exported_at": timezone.now().isoformat(), "tables": kept | done.tables}
    warehouse.replace(f"{folder}/{CONTENTS}", json.dumps(contents, indent=1).encode())
    return done


def export_folder(warehouse: Warehouse, catalog: Catalog, reference: str, to: str | None) -> str:
    """Where an export goes: below the warehouse; to a folder of this machine, or to an address in the store of the
    warehouse. Raises InvalidValue for a place where the warehouse does not lie, and for one of the warehouse's own.
    """
    if to is None:
        named = _name(catalog.name, f"catalog-{catalog.pk}")
        digest = hashlib.sha256(reference.encode()).hexdigest()[:16]
        return f"exports/{named}/{_name(reference.replace(':', '-'), digest)}"
    if is_in_store(to) == warehouse.is_local:
        raise InvalidValue(
            "Data files stay where they are, so an export lies on the same machine or in the same store.",
            remedy="Name " + ("a folder" if warehouse.is_local else "an address that begins with s3://") + ", or none.",
        )
    place = Warehouse(to, warehouse.options)
    if place.overlaps(warehouse):
        raise InvalidValue(f"{place.root} holds files of the warehouse.", remedy="Name a place of its own, or none.")
    return place.location("").rstrip("/")


def _contents(warehouse: Warehouse, folder: str, said: dict[str, Any]) -> dict[str, Any]:
    if not warehouse.exists(f"{folder}/{CONTENTS}"):
        return {}
    with warehouse.filesystem.open_input_stream(warehouse.absolute(f"{folder}/{CONTENTS}")) as stream:
        found: dict[str, Any] = json.loads(stream.read())
    if {name: found.get(name) for name in said} != said:
        raise InvalidValue(
            f"The folder {folder} holds an export of {found.get('reference')} of catalog {found.get('catalog')}.",
            remedy="Name another folder, or remove that one.",
        )
    return found


def _chosen(snapshot: Snapshot, only: Sequence[str]) -> list[tuple[str, DatabaseState, TableState]]:
    databases = {database.database_id: database for database in databases_list(snapshot)}
    tables = tables_list(snapshot, list(databases))
    owned = [(databases[table.database_id], table) for table in tables]
    found = [(f"{database.name}.{table.name}", database, table) for database, table in owned]
    if not only:
        return found
    wanted = {name.casefold() for name in only}
    missing = wanted - {label.casefold() for label, _, _ in found}
    if missing:
        raise InvalidValue(f"There is no table {min(missing)} there.", remedy="Name tables as database.table.")
    return [entry for entry in found if entry[0].casefold() in wanted]


def _name(name: str, otherwise: str) -> str:
    """A name as that of a folder, where no engine reads another one out of it."""
    return name if _PLAIN.fullmatch(name) else otherwise


def _forget(warehouse: Warehouse, path: str) -> None:
    if warehouse.exists(path):
        warehouse.filesystem.delete_file(warehouse.absolute(path))
