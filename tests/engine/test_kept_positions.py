"""Positions of delete files: how they are stored, and which a process keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.domain.files import FileScan
from catalog_app.storage import deletes
from tests.engine.conftest import lake_alone
from tests.engine.lake import TABLE, schema_of

MANY = 100_000


def test_many_positions_just_written_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warehouse = lake_alone(tmp_path).warehouse
    file = FileScan(1, f"{TABLE}/data/base=0/x.parquet", 0, MANY, schema_of("id int"))
    positions = np.arange(MANY, dtype=np.int64)
    made = deletes.write_deletes(warehouse, table_id=TABLE, file=file, positions=positions, row_ids=positions)
    monkeypatch.setattr(deletes, "read_integers", lambda *_: pytest.fail("the file was read"))
    assert len(deletes.deleted_positions(warehouse, [made.path])) == MANY


def test_the_oldest_positions_make_room(tmp_path: Path) -> None:
    warehouse = lake_alone(tmp_path).warehouse
    kept = deletes._KeptPositions()
    kept.MOST = kept._room = 1_000
    for name in ("a", "b", "b", "c"):
        kept.keep(warehouse, name, np.arange(300, dtype=np.int64))
    assert [place.rpartition("/")[2] for place in kept._of] == ["b", "c"]
    kept.LONGEST = 300
    kept.keep(warehouse, "d", np.arange(301, dtype=np.int64))
    assert len(kept._of) == 2


def test_positions_and_row_ids_are_stored_as_differences(tmp_path: Path) -> None:
    warehouse = lake_alone(tmp_path).warehouse
    file = FileScan(1, f"{TABLE}/data/base=0/x.parquet", 0, 10 * MANY, schema_of("id int"))
    positions = np.arange(MANY, dtype=np.int64) * 10
    made = deletes.write_deletes(warehouse, table_id=TABLE, file=file, positions=positions[::-1], row_ids=positions)
    assert made.bytes < 20_000
    read = deletes.read_columns(warehouse, made.path, deletes.POSITION_COLUMN, deletes.ROW_ID_COLUMN)
    assert [column.tolist() for column in read] == [positions.tolist(), positions[::-1].tolist()]


def test_positions_of_others_are_distinct_and_ascend(tmp_path: Path) -> None:
    warehouse = lake_alone(tmp_path).warehouse
    content = pa.BufferOutputStream()
    pq.write_table(pa.table({deletes.POSITION_COLUMN: pa.array([5, 1, 5], pa.int64())}), content)
    warehouse.write("theirs.parquet", content.getvalue())
    assert deletes.deleted_positions(warehouse, ["theirs.parquet"]).tolist() == [1, 5]
