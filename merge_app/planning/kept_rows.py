"""Rows that the source deleted and the destination updated: the destination keeps its images (delete x update)."""

from __future__ import annotations

from collections.abc import Iterable

from catalog_app.domain.operations import Operation, OperationKind
from merge_app.planning.files import SideFiles, effects_of
from merge_app.planning.values import CountKeptRows


def rows_kept(
    mine: SideFiles, source: Iterable[Operation], theirs: SideFiles, destination: Iterable[Operation]
) -> CountKeptRows | None:
    """What has to be counted; None where no base file was touched by both."""
    deletes = [item for item in source if item.kind is OperationKind.DELETE]
    updates = [item for item in destination if item.kind is OperationKind.UPDATE]
    common = mine.touched_base(deletes) & theirs.touched_base(updates)
    if not common:
        return None
    marks = [item for operation in deletes for item in effects_of(operation).deletes]
    emptied = [file_id for operation in deletes for file_id in effects_of(operation).removed]
    written = [item.file_id for operation in updates for item in effects_of(operation).added]
    images = [file_id for file_id in written if theirs.leaves(file_id) & common]
    holders = {holder for file_id in images for holder in theirs.stand_ins(file_id)}
    if not holders:
        return None
    return CountKeptRows(
        delete_files=tuple(mark.delete_file_id for mark in marks if mine.leaves(mark.data_file_id) & common),
        emptied_files=tuple(file_id for file_id in emptied if mine.leaves(file_id) & common),
        images=tuple(images),
        holders=tuple(sorted(holders)),
    )
