"""Files that a source's rows lie in and that never came to the destination, although it knows the operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

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
    rows = fetch_all(_MAKERS, {**source.parameters, "files": files, "kinds": kinds})
    return effects_load(
        [
            Operation(OperationKind(kind), ObjectKind.TABLE, table_id, version=version, operation_id=identifier)
            for identifier, kind, table_id, version in rows
        ]
    )
