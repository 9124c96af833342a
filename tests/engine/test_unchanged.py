"""Rows that would keep their values: what statistics prove is not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.domain.files import ColumnStatistics, FileScan, TableScan
from catalog_app.engine.reading import ADDRESS
from catalog_app.engine.staging import Staging
from catalog_app.engine.unchanged import unchanged_images
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.warehouse import Warehouse
from tests.engine.lake import TABLE, schema_of

BASE, ROWS = 1000, 10
SCHEMA = schema_of("id int", "n int", "at timestamp")
HELD = {
    1: ColumnStatistics(1, 10, 0),
    2: ColumnStatistics(5, 9, 0),
    3: ColumnStatistics("2024-01-01T00:00:00Z", "2024-12-31T00:00:00Z", 2),
}
LATER = 1_800_000_000_000_000


def unchanged(tmp_path: Path, n: list[int | None], at: list[int]) -> Any:
    """Of a file that is not there: whoever reads it fails."""
    file = FileScan(1, f"{TABLE}/data/base={BASE}/none.parquet", BASE, ROWS, SCHEMA, statistics=HELD)
    images = pa.table(
        {
            ADDRESS: pa.array(range(BASE, BASE + len(n)), pa.int64()),
            "__c1": pa.array(range(len(n)), pa.int32()),
            "__c2": pa.array(n, pa.int32()),
            "__c3": pa.array(at, pa.timestamp("us", "UTC")),
        }
    )
    writer = FileWriter(Warehouse(str(tmp_path)), lambda *_: 0, lambda *_: 0)
    nobody: Any = None
    scan = TableScan(TABLE, SCHEMA, (file,))
    return unchanged_images(nobody, writer, scan, images, SCHEMA.columns[1:], Staging(writer.warehouse, "folder"))


@pytest.mark.parametrize(("n", "at"), [([10, 11], [0, 0]), ([5, None], [LATER, LATER + 1]), ([None], [10**18])])
def test_files_below_their_new_values_are_not_read(tmp_path: Path, n: Any, at: Any) -> None:
    assert not np.any(unchanged(tmp_path, n, at))


@pytest.mark.parametrize("n", [[9, 10], [10, None], [1, 1]])
def test_files_that_may_hold_new_values_are_read(tmp_path: Path, n: Any) -> None:
    with pytest.raises(FileNotFoundError):
        unchanged(tmp_path, n, [0] * len(n))
