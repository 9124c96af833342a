"""The rows of a cloned table: its source's files under the same paths, row ids and positions. No file is written.

The clone is a table of its own, so it has rows of its own for files, deletes and schema versions. Every live row is
inserted by the clone's commit: what the files store of earlier commits says nothing in this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catalog_app.domain.operations import ObjectKind, OperationKind
from catalog_app.models import SchemaDefinition
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from catalog_app.services.deleted_keys import COPIED, deleted_keys_copy
from lakeui.common.errors import Stale
from merge_app.execution.deleted_keys import tombstones_find
from merge_app.execution.record import Recorded


@dataclass(frozen=True, slots=True)
class TableClone:
    """What a new table begins with: the rows of the table ``source_id`` as the snapshot shows them."""

    source_id: int
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class _Target:
    """The commit, and the definition that the new table has in it."""

    table_id: int
    branch_id: int
    version: int
    operation_id: int
    definition_id: int


def clones_apply(
    clones: Mapping[int, TableClone],
    *,
    branch_id: int,
    version: int,
    recorded: Recorded,
    definitions: Mapping[int, int],
) -> None:
    """Give new tables the files of their sources, and what COPY INTO had loaded there. ``definitions``: by new table
    the id of its definition. VACUUM of the source's catalog waits until the commit is made.
    """
    for table_id, clone in clones.items():
        loaded = (item for item in tombstones_find(clone.snapshot, clone.source_id) if list(item.columns) == COPIED)
        deleted_keys_copy([item.identity for item in loaded], table_id=table_id, branch_id=branch_id, version=version)
        inserted = (row for item, row in recorded[ObjectKind.TABLE, table_id] if item.kind is OperationKind.INSERT)
        operation_id = next(inserted, None)
        if operation_id is not None:
            target = _Target(table_id, branch_id, version, operation_id, definitions[table_id])
            _vacuum_hold_off(clone)
            _files_share(target, clone, _definitions_copy(target, clone))


_HOLD_OFF = """
SELECT c.id FROM catalog_app_catalog c JOIN catalog_app_table t ON t.catalog_id = c.id
WHERE t.id = %(table)s FOR KEY SHARE OF c
"""

_EXPIRED = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS})
SELECT e.path FROM visible v JOIN catalog_app_expiredfile e ON e.data_file_id = v.file_id LIMIT 1
"""


def _vacuum_hold_off(clone: TableClone) -> None:
    """What has not expired now does not until the commit is made. Raises Stale where something has."""
    fetch_all(_HOLD_OFF, {"table": clone.source_id})
    gone = fetch_all(_EXPIRED, {**clone.snapshot.parameters, "table_ids": [clone.source_id]})
    if gone:
        raise Stale(
            f"The file {gone[0][0]} expired while the table was cloned; nothing was written.",
            remedy="Clone a version within the retention.",
        )


