"""SQL sessions over HTTP: what a statement changes of one counts for those behind it alone."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from catalog_app.domain.roles import Role
from catalog_app.models import CatalogMember, SqlSession, Transaction
from catalog_app.services import sessions
from catalog_app.services.files import addresses_allocate
from catalog_app.services.transactions import IDLE_LIMIT
from lakeui.frontdoor import compute
from lakeui.frontdoor.sessions.sql_sessions import session_follow
from lakeui.sql.parse import parse
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.lake import Lake
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.members import join

SESSIONS = "/api/v1/sessions/"
SQL = "/api/v1/sql/"


class Tab:
    """Statements of one session, as a page keeps it."""

    def __init__(self, caller: Caller, identity: str) -> None:
        self.caller, self.identity = caller, identity

    def send(self, statement: str, **headers: str) -> Any:
        headers = {"Prefer": "wait=20", **headers}
        return self.caller.post(SQL, {"session": self.identity, "statement": statement}, **headers)

    def sql(self, statement: str, **headers: str) -> dict[str, Any]:
        """The body of an answer that must be 200."""
        response = self.send(statement, **headers)
        assert response.status_code == 200, response.content
        body: dict[str, Any] = response.json()
        return body

    def now(self) -> dict[str, Any]:
        found: dict[str, Any] = self.caller.get(f"{SESSIONS}{self.identity}/").json()
        return found

    def place(self) -> tuple[Any, ...]:
        found = self.now()
        return found["catalog"], found["branch"], found["database"]


@pytest.fixture
def lake(alice: Caller, local_worker: None, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """Table d.t (id) with row 1 and branch b, of which Alice is an owner."""
    engine = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    lake = Lake()
    join(alice.user, lake.catalog)
    for text in ("CREATE DATABASE d", "CREATE TABLE d.t (id INT)", "INSERT INTO d.t VALUES (1)", "CREATE BRANCH b"):
        lake.sql(text)
    return lake


def opened(caller: Caller, **place: Any) -> Tab:
    response = caller.post(SESSIONS, place)
    assert response.status_code == 201, response.content
    assert response["Location"] == f"{SESSIONS}{response.json()['id']}/"
    return Tab(caller, response.json()["id"])


@pytest.fixture
def tab(alice: Caller, lake: Lake) -> Tab:
    return opened(alice, catalog=lake.catalog)


def test_use_counts_for_the_statements_behind_it(alice: Caller, lake: Lake) -> None:
    tab = opened(alice)
    assert tab.place() == (None, "main", None)
    tab.sql(f"USE CATALOG {lake.catalog}")
    tab.sql("USE BRANCH b")
    tab.sql("USE DATABASE d")
    assert tab.place() == (lake.catalog, "b", "d")
    tab.sql("INSERT INTO t VALUES (2)")
    assert (lake.rows("d.t", "b"), lake.rows("d.t")) == ([(1,), (2,)], [(1,)])
    assert tab.sql("SELECT current_branch() AS b, current_database() AS d")["rows"] == [["b", "d"]]


def test_a_new_session_may_have_a_place(alice: Caller, lake: Lake) -> None:
    assert opened(alice, catalog=lake.catalog, branch="b", database="D").place() == (lake.catalog, "b", "d")
    problem(alice.post(SESSIONS, {"catalog": lake.catalog, "branch": "c"}), 404, "NOT_FOUND")
    problem(alice.post(SESSIONS, {"catalog": lake.catalog, "database": "e"}), 404, "NOT_FOUND")
    assert problem(alice.post(SESSIONS, {"branch": "b"}), 400, "INVALID_VALUE")["field"] == "catalog"


def test_temporary_views_and_settings_stay(tab: Tab) -> None:
    tab.sql("CREATE TEMP VIEW v AS SELECT id + 1 AS n FROM d.t")
    assert tab.sql("SELECT n FROM v")["rows"] == [[2]]
    tab.sql("SET spark.sql.sources.partitionOverwriteMode = DYNAMIC")
    kept = tab.now()
    assert (kept["temporary_views"], kept["partition_overwrite"]) == (
        {"v": "SELECT id + 1 AS n FROM d.t"}, "dynamic",
    )  # fmt: skip
    tab.sql("CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT RETURN x + 1")
    assert tab.now()["temporary_functions"] == {"f": "(`x` int) RETURNS int RETURN `x` + 1"}
    assert tab.sql("SELECT f(n) AS a FROM v")["rows"] == [[3]]
    tab.sql("DROP VIEW v")
    problem(tab.send("SELECT n FROM v"), 400, "INVALID_VALUE")


def test_a_transaction_is_the_sessions(lake: Lake, tab: Tab) -> None:
    tab.sql("BEGIN")
    tab.sql("INSERT INTO d.t VALUES (2)")
    tab.sql("USE d")
    assert tab.now()["transaction"]["state"] == "open"
    assert tab.place() == (lake.catalog, "main", "d")
    assert (tab.sql("SELECT count(*) AS n FROM t")["rows"], lake.rows("d.t")) == ([[2]], [(1,)])
    problem(tab.send("BEGIN"), 400, "INVALID_VALUE")
    for text in ("USE BRANCH b", f"USE CATALOG {lake.catalog}"):
        problem(tab.send(text), 400, "NOT_SUPPORTED")
    assert tab.sql("COMMIT")["state"] == "committed"
    assert (tab.now()["transaction"], lake.rows("d.t")) == (None, [(1,), (2,)])
    tab.sql("BEGIN")
    tab.sql("DELETE FROM d.t")
    tab.sql("ROLLBACK")
    assert (tab.now()["transaction"], lake.rows("d.t")) == (None, [(1,), (2,)])


def test_a_stop_after_commit_is_outside_the_transaction(lake: Lake, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends between the commit and the answer to the session."""
    tab.sql("BEGIN")
    tab.sql("INSERT INTO d.t VALUES (2)")
    with monkeypatch.context() as patch:
        patch.setattr("lakeui.tasks.statements.session_follow", lambda *_: None)
        tab.sql("COMMIT")
    assert tab.now()["transaction"] is None
    tab.sql("INSERT INTO d.t VALUES (3)")
    assert lake.rows("d.t") == [(1,), (2,), (3,)]


