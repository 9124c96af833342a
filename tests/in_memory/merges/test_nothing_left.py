"""Both sides drop a part, and together they drop all of it: a table has a column, and a struct has a field (A6)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.support.lake import Lake
from tests.support.rows import run

TABLES = [
    ("a INT, b INT", "(1, 2)", "a", "b"),
    ("i INT, s STRUCT<a: INT, b: INT>", "(1, named_struct('a', 1, 'b', 2))", "s.a", "s.b"),
    ("i INT, s ARRAY<STRUCT<a: INT, b: INT>>", "(1, NULL)", "s.element.a", "s.element.b"),
]


@pytest.fixture(params=TABLES, ids=["columns", "fields", "fields of elements"])
def dropped(request: pytest.FixtureRequest, lake: Lake) -> Lake:
    columns, row, of_source, of_target = request.param
    run(lake, "main", f"CREATE TABLE d.t ({columns})")
    if "STRUCT" not in columns:
        run(lake, "main", f"INSERT INTO d.t VALUES {row}")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", f"ALTER TABLE d.t DROP COLUMN {of_source}")
    run(lake, "main", f"ALTER TABLE d.t DROP COLUMN {of_target}")
    return lake


@pytest.mark.parametrize(("source", "target"), [("b", "main"), ("main", "b")])
def test_the_merge_is_refused(dropped: Lake, source: str, target: str) -> None:
    before = dropped.sql("DESCRIBE d.t", target).rows
    with pytest.raises(MergeConflict) as refused:
        dropped.merge(source, target)
    (conflict,) = refused.value.details["conflicts"]
    assert conflict["code"] == "NO_COLUMN_LEFT"
    assert dropped.sql("DESCRIBE d.t", target).rows == before
    assert dropped.breaches() == []


@pytest.mark.parametrize(("decision", "branch"), [("TAKE SOURCE", "b"), ("TAKE TARGET", "main")])
def test_one_side_may_be_taken(dropped: Lake, decision: str, branch: str) -> None:
    wanted = dropped.sql("DESCRIBE d.t", branch).rows
    dropped.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t {decision})")
    assert dropped.sql("DESCRIBE d.t").rows == wanted
    assert dropped.breaches() == []


def test_a_column_that_one_side_adds_is_enough(lake: Lake) -> None:
    run(lake, "main", "CREATE TABLE d.t (a INT, b INT)", "INSERT INTO d.t VALUES (1, 2)", "CREATE BRANCH b")
    run(lake, "b", "ALTER TABLE d.t ADD COLUMN c INT", "ALTER TABLE d.t DROP COLUMN a")
    run(lake, "main", "ALTER TABLE d.t DROP COLUMN b")
    lake.merge("b")
    assert [row[0] for row in lake.sql("DESCRIBE d.t").rows] == ["c"]
    assert lake.breaches() == []
