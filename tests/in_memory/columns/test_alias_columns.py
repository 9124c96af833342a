"""One column added under one name on both sides: rows of both stay readable and can be changed after the merge."""

from __future__ import annotations

import pytest

from lakeui.common.errors import DuplicateKey
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def doubled_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql("CREATE BRANCH b")
    for number, branch in ((2, "b"), (3, "main")):
        lake.sql("ALTER TABLE d.t ADD COLUMN n INT", branch)
        lake.sql(f"INSERT INTO d.t VALUES ({number}, {number * 10})", branch)
    lake.merge("b")


@pytest.fixture
def doubled(begun: Begun) -> Lake:
    """d.t has n added on both sides, with rows of both; b was merged into main."""
    return begun(doubled_fill)


def test_statements_reach_the_values_of_both_sides(doubled: Lake) -> None:
    assert doubled.sql("DELETE FROM d.t WHERE n = 20").metrics["rows_deleted"] == 1
    assert doubled.sql("UPDATE d.t SET n = n + 1 WHERE n = 30").metrics["rows_updated"] == 1
    doubled.sql("OPTIMIZE d.t")
    assert doubled.rows("d.t") == [(1, None), (3, 31)]


def test_the_source_changes_rows_under_its_column_id(doubled: Lake) -> None:
    doubled.merge("main", "b")
    assert doubled.rows("d.t", "b") == doubled.rows("d.t")
    doubled.sql("UPDATE d.t SET n = 21 WHERE n = 20", "b")
    doubled.sql("INSERT INTO d.t VALUES (4, 40)", "b")
    doubled.sql("OPTIMIZE d.t", "b")
    doubled.merge("b")
    assert doubled.rows("d.t") == [(1, None), (2, 21), (3, 30), (4, 40)]


def test_the_source_continues_to_alter_the_column(doubled: Lake) -> None:
    doubled.sql("ALTER TABLE d.t RENAME COLUMN n TO m", "b")
    doubled.sql("ALTER TABLE d.t ALTER COLUMN m TYPE BIGINT", "b")
    doubled.sql("INSERT INTO d.t VALUES (4, 5000000000)", "b")
    doubled.merge("b")
    assert doubled.rows("d.t", columns="id, m") == [(1, None), (2, 20), (3, 30), (4, 5000000000)]


def test_a_type_widened_by_merge_is_pulled_back(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    for branch, kind in (("b", "BIGINT"), ("main", "INT")):
        lake.sql(f"ALTER TABLE d.t ADD COLUMN n {kind}", branch)
        lake.sql("INSERT INTO d.t VALUES (1, 1)", branch)
    lake.merge("b")
    lake.sql("ALTER TABLE d.t RENAME COLUMN n TO m")
    lake.merge("main", "b")
    for branch in ("b", "main"):
        assert [row[:2] for row in lake.sql("DESCRIBE TABLE d.t", branch).rows] == [["id", "int"], ["m", "bigint"]]
        assert lake.rows("d.t", branch) == [(1, 1), (1, 1)]


def test_nulls_under_either_id_violate_a_required_column(doubled: Lake) -> None:
    doubled.sql("DELETE FROM d.t WHERE id = 1")
    doubled.merge("main", "b")
    doubled.sql("ALTER TABLE d.t ALTER COLUMN n SET NOT NULL")
    doubled.sql("INSERT INTO d.t VALUES (5, NULL), (6, 60)", "b")
    assert doubled.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}
    doubled.sql("DELETE FROM d.t WHERE id = 5", "b")
    doubled.merge("b")
    assert doubled.rows("d.t") == [(2, 20), (3, 30), (6, 60)]


def test_widened_keys_are_compared_with_narrow_ones(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.k VALUES (1, 'a')")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.k ALTER COLUMN id TYPE BIGINT", "b")
    lake.sql("INSERT INTO d.k VALUES (2, 'b')", "b")
    lake.sql("INSERT INTO d.k VALUES (2, 'm')")
    assert lake.codes("b") == {"PRIMARY_KEY_CLASH"}
    lake.sql("UPDATE d.k SET id = 3 WHERE v = 'm'")
    lake.merge("b")
    for statement in ("INSERT INTO d.k VALUES (3, 'x')", "UPDATE d.k SET id = 1 WHERE v = 'b'"):
        with pytest.raises(DuplicateKey):
            lake.sql(statement)
    assert lake.rows("d.k") == [(1, "a"), (2, "b"), (3, "m")]
