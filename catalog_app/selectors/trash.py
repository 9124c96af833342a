"""Dropped databases and tables that UNDROP can bring back, as a branch sees them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.attribute_facts import newest_attributes
from catalog_app.selectors.objects import VISIBLE, databases_load, databases_named, tables_named
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot


def kept_until(dropped_at: datetime) -> datetime:
    """When VACUUM may first remove what was dropped then."""
    return dropped_at + timedelta(days=settings.LAKEUI["RETENTION_DAYS"])


@dataclass(frozen=True, slots=True)
class DroppedObject:
    """A database or a table that was dropped. ``branch`` and ``version`` are those of the commit that dropped it.

    ``tables`` come back with a database; it is 0 of a table. ``needs_database``: the table's database was dropped too,
    and comes back first. ``name_taken``: another object has the name now, so it comes back under another one.
    """

    kind: ObjectKind
    object_id: int
    database: str
    table: str
    branch: str
    version: int
    dropped_at: datetime
    author: str
    operation: str
    statement: str
    tables: int
    needs_database: bool
    name_taken: bool


@dataclass(frozen=True, slots=True)
class _Drop:
    """The newest record of an object, which says that it is gone."""

    kind: ObjectKind
    object_id: int
    database_id: int
    name: str
    branch_id: int
    version: int

    @property
    def key(self) -> tuple[int, str, int]:
        return (-self.version, self.kind.value, self.object_id)


_RECORDS = f"""
    SELECT * FROM (
        SELECT DISTINCT ON (r.{{identity}})
               r.{{identity}} AS id, r.database_id, r.name, r.branch_id, r.version, r.is_dropped
        FROM snapshot l JOIN catalog_app_{{table}} r ON {VISIBLE}
        ORDER BY r.{{identity}}, l.depth
    ) {{kind}}
"""

_DROPS = f"""
WITH {SNAPSHOT}, record AS (
    SELECT 'database' AS kind, * FROM ({_RECORDS.format(identity="database_id", table="databaserecord", kind="d")}) d
    UNION ALL
    SELECT 'table', * FROM ({_RECORDS.format(identity="table_id", table="tablerecord", kind="t")}) t
)
SELECT record.kind, record.id, record.database_id, record.name, record.branch_id, record.version
FROM record JOIN catalog_app_branch b ON b.id = record.branch_id
WHERE record.is_dropped AND record.version > b.oldest_version
"""

_COMMITS = """
SELECT c.branch_id, c.version, b.name, c.committed_at, c.author_name, c.operation, c.statement
FROM unnest(%(branches)s::bigint[], %(versions)s::bigint[]) AS wanted(branch_id, version)
JOIN catalog_app_commit c USING (branch_id, version) JOIN catalog_app_branch b ON b.id = c.branch_id
"""


def trash_list(
    snapshot: Snapshot, *, after: tuple[int, str, int] | None = None, search: str = "", limit: int
) -> list[DroppedObject]:
    """The dropped objects, the last dropped first. Tables that went with their database are not listed beside it.

    ``after`` is the ``trash_key`` that the list begins behind, ``search`` a part of the full name.
    """
    rows = fetch_all(_DROPS, snapshot.parameters)
    drops = [_Drop(ObjectKind(row[0]), *row[1:]) for row in rows]
    gone = {drop.database_id for drop in drops if drop.kind is ObjectKind.DATABASE}
    members = _gone_with_their_database(snapshot, drops, gone)
    names = _database_names(snapshot, drops)
    wanted = search.casefold()
    found = sorted(
        (
            drop
            for drop in drops
            if (drop.kind, drop.object_id) not in members
            and (after is None or drop.key > after)
            and wanted in _label(drop, names).casefold()
        ),
        key=lambda drop: drop.key,
    )[:limit]
    counts = Counter(members.values())
    return _described(snapshot, found, names, gone, counts)


def trash_key(entry: DroppedObject) -> tuple[int, str, int]:
    """What the list is sorted by."""
    return (-entry.version, entry.kind.value, entry.object_id)


def _gone_with_their_database(
    snapshot: Snapshot, drops: Sequence[_Drop], gone: set[int]
) -> dict[tuple[ObjectKind, int], int]:
    """The database of each table that is gone with it alone: its own facts say that it exists (lineage R4)."""
    inside = [drop for drop in drops if drop.kind is ObjectKind.TABLE and drop.database_id in gone]
    facts = newest_attributes(snapshot, [(drop.kind, drop.object_id) for drop in inside]) if inside else {}
    members = {}
    for drop in inside:
        exists = facts.get((drop.kind, drop.object_id), {}).get("exists")
        if exists is not None and exists.value:
            members[drop.kind, drop.object_id] = drop.database_id
    return members


def _database_names(snapshot: Snapshot, drops: Sequence[_Drop]) -> Mapping[int, str]:
    states = databases_load(snapshot, {drop.database_id for drop in drops})
    return {database_id: state.name for database_id, state in states.items()}


def _label(drop: _Drop, names: Mapping[int, str]) -> str:
    return drop.name if drop.kind is ObjectKind.DATABASE else f"{names[drop.database_id]}.{drop.name}"


def _described(
    snapshot: Snapshot, drops: Sequence[_Drop], names: Mapping[int, str], gone: set[int], counts: Mapping[int, int]
) -> list[DroppedObject]:
    if not drops:
        return []
    places = {"branches": [drop.branch_id for drop in drops], "versions": [drop.version for drop in drops]}
    commits = {(row[0], row[1]): row[2:] for row in fetch_all(_COMMITS, places)}
    tables = [(drop.database_id, drop.name) for drop in drops if drop.kind is ObjectKind.TABLE]
    valid = {(state.database_id, state.name.casefold()) for state in tables_named(snapshot, tables).values()}
    databases = [drop.name for drop in drops if drop.kind is ObjectKind.DATABASE]
    named = {state.name.casefold() for state in databases_named(snapshot, databases).values()}
    described = []
    for drop in drops:
        is_table = drop.kind is ObjectKind.TABLE
        branch, time, author, operation, statement = commits[drop.branch_id, drop.version]
        key = drop.name.casefold()
        described.append(
            DroppedObject(
                kind=drop.kind,
                object_id=drop.object_id,
                database=names[drop.database_id],
                table=drop.name if is_table else "",
                branch=branch,
                version=drop.version,
                dropped_at=time,
                author=author,
                operation=operation,
                statement=statement,
                tables=0 if is_table else counts.get(drop.object_id, 0),
                needs_database=is_table and drop.database_id in gone,
                name_taken=(drop.database_id, key) in valid if is_table else key in named,
            )
        )
    return described
