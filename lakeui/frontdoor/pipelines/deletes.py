"""What a run keeps of its deletes, and finds of earlier ones: a row older than a delete of its key stays out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
from django.conf import settings
from django.utils import timezone

from catalog_app.domain.state import TableState
from catalog_app.engine.inputs_outputs import FileSource
from catalog_app.engine.staging import file_given
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services.deleted_keys import COLUMNS, deleted_keys_register
from catalog_app.storage.warehouse import Warehouse
from lakeui.frontdoor.call import Call, ResolvedTable
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.queries.queries import query_source
from lakeui.sql.query import build_query
from merge_app.execution.apply import Applied
from merge_app.execution.commit import SerializationConflict
from merge_app.execution.deleted_keys import Tombstones, tombstones_came, tombstones_find, tombstones_read
from merge_app.pipelines.definition.deletes import (
    compares_deletes,
    count_of_deletes,
    keeps_deletes,
    new_deletes,
    unseen_deletes,
)
from merge_app.pipelines.definition.tombstones import KEY, WATERMARK, watermark_type
from merge_app.pipelines.definition.writes import DELETED, BatchWrite, watermark

PART_ROWS = 200_000
"""About so many deletes come from the engine at once."""
_DIGITS = "0123456789abcdef"
_FORM = pa.schema([(name, pa.string()) for name in COLUMNS])


def kept_since() -> datetime:
    """Older deletes do not count: they are kept as long as the history is."""
    return timezone.now() - timedelta(days=settings.LAKEUI["RETENTION_DAYS"])


@contextmanager
def deletes_bound(call: Call, write: BatchWrite, table: TableState | None) -> Iterator[tuple[Call, BatchWrite]]:
    """The call and the write with the deletes that count, where there are some, for as long as they are needed."""
    found = _found(call, write, table)
    if table is None or not found:
        yield call, write
        return
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    folder = warehouse.new_staging(table.table_id)
    path = f"{folder}/deleted.parquet"
    rows = pa.concat_tables(tombstones_read(found)).rename_columns([f"c{index}" for index in range(len(COLUMNS))])
    source = FileSource(path, (KEY, WATERMARK), rows.num_rows)
    try:
        with TemporaryDirectory() as here:
            local = Path(here, "deleted.parquet")
            pq.write_table(rows, local)
            source = file_given(warehouse, path, source.names, source.rows, local)
        yield call.with_aside(DELETED, source), replace(write, has_deleted=True)
    finally:
        if not source.content:
            warehouse.discard_files(folder, [path])


def _found(call: Call, write: BatchWrite, table: TableState | None) -> list[Tombstones]:
    if table is None or not compares_deletes(write):
        return []
    found = tombstones_find(call.snapshot, table.table_id, since=kept_since())
    known = [_ids(write, table, name) for name in (*write.keys, *watermark(write))]
    return [
        item
        for item in found
        if len(item.columns) == len(known)
        and all(column in ids for column, ids in zip(item.columns, known, strict=True))
    ]


def _ids(write: BatchWrite, table: TableState, name: str) -> list[str]:
    """What a column is called where deletes are kept, however it was named then: by its ids, and by its name and type
    where the table left it out.
    """
    column = table.schema.named(name)
    ids = [str(identity) for identity in column.ids] if column is not None else []
    return [*ids, f"{name.casefold()} {watermark_type(write.watermark_kind)}"]


@dataclass(frozen=True, slots=True)
class KeptDeletes:
    """The deletes of a batch that are written with its commit. ``call`` knows the batch, and what was kept before."""

    call: Call
    batch: BatchWrite
    parts: Sequence[pa.Table]

    def is_wanted(self) -> bool:
        """Whether a key is taken away before the table ever held it. That makes a version: a later run goes by it."""
        return bool(self.parts) and bool(_rows(self.call, unseen_deletes(self.batch), limit=1))

    def write(self, target: ResolvedTable, applied: Applied) -> None:
        """Raises SerializationConflict where others kept deletes meanwhile, of which rows of this run may be older."""
        table, seen = target.table, target.place.snapshot
        branch = Branch.objects.get(pk=target.place.branch.pk)
        if tombstones_came(seen, branch_snapshot(branch), table.table_id):
            raise SerializationConflict
        names = (*self.batch.keys, *watermark(self.batch))
        deleted_keys_register(
            table_id=table.table_id,
            branch_id=branch.pk,
            version=applied.version,
            columns=[_ids(self.batch, table, name)[0] for name in names],
            parts=self.parts,
        )


def deletes_keep(call: Call, write: BatchWrite, rows: int) -> KeptDeletes | None:
    """What a run of a batch of so many ``rows`` keeps; None where late rows are not compared."""
    if not compares_deletes(write):
        return None
    return KeptDeletes(call, write, _parts(call, write, rows) if keeps_deletes(write) else ())


def _parts(call: Call, write: BatchWrite, rows: int) -> list[pa.Table]:
    if rows > PART_ROWS:
        ((counted,),) = _rows(call, count_of_deletes(write), limit=1)
        rows = int(str(counted))
    if not rows:
        return []
    prefixes = [""]
    while rows > PART_ROWS * len(prefixes):
        prefixes = [prefix + digit for prefix in prefixes for digit in _DIGITS]
    found = (_rows(call, new_deletes(write, prefix), limit=rows) for prefix in prefixes)
    return [
        pa.Table.from_arrays([pa.array(column, pa.string()) for column in zip(*part, strict=True)], schema=_FORM)
        for part in found
        if part
    ]


def _rows(call: Call, text: str, *, limit: int) -> list[list[object]]:
    source = query_source(call, build_query(text))
    with interruptible(call.context):
        return engine().select(source.text, source.tables, limit=limit).rows
