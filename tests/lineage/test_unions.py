"""``merge.column.<name>`` = ``union``, on arrays as Arrow has them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from catalog_app.storage.cells import RowCells
from merge_app.lineage.cells import ColumnMerge, cells_put, column_merge
from merge_app.lineage.choices import with_cells

TEXTS = pa.list_(pa.string())


def test_additions_come_and_removals_go_from_either_side() -> None:
    source = pa.array([["a", "s"], ["a"], ["s"], None, ["a", "s"]], type=TEXTS)
    target = pa.array([["a", "t"], ["a", "t"], ["a", "t"], ["t"], ["a"]], type=TEXTS)
    base = pa.array([["a"], ["a"], ["a"], ["a"], ["a"]], type=TEXTS)
    merged = column_merge(source, target, base, np.ones(5, dtype=bool), ColumnMerge.UNION)
    assert merged.values.to_pylist() == [["a", "t", "s"], ["a", "t"], ["t", "s"], ["t"], ["a", "s"]]
    assert merged.conflicts.tolist() == [False, False, False, True, False]


def test_unchanged_arrays_stay() -> None:
    one = pa.array([["a"], None], type=TEXTS)
    merged = column_merge(one, one, one, np.ones(2, dtype=bool), ColumnMerge.UNION)
    assert merged.values.to_pylist() == [["a"], None]
    assert not merged.conflicts.any()


def test_a_person_edits_an_array() -> None:
    kept = RowCells({7: pa.array([["a"], ["b"]], type=TEXTS)})
    edited = with_cells(kept, [{}, {7: pa.scalar(["c"], type=TEXTS)}])
    assert edited[7].to_pylist() == [["a"], ["c"]]


def test_structs_are_put_in_place() -> None:
    kind = pa.struct([("a", pa.int64())])
    values = pa.array([{"a": 1}, {"a": 2}, None], type=kind)
    put = cells_put(values, [2, 0], pa.array([{"a": 3}, None], type=kind))
    assert put.to_pylist() == [None, {"a": 2}, {"a": 3}]
