"""One branch shows as one column what another branch shows as two: a merge of them is refused, with ways out."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.rows import run

WIDE = [(0, None, None), (1, None, 10), (2, 20, None)]
"""Rows of e by name: id, c, ca."""


def parted_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (0)")
    for branch in ("a", "b", "e"):
        lake.sql(f"CREATE BRANCH {branch}")
    run(lake, "a", "ALTER TABLE d.t ADD COLUMN c INT", "INSERT INTO d.t VALUES (1, 10)")
    run(lake, "b", "ALTER TABLE d.t ADD COLUMN c INT", "INSERT INTO d.t VALUES (2, 20)")
    lake.merge("a", "e")
    run(lake, "e", "ALTER TABLE d.t RENAME COLUMN c TO ca")
    lake.merge("b", "e")
    lake.merge("a")
    lake.merge("b")


@pytest.fixture
def parted(begun: Begun) -> Lake:
    """a and b added c. main merged both, so c is one column there. e renamed that of a before it merged b."""
    return begun(parted_fill)


def rows(lake: Lake, branch: str) -> list[tuple[object, ...]]:
    return sorted(map(tuple, lake.sql("SELECT * FROM d.t", branch).rows))


@pytest.mark.parametrize(
    ("source", "target", "sentence"),
    [
        ("e", "main", "The source has columns ca and c. They are one column on the target."),
        ("main", "e", "The target has columns ca and c. They are one column on the source."),
    ],
)
def test_two_columns_never_become_one(parted: Lake, source: str, target: str, sentence: str) -> None:
    before = rows(parted, target)
    (conflict,) = parted.refused(source, target)
    assert conflict["code"] == "COLUMNS_JOINED"
    assert sentence in conflict["message"]
    assert rows(parted, target) == before


def test_a_part_of_the_column_is_not_dropped(parted: Lake) -> None:
    parted.sql("ALTER TABLE d.t DROP COLUMN ca", "e")
    (conflict,) = parted.refused("e")
    assert "The source has column c, and dropped another. They are one column on the target." in conflict["message"]
    assert rows(parted, "main") == [(0, None), (1, 10), (2, 20)]


def test_a_decision_for_the_target_leaves_the_table(parted: Lake) -> None:
    parted.sql("INSERT INTO d.t VALUES (3, 30, 31)", "e")
    parted.sql("MERGE BRANCH e TO main RESOLVE (TABLE d.t TAKE TARGET)")
    assert rows(parted, "main") == [(0, None), (1, 10), (2, 20)]


def test_a_replaced_table_keeps_both_columns(parted: Lake) -> None:
    parted.sql("CREATE OR REPLACE TABLE d.t AS SELECT id, c AS c1, ca AS c2 FROM d.t", "e")
    parted.merge("e")
    assert rows(parted, "main") == WIDE
    assert [name for name, _ in parted.sql("SELECT * FROM d.t").columns] == ["id", "c1", "c2"]


def test_both_dropped_is_a_drop(parted: Lake) -> None:
    run(parted, "e", "ALTER TABLE d.t DROP COLUMN ca", "ALTER TABLE d.t DROP COLUMN c")
    parted.merge("e")
    assert rows(parted, "main") == [(0,), (1,), (2,)]


def test_a_branch_of_the_joined_column_merges(parted: Lake) -> None:
    parted.sql("CREATE BRANCH f FROM main")
    run(parted, "f", "ALTER TABLE d.t RENAME COLUMN c TO n", "UPDATE d.t SET n = 21 WHERE n = 20")
    run(parted, "a", "INSERT INTO d.t VALUES (3, 30)")
    parted.merge("f")
    parted.merge("a")
    assert rows(parted, "main") == [(0, None), (1, 10), (2, 21), (3, 30)]
