"""How many of something, as people read it."""

from __future__ import annotations

import pytest

from lakeui.common.counts import counted


@pytest.mark.parametrize(
    ("count", "one", "many", "text"),
    [
        (0, "row", "", "0 rows"),
        (1, "row", "", "1 row"),
        (1_200, "row", "", "1,200 rows"),
        (1, "row is", "rows are", "1 row is"),
        (2, "row is", "rows are", "2 rows are"),
    ],
)
def test_one_is_not_many(count: int, one: str, many: str, text: str) -> None:
    assert counted(count, one, many) == text
