"""Numbers in order, each once: as ``numpy.unique`` gives them."""

from __future__ import annotations

import numpy as np
import pytest

from merge_app.lineage.ascending import ascending


@pytest.mark.parametrize("numbers", [[], [5], [5, 5], [1, 2, 3], [1, 1, 2], [3, 1, 3, -1], [2**62, -(2**62), 2**62]])
def test_each_number_is_there_once(numbers: list[int]) -> None:
    assert ascending(np.array(numbers, dtype=np.int64)).tolist() == sorted(set(numbers))


def test_numbers_by_chance_are_as_unique_gives_them() -> None:
    chance = np.random.default_rng(29)
    for size in range(60):
        numbers = chance.integers(-20, 20, size)
        assert np.array_equal(ascending(numbers), np.unique(numbers))
