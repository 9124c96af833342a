"""Keyed merge: lock, look, match, stage, replace."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.faults import fault_point
from merge_app.keyed.batches import Batch, batch_freeze, batch_open
from merge_app.keyed.dataset import Dataset, dataset_read
from merge_app.keyed.keys import require_keys
from merge_app.keyed.matching import matcher
from merge_app.keyed.partitions import Placement, placement, require_partition_columns
from merge_app.keyed.places import data_set_root, inside_refuse
from merge_app.keyed.pruning import may_match
from merge_app.keyed.reading import keys_read
from merge_app.keyed.replacing import dataset_replace, workspace
from merge_app.keyed.rewriting import Replacement, file_rewrite, replacements, rows_write
from merge_app.keyed.schemas import evolved, require_columns
from merge_app.keyed.values import (
    Decisions,
    ExtraColumns,
    FileFormat,
    Integers,
    MergeOptions,
    MergeResult,
    Strategy,
    choice,
    names,
    refuse_extra_columns,
)


def merge(
    data: Batch,
    target: str | os.PathLike[str],
    strategy: str,
    key_columns: str | Iterable[str],
    *,
    partition_columns: str | Iterable[str] | None = None,
    schema: pa.Schema | None = None,
    compression: str | None = "snappy",
    max_rows_per_file: int = 5_000_000,
    row_group_size: int = 500_000,
    use_merge: bool | None = None,
    dedup_by: str | Iterable[str] = (),
    schema_evolution: bool = False,
    extra_columns: str = "refuse",
    memory_limit: str = "1GB",
    lock_seconds: float = 60.0,
) -> MergeResult:
    """Merge a batch into the Parquet data set in the folder ``target``, whole or not at all.

    ``insert`` adds rows whose key is new, ``update`` replaces rows whose key is there, ``upsert`` does both. Keys are
    compared null-safely, and NaN equals NaN. ``insert`` and ``upsert`` make a data set that is not there, ``update``
    raises NotFound. ``use_merge``: True demands DuckDB's MERGE, False refuses it, None takes it where this DuckDB has
    it. Two rows of the batch with one key raise DuplicateKey, unless ``dedup_by`` names columns: the greatest row
    wins (rows §4).
    With ``schema_evolution`` the data set gains new columns and wider types, and columns that the batch lacks stay as
    they are; without it such columns are an error. So are additional ones, unless ``extra_columns`` is ``ignore``.
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
    form = FileFormat(compression, max_rows_per_file, row_group_size)
    root = data_set_root(target)
    given = batch_open(data, schema)
    require_keys((*options.key_columns, *options.dedup_by), given.schema, "The batch")
    with workspace(root, lock_seconds=lock_seconds) as folder:
        dataset = dataset_read(root)
        inside_refuse(root, (entry.path for entry in dataset.entries))
        if not dataset.files and options.strategy is Strategy.UPDATE:
            raise NotFound("data set", str(root))
        return _Merge.plan(dataset, given, options, form, folder).run()


