"""Which first rows this process leaves to Spark, asked without Spark: of damaged files, many files and wide rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.domain.files import TableScan
from catalog_app.engine import first_rows as reading
from catalog_app.engine import plain_cells
from catalog_app.engine.plain_changes import plain_changes
from catalog_app.engine.targets import Target
from catalog_app.storage import deletes
from catalog_app.storage.deletes import Integers
from catalog_app.storage.warehouse import Warehouse
from tests.engine.conftest import lake_alone
from tests.engine.lake import TABLE, Lake, schema_of
from tests.engine.test_first_rows import plain


@pytest.fixture
def alone(tmp_path: Path) -> Lake:
    """A table (id, v) that no Spark reads."""
    lake = lake_alone(tmp_path)
    lake.schema = schema_of("id int", "v string")
    return lake


def put(lake: Lake, *rows: tuple[int, str]) -> None:
    """Write the rows as a file."""
    ids, texts = (list(values) for values in zip(*rows, strict=True))
    table = pa.table({"__c1": pa.array(ids, pa.int32()), "__c2": pa.array(texts)})
    lake.add(lake.engine._writer.write_arrow(Target(TABLE, lake.schema), table))


def without_end(content: bytes) -> bytes:
    return content[: len(content) // 2]


def without_pages(content: bytes) -> bytes:
    return content[:4] + bytes(len(content) // 2) + content[4 + len(content) // 2 :]


@pytest.mark.parametrize("damaged", [without_end, without_pages, lambda _: b""])
def test_damaged_files_are_left_to_spark(alone: Lake, damaged: Callable[[bytes], bytes]) -> None:
    put(alone, *((number, f"v{number}") for number in range(1000)))
    assert reading.first_rows(alone.warehouse, plain(alone.scan()), limit=1) is not None
    file = Path(alone.warehouse.absolute(alone.files[0].path))
    file.write_bytes(damaged(file.read_bytes()))
    assert reading.first_rows(alone.warehouse, plain(alone.scan()), limit=1) is None
    assert plain_changes(alone.warehouse, TableScan(TABLE, alone.schema, ()), alone.scan(), limit=1) is None


def test_rows_of_many_files_are_left_to_spark(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_FILES", 3)
    for number in range(5):
        put(alone, (number, "v"))
    asked: list[object] = []
    real = reading.deleted_positions

    def counted(warehouse: Warehouse, paths: tuple[str, ...]) -> Integers:
        asked.append(paths)
        return real(warehouse, paths)

    monkeypatch.setattr(reading, "deleted_positions", counted)
    few = reading.first_rows(alone.warehouse, plain(alone.scan()), limit=2)
    assert few is not None
    assert (few.rows, few.truncated) == ([[0, "v"], [1, "v"]], True)
    asked.clear()
    assert reading.first_rows(alone.warehouse, plain(alone.scan()), limit=100) is None
    assert len(asked) == 4


def test_no_more_is_read_than_an_answer_holds(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_ANSWER_BYTES", 50_000)
    monkeypatch.setattr(plain_cells, "BATCH_BYTES", 10_000)
    put(alone, *((number, chr(65 + number % 26) * 1000 + str(number)) for number in range(1000)))
    read: list[int] = []
    real = plain_cells._whole

    def counted(values: pa.Array, *given: Any) -> pa.Array:
        read.append(len(values))
        return real(values, *given)

    monkeypatch.setattr(plain_cells, "_whole", counted)
    assert reading.first_rows(alone.warehouse, plain(alone.scan()), limit=10_000) is None
    assert 0 < sum(read) < 200
    assert reading.first_rows(alone.warehouse, plain(alone.scan()), limit=10) is not None


def test_deletes_written_here_are_not_read(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    put(alone, *((number, "v") for number in range(20)))
    (file,) = alone.files
    places = np.array([7, 3, 12], dtype=np.int64)
    written = deletes.write_deletes(
        alone.warehouse, table_id=TABLE, file=file, positions=places, row_ids=places + file.base
    )
    stored = deletes.read_integers(alone.warehouse, written.path, deletes.POSITION_COLUMN)
    asked: list[str] = []
    monkeypatch.setattr(deletes, "read_integers", lambda _, path, __: asked.append(path) or stored)
    assert deletes.deleted_positions(alone.warehouse, [written.path]).tolist() == stored.tolist() == [3, 7, 12]
    assert not asked
