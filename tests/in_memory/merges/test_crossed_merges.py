"""Two branches merge the same two others, each for itself: what they have in common is what both merged, not the newer
of the two.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.in_memory.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake"]

BY_COLUMN = "'merge.column.n' = 'sum', 'merge.column.tags' = 'union'"
COLUMNS = "v STRING, w STRING, n INT, tags ARRAY<STRING>"
TABLES = {
    "cells": f"(id INT, {COLUMNS}) TBLPROPERTIES ('merge.conflicts' = 'cell', {BY_COLUMN})",
    "a key": f"(id INT PRIMARY KEY, {COLUMNS}) TBLPROPERTIES ({BY_COLUMN})",
}
by_table = pytest.mark.parametrize("table", TABLES)


def made(lake: Lake, table: str) -> None:
    lake.sql(f"CREATE TABLE d.t {TABLES[table]}")
    lake.sql("INSERT INTO d.t VALUES (1, 'o', 'o', 0, array('o'))")
    for branch in ("f", "g", "dev"):
        lake.sql(f"CREATE BRANCH {branch}")


def crossed(lake: Lake, table: str) -> None:
    """Main and dev have both what f and what g did."""
    made(lake, table)
    lake.sql("UPDATE d.t SET n = n + 1, v = 'x', tags = array('f') WHERE id = 1", "f")
    lake.sql("UPDATE d.t SET n = n + 10, w = 'y', tags = array('g') WHERE id = 1", "g")
    for source, target in (("f", "main"), ("g", "main"), ("g", "dev"), ("f", "dev")):
        lake.merge(source, target)


def shown(lake: Lake, branch: str) -> list[Any]:
    """The row; tags are a set."""
    ((*cells, tags),) = lake.rows("d.t", branch)
    return [*cells, sorted(tags)]


@by_table
def test_what_both_sides_added_counts_once(lake: Lake, table: str) -> None:
    crossed(lake, table)
    lake.merge("dev")
    assert shown(lake, "main") == [1, "x", "y", 11, ["f", "g"]]
    lake.merge("main", "dev")
    assert lake.rows("d.t", "dev") == lake.rows("d.t")


@by_table
@pytest.mark.parametrize("source", ["main", "dev"])
@pytest.mark.parametrize("change", ["v = 'o'", "w = 'o'", "v = 'z'", "w = 'z'", "n = n + 100", "tags = array('f')"])
def test_a_later_change_of_one_side_comes(lake: Lake, table: str, source: str, change: str) -> None:
    crossed(lake, table)
    target = "dev" if source == "main" else "main"
    lake.sql(f"UPDATE d.t SET {change} WHERE id = 1", source)
    lake.merge(source, target)
    assert shown(lake, target) == shown(lake, source)


@by_table
def test_later_changes_of_both_sides_add_up(lake: Lake, table: str) -> None:
    crossed(lake, table)
    lake.sql("UPDATE d.t SET n = n + 100 WHERE id = 1")
    lake.sql("UPDATE d.t SET n = n + 1000 WHERE id = 1", "dev")
    lake.merge("dev")
    assert lake.rows("d.t", columns="n") == [(1111,)]


def test_cells_decided_differently_on_both_sides_conflict(lake: Lake) -> None:
    made(lake, "a key")
    for branch in ("f", "g"):
        lake.sql(f"UPDATE d.t SET v = '{branch}' WHERE id = 1", branch)
    decided = "RESOLVE (TABLE d.t ROWS TAKE SOURCE)"
    lake.merge("f")
    lake.sql(f"MERGE BRANCH g TO main {decided}")
    lake.merge("g", "dev")
    lake.sql(f"MERGE BRANCH f TO dev {decided}")
    assert (lake.rows("d.t", columns="v"), lake.rows("d.t", "dev", columns="v")) == ([("g",)], [("f",)])
    assert lake.codes("dev") == {"PRIMARY_KEY_CLASH"}
    assert lake.codes("main", "dev") == {"PRIMARY_KEY_CLASH"}


def test_rows_decided_differently_on_both_sides_conflict(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = 'row')")
    lake.sql("INSERT INTO d.t VALUES (1, 'o')")
    for branch in ("f", "g", "dev"):
        lake.sql(f"CREATE BRANCH {branch}")
    for branch in ("f", "g"):
        lake.sql(f"UPDATE d.t SET v = '{branch}'", branch)
    for first, second, target in (("f", "g", "main"), ("g", "f", "dev")):
        lake.merge(first, target)
        lake.sql(f"MERGE BRANCH {second} TO {target} RESOLVE (TABLE d.t TAKE SOURCE)")
    assert (lake.rows("d.t"), lake.rows("d.t", "dev")) == ([(1, "g")], [(1, "f")])
    assert lake.codes("main", "dev") == {"SAME_FILE_UPDATE_UPDATE"}
    (refused,) = lake.refused("dev")
    assert refused["code"] == "SAME_FILE_UPDATE_UPDATE"
    assert "the source updated rows; the target updated rows." in refused["message"]


@pytest.mark.parametrize("by", ["file", "row", "cell"])
@pytest.mark.parametrize("change", ["UPDATE d.t SET v = 'later'", "DELETE FROM d.t"])
def test_a_row_that_main_decided_is_no_base(lake: Lake, by: str, change: str) -> None:
    """Main took h over g over f, and dev took f over h over g. Dev changes; main's row is no change of dev's alone."""
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = '{by}')")
    lake.sql("INSERT INTO d.t VALUES (1, 'o')")
    for branch in ("f", "g", "h", "dev"):
        lake.sql(f"CREATE BRANCH {branch}")
    for branch in ("f", "g", "h"):
        lake.sql(f"UPDATE d.t SET v = '{branch}'", branch)
    for target, order in (("main", "fgh"), ("dev", "ghf")):
        lake.merge(order[0], target)
        for source in order[1:]:
            lake.sql(f"MERGE BRANCH {source} TO {target} RESOLVE (TABLE d.t TAKE SOURCE)")
    lake.sql(change, "dev")
    if change.startswith("DELETE"):
        assert lake.codes("main", "dev") == {"SAME_FILE_UPDATE_DELETE"}
        lake.merge("dev")
        assert lake.rows("d.t") == [(1, "h")]
    else:
        assert lake.codes("main", "dev") == {"SAME_FILE_UPDATE_UPDATE"}
        assert lake.codes("dev") == {"SAME_FILE_UPDATE_UPDATE"}


ATTRIBUTES = {
    "a property": "ALTER TABLE d.t SET TBLPROPERTIES ('x' = '{}')",
    "a name": "ALTER TABLE d.t RENAME TO d.{}",
    "a comment": "COMMENT ON TABLE d.t IS '{}'",
    "the name of a column": "ALTER TABLE d.t RENAME COLUMN v TO {}",
}


def of_each_side(lake: Lake, change: str) -> None:
    """Main took what g did, and dev took what f did, each over the other one."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    for branch in ("f", "g", "dev"):
        lake.sql(f"CREATE BRANCH {branch}")
    for branch in ("f", "g"):
        lake.sql(change.format(branch), branch)
    for source, target in (("f", "main"), ("g", "main"), ("g", "dev"), ("f", "dev")):
        lake.merge(source, target)


@pytest.mark.parametrize("change", ATTRIBUTES)
def test_attributes_that_both_sides_decided_otherwise_are_noted(lake: Lake, change: str) -> None:
    """Neither side is what both know: the source's value wins, and a note says so."""
    of_each_side(lake, ATTRIBUTES[change])
    for source, target in (("dev", "main"), ("main", "dev")):
        notes = lake.dry_run(source, target)["notes"]
        assert [note["code"] for note in notes] == ["OVERRIDDEN_BY_SOURCE"], (source, notes)
    lake.merge("dev")
    lake.merge("main", "dev")
    assert lake.sql("SHOW TABLES IN d").rows == lake.sql("SHOW TABLES IN d", "dev").rows
    assert lake.breaches() == []


def test_one_sides_later_value_comes_without_a_note(lake: Lake) -> None:
    """Dev merges main, which decided: what main decided is the one base."""
    change = ATTRIBUTES["a property"]
    of_each_side(lake, change)
    lake.merge("main", "dev")
    lake.sql(change.format("later"), "dev")
    assert lake.merge("dev")["notes"] == []
    assert lake.sql("SHOW TBLPROPERTIES d.t ('x')").rows[0][-1] == "later"
