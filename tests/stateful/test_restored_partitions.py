"""Restores beside partitions that one side emptied."""

from __future__ import annotations

import pytest

from catalog_app.rules.codes import VerdictCode
from lakeui.common.errors import MergeConflict
from tests.e2e.lake import Lake


@pytest.mark.parametrize("before", ["SELECT * FROM d.p", "OPTIMIZE d.p"])
@pytest.mark.parametrize("changed", ["id < 9", "id < 4"])
def test_a_restore_that_takes_one_row_away_says_nothing_of_a_delete_before_it(
    lake: Lake, before: str, changed: str
) -> None:
    """A restore is its changes (lineage §1), so the update meets the delete (A1)."""
    lake.sql("CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)")
    lake.sql("INSERT INTO d.p VALUES (1, 1), (2, 1), (4, 2)")
    lake.sql("UPDATE d.p SET k = 2 WHERE id = 1")
    lake.merge("main", "b")
    for text in (before, f"UPDATE d.p SET id = id + 10 WHERE {changed}"):
        lake.sql(text, "b")
    lake.sql("DELETE FROM d.p WHERE k = 1")
    version = lake.head()
    lake.sql("INSERT INTO d.p VALUES (8, 5)")
    lake.sql(f"RESTORE TABLE d.p TO VERSION AS OF {version}")
    rows = lake.rows("d.p")
    with pytest.raises(MergeConflict) as refused:
        lake.merge("b")
    assert {item["code"] for item in refused.value.details["conflicts"]} == {VerdictCode.SAME_FILE_UPDATE_DELETE}
    assert lake.rows("d.p") == rows
