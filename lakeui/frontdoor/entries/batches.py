"""Keyed merge of a batch in memory into a managed table, as a function of Python."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from django.conf import settings

from catalog_app.importing.spec import Reading
from catalog_app.models import FileImport
from catalog_app.selectors.snapshots import branch_get, catalog_get
from catalog_app.services.imports import import_create, import_discard
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.frontdoor.entries.imports import import_lifetime, import_load
from lakeui.frontdoor.inputs_outputs import ImportLoad, KeyedMerge, Session, StatementResult
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_present_table
from merge_app.jobs.context import Context
from merge_app.upsert.batches import Batch, batch_open
from merge_app.upsert.inputs_outputs import ExtraColumns, Strategy, choice, names

_NAME = "batch"


def batch_merge(
    data: Batch,
    target: str,
    strategy: str,
    key_columns: str | Sequence[str],
    *,
    session: Session,
    dedup_by: str | Sequence[str] = (),
    schema_evolution: bool = False,
    extra_columns: str = "refuse",
    context: Context | None = None,
) -> StatementResult:
    """Merge a batch into the table ``target`` (``database.table``) as one commit.

    ``insert`` adds rows whose key is new, ``update`` replaces rows whose key is there, ``upsert`` does both, as
    ``merge_app.upsert.merge`` does for data sets that no catalog manages. Raises LakeError.
    """
    if session.transaction:
        raise NotSupported("A batch cannot be merged in a transaction.", remedy="COMMIT or ROLLBACK first.")
    if session.catalog is None:
        raise InvalidValue("No catalog is chosen.", remedy="Give the session a catalog.")
    cursor = Cursor(target)
    table = read_present_table(cursor)
    cursor.end()
    merge = KeyedMerge(
        choice(Strategy, strategy, "strategy"),
        names(key_columns),
        names(dedup_by),
        schema_evolution,
        choice(ExtraColumns, extra_columns, "extra_columns"),
    )
    given = batch_open(data)
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    made = _import_of(given, session, session.catalog, warehouse)
    try:
        load = ImportLoad(made.pk, Reading.from_json(made.reading), table, is_new=False, merge=merge)
        return import_load(load, name=_NAME, session=session, context=context)
    finally:
        import_discard(made, warehouse=warehouse)


def _import_of(
    given: pa.Table | pa.RecordBatchReader, session: Session, catalog: str, warehouse: Warehouse
) -> FileImport:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / _NAME
        _write(given, file)
        return import_create(
            branch=branch_get(catalog_get(catalog), session.branch),
            user_id=session.user_id,
            name=_NAME,
            file=file,
            warehouse=warehouse,
            lifetime=import_lifetime(),
            renames=False,
        )


def _write(data: pa.Table | pa.RecordBatchReader, file: Path) -> None:
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_stream(sink, data.schema) as writer:
        if isinstance(data, pa.Table):
            writer.write_table(data)
            return
        for batch in data:
            writer.write_batch(batch)
