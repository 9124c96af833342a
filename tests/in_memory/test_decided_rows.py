"""Rows of a table that a person decided as a whole: what the decision is to branches that merge later."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake
from tests.e2e.rows import rows, run


@pytest.fixture
def differing(lake: Lake) -> Lake:
    """b updated row 1 and deleted 3; main updated 2 and inserted 9, which c knows. No branch knows both."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o'), (4, 'o')")
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE BRANCH old")
    run(lake, "b", "UPDATE d.t SET v = 'b' WHERE id = 1", "DELETE FROM d.t WHERE id = 3")
    run(lake, "main", "UPDATE d.t SET v = 'm' WHERE id = 2", "INSERT INTO d.t VALUES (9, 'm')")
    lake.sql("CREATE BRANCH c")
    return lake


def decided(lake: Lake, action: str) -> None:
    lake.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t {action})")
    assert lake.breaches() == []


def test_a_source_that_is_taken_is_news_to_every_branch(differing: Lake) -> None:
    decided(differing, "TAKE SOURCE")
    assert rows(differing) == "1b 2o 4o"
    for branch in ("b", "old", "c"):
        differing.merge("main", branch)
        assert rows(differing, branch) == "1b 2o 4o"
        differing.merge(branch)
        assert rows(differing) == "1b 2o 4o"
    assert differing.breaches() == []


def test_both_branches_go_on_after_a_source_was_taken(differing: Lake) -> None:
    decided(differing, "TAKE SOURCE")
    run(differing, "b", "UPDATE d.t SET v = 'b2' WHERE id = 4")
    differing.merge("b")
    assert rows(differing) == "1b 2o 4b2"
    run(differing, "main", "UPDATE d.t SET v = 'm2' WHERE id = 2")
    differing.merge("main", "b")
    assert rows(differing, "b") == rows(differing) == "1b 2m2 4b2"


@pytest.mark.parametrize("action", ["TAKE TARGET", "SKIP"])
def test_what_was_left_out_does_not_come_with_a_later_compaction(differing: Lake, action: str) -> None:
    decided(differing, action)
    assert rows(differing) == "1o 2m 3o 4o 9m"
    run(differing, "b", "INSERT INTO d.t VALUES (5, 'b')", "OPTIMIZE d.t")
    differing.merge("b")
    assert rows(differing) == "1o 2m 3o 4o 5b 9m"
    assert differing.breaches() == []
