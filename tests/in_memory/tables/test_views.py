"""Views: names and comments of columns, ALTER, versions and branches, and merges that take away what they read."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, NotSupported, PropertyNotFound
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def read_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 5)")
    lake.sql("CREATE TABLE d.u (id INT, w INT)")
    lake.sql("INSERT INTO d.u VALUES (1, 7)")


@pytest.fixture
def read(begun: Begun) -> Lake:
    """Tables d.t (id, v) with (1, 5) and d.u (id, w) with (1, 7)."""
    return begun(read_fill)


def names(lake: Lake, view: str = "d.v") -> list[str]:
    return [row[0] for row in lake.sql(f"SHOW COLUMNS IN {view}").rows]


# -- what a view is -----------------------------------------------------------------------------------------------


def test_a_view_names_its_columns(read: Lake) -> None:
    read.sql("CREATE VIEW d.v (`the id` COMMENT 'which', amount) COMMENT 'all' AS SELECT id, v FROM d.t -- end")
    assert names(read) == ["the id", "amount"]
    assert read.rows("d.v", columns="amount, `the id`") == [(5, 1)]
    described = read.sql("DESCRIBE EXTENDED d.v").rows
    assert [(row[0], row[4]) for row in described[:2]] == [("the id", "which"), ("amount", "")]
    assert ["Comment", "all"] in [row[:2] for row in described]


def test_view_over_common_tables_and_union_names_columns(read: Lake) -> None:
    read.sql("CREATE VIEW d.v (a) AS WITH c AS (SELECT id FROM d.t) SELECT id FROM c")
    read.sql("CREATE VIEW d.w (b) AS SELECT id FROM d.t UNION ALL SELECT w FROM d.u")
    read.sql("CREATE VIEW d.x (c) AS VALUES (3)")
    assert (read.rows("d.v", columns="a"), read.rows("d.w", columns="b")) == ([(1,)], [(1,), (7,)])
    assert read.rows("d.x", columns="c") == [(3,)]


def test_show_create_table_output_makes_same_view(read: Lake) -> None:
    read.sql("CREATE VIEW d.v (a COMMENT 'it''s', b) COMMENT 'all' TBLPROPERTIES ('k' = 'x') AS SELECT id, v FROM d.t")
    (row,) = read.sql("SHOW CREATE TABLE d.v").rows
    read.sql("DROP VIEW d.v")
    read.sql(row[0])
    assert read.sql("SHOW CREATE TABLE d.v").rows == [row]
    assert read.sql("SHOW TBLPROPERTIES d.v").rows == [["comment", "all"], ["k", "x"]]


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("CREATE VIEW d.v (a) AS SELECT id, v FROM d.t", InvalidValue, "names 1 column, and its query has 2"),
        ("CREATE VIEW d.v (a, A) AS SELECT id, v FROM d.t", InvalidValue, "twice"),
        ("CREATE VIEW d.v (a INT) AS SELECT id FROM d.t", Exception, "type is that of the query"),
        ("CREATE VIEW d.v WITH SCHEMA BINDING AS SELECT id FROM d.t", NotSupported, "WITH SCHEMA"),
        ("CREATE VIEW d.v PARTITIONED ON (id) AS SELECT id FROM d.t", NotSupported, "partitions"),
        ("ALTER VIEW d.zz AS SELECT 1", NotFound, "d.zz"),
        ("ALTER VIEW d.t AS SELECT 1", InvalidValue, "is a table"),
        ("ALTER VIEW d.t SET OWNER x", Exception, "RENAME TO"),
    ],
)
def test_invalid_view_statement_is_refused_by_name(read: Lake, text: str, error: type[Exception], says: str) -> None:
    head = read.head()
    with pytest.raises(error, match=says):
        read.sql(text)
    assert read.head() == head


# -- ALTER --------------------------------------------------------------------------------------------------------


def test_alter_view_gives_another_query_and_keeps_properties(read: Lake) -> None:
    read.sql("CREATE VIEW d.v (a) COMMENT 'all' AS SELECT id FROM d.t")
    read.sql("ALTER VIEW d.v AS SELECT w FROM d.u")
    assert (names(read), read.rows("d.v")) == (["w"], [(7,)])
    assert read.sql("SHOW TBLPROPERTIES d.v").rows == [["comment", "all"]]
    head = read.head()
    read.sql("ALTER VIEW d.v AS SELECT w FROM d.u")
    assert read.head() == head
    with pytest.raises(Exception, match="missing"):
        read.sql("ALTER VIEW d.v AS SELECT missing FROM d.u")


def test_a_renamed_view_stays_the_same_view(read: Lake) -> None:
    read.sql("CREATE VIEW d.v AS SELECT id FROM d.t")
    read.sql("CREATE VIEW d.other AS SELECT 1 AS one")
    read.sql("CREATE DATABASE e")
    for taken in ("d.u", "d.other"):
        with pytest.raises(AlreadyExists):
            read.sql(f"ALTER VIEW d.v RENAME TO {taken}")
    read.sql("ALTER VIEW d.v RENAME TO V")
    read.sql("ALTER VIEW d.v RENAME TO e.w")
    assert read.rows("e.w") == [(1,)]
    with pytest.raises(NotFound):
        read.rows("d.v")
    read.sql(f"RESTORE BRANCH main TO VERSION AS OF {read.head() - 1}")
    assert [row[:2] for row in read.sql("SHOW VIEWS").rows] == [["d", "other"], ["d", "V"]]


def test_properties_of_a_view_are_set_and_unset(read: Lake) -> None:
    read.sql("CREATE VIEW d.v AS SELECT id FROM d.t")
    read.sql("ALTER VIEW d.v SET TBLPROPERTIES ('a' = '1', 'b' = '2')")
    read.sql("ALTER VIEW d.v UNSET TBLPROPERTIES ('a')")
    assert read.sql("SHOW TBLPROPERTIES d.v").rows == [["b", "2"]]
    with pytest.raises(PropertyNotFound, match="no property 'a'"):
        read.sql("ALTER VIEW d.v UNSET TBLPROPERTIES ('a')")
    read.sql("ALTER VIEW d.v UNSET TBLPROPERTIES IF EXISTS ('a')")
    assert read.rows("d.v") == [(1,)]


def test_statements_on_views_are_never_in_a_transaction(read: Lake) -> None:
    read.sql("CREATE VIEW d.v AS SELECT id FROM d.t")
    transaction = read.sql("BEGIN").extra["transaction"]
    for text in ("AS SELECT 1", "RENAME TO w", "SET TBLPROPERTIES ('a' = '1')", "UNSET TBLPROPERTIES ('a')"):
        with pytest.raises(NotSupported, match="transaction"):
            read.sql(f"ALTER VIEW d.v {text}", transaction=transaction)


# -- versions and branches ----------------------------------------------------------------------------------------


def test_view_at_version_reads_its_tables_at_version(read: Lake) -> None:
    read.sql("CREATE VIEW d.v AS SELECT id, v FROM d.t")
    read.sql("CREATE VIEW d.over AS SELECT v FROM d.v")
    then = read.head()
    read.sql("UPDATE d.t SET v = 6")
    read.sql("ALTER VIEW d.v AS SELECT id, v + 100 AS v FROM d.t")
    assert read.rows("d.over") == [(106,)]
    assert read.rows(f"d.over VERSION AS OF {then}") == [(5,)]
    (view,) = [row[1] for row in read.sql(f"EXPLAIN SELECT * FROM d.v VERSION AS OF {then}").rows if row[0] == "scan"]
    assert f"d.t at version {then}" in view


def test_view_of_another_branch_reads_tables_of_branch(read: Lake) -> None:
    read.sql("CREATE VIEW d.v AS SELECT v FROM d.t")
    read.sql("CREATE TAG first")
    read.sql("CREATE BRANCH b")
    read.sql("UPDATE d.t SET v = 6", "b")
    assert read.rows("d.`v@b`") == [(6,)]
    assert read.rows("d.`v@main`", "b") == [(5,)]
    read.sql("UPDATE d.t SET v = 8")
    assert read.rows("d.`v@first`") == [(5,)]
    assert [row[0] for row in read.sql("DESCRIBE d.`v@b`").rows] == ["v"]


def test_a_view_over_changes_has_no_past(read: Lake) -> None:
    read.sql("CREATE VIEW d.v AS SELECT id FROM table_changes('d.t', 1)")
    assert read.rows("d.v") == [(1,)]
    with pytest.raises(NotSupported, match="no past version"):
        read.rows(f"d.v VERSION AS OF {read.head()}")


# -- merges -------------------------------------------------------------------------------------------------------


def broken(found: dict[str, Any]) -> dict[str, str]:
    """By view what the note says is gone."""
    reported = [note for note in found["notes"] if note["code"] == "BREAKS_VIEW"]
    return {note["details"]["view"]: note["message"].split(" names ")[1] for note in reported}


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        ("ALTER TABLE d.t DROP COLUMN v", "column v of the table d.t, which the merge takes away."),
        ("ALTER TABLE d.t RENAME COLUMN v TO x", "column v of the table d.t, which the merge takes away."),
        ("DROP TABLE d.t", "the table d.t, which the merge takes away."),
        ("ALTER TABLE d.t RENAME TO t2", "the table d.t, which the merge takes away."),
        ("ALTER DATABASE d RENAME TO e", "the database d, which the merge takes away."),
    ],
)
def test_a_merge_names_the_views_that_it_breaks(read: Lake, change: str, gone: str) -> None:
    read.sql("CREATE BRANCH b")
    read.sql("CREATE VIEW d.v AS SELECT max(x.V) AS most FROM d.t x JOIN d.u USING (id)")
    read.sql("CREATE VIEW d.whole AS SELECT * FROM d.u")
    read.sql("CREATE VIEW d.over AS SELECT * FROM d.v")
    read.sql(change, "b")
    found = read.dry_run("b")
    assert found["mergeable"]
    expected = {"d.v": gone, "d.over": "the view d.v, which breaks too."}
    if change.startswith("ALTER DATABASE"):
        expected = dict.fromkeys(("d.v", "d.whole", "d.over"), gone)
    assert broken(found) == expected
    merged = read.merge("b")
    assert broken(merged) == broken(read.audit(merged["merge_id"])) == expected


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE d.t DROP COLUMN id",
        "ALTER TABLE d.u DROP COLUMN w",
        "ALTER TABLE d.t RENAME COLUMN v TO V",
        "ALTER TABLE d.t ADD COLUMN z INT",
        "DROP TABLE d.u",
    ],
)
def test_changes_outside_of_view_definition_break_no_view(read: Lake, change: str) -> None:
    read.sql("CREATE BRANCH b")
    read.sql("CREATE VIEW d.v AS SELECT v FROM d.t")
    read.sql(change, "b")
    assert broken(read.merge("b")) == {}
    assert read.rows("d.v") == [(5,)]


def test_name_taken_by_another_table_breaks_no_view(read: Lake) -> None:
    read.sql("CREATE BRANCH b")
    read.sql("CREATE VIEW d.v AS SELECT id FROM d.t")
    read.sql("ALTER TABLE d.t RENAME TO t2", "b")
    read.sql("ALTER TABLE d.u RENAME TO t", "b")
    assert broken(read.merge("b")) == {}
    assert read.rows("d.v") == [(1,)]


def test_view_that_reads_another_branch_is_not_broken(read: Lake) -> None:
    read.sql("CREATE BRANCH b")
    read.sql("CREATE VIEW d.v AS SELECT v FROM d.`t@b`")
    read.sql("CREATE VIEW d.past AS SELECT v FROM d.t VERSION AS OF 2")
    read.sql("CREATE BRANCH c")
    read.sql("DROP TABLE d.t", "c")
    assert broken(read.dry_run("c")) == {}
