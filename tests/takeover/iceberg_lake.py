"""Tables of Iceberg outside of the warehouse, as PyIceberg writes them, with deletes that it does not write itself."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO, schema_to_pyarrow
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.table import Table
from pyiceberg.typedef import Record

from catalog_app.iceberg.puffin import vector_file


def catalog_in(folder: Path) -> InMemoryCatalog:
    catalog = InMemoryCatalog("outside", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    return catalog


def append_laid(table: Table, rows: pa.Table, values: Mapping[int, Any]) -> str:
    """A file of rows that all have these values, of columns by id, in the place that the table's specification says.
    PyIceberg makes such values of one row itself, and of many by another package. Answers the file's path.
    """
    schema, spec = table.schema(), table.spec()
    path = Path(table.location().removeprefix("file://"), "data", f"{uuid.uuid4()}.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows.cast(schema_to_pyarrow(schema)), path)
    kinds = {field.source_id: schema.find_field(field.source_id).field_type for field in spec.fields}
    laid = (field.transform.transform(kinds[field.source_id])(values[field.source_id]) for field in spec.fields)
    file = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"file://{path}",
        file_format=FileFormat.PARQUET,
        partition=Record(*laid),
        record_count=rows.num_rows,
        file_size_in_bytes=path.stat().st_size,
    )
    file.spec_id = spec.spec_id
    with table.transaction() as transaction, transaction.update_snapshot().fast_append() as append:
        append.append_data_file(file)
    return f"file://{path}"


class _DeletesWriter(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


def with_deletes(
    table: Table,
    positions: Sequence[tuple[str, int]],
    *,
    content: DataFileContent = DataFileContent.POSITION_DELETES,
    form: FileFormat = FileFormat.PARQUET,
    partition: Any = None,
) -> str:
    """Metadata of the table with one more snapshot, in which these rows (data file, position) are gone."""
    folder = Path(table.metadata_location.removeprefix("file://")).parent
    marks = folder / f"marks.{form.value.lower()}"
    columns = {"file_path": [path for path, _ in positions], "pos": pa.array([at for _, at in positions], pa.int64())}
    if form is FileFormat.PUFFIN:
        marks.write_bytes(vector_file(positions[0][0], sorted(at for _, at in positions)))
    else:
        pq.write_table(pa.table(columns), marks)
    snapshot = table.current_snapshot()
    assert snapshot is not None
    io, number = PyArrowFileIO(), snapshot.snapshot_id + 1
    assert snapshot.sequence_number is not None
    sequence = snapshot.sequence_number + 1
    manifest, listed = str(folder / "deletes.avro"), str(folder / "list.avro")
    writer = _DeletesWriter(table.spec(), table.schema(), io.new_output(manifest), number, "null")
    with writer:
        entry = DataFile.from_args(
            _table_format_version=2,
            content=content,
            file_path=f"file://{marks}",
            file_format=form,
            partition=partition,
            record_count=len(positions),
            file_size_in_bytes=marks.stat().st_size,
            equality_ids=[1] if content is DataFileContent.EQUALITY_DELETES else None,
        )
        writer.add_entry(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=number, data_file=entry))
    with write_manifest_list(2, io.new_output(listed), number, snapshot.snapshot_id, sequence, "null") as manifests:
        manifests.add_manifests([*snapshot.manifests(table.io), writer.to_manifest_file()])
    said = json.loads(Path(table.metadata_location.removeprefix("file://")).read_text())
    added = {
        "snapshot-id": number,
        "parent-snapshot-id": snapshot.snapshot_id,
        "sequence-number": sequence,
        "timestamp-ms": said["last-updated-ms"] + 1,
        "manifest-list": listed,
        "summary": {"operation": "delete"},
        "schema-id": said["current-schema-id"],
    }
    said |= {"current-snapshot-id": number, "last-sequence-number": sequence, "last-updated-ms": added["timestamp-ms"]}
    said["snapshots"].append(added)
    said["refs"] = {"main": {"snapshot-id": number, "type": "branch"}}
    target = folder / "99999-deleted.metadata.json"
    target.write_text(json.dumps(said))
    return f"file://{target}"
