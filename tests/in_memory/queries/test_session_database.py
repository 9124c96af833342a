"""A session's database: where tables lie that are named without one."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model

from lakeui.common.errors import InvalidValue, NotFound
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.entries.scripts import script_read
from lakeui.sql.parameters import NO_PARAMETERS, Parameters
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def two_fill(lake: Lake) -> None:
    lake.sql("CREATE DATABASE e")
    for number, database in enumerate(("d", "e"), 1):
        lake.sql(f"CREATE TABLE {database}.t (id INT)")
        lake.sql(f"INSERT INTO {database}.t VALUES ({number})")


@pytest.fixture
def two(begun: Begun) -> Lake:
    """Databases d and e, each with a table t of one row, 1 and 2."""
    return begun(two_fill)


def say(lake: Lake, text: str, database: str | None = "e", **more: Any) -> Any:
    return execute(text, Session(catalog=lake.catalog, parameters=Parameters(database=database), **more))


def test_use_answers_the_session_to_go_on_with(two: Lake) -> None:
    for text in ("USE e", "USE DATABASE E", "USE SCHEMA e"):
        assert two.sql(text).extra == {"catalog": two.catalog, "branch": "main", "database": "e"}
    with pytest.raises(NotFound, match="database nowhere"):
        two.sql("USE nowhere")


def test_every_statement_looks_there(two: Lake) -> None:
    assert say(two, "SELECT id FROM t").rows == [[2]]
    assert say(two, "SELECT t.id, x.id FROM t JOIN d.t x ON x.id = t.id - 1").rows == [[2, 1]]
    say(two, "INSERT INTO t SELECT id + 1 FROM t")
    say(two, "UPDATE t SET id = 9 WHERE id IN (SELECT max(id) FROM t)")
    say(two, "MERGE INTO t USING d.t s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    say(two, "DELETE FROM t WHERE t.id = 2")
    assert two.rows("e.t") == [(1,), (9,)]
    assert two.rows("d.t") == [(1,)]
    say(two, "CREATE TABLE u (id INT)")
    say(two, "ALTER TABLE u RENAME TO w")
    assert [row[:2] for row in two.sql("SHOW TABLES IN e").rows] == [["e", "t"], ["e", "w"]]
    assert say(two, "DESCRIBE t").rows[0][0] == "id"
    assert say(two, "SELECT count(*) FROM table_changes('t', 1)").rows != [[0]]


def test_common_tables_come_first_and_database_is_required(two: Lake) -> None:
    assert say(two, "WITH t AS (SELECT 7 AS id) SELECT id FROM t").rows == [[7]]
    with pytest.raises(InvalidValue, match="t is named without its database"):
        say(two, "SELECT id FROM t", None)


def test_a_view_names_its_tables_in_full(two: Lake) -> None:
    with pytest.raises(InvalidValue, match="t is named without its database"):
        say(two, "CREATE VIEW v AS SELECT id FROM t")
    say(two, "CREATE VIEW v AS SELECT id FROM d.t")
    assert say(two, "SELECT id FROM v").rows == [[1]]
    assert say(two, "SELECT id FROM e.v", "d").rows == [[1]]


def test_use_counts_for_later_statements_of_script(two: Lake) -> None:
    script = script_read("USE e; SELECT * FROM t; USE d; SELECT * FROM t; USE CATALOG c;", NO_PARAMETERS)
    assert [step.parameters.database for step in script.steps] == [None, "e", "e", "d", "d"]
    assert [step.statement.query.tables[0].name.database for step in script.steps[1::2]] == ["e", "d"]
    with pytest.raises(InvalidValue, match="Statement 2 of 2"):
        script_read("USE CATALOG c; SELECT * FROM t;", Parameters(database="d"))


@pytest.mark.parametrize(
    ("statement", "nearest", "replacement", "place"),
    [
        ("SELECT other\nFROM other", "e.other", "e.other", (2, 6)),
        ("UPDATE other SET id = 1", "e.other", "e.other", (1, 8)),
        ("SELECT * FROM `a b`", "e.a b", "e.`a b`", (1, 15)),
        ("SELECT * FROM t", None, None, None),
        ("SELECT * FROM nowhere", None, None, None),
        ("CREATE TABLE other (id INT)", None, None, None),
    ],
)
def test_the_only_table_of_a_name_is_proposed(
    two: Lake, statement: str, nearest: str | None, replacement: str | None, place: tuple[int, int] | None
) -> None:
    two.sql("CREATE TABLE e.other (id INT)")
    two.sql("CREATE TABLE e.`a b` (id INT)")
    with pytest.raises(InvalidValue) as caught:
        say(two, statement, None)
    details = caught.value.details
    assert (details.get("nearest"), details.get("replacement")) == (nearest, replacement)
    assert (f"Did you mean {nearest}?" in caught.value.remedy) == (nearest is not None)
    assert (place and (details["line"], details["column"])) == place


def test_who_may_not_read_learns_no_name(two: Lake) -> None:
    two.sql("CREATE TABLE e.other (id INT)")
    stranger = get_user_model().objects.create_user("stranger")
    with pytest.raises(InvalidValue) as caught:
        say(two, "SELECT * FROM other", None, user=stranger)
    assert "nearest" not in caught.value.details
