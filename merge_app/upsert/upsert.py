"""Keyed merge: lock, look, match, stage, replace."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from lakeui.common.errors import NotFound
from lakeui.common.faults import fault_point
from merge_app.upsert.batches import Batch, batch_open
from merge_app.upsert.dataset import dataset_read
from merge_app.upsert.inputs_outputs import (
    ExtraColumns,
    FileFormat,
    MergeOptions,
    MergeResult,
    Strategy,
    choice,
    names,
)
from merge_app.upsert.keys import require_keys
from merge_app.upsert.locations import data_set_root, inside_refuse
from merge_app.upsert.planning import UpsertPlan, plan_make
from merge_app.upsert.replacing import dataset_replace, require_as_read, workspace
from merge_app.upsert.rewriting import Replacement, file_rewrite, rows_write


def merge(
    data: Batch,
    target: str | os.PathLike[str],
    strategy: str,
    key_columns: str | Iterable[str],
    *,
    partition_columns: str | Iterable[str] | None = None,
    schema: pa.Schema | None = None,
    compression: str | None = "snappy",
    max_rows_per_file: int | None = 5_000_000,
    row_group_size: int | None = 500_000,
    use_merge: bool | None = None,
    dedup_by: str | Iterable[str] = (),
    schema_evolution: bool = False,
    extra_columns: str = "refuse",
    memory_limit: str = "1GB",
    lock_seconds: float = 60.0,
    dry_run: bool = False,
) -> MergeResult:
    """Merge a batch into the Parquet data set in the folder ``target``, whole or not at all.

    ``insert`` adds rows whose key is new, ``update`` replaces rows whose key is there, ``upsert`` does both.
    ``insert`` and ``upsert`` make a data set that is not there, ``update`` raises NotFound. Rows that have the batch's
    values already are not written, and a merge that changes none writes no file. A ``dry_run`` makes the same plan and
    answers its counts; it neither locks nor writes. ``MergeOptions`` says the rest.
    """
    options = MergeOptions(
        strategy=choice(Strategy, strategy, "strategy"),
        key_columns=names(key_columns),
        dedup_by=names(dedup_by),
        partition_columns=None if partition_columns is None else names(partition_columns),
        schema_evolution=schema_evolution,
        extra_columns=choice(ExtraColumns, extra_columns, "extra_columns"),
        use_merge=use_merge,
        memory_limit=memory_limit,
        lock_seconds=lock_seconds,
    )
    form = FileFormat.of(compression, max_rows_per_file, row_group_size)
    return _merged(data_set_root(target), batch_open(data, schema), options, form, dry_run=dry_run)


def _merged(
    root: Path, given: pa.Table | pa.RecordBatchReader, options: MergeOptions, form: FileFormat, *, dry_run: bool
) -> MergeResult:
    options = options.named(given.schema.names)
    if given.schema.names:
        require_keys((*options.key_columns, *options.dedup_by), given.schema, "The batch")
    if dry_run:
        with tempfile.TemporaryDirectory() as folder:
            return _rehearsed(_plan(root, given, options, form, Path(folder)))
    with workspace(root, lock_seconds=options.lock_seconds) as place:
        return _write(_plan(root, given, options, form, place), form, place)


def _plan(
    root: Path, given: pa.Table | pa.RecordBatchReader, options: MergeOptions, form: FileFormat, folder: Path
) -> UpsertPlan:
    dataset = dataset_read(root)
    inside_refuse(root, (entry.path for entry in dataset.entries))
    if not dataset.files and options.strategy is Strategy.UPDATE:
        raise NotFound("data set", str(root))
    return plan_make(dataset, given, options, form, folder)


def _rehearsed(plan: UpsertPlan) -> MergeResult:
    # No lock keeps others from writing while the plan is made.
    require_as_read(plan.dataset)
    return plan.counts


def _write(plan: UpsertPlan, form: FileFormat, folder: Path) -> MergeResult:
    """Carry out the plan: stage the new files, then replace the data set as a whole."""
    if plan.changes_nothing:
        return replace(plan.counts, bytes_written=0)
    staged = folder / "staged"
    staged.mkdir()

    def rewrite(change: Replacement) -> list[str]:
        return file_rewrite(
            change, source=plan.dataset.root, staged=staged, batch=plan.batch, schema=plan.stored, form=form
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        written = [path for paths in pool.map(rewrite, plan.replaced) for path in paths]
    for new in plan.added:
        written += rows_write(
            new.rows, folder=new.folder, staged=staged, batch=plan.batch, schema=plan.stored, form=form
        )
    fault_point("upsert.staged")
    size = sum((staged / path).stat().st_size for path in written)
    removed = {change.file.path for change in plan.replaced}
    dataset_replace(plan.dataset, folder, staged=staged, added=written, removed=removed)
    return replace(plan.counts, bytes_written=size)
