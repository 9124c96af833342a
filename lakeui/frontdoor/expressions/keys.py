"""Primary keys at write time: no statement leaves a key twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.schema import Schema
from catalog_app.engine.inputs_outputs import RowChanges
from catalog_app.selectors.segments import SegmentState, table_scan
from lakeui.common.errors import DuplicateKey
from lakeui.frontdoor.call import ResolvedTable
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.pruning import sharing_keys


def refuse_duplicate_keys(
    target: ResolvedTable, staged: Sequence[NewDataFile], segments: Sequence[SegmentState]
) -> None:
    """Refuse staged rows whose key another of them, or a live row of these segments, has."""
    schema = target.table.schema
    if not (schema.primary_key and staged):
        return
    key = [column for column in schema.columns if column.id in schema.primary_key]
    scan = table_scan(target.place.snapshot, target.table, sharing_keys(segments, key, staged))
    clashes = engine().duplicate_keys(scan, [column.name for column in key], staged=staged, limit=5)
    if clashes:
        raise DuplicateKey(
            f"Key {clashes[0]} of {target.label} would exist twice.",
            remedy="Update the existing row, or leave the key out.",
            keys=clashes,
        )


def assigns_key(schema: Schema, names: Collection[str]) -> bool:
    """Whether an UPDATE of these columns can change a key."""
    assigned = [schema.named(name) for name in names]
    return any(column is not None and column.id in schema.primary_key for column in assigned)


def without_changed_rows(segments: Iterable[SegmentState], changes: RowChanges) -> list[SegmentState]:
    """The segments as they are once the staged deletes take effect."""
    paths = {file.data_file_id: file.path for file in changes.delete_files}
    return [
        replace(segment, delete_paths=(*segment.delete_paths, paths[segment.file_id]))
        if segment.file_id in paths
        else segment
        for segment in segments
        if segment.file_id not in changes.emptied
    ]
