"""The tombstones of a table that count at a version of a branch: those that its version vector knows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

import pyarrow as pa

from catalog_app.models import Branch, DeletedKeys
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.services.deleted_keys import deleted_keys_unpack
from merge_app.execution.version_vectors import VersionVector, version_vector_load
from merge_app.lineage.deleted_keys import Place, Replacement, counting, newest

_KNOWN = """
SELECT d.branch_id, d.version, d.id, d.columns, d.restores
FROM unnest(%(branches)s::bigint[], %(versions)s::bigint[]) AS r(branch_id, version)
JOIN catalog_app_deletedkeys d
  ON d.table_id = %(table)s AND d.branch_id = r.branch_id AND d.version <= r.version
WHERE %(since)s::timestamptz IS NULL OR d.kept_at >= %(since)s::timestamptz
"""
_TABLES = """
SELECT DISTINCT d.table_id
FROM unnest(%(branches)s::bigint[], %(versions)s::bigint[]) AS r(branch_id, version)
JOIN catalog_app_deletedkeys d ON d.branch_id = r.branch_id AND d.version <= r.version
"""
_CONTENT = "SELECT content FROM catalog_app_deletedkeys WHERE id = ANY(%(ids)s) ORDER BY id"
# What a merge replays is where it was made; what a transaction did is what its commit did. A restore says it itself.
# Of one branch the newest knew the others.
_REPLACEMENTS = """
SELECT DISTINCT ON (o.branch_id) o.branch_id, o.version, o.origin_branch_id, o.origin_version
FROM unnest(%(branches)s::bigint[], %(versions)s::bigint[]) AS r(branch_id, version)
JOIN catalog_app_commitoperation o
  ON o.object_kind = 'table' AND o.object_id = %(table)s AND o.branch_id = r.branch_id AND o.version <= r.version
WHERE o.kind = 'overwrite' AND o.overwrite->>'partitions' IS NULL AND NOT o.already_done
  AND NOT o.metrics ? 'restored_version'
  AND (o.origin_id IS NULL OR (o.origin_branch_id, o.origin_version) = (o.branch_id, o.version))
ORDER BY o.branch_id, o.version DESC
"""


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Where a commit has some, in which row, and by which columns. ``restores``: it has none, but went back there."""

    place: Place
    identity: int
    columns: tuple[str, ...]
    restores: int | None = None


def tombstones_find(snapshot: Snapshot, table_id: int, *, since: datetime | None = None) -> list[Tombstones]:
    """Those that count at the head of the chain and were kept ``since`` then."""
    return _Finding(table_id).found(snapshot, since)


def tombstones_read(found: Iterable[Tombstones]) -> list[pa.Table]:
    """Their rows: digests of keys and watermarks, as texts."""
    rows = fetch_all(_CONTENT, {"ids": [item.identity for item in found]})
    return [deleted_keys_unpack(bytes(content)) for (content,) in rows]


def tombstones_came(seen: Snapshot, current: Snapshot, table_id: int) -> bool:
    """Whether the table has some at ``current`` that a statement which saw ``seen`` does not know."""
    before = version_vector_load(seen)
    return any(
        before.get(branch, 0) < version for branch, version in _places(_known(version_vector_load(current), table_id))
    )


def tombstones_made(head: Snapshot) -> dict[int, list[Tombstones]]:
    """By table those that the chain's own branch made and that count at its head."""
    own = head.branch_ids[0]
    made = DeletedKeys.objects.filter(branch_id=own, restores__isnull=True).values_list("table_id", flat=True)
    return {
        table_id: [item for item in tombstones_find(head, table_id) if item.place[0] == own]
        for table_id in made.distinct()
    }


def tables_with_other_tombstones(then: Snapshot, now: Snapshot, tables: Collection[int] | None) -> frozenset[int]:
    """Those of the tables, None: of all, of which others count at the one version than at the other."""
    have_some = {table_id for (table_id,) in fetch_all(_TABLES, _parameters(version_vector_load(now)))}
    return frozenset(
        table_id
        for table_id in (have_some if tables is None else have_some.intersection(tables))
        if _places(tombstones_find(then, table_id)) != _places(tombstones_find(now, table_id))
    )


def _places(found: Iterable[Tombstones]) -> frozenset[Place]:
    return frozenset(item.place for item in found)


def _known(version_vector: VersionVector, table_id: int, since: datetime | None = None) -> list[Tombstones]:
    found = fetch_all(_KNOWN, {**_parameters(version_vector), "table": table_id, "since": since}, prepared=True)
    return [Tombstones((branch, version), row, tuple(columns), to) for branch, version, row, columns, to in found]


def _parameters(version_vector: VersionVector) -> dict[str, list[int]]:
    return {"branches": list(version_vector), "versions": list(version_vector.values())}


@dataclass(frozen=True, slots=True)
class _Finding:
    """Finds those of a table. A restore may go back to another one: each version is looked at once, and of what
    replaced all rows only what nothing later knew.
    """

    table_id: int
    _seen: dict[Snapshot, frozenset[Place]] = field(default_factory=dict)

    def found(self, snapshot: Snapshot, since: datetime | None = None) -> list[Tombstones]:
        version_vector = version_vector_load(snapshot)
        known = _known(version_vector, self.table_id, since)
        kept = [item for item in known if item.restores is None]
        if not kept:
            return []
        # A restore of a transaction comes after what overwrote the table in it.
        origins = self._replaced(version_vector) | _restored(known)
        replaced = [Replacement(place, version_vector_load(_chain(place))) for place in origins]
        replacements = [replace(item, keeps=self._keeps(origins[item.place])) for item in newest(replaced)]
        wanted = counting({item.place for item in kept}, replacements)
        return [item for item in kept if item.place in wanted]

    def _replaced(self, version_vector: VersionVector) -> dict[Place, Snapshot | None]:
        """By place of an overwrite what keeps counting: of what a decision took from the source, what counts there."""
        found = fetch_all(_REPLACEMENTS, {**_parameters(version_vector), "table": self.table_id})
        origins = (((branch, version), (of, at)) for branch, version, of, at in found)
        return {place: None if place == origin else _chain(origin) for place, origin in origins}

    def _keeps(self, origin: Snapshot | None) -> frozenset[Place]:
        if origin is None:
            return frozenset()
        if origin not in self._seen:
            self._seen[origin] = _places(self.found(origin))
        return self._seen[origin]


def _restored(known: Iterable[Tombstones]) -> dict[Place, Snapshot | None]:
    """By place of a restore the version that it went back to. Of one branch the newest knew the others."""
    restores = sorted((item.place, item.restores) for item in known if item.restores is not None)
    last = {place[0]: (place, version) for place, version in restores}
    return {place: _chain(place).at(version) for place, version in last.values()}


def _chain(place: Place) -> Snapshot:
    branch, version = place
    return branch_snapshot(Branch.objects.get(pk=branch)).at(version)
