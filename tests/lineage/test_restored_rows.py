"""A restored file comes to a branch that changed rows of it."""

from __future__ import annotations

from tests.support.lake import Lake


def test_restored_rows_stay_where_target_updated_others(services: None) -> None:
    """The truncation is taken back (§4a), so no row is lost (§6.6), and what the target updated stays (P7)."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
    then = lake.head()
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE BRANCH other")
    lake.sql("TRUNCATE TABLE d.t")
    lake.merge("main", "other")
    lake.sql("UPDATE d.t SET v = 'B' WHERE id = 2", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {then}")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a"), (2, "B"), (3, "c"), (4, "d")]
    lake.merge("b", "other")
    assert lake.rows("d.t", "other") == [(1, "a"), (2, "B"), (3, "c"), (4, "d")]
    assert lake.breaches() == []
