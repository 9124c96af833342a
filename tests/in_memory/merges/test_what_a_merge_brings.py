"""The numbers of rows and columns that a comparison says first, without a look at rows."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.api.compare.comparing import comparison_read
from tests.in_memory.conftest import Begun
from tests.lineage.test_comparisons import compared
from tests.support.lake import Lake


def two_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two(begun: Begun) -> Lake:
    return begun(two_fill)


def brought(lake: Lake) -> dict[str, Any]:
    """What is not none of what a merge of b into main brings in all; that of each object adds up to it."""
    found = comparison_read(compared(lake, "b", "main"))
    total = found["summary"]["brings"]
    for name in ("rows_inserted", "rows_updated", "rows_deleted", "columns_added"):
        assert sum(item["brings"][name] for item in found["objects"]) == total[name]
    return {name: number for name, number in total.items() if number or name == "rows_are_exact"}


def test_rows_are_counted_by_kind_of_change(two: Lake) -> None:
    two.sql("UPDATE d.t SET name = 'x' WHERE id < 3", "b")
    assert brought(two) == {"rows_updated": 2, "rows_are_exact": True, "tables_changed": 1}


def test_rows_of_several_statements_have_an_upper_bound(two: Lake) -> None:
    two.sql("INSERT INTO d.t VALUES (4, 'd'), (5, 'e')", "b")
    two.sql("DELETE FROM d.t WHERE id IN (1, 4)", "b")
    assert brought(two) == {"rows_inserted": 2, "rows_deleted": 2, "rows_are_exact": False, "tables_changed": 1}


def test_rows_left_out_make_the_number_a_bound(two: Lake) -> None:
    two.sql("DELETE FROM d.t WHERE id < 3", "b")
    two.sql("INSERT OVERWRITE TABLE d.t VALUES (9, 'z')")
    found = comparison_read(compared(two, "b", "main"))
    assert found["objects"][0]["codes"] == ["DISCARDED_DELETE"]
    assert brought(two) in (
        {"rows_deleted": 2, "rows_are_exact": False, "tables_changed": 1},
        {"rows_are_exact": True},
    )


def test_rows_of_a_new_table_count_too(two: Lake) -> None:
    two.sql("CREATE TABLE d.fresh AS SELECT id FROM d.t", "b")
    assert brought(two) == {"rows_inserted": 3, "rows_are_exact": True, "tables_created": 1}


def test_what_the_target_has_is_not_brought_again(two: Lake) -> None:
    two.sql("INSERT INTO d.t VALUES (4, 'd')", "b")
    two.merge("b")
    two.sql("INSERT INTO d.t VALUES (5, 'e')", "b")
    assert brought(two) == {"rows_inserted": 1, "rows_are_exact": True, "tables_changed": 1}
