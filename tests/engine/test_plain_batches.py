"""Rows of a file that this process reads by their positions: what is decoded ends with the last of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.engine import plain_cells

ROWS, MOST = 1_000, 64


class Counted(pq.ParquetFile):
    """A file that counts the rows and the batches which are decoded of it."""

    rows = batches = 0

    def iter_batches(self, *arguments: Any, **named: Any) -> Iterator[pa.RecordBatch]:
        for batch in super().iter_batches(*arguments, **named):
            self.rows += batch.num_rows
            self.batches += 1
            yield batch


@pytest.mark.parametrize(
    ("positions", "rows", "batches"),
    [
        ([0, 9], 10, 1),
        ([63], 64, 1),
        ([64], 66, 2),
        ([0, 199], 200, 4),
        ([999], 500, 8),
        ([5, 505], 12, 2),
        (list(range(ROWS)), ROWS, 16),
    ],
)
def test_what_lies_behind_the_last_row_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, positions: list[int], rows: int, batches: int
) -> None:
    monkeypatch.setattr(plain_cells, "BATCH_ROWS", MOST)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": range(ROWS)}), path, row_group_size=ROWS // 2)
    with Counted(path) as stored:
        found = list(plain_cells._taken(stored, [0], ["n"], np.array(positions)))
        assert [value for batch in found for value in batch["n"].to_pylist()] == positions
        assert (stored.rows, stored.batches) == (rows, batches)
