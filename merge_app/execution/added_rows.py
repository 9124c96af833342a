"""The rows that one side added or updated since base and still has: what keys and A6.2 are judged on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from catalog_app.domain.files import FileScan
from catalog_app.domain.operations import ObjectKind, Operation
from catalog_app.domain.state import TableState
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.segments import files_load
from merge_app.execution.operations import effects_load
from merge_app.planning.files import SideFiles, effects_of, is_rewrite

EngineSource = Callable[[], RowEngine]
"""Gives the engine when a plan needs it; most plans do not."""


def added_rows_load(
    table_id: int,
    operations: Sequence[Operation],
    lineage: Lineage | None,
    table: TableState | None,
    engine: EngineSource,
    *,
    further_deletes: Collection[int] = (),
) -> tuple[FileScan, ...]:
    """The files that inserts, updates and overwrites of the side wrote, each masked down to the rows that the side
    still has. Compactions and renamed partitions bring no rows: of what they rewrote the files written first count.

    ``lineage`` and ``table`` are the side's; a statement has no lineage, its files lie under the schema of ``table``.
    ``further_deletes`` are delete files that mask them besides the side's own.
    """
    history = effects_load([o for o in operations if o.object_kind is ObjectKind.TABLE and o.object_id == table_id])
    side = SideFiles(history)
    written = [item.file_id for o in history if not is_rewrite(o) for item in effects_of(o).added]
    later = {file_id: side.rewritten_into(file_id) for file_id in dict.fromkeys(written) if side.stand_ins(file_id)}
    wanted = {file_id for chain in later.items() for file_id in (chain[0], *chain[1])}
    if not wanted:
        return ()
    chains = [] if lineage is None else [lineage]
    schema = table.schema if table else None
    scans = files_load(table_id, wanted, chains, staged_schema=schema, staged_deletes=further_deletes)
    return tuple(
        _as_left(table_id, scans[file_id], [(scans[other], other in side.removed) for other in others], side, engine)
        for file_id, others in later.items()
    )


def _as_left(
    table_id: int,
    file: FileScan,
    rewritten: Sequence[tuple[FileScan, bool]],
    side: SideFiles,
    engine: EngineSource,
) -> FileScan:
    """The file masked also by what was deleted from the files that its rows were rewritten into."""
    for other, is_removed in rewritten:
        whole = is_removed and not is_rewrite(side.removed[other.file_id])
        if whole or other.delete_paths:
            paths = () if whole else other.delete_paths
            staged = engine().follow_deletes(table_id, paths, other, [file], spared_paths=())
            file = replace(file, delete_paths=(*file.delete_paths, *(item.path for item in staged)))
    return file