@dataclass(frozen=True, slots=True)
class _Merge:
    """One merge on its way. ``schema`` is that of all columns afterwards, ``stored`` that of those inside files."""

    dataset: Dataset
    batch: pa.Table
    options: MergeOptions
    form: FileFormat
    folder: Path
    partition_columns: tuple[str, ...]
    schema: pa.Schema
    stored: pa.Schema

    @classmethod
    def plan(
        cls,
        dataset: Dataset,
        given: pa.Table | pa.RecordBatchReader,
        options: MergeOptions,
        form: FileFormat,
        folder: Path,
    ) -> _Merge:
        """Settle the schema and freeze the batch in it."""
        columns = _partition_columns(dataset, options)
        require_partition_columns(columns, given.schema)
        schema = _schema(dataset, given.schema, columns, options)
        require_keys(options.key_columns, schema, str(dataset.root))
        inside = () if dataset.schema is None else dataset.schema.names
        stored = [field for field in schema if field.name not in columns or field.name in inside]
        return cls(
            dataset=dataset,
            batch=batch_freeze(given, _with_orders(schema, given.schema, options), folder),
            options=options,
            form=form,
            folder=folder,
            partition_columns=columns,
            schema=schema,
            stored=pa.schema(stored, metadata=schema.metadata),
        )

    def run(self) -> MergeResult:
        groups = may_match(self.dataset, self.options.key_columns, self.schema, self.batch)
        with matcher(
            len(self.options.key_columns),
            use_merge=self.options.use_merge,
            memory_limit=self.options.memory_limit,
            temporary_folder=self.folder / "spill",
        ) as engine:
            engine.load_batch(
                self.batch.select(self.options.key_columns), [self.batch.column(name) for name in self.options.dedup_by]
            )
            fields = [self.schema.field(name) for name in self.options.key_columns]
            engine.load_target(keys_read(self.dataset, groups, fields))
            decisions = engine.decide(self.options.strategy)
        scanned = len({group.file for group in groups})
        result = MergeResult(
            strategy=self.options.strategy,
            implementation=engine.implementation,
            rows_inserted=len(decisions.inserted),
            rows_updated=len(decisions.rows),
            files_skipped=len(self.dataset.files) - scanned,
            files_scanned=scanned,
            files_reused=len(self.dataset.files),
        )
        return self._write(decisions, result) if result.rows_inserted or result.rows_updated else result

    def _write(self, decisions: Decisions, result: MergeResult) -> MergeResult:
        places = placement(self.dataset, self.partition_columns, self.schema, self.batch)
        moves = places.of_files[decisions.files] != places.of_rows[decisions.rows]
        changes = replacements(self.dataset.files, decisions.files, decisions.positions, decisions.rows, moves)
        fresh = np.concatenate([decisions.inserted, decisions.rows[moves]])
        staged = self.folder / "staged"
        staged.mkdir()
        added = [*self._rewrite(changes, staged), *self._add(fresh, places, staged)]
        fault_point("keyed.staged")
        size = sum((staged / path).stat().st_size for path in added)
        removed = {change.file.path for change in changes}
        dataset_replace(self.dataset, self.folder, staged=staged, added=added, removed=removed)
        before = () if self.dataset.schema is None else (*self.dataset.schema.names, *self.partition_columns)
        return replace(
            result,
            files_added=len(added),
            files_removed=len(removed),
            files_reused=len(self.dataset.files) - len(removed),
            bytes_written=size,
            added_columns=tuple(name for name in self.schema.names if before and name not in before),
        )

    def _rewrite(self, changes: list[Replacement], staged: Path) -> list[str]:
        def rewrite(change: Replacement) -> list[str]:
            return file_rewrite(
                change,
                source=self.dataset.root,
                staged=staged,
                batch=self.batch,
                schema=self.stored,
                form=self.form,
            )

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return [path for paths in pool.map(rewrite, changes) for path in paths]

    def _add(self, rows: Integers, places: Placement, staged: Path) -> Iterator[str]:
        numbers = places.of_rows[rows]
        for number in np.unique(numbers):
            yield from rows_write(
                rows[numbers == number],
                folder=places.folders[number],
                staged=staged,
                batch=self.batch,
                schema=self.stored,
                form=self.form,
            )


def _partition_columns(dataset: Dataset, options: MergeOptions) -> tuple[str, ...]:
    asked = options.partition_columns
    if not dataset.files:
        return asked or ()
    if asked is not None and asked != dataset.partition_columns:
        raise InvalidValue(
            f"{dataset.root} is partitioned by {', '.join(dataset.partition_columns) or 'nothing'},"
            f" not by {', '.join(asked) or 'nothing'}.",
            remedy="Leave partition_columns out: a data set keeps its partitions.",
        )
    return dataset.partition_columns


def _schema(dataset: Dataset, batch: pa.Schema, partition_columns: tuple[str, ...], options: MergeOptions) -> pa.Schema:
    """All columns after the merge. A partition column that only folders hold has the batch's type."""
    if dataset.schema is None:
        return batch
    known = dataset.schema
    for name in partition_columns:
        if name not in known.names:
            known = known.append(pa.field(name, batch.field(name).type))
    if options.schema_evolution:
        return evolved(known, batch)
    require_columns(known, batch)
    if options.extra_columns is ExtraColumns.REFUSE:
        refuse_extra_columns(known.names, batch.names, ranking=options.dedup_by, where="the data set")
    return known


def _with_orders(schema: pa.Schema, batch: pa.Schema, options: MergeOptions) -> pa.Schema:
    """The schema with the columns that only rank rows of the batch and are not stored."""
    for name in options.dedup_by:
        if name not in schema.names:
            schema = schema.append(batch.field(name))
    return schema
