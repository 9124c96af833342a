"""Subqueries, common tables and REPLACE WHERE as Spark finds the rows."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from tests.support.lake import Lake
from tests.support.row_stories import STORIES, story_made

COPIES = "TBLPROPERTIES ('write.delete.mode' = 'copy-on-write', 'write.update.mode' = 'copy-on-write')"
ABOUT_NULL = [story for story in STORIES if "NOT IN" in story[0]]


@pytest.fixture(scope="module")
def prepared(services: None) -> Lake:
    """The tables of the stories, which no one changes."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    story_made(lake)
    return lake


@pytest.mark.parametrize("number", range(3))
def test_what_is_left(lake: Lake, number: int) -> None:
    """Every story, each on a branch of its own."""
    story_made(lake, COPIES if number == 1 else "")
    stories = STORIES[number::3]
    for place, (statement, _) in enumerate(stories):
        lake.sql(f"CREATE BRANCH b{place}")
        lake.sql(statement, f"b{place}")
    own = (f"SELECT {place} AS place, * FROM d.`t@b{place}`" for place in range(len(stories)))
    found = lake.sql(" UNION ALL ".join(own)).rows
    for place, (statement, rows) in enumerate(stories):
        left = [tuple(row) for at, *row in found if at == place]
        assert sorted(left, key=repr) == sorted(rows, key=repr), statement


def test_not_in_treats_null_rows_as_spark_does(prepared: Lake) -> None:
    whole = set(prepared.rows("d.t"))
    for statement, rows in ABOUT_NULL:
        gone = {tuple(row) for row in prepared.sql(statement.replace("DELETE", "SELECT *")).rows}
        assert gone == whole - set(rows)


@pytest.mark.parametrize(
    ("statement", "mentions"),
    [
        ("DELETE FROM d.t WHERE id IN (SELECT nope FROM d.s)", "nope"),
        ("UPDATE d.t SET v = (SELECT note FROM d.s)", "more than one row"),
        ("UPDATE d.t SET id = (SELECT max(note) FROM d.s)", "id is int; a value of type string"),
        ("DELETE FROM d.t WHERE (SELECT max(id) FROM d.s)", "boolean"),
        ("MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = (SELECT note FROM d.s)",
         "more than one row"),
        ("MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = (SELECT max(note) FROM d.s)",
         "id is int; a value of type string"),
    ],
)  # fmt: skip
def test_refused(prepared: Lake, statement: str, mentions: str) -> None:
    head = prepared.head()
    with pytest.raises(InvalidValue) as caught:
        prepared.sql(statement)
    assert mentions.casefold() in caught.value.message.casefold()
    assert prepared.head() == head


def test_unknown_columns_of_subqueries_name_known_ones(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, mine STRING)")
    lake.sql("CREATE TABLE d.s (id INT, theirs STRING)")
    reasons = {
        "DELETE FROM d.t WHERE id IN (SELECT qqqq FROM d.s)": ("theirs", "mine"),
        "DELETE FROM d.t WHERE id IN (SELECT their FROM d.s)": ("Did you mean theirs", "mine"),
        "UPDATE d.t SET id = 1 WHERE qqqq = 1 AND id IN (SELECT id FROM d.s)": ("mine", "theirs"),
        "DELETE FROM d.t WHERE id IN (SELECT id FROM d.s WHERE s.qqqq = t.id)": ("theirs", "mine"),
    }
    for statement, (named, other) in reasons.items():
        with pytest.raises(InvalidValue) as caught:
            lake.sql(statement)
        assert named in str(caught.value.remedy), statement
        assert other not in str(caught.value.remedy), statement


def test_scalar_subquery_reads_files_of_two_schemas(lake: Lake) -> None:
    """Spark reads such files as a union, and fails to push the subquery below it (SPARK-59042)."""
    lake.sql("CREATE TABLE d.t (k INT, w INT, v INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 1, 0)")
    lake.sql("ALTER TABLE d.t ALTER COLUMN w TYPE BIGINT")
    lake.sql("INSERT INTO d.t VALUES (2, 2, 0)")
    lake.sql("CREATE TABLE d.u (k INT, v INT)")
    largest = "(SELECT max(u.v) FROM d.u AS u WHERE u.k = t.k)"
    for found in (None, 7):
        assert lake.sql(f"SELECT t.k, {largest} FROM d.t AS t ORDER BY 1").rows == [[1, None], [2, found]]
        lake.sql(f"UPDATE d.t AS t SET v = {largest}")
        assert lake.rows("d.t") == [(1, 1, None), (2, 2, found)]
        lake.sql("INSERT INTO d.u VALUES (2, 7)")