def test_an_expired_transaction_is_reported(lake: Lake, tab: Tab) -> None:
    tab.sql("BEGIN")
    tab.sql("INSERT INTO d.t VALUES (2)")
    Transaction.objects.update(used_at=timezone.now() - IDLE_LIMIT - timedelta(seconds=1))
    for text in ("INSERT INTO d.t VALUES (3)", "SELECT * FROM d.t", "BEGIN", "COMMIT"):
        assert "expired" in problem(tab.send(text), 400, "INVALID_VALUE")["detail"]
    assert tab.now()["transaction"]["state"] == "expired"
    assert tab.sql("ROLLBACK")["state"] == "expired"
    tab.sql("INSERT INTO d.t VALUES (4)")
    assert lake.rows("d.t") == [(1,), (4,)]


def test_of_two_begins_at_once_one_is_refused(tab: Tab) -> None:
    both, answers = threading.Barrier(2), list[Any]()
    begin = sessions.session_use

    def use(**asked: Any) -> SqlSession:
        found = begin(**asked)
        both.wait(timeout=20)
        return found

    def send() -> None:
        try:
            answers.append(Tab(Caller(tab.caller.user), tab.identity).send("BEGIN"))
        finally:
            connection.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lakeui.frontdoor.sessions.sql_sessions.session_use", use)
        threads = [threading.Thread(target=send) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    kept = Transaction.objects.get()
    assert tab.now()["transaction"]["id"] == str(kept.pk)


def test_statements_of_two_tabs_change_their_own_parts(tab: Tab) -> None:
    """The second was sent before the first had ended."""
    for name in ("one", "two"):
        text = f"CREATE TEMP VIEW {name} AS SELECT 1 AS a"
        session_follow(tab.identity, parse(text), {"temporary_views": {name: "SELECT 1 AS a"}}, tab.caller.user)
    assert set(tab.now()["temporary_views"]) == {"one", "two"}


def test_a_change_under_one_key_happens_once(lake: Lake, tab: Tab) -> None:
    text, key = "CREATE TEMP VIEW v AS SELECT 1 AS a", {"Idempotency-Key": "k"}
    first = tab.sql(text, **key)
    tab.sql("DROP VIEW v")
    assert tab.sql(text, **key) == first
    assert tab.now()["temporary_views"] == {}
    began = tab.sql("BEGIN", **{"Idempotency-Key": "b"})
    assert tab.sql("BEGIN", **{"Idempotency-Key": "b"}) == began
    assert tab.now()["transaction"]["id"] == began["transaction"]
    assert tab.caller.client.delete(f"{SESSIONS}{tab.identity}/", headers=tab.caller.headers).status_code == 204
    assert tab.sql("BEGIN", **{"Idempotency-Key": "b"}) == began


def test_a_session_is_one_persons(bob: Caller, lake: Lake, tab: Tab) -> None:
    join(bob.user, lake.catalog, Role.OWNER)
    theirs = Tab(bob, tab.identity)
    problem(theirs.send("SELECT 1 AS a"), 404, "NOT_FOUND")
    problem(bob.get(f"{SESSIONS}{tab.identity}/"), 404, "NOT_FOUND")
    gone = bob.client.delete(f"{SESSIONS}{tab.identity}/", headers=bob.headers)
    problem(gone, 404, "NOT_FOUND")
    assert bob.get(SESSIONS).json()["results"] == []
    assert [found["id"] for found in tab.caller.get(SESSIONS).json()["results"]] == [tab.identity]


def test_a_session_runs_nothing_after_catalog_access_ends(alice: Caller, lake: Lake, tab: Tab) -> None:
    CatalogMember.objects.filter(user=alice.user).delete()
    problem(tab.send("SELECT * FROM d.t"), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "member",
    [
        *({"catalog": "demo"}, {"branch": "b"}, {"database": "d"}, {"temporary_views": {}}, {"transaction": None}),
        *({"partition_overwrite": "static"}, {"temporary_functions": {}}),
    ],
)
def test_what_a_session_keeps_is_refused_beside_it(tab: Tab, member: dict[str, Any]) -> None:
    said = tab.caller.post(SQL, {"session": tab.identity, "statement": "SELECT 1 AS a", **member})
    assert problem(said, 400, "INVALID_VALUE")["field"] == next(iter(member))


def test_the_end_of_a_session_rolls_back(lake: Lake, tab: Tab) -> None:
    tab.sql("BEGIN")
    tab.sql("INSERT INTO d.t VALUES (2)")
    assert tab.caller.client.delete(f"{SESSIONS}{tab.identity}/", headers=tab.caller.headers).status_code == 204
    assert Transaction.objects.get().state == "rolled back"
    assert lake.rows("d.t") == [(1,)]
    problem(tab.send("SELECT 1 AS a"), 404, "NOT_FOUND")


def test_it_ends_when_it_is_unused(tab: Tab) -> None:
    late = timezone.now() - sessions.IDLE_LIMIT
    SqlSession.objects.update(used_at=late + timedelta(minutes=1))
    tab.sql("SHOW CATALOGS")
    assert SqlSession.objects.get().used_at > late + timedelta(hours=1)
    assert sessions.sql_sessions_tidy(timezone.now()) == 0
    SqlSession.objects.update(used_at=late - timedelta(seconds=1))
    problem(tab.send("SHOW CATALOGS"), 404, "NOT_FOUND")
    assert sessions.sql_sessions_tidy(timezone.now()) == 1


def test_their_number_is_bounded(alice: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_OF_A_PERSON", 2)
    opened(alice)
    opened(alice)
    found = problem(alice.post(SESSIONS, {}), 429, "TOO_MANY_SESSIONS")
    assert (found["open"], "DELETE" in found["remedy"]) == (2, True)
    opened(bob)
    SqlSession.objects.update(used_at=timezone.now() - sessions.IDLE_LIMIT * 2)
    opened(alice)


def test_a_script_runs_in_a_session(lake: Lake, tab: Tab) -> None:
    script = "USE BRANCH b; USE d; CREATE TEMP VIEW v AS SELECT 7 AS id; BEGIN; INSERT INTO t SELECT id FROM v; COMMIT"

    def send(text: str) -> Any:
        return tab.caller.post(f"{SQL}script/", {"session": tab.identity, "script": text}, Prefer="wait=20")

    assert send(script).status_code == 200
    assert lake.rows("d.t", "b") == [(1,), (7,)]
    assert (tab.place(), set(tab.now()["temporary_views"])) == ((lake.catalog, "b", "d"), {"v"})
    tab.sql("BEGIN")
    assert problem(send("INSERT INTO t VALUES (8)"), 400, "INVALID_VALUE")["field"] == "session"


def test_a_file_is_made_where_the_session_is(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    def export(self: Any, text: str, tables: Any, target: Any) -> int:
        found = self.select(text, tables, limit=9)
        target.path.write_text(str(found.rows))
        return len(found.rows)

    monkeypatch.setattr(LakeMemoryEngine, "export", export, raising=False)
    tab.sql("USE d")
    said = {"session": tab.identity, "statement": "SELECT id FROM t"}
    response = tab.caller.post(SQL, said, Accept="text/csv")
    assert response.status_code == 200
    assert b"".join(response.streaming_content) == b"[[1]]"


def test_a_session_that_never_was_is_not_found(alice: Caller) -> None:
    problem(Tab(alice, str(uuid.uuid4())).send("SELECT 1 AS a"), 404, "NOT_FOUND")
    said = alice.post(SQL, {"session": "x", "statement": "SELECT 1 AS a"})
    assert said.status_code == 400
