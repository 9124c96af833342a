"""Tables of changes by Spark: the same rows as SHOW CHANGES, of every type of column."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.lake import Lake, OwnBranch
from tests.support.soak import IS_SOAK

NAMES = {"insert": "insert", "delete": "delete", "update_before": "update_preimage", "update_after": "update_postimage"}


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(
        "CREATE TABLE d.t (id INT, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>, m MAP<STRING, INT>, n DECIMAL(9, 2), "
        "w TIMESTAMP, f DOUBLE, b BINARY)"
    )
    lake.sql(
        "INSERT INTO d.t SELECT id, named_struct('x', id, 'y', 'a'), array(id), map('k', id), id + 0.25, "
        "TIMESTAMP '2026-01-01 00:00:00', CASE WHEN id = 3 THEN double('NaN') ELSE id END, X'01' FROM range(1, 6)"
    )
    lake.sql("UPDATE d.t SET s.y = 'z', m = map('k', 9) WHERE id = 2")
    lake.sql("UPDATE d.t SET l = array(1, 2) WHERE id = 3")
    lake.sql("DELETE FROM d.t WHERE id = 4")
    lake.sql("ALTER TABLE d.t ADD COLUMN more STRING DEFAULT 'm'")
    lake.sql("OPTIMIZE d.t")
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def made(shared: Lake) -> Lake:
    return OwnBranch(shared, "b")


def test_the_difference_is_what_show_changes_says(made: Lake) -> None:
    for first, last in [(2, 8), (3, 6), (6, 3), (5, 8)] if IS_SOAK else [(2, 8), (6, 3)]:
        said = made.sql(f"SHOW CHANGES d.t FROM VERSION {first} TO VERSION {last}")
        names = ", ".join(name for name, _ in said.columns[2:])
        found = made.sql(f"SELECT _change_type, _row_id, {names} FROM table_difference('d.t', {first}, {last})")
        assert sorted(found.rows, key=repr) == sorted(([NAMES[row[0]], *row[1:]] for row in said.rows), key=repr)
        assert [kind for _, kind in found.columns[2:]] == [kind for _, kind in said.columns[2:]]


def test_a_table_differs_from_that_of_a_branch(made: Lake) -> None:
    before = made.rows("d.t")
    made.sql("UPDATE d.t SET n = 9.5 WHERE id = 1")
    made.sql("DELETE FROM d.t WHERE id = 2")
    found = made.sql(
        f"SELECT * FROM table_difference('`d`.`t`', 'main', {made.head()})\nORDER BY _row_id, _change_type DESC"
    )
    assert [name for name, _ in found.columns[-2:]] == ["_change_type", "_row_id"]
    assert [(row[0], row[4], row[-2]) for row in found.rows] == [
        (1, "1.25", "update_preimage"),
        (1, "9.50", "update_postimage"),
        (2, "2.25", "delete"),
    ]
    assert found.rows[0][-1] == found.rows[1][-1]
    said = made.sql(f"SHOW CHANGES d.t FROM BRANCH main TO VERSION {made.head()}")
    assert [[NAMES[row[0]], *row[1:]] for row in said.rows] == [[*row[-2:], *row[:-2]] for row in found.rows]
    assert len(made.rows("d.t")) == len(before) - 1


def test_changes_of_commits_add_up_to_the_difference(made: Lake) -> None:
    found = made.sql("SELECT _commit_version, _change_type, count(*) FROM table_changes('d.t', 1) GROUP BY ALL").rows
    assert sorted(map(tuple, found)) == [
        (3, "insert", 5),
        (4, "update_postimage", 1),
        (4, "update_preimage", 1),
        (5, "update_postimage", 1),
        (5, "update_preimage", 1),
        (6, "delete", 1),
    ]
    first = made.sql("SELECT _commit_version, s.y, m['k'] FROM table_changes('d.t', 4, 4) ORDER BY s.y").rows
    assert first == [[4, "a", 2], [4, "z", 9]]
    at = made.sql("SELECT DISTINCT CAST(_commit_timestamp AS STRING) FROM table_changes('d.t', 6, 6)").rows
    shown = {row[0]: row[1] for row in made.sql("SHOW HISTORY").rows}[6]
    assert str(shown)[:10] == str(at[0][0])[:10]


def test_char_column_is_compared_as_in_its_table(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, c CHAR(5))")
    lake.sql("INSERT INTO d.t VALUES (1, 'x'), (2, 'y')")
    lake.sql("UPDATE d.t SET c = 'z' WHERE id = 2")
    found = "SELECT id, _change_type FROM table_changes('d.t', 2) WHERE c = '{}'"
    assert lake.sql(found.format("x")).rows == [[1, "insert"]]
    assert lake.sql(found.format("z")).rows == [[2, "update_postimage"]]
    difference = "SELECT id, _change_type FROM d.t CHANGES FROM VERSION 3 TO VERSION 4 WHERE c IN ('y', 'q')"
    assert lake.sql(difference).rows == [[2, "update_preimage"]]


def test_they_join_write_and_are_empty(made: Lake) -> None:
    assert made.sql("SELECT * FROM table_changes('d.t', 7, 7)").rows == []
    made.sql("CREATE TABLE d.log AS SELECT * FROM table_changes('d.t', 3)")
    assert made.sql("SELECT count(*) FROM d.log").rows == [[10]]
    made.sql("DELETE FROM d.t WHERE id = 1", "b")
    difference = f"table_difference('d.t', '{made.named('main')}', '{made.named('b')}')"
    joined = f"SELECT t.id, c._change_type FROM {difference} c JOIN d.t t ON t.id = c.id"
    assert made.sql(joined).rows == [[1, "delete"]]
    made.sql(f"DELETE FROM d.t WHERE EXISTS (SELECT 1 FROM {difference} c WHERE c.id = t.id)")
    assert [row[0] for row in made.rows("d.t", columns="id")] == [2, 3, 5]
