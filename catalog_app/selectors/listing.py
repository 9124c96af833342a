"""Pages of tables, segments and partitions, and sizes of tables: each one query that reads no more than the page."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.state import TableState
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table in a list. ``changed_version`` is of its last change of name, properties, comment or database."""

    table_id: int
    name: str
    name_key: str
    comment: str
    changed_version: int
    schema_version: int
    column_count: int
    has_primary_key: bool
    is_partitioned: bool


@dataclass(frozen=True, slots=True)
class TableSize:
    """Visible segments of a table, summed. ``rows`` are live rows: exact unless two delete files name the same row,
    which then counts as two deleted (A2). ``bytes`` are of data files.
    """

    rows: int = 0
    bytes: int = 0
    files: int = 0
    delete_files: int = 0
    deleted_rows: int = 0


@dataclass(frozen=True, slots=True)
class LastChange:
    """The newest commit of a chain that did something to a table; ``branch`` is where it was made."""

    version: int
    branch: str
    time: datetime
    operation: str
    author: str


@dataclass(frozen=True, slots=True)
class PartitionEntry:
    """One value of the partition columns. ``is_declared``: ADD PARTITION made it, rows or not. ``key`` orders them."""

    values: PartitionValues
    rows: int
    bytes: int
    files: int
    is_declared: bool
    key: str


_HELD = """
    r.branch_id = l.branch_id AND r.database_id = %(database)s AND r.version <= l.max_version
    AND (r.superseded_version IS NULL OR r.superseded_version > l.max_version) AND NOT r.is_dropped
"""
"""The records of valid tables that a branch of the chain holds at its version."""

_NEAREST = """
    (l.depth = 1 OR NOT EXISTS (
        SELECT 1 FROM snapshot n JOIN catalog_app_tablerecord q
          ON q.branch_id = n.branch_id AND q.table_id = r.table_id AND q.version <= n.max_version
        WHERE n.depth < l.depth))
"""
"""No nearer branch has a record of the same table; asked for each, as a page needs few."""

_MATCHING = f"""
WITH {SNAPSHOT}
SELECT DISTINCT page.name_key FROM snapshot l CROSS JOIN LATERAL (
    SELECT DISTINCT r.name_key FROM catalog_app_tablerecord r
    WHERE r.branch_id = l.branch_id AND r.database_id = %(database)s AND r.name_key > %(after)s
      AND strpos(r.name_key, %(search)s) > 0
    ORDER BY r.name_key LIMIT %(limit)s
) page ORDER BY page.name_key LIMIT %(limit)s
"""
"""Names that records ever bore: the index alone answers it, whatever the records say."""

NAMES_AT_ONCE = 1000

_TABLES = f"""
WITH {SNAPSHOT}
SELECT r.table_id, r.name, r.name_key, coalesce(r.properties ->> 'comment', r.comment), r.version, entry.version,
       jsonb_array_length(d.content -> 'columns'), jsonb_array_length(d.content -> 'primary_key') > 0,
       jsonb_array_length(d.content -> 'partition_by') > 0
FROM (
    SELECT page.* FROM snapshot l CROSS JOIN LATERAL (
        SELECT r.* FROM catalog_app_tablerecord r
        WHERE {_HELD} AND {_NEAREST} {{matching}} AND (r.name_key, r.table_id) > (%(after_name)s, %(after_id)s)
        ORDER BY r.name_key, r.table_id LIMIT %(limit)s
    ) page ORDER BY page.name_key, page.table_id LIMIT %(limit)s
) r
CROSS JOIN LATERAL (
    SELECT h.version, h.definition_id FROM snapshot l JOIN catalog_app_tableschemahistory h
      ON h.branch_id = l.branch_id AND h.table_id = r.table_id AND h.version <= l.max_version
    ORDER BY l.depth, h.version DESC LIMIT 1
) entry
JOIN catalog_app_schemadefinition d ON d.id = entry.definition_id
ORDER BY r.name_key, r.table_id
"""

_TABLE_COUNT = f"""
WITH {SNAPSHOT}, nearer AS MATERIALIZED (
    SELECT q.table_id, min(n.depth) AS depth FROM snapshot n JOIN catalog_app_tablerecord q
      ON q.branch_id = n.branch_id AND q.version <= n.max_version
    WHERE n.depth < (SELECT max(depth) FROM snapshot) GROUP BY q.table_id
)
SELECT count(*) FROM snapshot l JOIN catalog_app_tablerecord r ON {_HELD}
WHERE NOT EXISTS (SELECT 1 FROM nearer WHERE nearer.table_id = r.table_id AND nearer.depth < l.depth)
"""
"""All are counted, so what nearer branches have is gathered once."""


def tables_page(
    snapshot: Snapshot, database_id: int, *, search: str = "", after: tuple[str, int] | None = None, limit: int
) -> list[TableEntry]:
    """Valid tables of a database by name, behind the key ``after`` (name key and id)."""
    after_name, after_id = after or ("", 0)
    parameters = {
        **snapshot.parameters,
        "database": database_id,
        "search": search.casefold(),
        "after_name": after_name,
        "after_id": after_id,
        "limit": limit,
    }
    if not search:
        return _tables(parameters)
    found: list[TableEntry] = []
    for names in _names_matching(parameters):
        found += _tables({**parameters, "names": names, "limit": limit - len(found)})
        if len(found) >= limit:
            break
    return found


