"""The manifests of a version out of those of the version before, and of the files that commits since then changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from catalog_app.domain.layout import with_layout
from catalog_app.domain.state import TableState
from catalog_app.iceberg.manifest_lists import StoredManifest
from catalog_app.iceberg.manifests import DATA, DELETES, Chunk, SpecKey, chunks, data_of
from catalog_app.iceberg.metadata import specs_of
from catalog_app.iceberg.regrouping import Item, Key, Range, changed_places, range_of, ranges_joined, regrouped
from catalog_app.selectors.definitions import definitions_load
from catalog_app.selectors.listed_files import files_within, keys_changed
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from catalog_app.services.publishing_files import (
    Place,
    defaults_of,
    deletes_kept,
    files_can_be_shown,
    listed_file,
    manifests_kept,
)

_BEFORE = f"""
WITH {SNAPSHOT}
SELECT p.branch_id, p.version, p.published_at, p.manifests
FROM snapshot l JOIN catalog_app_publishedtable p
  ON p.table_id = %(table)s AND p.branch_id = l.branch_id AND p.version <= l.max_version
WHERE p.format = %(format)s AND p.root = %(root)s AND p.schema_version = %(schema_version)s
  AND p.published_at > %(since)s
ORDER BY l.depth, p.version DESC LIMIT 1
"""

Parts = list[StoredManifest | list[Item]]
"""In order the manifests that stay, and in place of others the items that are cut anew."""


@dataclass(frozen=True, slots=True)
class Since:
    """The manifests, and when all files of the version before were there."""

    manifests: list[StoredManifest]
    published_at: datetime


def manifests_since(place: Place, snapshot: Snapshot, table: TableState, form: int, oldest: datetime) -> Since | None:
    """The same manifests as of all files. None where no version under these columns and this layout was made since
    ``oldest``. Raises NotSupported.
    """
    asked: dict[str, Any] = {"table": table.table_id, "format": form, "root": place.warehouse.location("")}
    asked |= {"schema_version": table.schema_version, "since": oldest, **snapshot.parameters}
    for branch_id, version, published_at, said in fetch_all(_BEFORE, asked):
        before = [StoredManifest.from_json(entry) for entry in json_value(said)]
        changed = keys_changed(snapshot, table.table_id, branch_id, version)
        parts = {
            content: _Reader(place, snapshot, table, form, content).parts(before, keys)
            for content, keys in ((DATA, changed.files), (DELETES, changed.marks))
        }
        manifests = _assembled(place, table, form, parts)
        return None if manifests is None else Since(manifests, published_at)
    return None


def _assembled(place: Place, table: TableState, form: int, parts: dict[int, Parts]) -> list[StoredManifest] | None:
    """None where the numbers of specifications changed."""
    found = {_lies_by(part) for part in parts[DATA]}
    specs = specs_of(with_layout(table.schema, table.properties), found)
    cut: list[StoredManifest | Chunk] = []
    for content, of_content in parts.items():
        for part in of_content:
            if isinstance(part, list):
                cut += chunks(content, specs, table.schema, part, form)
            elif specs[part.lies_by].id != part.spec_id:
                return None
            else:
                cut.append(part)
    made = iter(manifests_kept(place, table.schema, [part for part in cut if isinstance(part, Chunk)]))
    return [next(made) if isinstance(part, Chunk) else part for part in cut]


def _lies_by(part: StoredManifest | list[Item]) -> SpecKey:
    return data_of(part[0]).lies_by if isinstance(part, list) else part.lies_by


@dataclass(slots=True)
class _Reader:
    """Reads items of one content: of ranges, once."""

    place: Place
    snapshot: Snapshot
    table: TableState
    form: int
    content: int
    _ranges: list[Range] = field(default_factory=list)
    _items: dict[SpecKey, list[Item]] = field(default_factory=dict)

    def parts(self, before: Sequence[StoredManifest], keys: Collection[Key]) -> Parts:
        groups: dict[SpecKey, list[StoredManifest]] = {}
        for manifest in before:
            if manifest.content == self.content:
                groups.setdefault(manifest.lies_by, []).append(manifest)
        changed = {lies_by: changed_places(group, keys) for lies_by, group in groups.items()}
        # Files of a specification that no manifest has yet are among the changed ones.
        alone = [((version, file_id), (version, file_id + 1)) for version, file_id in keys]
        around = [range_of(groups[lies_by], at) for lies_by, places in changed.items() for at in places]
        self._ranges = ranges_joined([*alone, *around])
        self._items = self._read(self._ranges)
        parts: Parts = []
        for lies_by in sorted(set(groups) | set(self._items)):
            if lies_by in groups:
                parts += regrouped(groups[lies_by], set(changed[lies_by]), partial(self._load, lies_by))
            else:
                parts.append(self._items[lies_by])
        return [part for part in parts if part != []]

    def _load(self, lies_by: SpecKey, low: Key, high: Key) -> Sequence[Item]:
        if any(first <= low and high <= last for first, last in self._ranges):
            items = self._items.get(lies_by, [])
            keys = [_key(item) for item in items]
            return items[bisect_left(keys, low) : bisect_left(keys, high)]
        return self._read([(low, high)]).get(lies_by, [])

    def _read(self, ranges: Sequence[Range]) -> dict[SpecKey, list[Item]]:
        """The items by specification, in order of their keys."""
        if not ranges:
            return {}
        schema = self.table.schema
        shown = files_within(self.snapshot, self.table.table_id, ranges, only_marked=self.content == DELETES)
        schemas = definitions_load({segment.definition_id for segment in shown})
        files_can_be_shown(schema, shown, schemas, defaults_of(schema, self.form))
        data = [listed_file(self.place.warehouse, file, schemas[file.definition_id], schema) for file in shown]
        items: Sequence[Item] = data if self.content == DATA else deletes_kept(self.place, shown, data, self.form)
        found: dict[SpecKey, list[Item]] = {}
        for item in sorted(items, key=_key):
            found.setdefault(data_of(item).lies_by, []).append(item)
        return found


def _key(item: Item) -> Key:
    data = data_of(item)
    return data.version, data.file_id
