"""A merge that stamps no fact is no news: branches that only merge each other come to rest (lineage §2)."""

from __future__ import annotations

import pytest

from catalog_app.models import Commit
from catalog_app.selectors.ahead_behind import divergences_load
from catalog_app.selectors.snapshots import branch_get, catalog_get
from tests.support.lake import Lake
from tests.support.rows import delete, rows, run, set_v

NEWS = {
    "rows": ["INSERT INTO d.t VALUES (4, 'b')"],
    "an update": [set_v("B", 1)],
    "columns and properties": ["ALTER TABLE d.t ADD COLUMN w INT", "ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')"],
    "another table": ["CREATE TABLE d.u (id INT)", "INSERT INTO d.u VALUES (1)"],
    "a drop": ["DROP TABLE d.t"],
    "an overwrite": ["INSERT OVERWRITE d.t VALUES (9, 'b')"],
    "a compaction": ["INSERT INTO d.t VALUES (4, 'b')", "OPTIMIZE d.t"],
    "a restore": [delete(1), "RESTORE TABLE d.t TO VERSION AS OF 3"],
}


@pytest.fixture
def lake(lake: Lake) -> Lake:
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o')")
    lake.sql("CREATE BRANCH b")
    return lake


def apart(lake: Lake) -> tuple[int, int]:
    """How many commits b is ahead of main and behind it."""
    catalog = catalog_get(lake.catalog)
    one, other = branch_get(catalog, "b"), branch_get(catalog, "main")
    ((found),) = divergences_load([(one, other)]).values()
    return found.ahead, found.behind


def outcome(lake: Lake, source: str, destination: str) -> str:
    return str(lake.merge(source, destination)["outcome"])


@pytest.mark.parametrize("news", NEWS.values(), ids=NEWS)
def test_what_a_merge_takes_unchanged_does_not_return(lake: Lake, news: list[str]) -> None:
    run(lake, "b", *news)
    assert apart(lake) == (len(news), 0)
    assert outcome(lake, "b", "main") == "merged"
    assert apart(lake) == (0, 0)
    assert outcome(lake, "main", "b") == outcome(lake, "b", "main") == "nothing to merge"


def test_what_a_merge_decides_goes_back_once(lake: Lake) -> None:
    """Delete x update: the updated image stays, and whoever deleted it gets it back."""
    run(lake, "b", delete(1))
    run(lake, "main", set_v("M", 1))
    assert outcome(lake, "b", "main") == "merged"
    assert rows(lake) == "1M 2o 3o"
    assert apart(lake) == (0, 2)
    assert outcome(lake, "main", "b") == "merged"
    assert rows(lake, "b") == "1M 2o 3o"
    assert apart(lake) == (0, 0)
    assert outcome(lake, "b", "main") == outcome(lake, "main", "b") == "nothing to merge"


def test_two_sides_that_meet_come_to_rest(lake: Lake) -> None:
    run(lake, "b", set_v("B", 1), "ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'b')")
    run(lake, "main", "CREATE TABLE d.u (id INT)", "ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'm')")
    assert outcome(lake, "b", "main") == "merged"
    decided = Commit.objects.get(branch=branch_get(catalog_get(lake.catalog), "main"), version=lake.head())
    assert decided.decides
    assert outcome(lake, "main", "b") == "merged"
    assert outcome(lake, "b", "main") == outcome(lake, "main", "b") == "nothing to merge"
    assert apart(lake) == (0, 0)
    assert lake.sql("SHOW TBLPROPERTIES d.t", "b").rows == lake.sql("SHOW TBLPROPERTIES d.t").rows


def test_what_another_branch_brings_is_news_without_decisions(lake: Lake) -> None:
    lake.sql("CREATE BRANCH c")
    run(lake, "b", set_v("B", 1))
    assert outcome(lake, "b", "c") == "merged"
    assert outcome(lake, "c", "main") == "merged"
    assert rows(lake) == "1B 2o 3o"
    assert outcome(lake, "b", "main") == "nothing to merge"
