"""Files that only one side shows although both know the operations that made and removed them: a merge discarded
images or skipped a compaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.selectors.lineage import LINEAGE, Lineage
from catalog_app.selectors.rows import fetch_all
from merge_app.execution.operations import effects_load

_NEVER_SHOWN = f"""
WITH {LINEAGE}
SELECT f.id FROM unnest(%(files)s::bigint[]) AS f(id) WHERE NOT EXISTS (
    SELECT 1 FROM lineage l JOIN catalog_app_segment s
      ON s.file_id = f.id AND s.branch_id = l.branch_id AND s.added_version <= l.max_version)
"""

_MAKERS = f"""
WITH {LINEAGE}
SELECT DISTINCT o.id, o.kind, o.object_id, o.version FROM lineage l JOIN catalog_app_segment s
  ON s.file_id = ANY(%(files)s) AND s.branch_id = l.branch_id AND s.added_version <= l.max_version
JOIN catalog_app_commitoperation o ON o.id = s.operation_id
WHERE o.kind = ANY(%(kinds)s) ORDER BY o.id
"""

_REWRITERS = f"""
WITH {LINEAGE}
SELECT DISTINCT o.id, o.kind, o.object_id, o.version FROM lineage l JOIN catalog_app_segmentremoval r
  ON r.table_id = ANY(%(tables)s) AND r.branch_id = l.branch_id AND r.removed_version <= l.max_version
JOIN catalog_app_segment s ON s.id = r.segment_id AND s.file_id = ANY(%(files)s)
JOIN catalog_app_commitoperation o ON o.id = r.operation_id
WHERE o.kind = ANY(%(kinds)s) ORDER BY o.id
"""

_DERIVING = (OperationKind.UPDATE, OperationKind.COMPACTION, OperationKind.PARTITION)


def held_back_load(
    operations: Sequence[Operation], source: Lineage | None, destination: Lineage
) -> Mapping[int, tuple[Operation, ...]]:
    """By table: the source's earlier operations that made such files of others, oldest first, with their effects.

    An earlier merge discarded their images or skipped their compaction. ``operations`` are the source's own.
    """
    found: dict[int, Operation] = {}
    touching = [item for item in operations if item.operation_id is not None]
    while source is not None and touching:
        own = {file.file_id for item in touching if item.effects for file in item.effects.added}
        own |= {file.file_id for item in operations if item.effects for file in item.effects.added}
        touched = {file_id for item in touching if item.effects for file_id in item.effects.touched} - own
        touching = [
            item for item in _makers(source, _never_shown(destination, touched)) if item.operation_id not in found
        ]
        found.update({item.operation_id: item for item in touching if item.operation_id is not None})
    return _by_table(found)


def rewritten_load(
    operations: Sequence[Operation], known: Sequence[Operation], destination: Lineage
) -> Mapping[int, tuple[Operation, ...]]:
    """By table: rewrites on the destination, besides those ``known``, of files that the source's ``operations``
    touched, and of what they were rewritten into; oldest first, with their effects.
    """
    found: dict[int, Operation] = {}
    passed = {item.operation_id for item in known}
    tables = {item.object_id for item in operations if item.effects}
    files = {file_id for item in operations if item.effects for file_id in item.effects.touched}
    files -= {file.file_id for item in operations if item.effects for file in item.effects.added}
    while files:
        kinds = [OperationKind.COMPACTION.value, OperationKind.PARTITION.value]
        parameters = {**destination.parameters, "tables": list(tables), "files": list(files), "kinds": kinds}
        made = _operations(fetch_all(_REWRITERS, parameters))
        new = [item for item in made if item.operation_id not in found and item.operation_id not in passed]
        found.update({item.operation_id: item for item in new if item.operation_id is not None})
        files = {file.file_id for item in new if item.effects for file in item.effects.added}
    return _by_table(found)


def _by_table(found: Mapping[int, Operation]) -> dict[int, tuple[Operation, ...]]:
    by_table: dict[int, list[Operation]] = defaultdict(list)
    for _, item in sorted(found.items()):
        by_table[item.object_id].append(item)
    return {table_id: tuple(items) for table_id, items in by_table.items()}


def _never_shown(destination: Lineage, files: Collection[int]) -> list[int]:
    if not files:
        return []
    return [row[0] for row in fetch_all(_NEVER_SHOWN, {**destination.parameters, "files": list(files)})]


def _makers(source: Lineage, files: Sequence[int]) -> tuple[Operation, ...]:
    if not files:
        return ()
    kinds = [kind.value for kind in _DERIVING]
    return _operations(fetch_all(_MAKERS, {**source.parameters, "files": files, "kinds": kinds}))


def _operations(rows: Sequence[tuple[Any, ...]]) -> tuple[Operation, ...]:
    return effects_load(
        [
            Operation(OperationKind(kind), ObjectKind.TABLE, table_id, version=version, operation_id=identifier)
            for identifier, kind, table_id, version in rows
        ]
    )
