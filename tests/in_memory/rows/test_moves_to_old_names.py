"""A row that is moved into a partition of a name that its own partition had before (C5, R10)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue, MergeConflict
from tests.support.lake import Lake
from tests.support.rows import run

KEYS = pytest.mark.parametrize("key", [", PRIMARY KEY (id)", ", PRIMARY KEY (id, p)"])
SIDES = pytest.mark.parametrize(("one", "other"), [("b", "main"), ("main", "b")])


def renamed(lake: Lake, key: str) -> None:
    """Rows 1 and 2 lie in partition z, which was called a when they were written."""
    lake.sql(f"CREATE TABLE d.t (id INT, v INT, p STRING{key}) PARTITIONED BY (p)")
    if not key:
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = 'cell')")
    lake.sql("INSERT INTO d.t VALUES (1, 5, 'a'), (2, 6, 'a'), (3, 7, 'b')")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'z')")
    lake.sql("CREATE BRANCH b")


@pytest.mark.pairwise
@SIDES
@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (id)"])
@pytest.mark.parametrize("to", ["a", "q"])
def test_the_move_comes_beside_an_update(lake: Lake, key: str, one: str, other: str, to: str) -> None:
    renamed(lake, key)
    run(lake, one, f"UPDATE d.t SET p = '{to}' WHERE id = 1")
    run(lake, other, "UPDATE d.t SET v = 50 WHERE id = 1")
    lake.merge("b")
    assert lake.rows("d.t WHERE id = 1") == [(1, 50, to)]
    assert lake.breaches() == []


@SIDES
@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (id)"])
def test_move_counts_as_change_against_delete(lake: Lake, key: str, one: str, other: str) -> None:
    renamed(lake, key)
    run(lake, one, "UPDATE d.t SET p = 'a' WHERE id = 1")
    run(lake, other, "DELETE FROM d.t WHERE id = 1")
    if one == "main" and not key:
        # By row an update of the target outlives the source's delete.
        lake.merge("b")
        assert lake.rows("d.t WHERE id = 1") == [(1, 5, "a")]
    else:
        with pytest.raises(MergeConflict):
            lake.merge("b")


@SIDES
@KEYS
def test_row_inserted_again_unchanged_goes_with_delete(lake: Lake, key: str, one: str, other: str) -> None:
    renamed(lake, key)
    run(lake, one, "DELETE FROM d.t WHERE id = 1", "INSERT INTO d.t VALUES (1, 5, 'z')")
    run(lake, other, "DELETE FROM d.t WHERE id = 1")
    lake.merge("b")
    assert lake.breaches() == []


def test_two_decisions_of_one_table_are_refused(lake: Lake) -> None:
    run(lake, "main", "CREATE TABLE d.t (id INT)", "INSERT INTO d.t VALUES (1), (2)", "CREATE BRANCH b")
    run(lake, "b", "DELETE FROM d.t WHERE id > 1")
    run(lake, "main", "INSERT INTO d.t VALUES (3)")
    with pytest.raises(InvalidValue, match=r"table d\.t is decided twice"):
        lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t SKIP, TABLE d.t TAKE SOURCE)")
    assert lake.rows("d.t") == [(1,), (2,), (3,)]
