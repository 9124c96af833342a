"""Where a partition's rows go when the other side's renames, drops and overwrites are redone over them."""

from __future__ import annotations

import pytest

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import Operation
from merge_app.planning.partition_paths import partition_after
from tests.planning.build import insert, overwrite, partition

W, X, Y = ("w",), ("x",), ("y",)


@pytest.mark.parametrize(
    ("operations", "goal"),
    [
        ([], X),
        ([insert(1, partition=X)], X),
        ([partition(None, X)], X),
        ([partition(X, Y)], Y),
        ([partition(X, Y), partition(Y, W)], W),
        ([partition(X, W), partition(Y, X), partition(W, Y)], Y),
        ([partition(Y, W), partition(W, X)], X),
        ([partition(Y, X), partition(X, W)], X),
        ([partition(X, None)], None),
        ([partition(X, Y), partition(Y, None)], None),
        ([partition(X, Y), partition(X, None)], Y),
        ([overwrite(1, partitions=(X,))], None),
        ([overwrite(1, partitions=(Y,))], X),
        ([partition(X, Y), overwrite(1, partitions=(Y,))], None),
        ([overwrite(1)], None),
    ],
)
def test_rows_of_x_end(operations: list[Operation], goal: PartitionValues | None) -> None:
    assert partition_after(operations, X) == goal
