"""Files of a job are put in place all together, or none of them."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.engine.targets import Staged
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.warehouse import Warehouse


def test_a_file_that_fails_leaves_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of eight fails when the others are placed, of twenty that the job wrote."""
    warehouse, place, meeting = Warehouse(str(tmp_path)), Warehouse.place_data, Barrier(8)
    placed: list[str] = []

    def fails(self: Warehouse, staged: str, *, table_id: int, base: int) -> str:
        if base != 1:
            placed.append(path := place(self, staged, table_id=table_id, base=base))
        if base < 8:
            meeting.wait(timeout=20)
        if base == 1:
            raise OSError("The store is full.")
        return path

    staging, staged = warehouse.new_staging(7), []
    for number in range(20):
        content = pa.BufferOutputStream()
        pq.write_table(pa.table({"id": [number]}), content)
        warehouse.write(f"{staging}/{number}.parquet", content.getvalue())
        staged.append(Staged(f"{staging}/{number}.parquet", ()))
    monkeypatch.setattr(Warehouse, "place_data", fails)
    with pytest.raises(OSError, match="full"):
        FileWriter(warehouse, lambda *_: 0, lambda *_: 0).place(7, staged)
    assert len(placed) >= 7
    assert warehouse.all_under("7/data") == []
