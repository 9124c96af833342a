"""What a keyed merge will do, settled before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from lakeui.common.errors import InvalidValue
from merge_app.upsert.batches import batch_freeze, batch_named
from merge_app.upsert.changing import changed_rows
from merge_app.upsert.dataset import Dataset
from merge_app.upsert.inputs_outputs import (
    Decisions,
    ExtraColumns,
    FileFormat,
    Implementation,
    Integers,
    MergeOptions,
    MergeResult,
    refuse_extra_columns,
)
from merge_app.upsert.keys import require_keys
from merge_app.upsert.matching import Matcher, matcher
from merge_app.upsert.partitions import Placement, placement, require_partition_columns
from merge_app.upsert.reading import keys_read
from merge_app.upsert.rewriting import Replacement, replacements
from merge_app.upsert.row_groups import RowGroup, may_match
from merge_app.upsert.schemas import evolved, require_columns, require_fields


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows of the batch that get files of their own in one partition folder."""

    folder: str
    rows: Integers


@dataclass(frozen=True, slots=True)
class UpsertPlan:
    """The whole change: ``replaced`` files, and rows that are ``added`` in new files. ``stored`` is the schema inside
    files, ``counts`` what the merge answers, but for the bytes that it writes.
    """

    dataset: Dataset
    batch: pa.Table
    stored: pa.Schema
    replaced: tuple[Replacement, ...]
    added: tuple[NewRows, ...]
    counts: MergeResult

    @property
    def changes_nothing(self) -> bool:
        return not self.replaced and not self.added


def plan_make(
    dataset: Dataset,
    given: pa.Table | pa.RecordBatchReader,
    options: MergeOptions,
    form: FileFormat,
    folder: Path,
) -> UpsertPlan:
    """Settle the schema, freeze the batch, match it and compare what matches. ``folder`` takes what memory does not."""
    if not given.schema.names:
        return _of_no_rows(dataset, options, folder)
    if dataset.schema is not None:
        known = [*dataset.schema.names, *dataset.partition_columns]
        given, options = batch_named(given, known), options.named(known)
    shape = _Shape.of(dataset, given.schema, options)
    batch = batch_freeze(given, _with_orders(shape.schema, given.schema, options), folder)
    groups = tuple(may_match(dataset, options.key_columns, shape.schema, batch))
    matched, implementation = _matched(dataset, groups, batch, shape.schema, options, folder)
    places = placement(dataset, shape.partition_columns, shape.schema, batch)
    moves = places.of_files[matched.files] != places.of_rows[matched.rows]
    changes = moves.copy()
    stays = matched.of(~moves)
    changes[~moves] = changed_rows(dataset, stays, batch, shape.compared(batch, options))
    decisions, moves = matched.of(changes), moves[changes]
    replaced = tuple(replacements(dataset.files, decisions.files, decisions.positions, decisions.rows, moves))
    added = tuple(_new_rows(np.concatenate([decisions.inserted, decisions.rows[moves]]), places))
    scanned = len({group.file for group in groups})
    counts = MergeResult(
        strategy=options.strategy,
        implementation=implementation,
        rows_inserted=len(decisions.inserted),
        rows_updated=len(decisions.rows),
        rows_unchanged=len(matched.rows) - len(decisions.rows),
        files_skipped=len(dataset.files) - scanned,
        files_scanned=scanned,
        files_added=_files_added(replaced, added, form),
        files_removed=len(replaced),
        files_reused=len(dataset.files) - len(replaced),
        added_columns=shape.added_columns if replaced or added else (),
    )
    return UpsertPlan(dataset, batch, shape.stored, replaced, added, counts)


def _of_no_rows(dataset: Dataset, options: MergeOptions, folder: Path) -> UpsertPlan:
    """A batch that is an empty list has no columns, and changes nothing."""
    with _engine(options, folder) as engine:
        counts = MergeResult(
            options.strategy,
            engine.implementation,
            files_skipped=len(dataset.files),
            files_reused=len(dataset.files),
        )
    return UpsertPlan(dataset, pa.table({}), dataset.schema or pa.schema([]), (), (), counts)


@dataclass(frozen=True, slots=True)
class _Shape:
    """``schema`` is that of all columns afterwards, ``stored`` that of those inside files."""

    partition_columns: tuple[str, ...]
    schema: pa.Schema
    stored: pa.Schema
    added_columns: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset, batch: pa.Schema, options: MergeOptions) -> _Shape:
        columns = _partition_columns(dataset, options)
        require_partition_columns(columns, batch)
        schema = _schema(dataset, batch, columns, options)
        require_keys(options.key_columns, schema, str(dataset.root))
        inside = () if dataset.schema is None else dataset.schema.names
        stored = [field for field in schema if field.name not in columns or field.name in inside]
        before = {*inside, *columns} if inside else set(schema.names)
        return cls(
            partition_columns=columns,
            schema=schema,
            stored=pa.schema(stored, metadata=schema.metadata),
            added_columns=tuple(name for name in schema.names if name not in before),
        )

    def compared(self, batch: pa.Table, options: MergeOptions) -> list[pa.Field]:
        """The columns in which a row that matches, and stays in its partition, can differ from the batch's row."""
        same = {*options.key_columns, *self.partition_columns}
        return [field for field in self.stored if field.name in batch.column_names and field.name not in same]


def _matched(
    dataset: Dataset,
    groups: tuple[RowGroup, ...],
    batch: pa.Table,
    schema: pa.Schema,
    options: MergeOptions,
    folder: Path,
) -> tuple[Decisions, Implementation]:
    with _engine(options, folder) as engine:
        engine.load_batch(batch.select(options.key_columns), [batch.column(name) for name in options.dedup_by])
        engine.load_target(keys_read(dataset, groups, [schema.field(name) for name in options.key_columns]))
        return engine.decide(options.strategy), engine.implementation


def _engine(options: MergeOptions, folder: Path) -> AbstractContextManager[Matcher]:
    return matcher(
        len(options.key_columns),
        use_merge=options.use_merge,
        memory_limit=options.memory_limit,
        temporary_folder=folder / "spill",
    )


def _new_rows(rows: Integers, places: Placement) -> Iterator[NewRows]:
    numbers = places.of_rows[rows]
    for number in np.unique(numbers):
        yield NewRows(places.folders[number], rows[numbers == number])


def _files_added(replaced: tuple[Replacement, ...], added: tuple[NewRows, ...], form: FileFormat) -> int:
    sizes = [change.file.footer.num_rows - len(change.removed) for change in replaced]
    sizes += [len(new.rows) for new in added]
    return sum(-(-size // form.max_rows_per_file) for size in sizes)


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
    require_fields(known, batch)
    if options.extra_columns is ExtraColumns.REFUSE:
        refuse_extra_columns(known.names, batch.names, ranking=options.dedup_by, where="the data set")
    return known


def _with_orders(schema: pa.Schema, batch: pa.Schema, options: MergeOptions) -> pa.Schema:
    """The schema with the columns that only rank rows of the batch and are not stored."""
    for name in options.dedup_by:
        if name not in schema.names:
            schema = schema.append(batch.field(name))
    return schema
