"""Small files of one partition value become one; those that are worth a task of their own stay."""

from __future__ import annotations

import pytest

from catalog_app.engine.file_sizes import become_one

MB = 1024 * 1024


@pytest.mark.parametrize("sizes", [[1, 1], [8 * MB, 8 * MB], [15 * MB, MB], [MB] * 32, [2 * MB] * 16])
def test_small_files_become_one(sizes: list[int]) -> None:
    assert become_one(sizes)


@pytest.mark.parametrize("sizes", [[], [1], [20 * MB], [12 * MB, 13 * MB], [8 * MB, 9 * MB], [MB] * 33, [40 * MB, 1]])
def test_others_stay(sizes: list[int]) -> None:
    assert not become_one(sizes)
