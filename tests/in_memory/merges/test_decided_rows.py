"""Rows of a table that a person decided as a whole: what the decision is to branches that merge later."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakeui.common.errors import InvalidValue, MergeConflict
from tests.support.lake import Lake
from tests.support.rows import rows, run


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


def test_a_taken_source_is_news_to_every_branch(differing: Lake) -> None:
    decided(differing, "TAKE SOURCE")
    assert rows(differing) == "1b 2o 4o"
    for branch in ("b", "old", "c"):
        differing.merge("main", branch)
        assert rows(differing, branch) == "1b 2o 4o"
        differing.merge(branch)
        assert rows(differing) == "1b 2o 4o"
    assert differing.breaches() == []


def test_both_branches_continue_after_taking_a_source(differing: Lake) -> None:
    decided(differing, "TAKE SOURCE")
    run(differing, "b", "UPDATE d.t SET v = 'b2' WHERE id = 4")
    differing.merge("b")
    assert rows(differing) == "1b 2o 4b2"
    run(differing, "main", "UPDATE d.t SET v = 'm2' WHERE id = 2")
    differing.merge("main", "b")
    assert rows(differing, "b") == rows(differing) == "1b 2m2 4b2"


@pytest.mark.parametrize("action", ["TAKE TARGET", "SKIP"])
def test_later_compactions_never_bring_what_was_left_out(differing: Lake, action: str) -> None:
    decided(differing, action)
    assert rows(differing) == "1o 2m 3o 4o 9m"
    run(differing, "b", "INSERT INTO d.t VALUES (5, 'b')", "OPTIMIZE d.t")
    differing.merge("b")
    assert rows(differing) == "1o 2m 3o 4o 5b 9m"
    assert differing.breaches() == []


@pytest.fixture
def clashing(lake: Lake) -> Lake:
    """Both branches set v of row 1; b changed row 2, which main deleted."""
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT NOT NULL, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.k VALUES (1, 'o', 1, 'x'), (2, 'o', 2, 'x')")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", "UPDATE d.k SET v = 'b'")
    run(lake, "main", "UPDATE d.k SET v = 'm' WHERE id = 1", "DELETE FROM d.k WHERE id = 2")
    return lake


def edited(lake: Lake, **given: dict[str, Any]) -> None:
    rows = (f"TABLE d.k ROW '{{\"id\":{key[1:]}}}' SET '{json.dumps(values)}'" for key, values in given.items())
    lake.sql(f"MERGE BRANCH b TO main RESOLVE ({', '.join(rows)})")


def test_an_edited_row_holds_even_without_conflict(clashing: Lake) -> None:
    edited(clashing, r1={"v": "e", "n": 7, "p": "x"}, r2={"N": 8})
    assert clashing.rows("d.k") == [(1, "e", 7, "x"), (2, "b", 8, "x")]
    clashing.merge("main", "b")
    assert clashing.rows("d.k", "b") == clashing.rows("d.k")
    assert clashing.breaches() == []


@pytest.mark.parametrize("given", [{"nope": 1}, {"id": 3}, {"p": "y"}, {"n": None}])
@pytest.mark.parametrize("key", ["r1", "r2"])
def test_what_an_edited_row_cannot_hold_is_refused(clashing: Lake, key: str, given: dict[str, Any]) -> None:
    other = "r2" if key == "r1" else "r1"
    with pytest.raises(InvalidValue, match=next(iter(given))):
        edited(clashing, **{key: {"v": "e", **given}, other: {"v": "e"}})
    assert clashing.rows("d.k") == [(1, "m", 1, "x")]


BY = {
    "row": "(id INT, v STRING, w STRING) TBLPROPERTIES ('merge.conflicts' = 'row')",
    "cell": "(id INT, v STRING, w STRING) TBLPROPERTIES ('merge.conflicts' = 'cell')",
}


def decided_otherwise(lake: Lake, table: str) -> None:
    """Main took g's row over f's, and dev f's over g's."""
    lake.sql(f"CREATE TABLE d.t {BY[table]}")
    lake.sql("INSERT INTO d.t VALUES (1, 'o', 'o')")
    for branch in ("f", "g", "dev"):
        lake.sql(f"CREATE BRANCH {branch}")
    for branch in ("f", "g"):
        run(lake, branch, f"UPDATE d.t SET v = '{branch}' WHERE id = 1")
    for first, second, target in (("f", "g", "main"), ("g", "f", "dev")):
        lake.merge(first, target)
        lake.sql(f"MERGE BRANCH {second} TO {target} RESOLVE (TABLE d.t TAKE SOURCE)")


@pytest.mark.parametrize("table", BY)
@pytest.mark.parametrize("later", ["", "UPDATE d.t SET v = 'h'", "UPDATE d.t SET w = 'h'"])
@pytest.mark.parametrize("branch", ["main", "dev"])
def test_two_branches_that_decided_otherwise_are_in_conflict(lake: Lake, table: str, later: str, branch: str) -> None:
    decided_otherwise(lake, table)
    if later:
        run(lake, branch, later)
    for source, target in (("dev", "main"), ("main", "dev")):
        with pytest.raises(MergeConflict) as refused:
            lake.merge(source, target)
        assert {item["code"] for item in refused.value.details["conflicts"]} == {"SAME_FILE_UPDATE_UPDATE"}


@pytest.mark.parametrize("table", BY)
@pytest.mark.parametrize(("action", "left"), [("TAKE SOURCE", "f"), ("TAKE TARGET", "g"), ("SKIP", "g")])
def test_such_a_conflict_is_decided_as_others_are(lake: Lake, table: str, action: str, left: str) -> None:
    decided_otherwise(lake, table)
    lake.sql(f"MERGE BRANCH dev TO main RESOLVE (TABLE d.t {action})")
    assert lake.rows("d.t") == [(1, left, "o")]
    assert lake.breaches() == []
