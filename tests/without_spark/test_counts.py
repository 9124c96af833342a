"""How many of something, as people read it."""

from __future__ import annotations

import pytest

from lakeui.common.counts import counted, metric_text


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


@pytest.mark.parametrize(
    ("name", "count", "text"),
    [
        ("files_added", 1, "1 file added"),
        ("files_added", 2, "2 files added"),
        ("rows_inserted", 4_043, "4,043 rows inserted"),
        ("bytes_written", 1, "1 byte written"),
    ],
)
def test_a_metric_counts_one_as_one(name: str, count: int, text: str) -> None:
    assert metric_text(name, count) == text
