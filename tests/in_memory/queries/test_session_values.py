"""``current_user()`` and its kin tell about the session, and Spark never sees them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from lakeui.common.errors import ForbiddenStatement, InvalidValue, LakeError
from lakeui.frontdoor import execute
from lakeui.frontdoor.inputs_outputs import Session
from lakeui.sql.parameters import Parameters, parameters_read
from tests.support.lake import Lake
from tests.support.members import join


@pytest.fixture
def ada(lake: Lake) -> User:
    user = User.objects.create_user(f"ada{lake.catalog}")
    join(user, lake.catalog)
    return user


def ask(lake: Lake, user: Any, text: str, branch: str = "main", **more: Any) -> list[list[Any]]:
    return execute(text, Session(lake.catalog, branch, user, **more)).rows


def test_user_catalog_branch_and_version(lake: Lake, ada: User) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (1)", "b")
    text = "SELECT current_user(), session_user(), current_catalog(), current_branch(), current_version()"
    assert ask(lake, ada, text, "b") == [[ada.username, ada.username, lake.catalog, "b", lake.head("b")]]
    assert ask(lake, ada, "SELECT current_database(), current_schema()") == [[None, None]]
    with_database = Session(catalog=lake.catalog, parameters=Parameters(database="d"))
    assert execute("SELECT current_database()", with_database).rows == [["d"]]
    assert lake.sql("SELECT current_user() IS NULL AS x").rows == [[True]]
    found = execute("SELECT current_user(), CURRENT_VERSION() AS v", Session(lake.catalog, "main", ada))
    assert found.columns == [("current_user()", "string"), ("v", "bigint")]


def test_they_stand_where_values_stand(lake: Lake, ada: User) -> None:
    lake.sql("CREATE TABLE d.t (id INT, who STRING, at BIGINT)")
    before = lake.head()
    ask(lake, ada, "INSERT INTO d.t VALUES (1, current_user(), current_version()), (2, 'bob', 0)")
    assert lake.rows("d.t") == [(1, ada.username, before), (2, "bob", 0)]
    assert ask(lake, ada, "SELECT id FROM d.t WHERE who = current_user()") == [[1]]
    ask(lake, ada, "UPDATE d.t SET who = current_branch() WHERE id = 2")
    assert set(lake.rows("d.t", columns="who")) == {("main",), (ada.username,)}
    ask(
        lake,
        ada,
        "MERGE INTO d.t USING (SELECT 1 AS id, current_user() AS who) s ON t.id = s.id AND t.who = s.who "
        "WHEN MATCHED THEN UPDATE SET at = 9",
    )
    ask(lake, ada, "DELETE FROM d.t WHERE who = current_user() AND at = ?", parameters=parameters_read([9]))
    assert lake.rows("d.t", columns="id") == [(2,)]
    ask(lake, ada, "CREATE TABLE d.n AS SELECT current_user() AS who")
    assert lake.rows("d.n") == [(ada.username,)]
    steps = ask(lake, ada, "EXPLAIN SELECT * FROM d.t WHERE who = current_user()")
    assert "0 of 1 file," in steps[0][1]


def test_a_view_answers_each_reader(lake: Lake, ada: User) -> None:
    lake.sql("CREATE TABLE d.t (id INT, who STRING)")
    lake.sql(f"INSERT INTO d.t VALUES (1, '{ada.username}'), (2, 'eve')")
    lake.sql("CREATE VIEW d.mine AS SELECT id, current_user() AS me FROM d.t WHERE who = current_user()")
    eve = User.objects.filter(username="eve").first() or User.objects.create_user("eve")
    join(eve, lake.catalog)
    assert ask(lake, ada, "SELECT * FROM d.mine") == [[1, ada.username]]
    assert ask(lake, eve, "SELECT * FROM d.mine") == [[2, "eve"]]
    assert lake.sql("DESCRIBE d.mine").rows[1][:2] == ["me", "string"]


def test_a_name_with_quotes_is_a_text(lake: Lake) -> None:
    odd = User.objects.create_user(f"o'neil\\{lake.catalog}")
    join(odd, lake.catalog)
    assert ask(lake, odd, "SELECT current_user()") == [[odd.username]]


def test_a_dry_run_and_a_transaction(lake: Lake, ada: User) -> None:
    lake.sql("CREATE TABLE d.t (who STRING)")
    found = execute("INSERT INTO d.t VALUES (current_user()) DRY RUN", Session(lake.catalog, "main", ada))
    assert found.extra["examples"][0]["row"] == {"who": ada.username}
    assert lake.rows("d.t") == []
    opened = execute("BEGIN", Session(lake.catalog, "main", ada)).extra["transaction"]
    assert ask(lake, ada, "SELECT current_branch()", transaction=opened) == [["main"]]
    ask(lake, ada, "ROLLBACK", transaction=opened)


REFUSED: dict[str, tuple[type[LakeError], str]] = {
    "SELECT current_user(1)": (InvalidValue, "no argument"),
    "SELECT current_user": (ForbiddenStatement, "current_user()"),
    "CREATE TABLE d.n (who STRING DEFAULT current_user())": (InvalidValue, "each session"),
    "ALTER TABLE d.t ALTER COLUMN who SET DEFAULT user()": (InvalidValue, "each session"),
    "SELECT version()": (ForbiddenStatement, "not allowed"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_by_name(lake: Lake, text: str) -> None:
    lake.sql("CREATE TABLE d.t (who STRING)")
    error, words = REFUSED[text]
    with pytest.raises(error) as caught:
        lake.sql(text)
    assert words in f"{caught.value.message} {caught.value.remedy}"


def test_a_merge_does_not_run_it_again(lake: Lake, ada: User) -> None:
    lake.sql("CREATE TABLE d.t (who STRING)")
    lake.sql("INSERT INTO d.t VALUES ('a')")
    lake.sql("CREATE BRANCH b")
    ask(lake, ada, "UPDATE d.t SET who = current_user()", "b")
    lake.sql("INSERT INTO d.t VALUES ('later')")
    with pytest.raises(LakeError) as caught:
        lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t RUN AGAIN)")
    assert "asks the session" in f"{caught.value.message} {caught.value.remedy}"
