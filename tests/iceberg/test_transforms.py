"""Tables laid by transforms as PyIceberg reads them: it leaves files out by the values of their partitions alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.table import StaticTable

from catalog_app.domain.checks import LAYOUT
from catalog_app.domain.layout import layout_stored, with_layout
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.transforms import LaidBy, Transform, transform_value
from catalog_app.iceberg import metadata
from catalog_app.iceberg.manifest_lists import list_bytes, stored_manifest
from catalog_app.iceberg.manifests import DATA, ListedFile, chunks, manifest_bytes
from catalog_app.iceberg.metadata import TableVersion, specs_of, table_metadata
from lakeui.common.errors import NotSupported

ID, AT, REGION = Column(1, "id", "bigint"), Column(2, "at", "timestamp"), Column(3, "region", "string")
NAME, PRICE = Column(4, "full name", "string"), Column(5, "price", "decimal(10,2)")
SCHEMA = Schema((ID, AT, REGION, NAME, PRICE), partition_by=(3,))
DAYS, BUCKET, MONTHS = Transform("days", 0, 2), Transform("bucket", 16, 1), Transform("months", 0, 2)
START, UNITS = Transform("truncate", 2, 4), Transform("truncate", 100, 5)


def file_of(number: int, layout: Sequence[Transform], **row: Any) -> ListedFile:
    """A file of one row, by the ids of its columns."""
    values = {int(name.removeprefix("c")): value for name, value in row.items()}
    laid = (
        LaidBy(one, column.type, transform_value(one, column.type, values[one.column_id]))
        for one in layout
        if (column := SCHEMA.column(one.column_id)) is not None
    )
    return ListedFile(number, f"file:///w/{number}.parquet", 1, 10, number, SCHEMA, (values[3],), layout=tuple(laid))


def opened(folder: Path, table: TableState, files: Sequence[ListedFile]) -> StaticTable:
    specs = specs_of(with_layout(table.schema, table.properties), [file.lies_by for file in files])
    manifests = []
    for number, chunk in enumerate(chunks(DATA, specs, table.schema, files)):
        path = folder / f"m{number}.avro"
        path.write_bytes(manifest_bytes(chunk, table.schema))
        manifests.append(stored_manifest(chunk, f"file://{path}", path.stat().st_size))
    (folder / "list.avro").write_bytes(list_bytes(manifests, 99))
    shown = TableVersion(
        table, 99, 0, f"file://{folder}", f"file://{folder}/list.avro", tuple(manifests), tuple(specs.values())
    )
    (folder / "v.metadata.json").write_text(json.dumps(table_metadata(shown)))
    return StaticTable.from_metadata(f"file://{folder}/v.metadata.json")


def table_of(*layout: Transform, schema: Schema = SCHEMA) -> TableState:
    fields = [(one.name, one.number, column) for one in layout if (column := schema.column(one.column_id)) is not None]
    return TableState(7, 1, "t", schema, 1, properties={LAYOUT: layout_stored(fields)})


def planned(table: StaticTable, condition: str) -> set[int]:
    return {int(Path(task.file.file_path).stem) for task in table.scan(row_filter=condition).plan_files()}


def beside(value: int) -> set[int]:
    """The files that may hold the id: those of its bucket, and the one that does not say of which it is."""
    buckets = [transform_value(BUCKET, "bigint", number) for number in range(8)]
    return {number for number in range(7) if buckets[number] == buckets[value]} | {7}


@pytest.fixture
def files() -> list[ListedFile]:
    """Of two layouts beside each other, and of none."""
    ats = ["2024-01-01T10:00:00", "2024-01-02T10:00:00", "1969-12-31T23:00:00", None]
    rows = [{"c1": n, "c2": ats[n % 4], "c3": "n", "c4": f"{chr(97 + n)}é👩", "c5": f"{n}.55"} for n in range(8)]
    return [
        *(file_of(n, (DAYS, BUCKET), **rows[n]) for n in range(4)),
        *(file_of(n, (BUCKET, START, UNITS), **rows[n]) for n in range(4, 7)),
        file_of(7, (), **rows[7]),
    ]


def test_files_are_pruned_by_their_own_layouts(tmp_path: Path, files: list[ListedFile]) -> None:
    table = opened(tmp_path, table_of(DAYS, BUCKET), files)
    assert planned(table, "id >= 0") == set(range(8))
    for value in range(8):
        assert planned(table, f"id == {value}") == beside(value)
    assert planned(table, "at >= '2024-01-02T00:00:00+00:00'") == {1, 4, 5, 6, 7}
    assert planned(table, "at < '1970-01-01T00:00:00+00:00'") == {2, 4, 5, 6, 7}
    assert planned(table, "at is null") == {3, 4, 5, 6, 7}
    assert planned(table, "region == 's'") == set()
    assert {str(field) for field in table.spec().fields} == {
        "1003: region: identity(3)",
        *(str(field) for field in table.spec().fields if field.name in ("at_day", "id_bucket_16")),
    }
    assert len(table.spec().fields) == 3
    assert planned(table, "price > 5") == {*range(4), 5, 6, 7}


def test_fields_keep_their_ids_in_every_version(tmp_path: Path, files: list[ListedFile]) -> None:
    one, other = (
        specs_of(with_layout(t.schema, t.properties), [f.lies_by for f in files])
        for t in (table_of(DAYS, BUCKET), table_of(MONTHS))
    )
    for spec in one.values():
        again = other[((3,), tuple(item for item, _ in spec.laid))]
        assert (again.id, again.fields) == (spec.id, spec.fields)
    assert next(iter(other)) == ((3,), (MONTHS,))
    table = opened(tmp_path, table_of(MONTHS), files)
    assert [str(field.transform) for field in table.spec().fields] == ["identity", "month"]
    assert planned(table, "id == 2") == beside(2)


def test_fields_named_like_columns_are_refused_by_name() -> None:
    schema = Schema((*SCHEMA.columns, Column(9, "at_day", "int")), partition_by=(3,))
    with pytest.raises(NotSupported, match="at_day"):
        specs_of(with_layout(schema, table_of(DAYS, schema=schema).properties), [])


def test_specifications_of_one_number_are_refused(monkeypatch: pytest.MonkeyPatch, files: list[ListedFile]) -> None:
    monkeypatch.setattr(metadata, "_LARGEST_NUMBER", 0)
    table = table_of(DAYS, BUCKET)
    with pytest.raises(NotSupported, match="one id"):
        specs_of(with_layout(table.schema, table.properties), [file.lies_by for file in files])
