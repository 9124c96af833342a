"""The rows that one side added or updated since base and still has: what keys and A6.2 are judged on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import reduce

from catalog_app.domain.files import FileScan
from catalog_app.domain.operations import ObjectKind, Operation
from catalog_app.domain.state import TableState
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.segments import files_load
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.written_files import written_files_load
from merge_app.planning.files import SideFiles, divergence, effects_of, is_rewrite
from merge_app.planning.sides import sides_of
from merge_app.planning.values import DivergedFile, PlanInput

EngineSource = Callable[[], RowEngine]
"""Gives the engine when a plan needs it; most plans do not."""


def added_rows_load(
    table_id: int,
    operations: Sequence[Operation],
    snapshot: Snapshot | None,
    table: TableState | None,
    engine: EngineSource,
    *,
    further_deletes: Collection[int] = (),
    further_files: Collection[int] = (),
) -> tuple[FileScan, ...]:
    """The files that inserts, updates and overwrites of the side wrote, each masked down to the rows that the side
    still has. Compactions and renamed partitions bring no rows: of what they rewrote the files written first count,
    in the partition in which their rows lie now.

    ``snapshot`` and ``table`` are the side's; a statement has no snapshot, its files lie under the schema of ``table``.
    ``further_deletes`` are delete files that mask them besides the side's own, ``further_files`` older ones that count
    as far as the side put their rows into others.
    """
    files = written_files_load(table_id, operations, snapshot)
    written = [item.file_id for o in files.own if not is_rewrite(o) for item in effects_of(o).added]
    written += (file_id for file_id in further_files if files.side.rewritten_into(file_id))
    later = {i: files.side.rewritten_into(i) for i in dict.fromkeys(written) if files.is_left(i)}
    wanted = {file_id for chain in later.items() for file_id in (chain[0], *chain[1])}
    if not wanted:
        return ()
    chains = [] if snapshot is None else [snapshot]
    schema = table.schema if table else None
    scans = files_load(table_id, wanted, chains, staged_schema=schema, staged_deletes=further_deletes)
    return tuple(
        _as_left(table_id, scans[file_id], [(scans[other], files.is_gone(other)) for other in others], engine)
        for file_id, others in later.items()
    )


def coming_rows_load(
    planned: PlanInput,
    table_id: int,
    source: Snapshot | None,
    destination: Snapshot,
    diverged: Sequence[DivergedFile],
    engine: EngineSource,
) -> tuple[FileScan, ...]:
    """The files of ``added_rows_load`` that the source has, masked also by images of rows that an overwrite of the
    destination took away (A4). ``diverged`` is that of ``TableFacts``.
    """
    files = added_rows_load(table_id, planned.source, source, planned.source_tables.get(table_id), engine)
    sides, key = sides_of(planned), (ObjectKind.TABLE, table_id)
    mine = SideFiles(sides.source[key].history, left_out=divergence(table_id, diverged))
    theirs = SideFiles(sides.destination_of(*key).past)
    leaves = {file.file_id: mine.leaves(file.file_id) for file in files}
    lost = {i for found in leaves.values() for i in found if i not in mine.added and theirs.is_overwritten(i)}
    if not lost:
        return files
    swept = files_load(table_id, lost, [destination] if source is None else [source, destination])
    kept = []
    for file in files:
        gone = leaves[file.file_id] & lost
        if gone == leaves[file.file_id]:
            continue
        kept.append(_without(table_id, file, [swept[item] for item in sorted(gone)], engine))
    return tuple(kept)


def _without(table_id: int, file: FileScan, others: Iterable[FileScan], engine: EngineSource) -> FileScan:
    return reduce(lambda left, other: _marked(table_id, left, (), other, engine), others, file)


def _as_left(
    table_id: int, file: FileScan, rewritten: Iterable[tuple[FileScan, bool]], engine: EngineSource
) -> FileScan:
    """The file masked also by what was deleted from the files that its rows were rewritten into, each with whether it
    is gone with all that it held.
    """
    for other, is_gone in rewritten:
        file = replace(file, partition=other.partition)
        if is_gone or other.delete_paths:
            file = _marked(table_id, file, () if is_gone else other.delete_paths, other, engine)
    return file


def _marked(
    table_id: int, file: FileScan, delete_paths: Sequence[str], other: FileScan, engine: EngineSource
) -> FileScan:
    """The file masked also by the rows that deletes of another file mark; without deletes, by all that it holds."""
    staged = engine().follow_deletes(table_id, delete_paths, other, [file], spared_paths=())
    return replace(file, delete_paths=(*file.delete_paths, *(item.path for item in staged)))
