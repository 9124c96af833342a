"""A new table that a decision skipped: later merges of the same branch leave it out, and are not refused."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake"]


@pytest.mark.parametrize("made", ["CREATE TABLE d.x (id INT)", "CREATE TABLE d.x CLONE d.`x@b4`"])
def test_a_skipped_table_stays_behind_on_later_merges(lake: Lake, made: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o')")
    for branch in ("b2", "b4"):
        lake.sql(f"CREATE BRANCH {branch}")
    lake.sql("CREATE TABLE d.x CLONE d.t", "b4")
    lake.sql(made, "b2")
    assert lake.codes("b4", "b2") == {"NAME_EXISTS"}
    lake.sql("MERGE BRANCH b4 TO b2 RESOLVE (TABLE d.x SKIP)")
    lake.merge("b2")
    assert lake.rows("d.x") == lake.rows("d.x", "b2")
    assert lake.breaches() == []
