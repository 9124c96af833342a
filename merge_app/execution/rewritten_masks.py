"""Deletes that merges attached to files which the source had compacted (see ``TableFacts.rewritten_masks``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.rows import fetch_all
from merge_app.execution.reach import newest_merge
from merge_app.planning.files import effects_of, is_rewrite
from merge_app.planning.values import PlanInput

_MASKS = """
SELECT DISTINCT f.table_id, f.data_file_id, f.id
FROM unnest(%(branches)s::bigint[], %(limits)s::bigint[]) AS c(branch_id, max_version)
JOIN catalog_app_segmentdelete d
  ON d.branch_id = c.branch_id AND d.table_id = ANY(%(tables)s) AND d.attached_version <= c.max_version
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE f.data_file_id = ANY(%(files)s) AND NOT d.operation_id = ANY(%(own)s)
ORDER BY f.table_id, f.data_file_id, f.id
"""


def rewritten_masks_load(
    planned: PlanInput, source: Lineage | None, tables: Collection[int]
) -> dict[int, Mapping[int, tuple[int, ...]]]:
    """By table, for an input with file effects. No query where the source merged nothing after it rewrote a file."""
    rewrites = [
        item
        for item in planned.source
        if item.object_kind is ObjectKind.TABLE and item.object_id in tables and is_rewrite(item)
    ]
    if source is None or not rewrites or newest_merge(source) < min(item.version for item in rewrites):
        return {}
    parameters = {
        "branches": list(source.branch_ids),
        "limits": list(source.limits),
        "tables": list({item.object_id for item in rewrites}),
        "files": [made.file_id for item in rewrites for made in effects_of(item).added],
        "own": [item.operation_id for item in planned.source],
    }
    found: dict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for table_id, file_id, delete_id in fetch_all(_MASKS, parameters):
        found[table_id][file_id] = (*found[table_id].get(file_id, ()), delete_id)
    return dict(found)
