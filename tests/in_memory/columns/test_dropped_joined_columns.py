"""A column that two branches added, and a merge made one, goes as one: no fact says that a part of it is there."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake

ADD = ["ALTER TABLE d.t ADD COLUMN n INT", "CREATE OR REPLACE TABLE d.t (a INT, n INT)"]
DROP = [
    "ALTER TABLE d.t DROP COLUMN n",
    "CREATE OR REPLACE TABLE d.t (a INT)",
    "CREATE OR REPLACE TABLE d.t (a INT, m INT)",
]


@pytest.mark.pairwise
@pytest.mark.parametrize("add", ADD)
@pytest.mark.parametrize("drop", DROP)
@pytest.mark.parametrize("branch", ["main", "b", "c"])
def test_both_parts_go(lake: Lake, add: str, drop: str, branch: str) -> None:
    lake.sql("CREATE TABLE d.t (a INT)")
    for name in ("b", "c"):
        lake.sql(f"CREATE BRANCH {name}")
    for name in ("main", "c"):
        lake.sql(add, name)
    lake.merge("c")
    for name in ("b", "c"):
        lake.merge("main", name)
    lake.sql(drop, branch)
    assert lake.breaches() == []
    for name in {"main", "b", "c"} - {branch}:
        lake.merge(branch, name)
        assert [row[0] for row in lake.sql("DESCRIBE d.t", name).rows] == [
            row[0] for row in lake.sql("DESCRIBE d.t", branch).rows
        ]
    assert lake.breaches() == []