_USED = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS})
SELECT DISTINCT v.definition_id, v.schema_version, d.content = here.content, d.content
FROM visible v JOIN catalog_app_schemadefinition d ON d.id = v.definition_id
JOIN catalog_app_schemadefinition here ON here.id = %(definition)s
ORDER BY v.schema_version, v.definition_id
"""

_KEEP = """
INSERT INTO catalog_app_invisibleschemahistory (branch_id, table_id, version, definition_id, added_version)
SELECT DISTINCT %(branch)s, %(table)s, w.version, w.definition_id, %(added)s
FROM unnest(%(versions)s::bigint[], %(definitions)s::bigint[]) AS w(version, definition_id)
RETURNING id
"""

_Definitions = list[tuple[int, int, int, int, bool]]


def _definitions_copy(target: _Target, clone: TableClone) -> _Definitions:
    """Of each schema version under which a shown file was written: definition and version there, and definition,
    version and ``is_visible`` here. What differs from the clone's own serves to decode alone.
    """
    asked = {**clone.snapshot.parameters, "table_ids": [clone.source_id], "definition": target.definition_id}
    found: _Definitions = []
    others: dict[int, int] = {}
    for definition_id, schema_version, is_same, content in fetch_all(_USED, asked):
        if is_same:
            found.append((definition_id, schema_version, target.definition_id, target.version, True))
            continue
        if definition_id not in others:
            copied = SchemaDefinition.objects.create(table_id=target.table_id, content=json_value(content))
            others[definition_id] = copied.pk
        found.append((definition_id, schema_version, others[definition_id], schema_version, False))
    kept = [row for row in found if not row[4]]
    if kept:
        parameters = {"versions": [row[3] for row in kept], "definitions": [row[2] for row in kept]}
        owner = {"branch": target.branch_id, "table": target.table_id, "added": target.version}
        fetch_all(_KEEP, {**owner, **parameters})
    return found


_SHARE = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}),
definitions AS (
    SELECT * FROM unnest(%(old_definitions)s::bigint[], %(old_versions)s::bigint[], %(new_definitions)s::bigint[],
                         %(new_versions)s::bigint[], %(seen)s::boolean[])
        AS d(old_definition, old_version, definition_id, schema_version, is_visible)
), shown AS MATERIALIZED (
    SELECT v.id AS segment_id, v.partition AS lies_in, f.*, d.definition_id, d.schema_version, d.is_visible
    FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id
    JOIN definitions d ON d.old_definition = v.definition_id AND d.old_version = v.schema_version
), files AS (
    INSERT INTO catalog_app_datafile (table_id, path, base, rows, bytes, partition, layout, statistics, stores_row_ids,
                                      smallest_row_id, largest_row_id, stores_stamps, by_name, lacks_partition,
                                      created_at)
    SELECT %(table)s, path, base, rows, bytes, partition, layout, statistics, stores_row_ids, smallest_row_id,
           largest_row_id, false, by_name, lacks_partition, now()
    FROM shown ORDER BY segment_id
    RETURNING id, base
), segments AS (
    INSERT INTO catalog_app_segment
        (table_id, branch_id, operation_id, added_version, file_id, definition_id, schema_version, is_visible,
         stamp, kind, partition, partition_stamp, partition_kind)
    SELECT %(table)s, %(branch)s, %(operation)s, %(version)s, n.id, s.definition_id, s.schema_version, s.is_visible,
           %(version)s, 'insert', s.lies_in,
           CASE WHEN s.lies_in = s.partition THEN 0 ELSE %(version)s END,
           CASE WHEN s.lies_in = s.partition THEN '' ELSE 'move' END
    FROM shown s JOIN files n USING (base) ORDER BY s.segment_id
    RETURNING id, file_id
), masks AS (
    INSERT INTO catalog_app_deletefile (table_id, data_file_id, path, rows, bytes, created_at)
    SELECT DISTINCT ON (x.id) %(table)s, n.id, x.path, x.rows, x.bytes, now()
    FROM shown s JOIN files n USING (base)
    JOIN catalog_app_segmentdelete d ON d.segment_id = s.segment_id
    JOIN snapshot l ON l.branch_id = d.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile x ON x.id = d.delete_file_id
    ORDER BY x.id
    RETURNING id, data_file_id
)
INSERT INTO catalog_app_segmentdelete
    (table_id, branch_id, operation_id, attached_version, segment_id, delete_file_id, stamp, kind)
SELECT %(table)s, %(branch)s, %(operation)s, %(version)s, n.id, m.id, %(version)s, 'delete'
FROM masks m JOIN segments n ON n.file_id = m.data_file_id ORDER BY m.id
RETURNING id
"""
"""Bases are unique in a table, so they say which new file is which."""


def _files_share(target: _Target, clone: TableClone, definitions: _Definitions) -> None:
    names = ("old_definitions", "old_versions", "new_definitions", "new_versions", "seen")
    columns = {name: [row[place] for row in definitions] for place, name in enumerate(names)}
    owner = {
        "table": target.table_id,
        "branch": target.branch_id,
        "version": target.version,
        "operation": target.operation_id,
    }
    fetch_all(_SHARE, {**clone.snapshot.parameters, "table_ids": [clone.source_id], **owner, **columns})