def _tables(parameters: Mapping[str, Any]) -> list[TableEntry]:
    query = _TABLES.format(matching="AND r.name_key = ANY(%(names)s)" if "names" in parameters else "")
    return [TableEntry(*row) for row in fetch_all(query, parameters)]


def _names_matching(parameters: Mapping[str, Any]) -> Iterator[list[str]]:
    """Names that hold the searched text, in order and in parts: few searches need a second one."""
    after = parameters["after_name"]
    while True:
        rows = fetch_all(_MATCHING, {**parameters, "after": after, "limit": NAMES_AT_ONCE})
        names = [row[0] for row in rows]
        if names:
            yield names
        if len(names) < NAMES_AT_ONCE:
            return
        after = names[-1]


def tables_count(snapshot: Snapshot, database_id: int) -> int:
    """How many valid tables a database has."""
    parameters = {**snapshot.parameters, "database": database_id}
    return int(fetch_all(_TABLE_COUNT, parameters)[0][0])


MASKS = """
    SELECT d.segment_id, count(*) AS files, sum(f.rows)::bigint AS rows
    FROM snapshot l JOIN catalog_app_segmentdelete d
      ON d.table_id = ANY(%(table_ids)s) AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id GROUP BY d.segment_id
"""
"""Per segment: the delete files that the chain in ``snapshot`` sees attached, and the rows that they name."""

_SIZES = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}), masks AS ({MASKS})
SELECT v.table_id, sum(greatest(f.rows - coalesce(m.rows, 0), 0))::bigint, sum(f.bytes)::bigint, count(*),
       coalesce(sum(m.files), 0)::bigint, sum(least(coalesce(m.rows, 0), f.rows))::bigint
FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id LEFT JOIN masks m ON m.segment_id = v.id
GROUP BY v.table_id
"""


def table_sizes(snapshot: Snapshot, table_ids: Collection[int]) -> dict[int, TableSize]:
    """Sizes of the tables that have segments, by id."""
    if not table_ids:
        return {}
    rows = fetch_all(_SIZES, {**snapshot.parameters, "table_ids": list(table_ids)})
    return {row[0]: TableSize(*row[1:]) for row in rows}


_LAST_CHANGES = f"""
WITH {SNAPSHOT}
SELECT t.id, c.version, b.name, c.committed_at, c.operation, c.author_name
FROM unnest(%(table_ids)s::bigint[]) t(id)
CROSS JOIN LATERAL (
    SELECT o.commit_id FROM snapshot l CROSS JOIN LATERAL (
        SELECT o.commit_id, o.version FROM catalog_app_commitoperation o
        WHERE o.object_kind = 'table' AND o.object_id = t.id AND o.branch_id = l.branch_id
          AND o.version <= l.max_version AND NOT o.already_done
        ORDER BY o.version DESC LIMIT 1
    ) o ORDER BY o.version DESC LIMIT 1
) o
JOIN catalog_app_commit c ON c.id = o.commit_id
JOIN catalog_app_branch b ON b.id = c.branch_id
"""


def last_changes(snapshot: Snapshot, table_ids: Collection[int]) -> dict[int, LastChange]:
    """The last change of each table, by id."""
    if not table_ids:
        return {}
    rows = fetch_all(_LAST_CHANGES, {**snapshot.parameters, "table_ids": list(table_ids)})
    return {row[0]: LastChange(*row[1:]) for row in rows}


_PARTITIONS = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}), masks AS ({MASKS}), held AS (
    SELECT v.partition, sum(greatest(f.rows - coalesce(m.rows, 0), 0))::bigint AS rows, sum(f.bytes)::bigint AS bytes,
           count(*) AS files
    FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id LEFT JOIN masks m ON m.segment_id = v.id
    GROUP BY v.partition
), declared AS (SELECT value::jsonb AS partition FROM unnest(%(declared)s::text[]) AS d(value))
SELECT partition, coalesce(h.rows, 0), coalesce(h.bytes, 0), coalesce(h.files, 0), d.partition IS NOT NULL,
       partition::text
FROM held h FULL JOIN declared d USING (partition)
WHERE partition::text > %(after)s ORDER BY partition::text LIMIT %(limit)s
"""

_PARTITION_COUNT = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS})
SELECT count(*) FROM (
    SELECT v.partition FROM visible v
    UNION SELECT value::jsonb FROM unnest(%(declared)s::text[]) AS d(value)
) p
"""


def declared_texts(table: TableState) -> list[str]:
    """The declared partitions of a table as JSON lists, as the two selectors below take them."""
    return [json.dumps(list(values)) for values in table.declared_partitions]


def partitions_page(
    snapshot: Snapshot, table_id: int, declared: Collection[str], *, after: str = "", limit: int
) -> list[PartitionEntry]:
    """Partitions that rows or declarations made, behind the key ``after``."""
    parameters = {
        **snapshot.parameters,
        "table_ids": [table_id],
        "declared": list(declared),
        "after": after,
        "limit": limit,
    }
    return [PartitionEntry(tuple(json_value(row[0])), *row[1:]) for row in fetch_all(_PARTITIONS, parameters)]


def partitions_count(snapshot: Snapshot, table_id: int, declared: Collection[str]) -> int:
    """How many partitions rows or declarations made."""
    parameters = {**snapshot.parameters, "table_ids": [table_id], "declared": list(declared)}
    return int(fetch_all(_PARTITION_COUNT, parameters)[0][0])
