"""Look-up through three levels of branches: nearest record first, nothing shines through (semantics §2)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import NotFound
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def deep_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("CREATE TABLE d.other (id INT)")
    lake.sql("INSERT INTO d.other VALUES (1)")
    for number, (branch, parent) in enumerate((("a", "main"), ("b", "a"), ("c", "b")), start=1):
        lake.sql(f"INSERT INTO d.t VALUES ({number}, '{parent}')", parent)
        lake.sql(f"CREATE BRANCH {branch} FROM {parent}")


@pytest.fixture
def deep(begun: Begun) -> Lake:
    """main > a > b > c, each cut after one more row came into d.t; d.other was never touched since main."""
    return begun(deep_fill)


def tables(lake: Lake, branch: str, database: str = "d") -> list[str]:
    return sorted(row[1] for row in lake.sql(f"SHOW TABLES IN {database}", branch).rows)


def columns(lake: Lake, branch: str) -> list[str]:
    return [row[0] for row in lake.sql("DESCRIBE TABLE d.t", branch).rows]


def test_each_level_sees_what_came_before_its_cut(deep: Lake) -> None:
    everything = [(1, "main"), (2, "a"), (3, "b")]
    assert [len(deep.rows("d.t", branch)) for branch in ("main", "a", "b", "c")] == [1, 2, 3, 3]
    assert deep.rows("d.t", "c") == everything
    assert deep.rows("d.other", "c") == [(1,)]


def test_parents_changes_after_a_cut_are_invisible_below(deep: Lake) -> None:
    before = deep.rows("d.t", "c")
    for branch in ("main", "a", "b"):
        deep.sql("DELETE FROM d.t WHERE id = 1", branch)
        deep.sql("INSERT INTO d.t VALUES (99, 'late')", branch)
        deep.sql("OPTIMIZE d.t", branch)
        deep.sql("ALTER TABLE d.t RENAME COLUMN v TO late", branch)
        deep.sql("ALTER TABLE d.t SET TBLPROPERTIES ('late' = '1')", branch)
        deep.sql(f"CREATE TABLE d.late_{branch} (id INT)", branch)
    deep.sql("DROP TABLE d.other")
    deep.sql("ALTER DATABASE d RENAME TO gone", "a")
    assert deep.rows("d.t", "c") == before
    assert columns(deep, "c") == ["id", "v"]
    assert tables(deep, "c") == ["other", "t"]
    assert deep.rows("d.other", "c") == [(1,)]
    assert tables(deep, "a", "gone") == ["late_a", "other", "t"]


@pytest.mark.parametrize("level", ["a", "b", "c"])
def test_a_table_dropped_nearer_never_shines_through(deep: Lake, level: str) -> None:
    deep.sql("DROP TABLE d.t", level)
    deep.sql(f"CREATE BRANCH below FROM {level}")
    for branch in (level, "below"):
        assert tables(deep, branch) == ["other"]
        with pytest.raises(NotFound):
            deep.rows("d.t", branch)
    assert deep.rows("d.t")


@pytest.mark.parametrize("level", ["a", "b", "c"])
def test_a_table_renamed_nearer_loses_its_old_name(deep: Lake, level: str) -> None:
    found = deep.rows("d.t", level)
    deep.sql("ALTER TABLE d.t RENAME TO d.u", level)
    deep.sql(f"CREATE BRANCH below FROM {level}")
    for branch in (level, "below"):
        assert tables(deep, branch) == ["other", "u"]
        assert deep.rows("d.u", branch) == found
        with pytest.raises(NotFound):
            deep.rows("d.t", branch)
    assert tables(deep, "main") == ["other", "t"]


def test_a_name_reused_nearer_means_the_new_table(deep: Lake) -> None:
    deep.sql("DROP TABLE d.t", "a")
    deep.sql("CREATE TABLE d.t (fresh STRING)", "a")
    deep.sql("CREATE BRANCH below FROM a")
    deep.sql("INSERT INTO d.t VALUES ('x')", "below")
    assert deep.rows("d.t", "below") == [("x",)]
    assert deep.rows("d.t", "a") == []
    assert len(deep.rows("d.t", "b")) == 3


def test_databases_dropped_and_renamed_nearer_never_shine_through(deep: Lake) -> None:
    deep.sql("ALTER DATABASE d RENAME TO e", "b")
    deep.sql("CREATE BRANCH below FROM b")
    assert tables(deep, "below", "e") == ["other", "t"]
    with pytest.raises(NotFound):
        deep.rows("d.t", "below")
    deep.sql("DROP DATABASE e CASCADE", "below")
    deep.sql("CREATE BRANCH deepest FROM below")
    assert deep.sql("SHOW DATABASES", "deepest").rows == []
    assert [row[0] for row in deep.sql("SHOW DATABASES", "b").rows] == ["e"]
    assert [row[0] for row in deep.sql("SHOW DATABASES", "c").rows] == ["d"]


def test_files_removed_or_masked_nearer_stay_for_others(deep: Lake) -> None:
    deep.sql("DELETE FROM d.t WHERE id = 1", "b")
    deep.sql("UPDATE d.t SET v = 'c' WHERE id = 1", "c")
    deep.sql("CREATE BRANCH below FROM c")
    deep.sql("DELETE FROM d.t WHERE id = 3", "below")
    assert deep.rows("d.t", "b") == [(2, "a"), (3, "b")]
    assert deep.rows("d.t", "c") == [(1, "c"), (2, "a"), (3, "b")]
    assert deep.rows("d.t", "below") == [(1, "c"), (2, "a")]
    assert deep.rows("d.t", "a") == [(1, "main"), (2, "a")]


def test_time_travel_follows_the_chain_to_each_cut(deep: Lake) -> None:
    cuts = {row[0]: row[2] for row in deep.sql("SHOW BRANCHES").rows}
    deep.sql("INSERT INTO d.t VALUES (50, 'late')")
    late = deep.head()
    deep.sql("INSERT INTO d.t VALUES (60, 'c')", "c")
    assert deep.rows(f"d.t VERSION AS OF {cuts['a']}", "c") == [(1, "main")]
    assert deep.rows(f"d.t VERSION AS OF {cuts['b']}", "c") == [(1, "main"), (2, "a")]
    assert len(deep.rows(f"d.t VERSION AS OF {late}", "c")) == 3
    assert [row[0] for row in deep.sql("SHOW HISTORY", "c").rows if row[0] == late] == []


def test_a_branch_of_a_past_version_shows_it(deep: Lake) -> None:
    first = {row[0]: row[2] for row in deep.sql("SHOW BRANCHES").rows}["a"]
    deep.sql(f"CREATE BRANCH past FROM c VERSION AS OF {first}")
    deep.sql("CREATE BRANCH below FROM past")
    assert deep.rows("d.t", "below") == [(1, "main")]
    deep.sql("INSERT INTO d.t VALUES (7, 'past')", "past")
    assert deep.rows("d.t", "past") == [(1, "main"), (7, "past")]
    assert deep.rows("d.t", "below") == [(1, "main")]
