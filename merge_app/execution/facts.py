"""File-level facts of the tables whose cells look at files or at nullability, in one query per kind of fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile, ObjectKind
from catalog_app.domain.row_merge import NO_SWEEPS
from catalog_app.domain.schema import Column
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.arrived import arrived_load, shown_load
from merge_app.execution.coverage import coverage_load
from merge_app.execution.divergence import (
    diverged_load,
    left_load,
    left_over_load,
    moved_load,
    unseen_load,
    written_load,
)
from merge_app.execution.keys import key_clashes
from merge_app.execution.left_values import left_values_load
from merge_app.execution.masks import masked_otherwise_load, masks_load, rewritten_masks_load
from merge_app.execution.row_merges import rows_judge, sweeps_load
from merge_app.planning.files import effects_of, is_rewrite, moves_partitions
from merge_app.planning.sides import sides_of
from merge_app.planning.values import DivergedFile, FactKind, PlanInput, TableFacts

_PARTITIONS = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS})
SELECT v.table_id, v.partition, sum(f.rows) FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id
GROUP BY v.table_id, v.partition
"""


_PARTITION_OF = "SELECT table_id, id, partition FROM catalog_app_datafile WHERE id = ANY(%(files)s)"


def facts_load(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    wanted: Mapping[int, set[FactKind]],
    arrived: Mapping[int, Collection[int]],
    lacking: Mapping[int, Mapping[str, Collection[Column]]],
    engine: EngineSource,
) -> Mapping[int, TableFacts]:
    """The facts that each table needs. ``arrived``: by table, the files that the source merged after overwrites.
    ``lacking``: by table and side, the columns that the merged table lacks.
    """
    diverged = diverged_load(planned, source, destination, _needing(wanted, FactKind.SOURCE_EFFECTS))
    left = left_load(planned, source, destination, _needing(wanted, FactKind.SOURCE_EFFECTS))
    left_over = left_over_load(planned, source, destination, _needing(wanted, FactKind.SOURCE_EFFECTS))
    written = written_load(destination, left_over)
    unseen = unseen_load(planned, destination, _needing(wanted, FactKind.SOURCE_EFFECTS))
    spared = arrived_load(planned, destination, arrived)
    shown = shown_load(source, spared)
    moved = moved_load(planned, source, destination, _needing(wanted, FactKind.MOVED_ROWS))
    masks = masks_load(planned, source, destination, _needing(wanted, FactKind.SOURCE_EFFECTS), diverged, moved)
    rewritten = rewritten_masks_load(planned, source, _needing(wanted, FactKind.SOURCE_EFFECTS))
    otherwise = masked_otherwise_load(planned, source, destination, _needing(wanted, FactKind.SOURCE_EFFECTS))
    replaced = _replaced_by_key(planned, diverged, left_over)
    strict = _needing(wanted, FactKind.COVERAGE)
    partitions = _partitions(destination, _needing(wanted, FactKind.PARTITIONS))
    placed = _partition_of(planned, _needing(wanted, FactKind.SOURCE_EFFECTS))
    coverage = coverage_load(planned, source, destination, strict, diverged, spared, masks, engine)
    keyed = _needing(wanted, FactKind.PRIMARY_KEYS)
    sweeps = sweeps_load(planned, source, destination, _needing(wanted, FactKind.ROWS))
    judged = rows_judge(planned, source, destination, sweeps, engine)
    left_values = left_values_load(planned, source, destination, lacking, engine)
    found = {
        table_id: TableFacts(
            diverged=diverged.get(table_id, ()),
            arrived=spared.get(table_id, ()),
            shown=shown.get(table_id, frozenset()),
            coverage=coverage.get(table_id, ()),
            destination_partitions=partitions.get(table_id, {}),
            masks=masks.get(table_id, {}),
            moved=moved.get(table_id, {}),
            partition_of=placed.get(table_id, {}),
            left_in=left.get(table_id, ()),
            left_over=left_over.get(table_id, ()),
            written=written.get(table_id, frozenset()),
            unseen=unseen.get(table_id, frozenset()),
            masked_otherwise=otherwise.get(table_id, frozenset()) | replaced.get(table_id, frozenset()),
            rewritten_masks=rewritten.get(table_id, {}),
            rows=judged.get(table_id),
            sweeps=sweeps.get(table_id, NO_SWEEPS),
            left_values=left_values.get(table_id, ()),
        )
        for table_id in wanted
    }
    clashes = key_clashes(planned, source, destination, keyed, found, engine)
    return {
        table_id: replace(facts, primary_key_clashes=clashes.get(table_id, ())) for table_id, facts in found.items()
    }


def _needing(wanted: Mapping[int, set[FactKind]], kind: FactKind) -> frozenset[int]:
    return frozenset(table_id for table_id, kinds in wanted.items() if kind in kinds)


def _replaced_by_key(
    planned: PlanInput, diverged: Mapping[int, Sequence[DivergedFile]], left_over: Mapping[int, Sequence[AddedFile]]
) -> dict[int, frozenset[int]]:
    """Of tables with a key, the files of partitions that the source renamed which the destination took away, where it
    wrote others under the old name: a merge by key left the source its own.
    """
    return {
        table_id: frozenset(
            item.file.file_id
            for item in diverged.get(table_id, ())
            if not item.holders and item.file.partition in {left.partition for left in files}
        )
        for table_id, files in left_over.items()
        if files and planned.tables[table_id].schema.is_keyed
    }


def _partition_of(planned: PlanInput, tables: frozenset[int]) -> dict[int, dict[int, PartitionValues]]:
    source = sides_of(planned).source
    histories = [source[key].history for key in ((ObjectKind.TABLE, table_id) for table_id in tables) if key in source]
    moving = [history for history in histories if any(moves_partitions(item) for item in history)]
    rewrites = (item for history in moving for item in history if is_rewrite(item))
    files = {file_id for item in rewrites for file_id in effects_of(item).removed}
    found: dict[int, dict[int, PartitionValues]] = defaultdict(dict)
    for table_id, file_id, values in fetch_all(_PARTITION_OF, {"files": list(files)}) if files else ():
        found[table_id][file_id] = tuple(json_value(values))
    return found


def _partitions(snapshot: Snapshot, tables: frozenset[int]) -> dict[int, dict[PartitionValues, int]]:
    found: dict[int, dict[PartitionValues, int]] = defaultdict(dict)
    if tables:
        for table_id, values, rows in fetch_all(_PARTITIONS, {**snapshot.parameters, "table_ids": list(tables)}):
            found[table_id][tuple(json_value(values))] = int(rows)
    return found
