"""What an agent is limited to: tables, kinds of statements, writes and rows of an hour; and who makes agents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from catalog_app.domain.roles import Role
from catalog_app.models import Agent, Branch
from catalog_app.services.files import addresses_allocate
from lakeui.access.tokens import token_create
from lakeui.common.errors import InvalidValue, LimitReached, PermissionDenied
from lakeui.frontdoor import Session, compute, execute
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.support.members import join
from tests.support.memory_engine import MemoryEngine
from tests.support.stored_databases import StoredDatabases


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    made = MemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: made)
    return made


@pytest.fixture
def limited(stored: StoredDatabases, no_worker: None, engine: MemoryEngine) -> Any:
    cache.clear()
    return stored.once("limited", Limited, engine)


class Limited:
    def __init__(self) -> None:
        self.lake = ReviewLake()
        self.lake.write("CREATE TABLE d.r (id INT)", "alice")
        self.user = User.objects.create_user("tester")
        join(self.user, self.lake.catalog, Role.CONTRIBUTOR)
        self.agent = Agent.objects.create(user=self.user, owner=self.lake.people["dora"].user, purpose="tests limits")
        self.run("CREATE BRANCH `agent/tester/x`", "main")

    def hold(self, **fields: Any) -> None:
        Agent.objects.filter(pk=self.agent.pk).update(**fields)

    def run(self, text: str, branch: str = "agent/tester/x", **more: Any) -> Any:
        return execute(text, Session(self.lake.catalog, branch, self.user, **more))


@contextmanager
def looked_up() -> Iterator[list[str]]:
    """The statements that ask what an account is."""
    found: list[str] = []

    def note(execute: Any, query: str, *rest: Any) -> Any:
        found.extend([query] if query.lstrip().startswith("SELECT a.user_id") else [])
        return execute(query, *rest)

    with connection.execute_wrapper(note):
        yield found


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO d.r VALUES (1)",
        "ALTER TABLE d.r SET TBLPROPERTIES ('k' = '1')",
        "CREATE VIEW d.v AS SELECT * FROM d.r",
    ],
)
@pytest.mark.parametrize("branch", ["main", "agent/tester/x"])
def test_statement_looks_up_the_account_once(limited: Limited, text: str, branch: str) -> None:
    """Of a person, on a branch that a rule protects too. The commit of an agent looks again, once."""
    limited.lake.protect(branch)
    is_agent = branch != "main"
    with looked_up() as found:
        if is_agent:
            limited.run(text)
        else:
            limited.lake.write(text, "alice")
    assert len(found) == 1 + is_agent


def test_merge_looks_up_the_account_once(limited: Limited) -> None:
    limited.lake.protect("main", refuse_direct_merges=False, required_approvals=0)
    limited.lake.write("CREATE BRANCH c", "alice")
    limited.lake.write("INSERT INTO d.r VALUES (1)", "alice", "c")
    with looked_up() as found:
        limited.lake.write("MERGE BRANCH c TO main", "alice")
    assert len(found) == 1


def test_tables_that_are_not_its_own_stay(limited: Limited) -> None:
    limited.run("CREATE VIEW d.old AS SELECT * FROM d.r")
    limited.hold(tables=["d.r*", "e.*"])
    limited.run("INSERT INTO d.r VALUES (1)")
    for text in (
        "ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')",
        "DROP TABLE d.t",
        "CREATE TABLE d.u (id INT)",
        "ALTER TABLE d.r RENAME TO d.x",
        "DROP DATABASE d CASCADE",
        "CREATE DATABASE f",
        "CREATE VIEW d.v AS SELECT * FROM d.r",
        "DROP VIEW d.v",
    ):
        if text == "DROP VIEW d.v":
            limited.hold(tables=[])
            limited.run("CREATE VIEW d.v AS SELECT * FROM d.r")
            limited.hold(tables=["d.r*", "e.*"])
        with pytest.raises(PermissionDenied, match="tester"):
            limited.run(text)
    for pattern in ("e.?", "e.[*]", "e*"):
        limited.hold(tables=[pattern])
        with pytest.raises(PermissionDenied, match="tester"):
            limited.run("CREATE DATABASE e")
    limited.hold(tables=["d.r*", "e.*"])
    with pytest.raises(PermissionDenied, match=r"d\.old"):
        limited.run("ALTER VIEW d.old RENAME TO d.rnew")
    limited.run("CREATE DATABASE e")
    limited.run("CREATE TABLE e.any (id INT)")
    opened = limited.run("BEGIN").extra["transaction"]
    limited.run("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", transaction=opened)
    with pytest.raises(PermissionDenied):
        limited.run("COMMIT", transaction=opened)


def test_forbidden_kinds_of_statements_are_refused(limited: Limited) -> None:
    limited.hold(statements=["insert"])
    limited.run("INSERT INTO d.r VALUES (1)")
    limited.run("SHOW TABLES IN d")
    for text in ("DELETE FROM d.r", "CREATE BRANCH `agent/tester/y`", "TRUNCATE TABLE d.r", "BEGIN"):
        with pytest.raises(PermissionDenied, match="its statements are insert"):
            limited.run(text)


def test_writes_and_rows_of_an_hour_count_together(limited: Limited) -> None:
    limited.hold(rows_per_hour=3)
    limited.run("INSERT INTO d.r VALUES (1), (2)")
    with pytest.raises(LimitReached) as refused:
        limited.run("INSERT INTO d.r VALUES (3), (4)")
    assert 0 < refused.value.details["retry_after"] <= 3600
    limited.run("INSERT INTO d.r VALUES (3)")
    limited.hold(rows_per_hour=None, writes_per_hour=2)
    with pytest.raises(LimitReached):
        limited.run("ALTER TABLE d.r SET TBLPROPERTIES ('k' = '1')")
    with pytest.raises(LimitReached):
        limited.run("CREATE VIEW d.v AS SELECT * FROM d.r")
    limited.hold(writes_per_hour=3)
    limited.run("ALTER TABLE d.r SET TBLPROPERTIES ('k' = '1')")


def test_a_dry_run_counts_its_own_rows(limited: Limited) -> None:
    """It is refused where the write is."""
    limited.hold(rows_per_hour=3)
    limited.run("INSERT INTO d.r VALUES (1), (2)")
    for text in ("INSERT INTO d.r VALUES (3), (4) DRY RUN", "INSERT INTO d.r VALUES (3), (4)"):
        with pytest.raises(LimitReached, match="it would be 4"):
            limited.run(text)
    limited.run("INSERT INTO d.r VALUES (3) DRY RUN")
    limited.hold(rows_per_hour=None, writes_per_hour=1)
    with pytest.raises(LimitReached):
        limited.run("DELETE FROM d.r WHERE id = 1 DRY RUN")


@pytest.mark.parametrize(
    "text",
    [
        "TRUNCATE TABLE d.r",
        "INSERT OVERWRITE d.r VALUES (9)",
        "CREATE OR REPLACE TABLE d.r (id INT)",
        "ALTER TABLE d.p DROP PARTITION (v = 'a')",
        "RESTORE TABLE d.r TO VERSION AS OF {version}",
        "RESTORE BRANCH `agent/tester/x` TO VERSION AS OF {version}",
    ],
)
def test_row_limit_refuses_what_counts_no_rows(limited: Limited, text: str) -> None:
    version = limited.run("CREATE TABLE d.p (id INT, v STRING) PARTITIONED BY (v)").version
    limited.run("INSERT INTO d.r VALUES (1), (2), (3), (4)")
    limited.run("INSERT INTO d.p VALUES (1, 'a'), (2, 'b')")
    limited.hold(rows_per_hour=7)
    text = text.format(version=version)
    with pytest.raises(PermissionDenied, match="limit of rows"):
        limited.run(text)
    opened = limited.run("BEGIN").extra["transaction"]
    if not text.startswith("RESTORE"):
        limited.run(text, transaction=opened)
        with pytest.raises(PermissionDenied, match="limit of rows"):
            limited.run("COMMIT", transaction=opened)
    limited.run("DELETE FROM d.r WHERE id = 1")
    limited.hold(rows_per_hour=None)
    limited.run(text)


def _days_left(text: str | None) -> float:
    assert text is not None
    return (datetime.fromisoformat(text) - timezone.now()) / timedelta(days=1)


def test_branches_of_agent_expire_as_its_owner_says(limited: Limited) -> None:
    limited.hold(branch_days=7)
    made = limited.run("CREATE BRANCH `agent/tester/y`", "main").extra
    assert 6.9 < _days_left(made["expires_at"]) <= 7
    sooner = limited.run("CREATE BRANCH `agent/tester/z` WITH EXPIRY '2 days'", "main").extra
    assert 1.9 < _days_left(sooner["expires_at"]) <= 2
    later = limited.run("ALTER BRANCH `agent/tester/z` SET EXPIRY '7 days'").extra
    assert 6.9 < _days_left(later["expires_at"]) <= 7
    limited.run("DROP BRANCH `agent/tester/y`", "main")
    limited.run("UNDROP BRANCH `agent/tester/y`", "main")
    assert 6.9 < _days_left(_expiry("agent/tester/y")) <= 7


@pytest.mark.parametrize(
    "text",
    [
        "CREATE BRANCH `agent/tester/y` WITH EXPIRY '8 days'",
        "ALTER BRANCH `agent/tester/x` SET EXPIRY '8 days'",
        "ALTER BRANCH `agent/tester/x` UNSET EXPIRY",
    ],
)
def test_no_branch_of_an_agent_lives_longer(limited: Limited, text: str) -> None:
    limited.hold(branch_days=7)
    with pytest.raises(InvalidValue, match="Branches of agent tester expire after 7 days at most"):
        limited.run(text, "main")
    assert _expiry("agent/tester/x") is None


def test_person_gives_branch_of_agent_any_expiry(limited: Limited) -> None:
    limited.hold(branch_days=7)
    limited.run("ALTER BRANCH `agent/tester/x` SET EXPIRY '1 day'", "main")
    limited.lake.write("ALTER BRANCH `agent/tester/x` UNSET EXPIRY", "dora")
    assert _expiry("agent/tester/x") is None


def _expiry(name: str) -> str | None:
    found = Branch.objects.get(name=name, dropped_at__isnull=True).expires_at
    return found and found.isoformat()


class TestResources:
    """Making, changing and ending agents."""

    WANTED = {"name": "fixer", "purpose": "Corrects codes", "tables": ["d.*"], "writes_per_hour": 5}

    def test_owner_makes_agent_and_its_limits_hold(self, limited: Limited) -> None:
        lake, dora = limited.lake, limited.lake.people["dora"]
        made = dora.post("/api/v1/agents/", {**self.WANTED, "catalogs": [lake.catalog]})
        assert (made.status_code, made.json()["branches"], made.json()["owner"]) == (201, "agent/fixer/*", "dora")
        assert made.json()["catalogs"] == [lake.catalog]
        token = dora.post("/api/v1/agents/fixer/tokens/", {"name": "at work"})
        assert (token.status_code, token.json()["scopes"]) == (201, ["read", "write"])
        held = {"Authorization": f"Bearer {token.json()['token']}"}

        def tell(text: str, branch: str = "main") -> Any:
            body = {"catalog": lake.catalog, "branch": branch, "statement": text}
            return dora.client.post("/api/v1/sql/", body, content_type="application/json", headers=held)

        assert tell("CREATE BRANCH `agent/fixer/1`").status_code == 200
        problem(tell("CREATE BRANCH mine"), 403, "PERMISSION_DENIED")
        problem(tell("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')"), 403, "PERMISSION_DENIED")
        assert tell("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "agent/fixer/1").status_code == 200
        made = {"agents": {**self.WANTED, "name": "x"}, "tokens": {"name": "t"}, "samples": {"sample": "shop"}}
        for path, body in ((f"/api/v1/{name}/", body) for name, body in made.items()):
            refused = dora.client.post(path, body, content_type="application/json", headers=held)
            problem(refused, 403, "PERMISSION_DENIED")
        User.objects.filter(username="dora").update(is_active=False)
        problem(tell("SHOW BRANCHES"), 401, "UNAUTHENTICATED")
        User.objects.filter(username="dora").update(is_active=True)
        assert dora.client.delete("/api/v1/agents/fixer/", headers=dora.headers).status_code == 204
        problem(tell("SHOW BRANCHES"), 401, "UNAUTHENTICATED")
        assert [entry["name"] for entry in dora.get("/api/v1/agents/").json()["results"]] == ["tester"]

    def test_agents_of_others_are_neither_seen_nor_changed(self, limited: Limited) -> None:
        dora, alice = limited.lake.people["dora"], limited.lake.people["alice"]
        assert dora.post("/api/v1/agents/", self.WANTED).status_code == 201
        assert alice.get("/api/v1/agents/").json()["results"] == []
        problem(alice.get("/api/v1/agents/fixer/"), 404, "NOT_FOUND")
        problem(alice.post("/api/v1/agents/fixer/tokens/", {"name": "t"}), 404, "NOT_FOUND")
        problem(alice.client.delete("/api/v1/agents/fixer/", headers=alice.headers), 404, "NOT_FOUND")
        problem(alice.post("/api/v1/agents/", self.WANTED), 409, "ALREADY_EXISTS")
        catalogs = {**self.WANTED, "name": "y", "catalogs": [limited.lake.catalog]}
        problem(alice.post("/api/v1/agents/", catalogs), 403, "PERMISSION_DENIED")
        assert not User.objects.filter(username="y").exists()

    def test_what_is_not_understood_is_refused_by_name(self, limited: Limited) -> None:
        dora = limited.lake.people["dora"]
        for body in (
            {"name": "Fixer"},
            {"name": "a/b"},
            {"purpose": ""},
            {"tables": ["t"]},
            {"statements": ["merge_branch"]},
            {"writes_per_hour": -1},
            {"branch_days": 0},
            {"branch_days": 3651},
            {"branches": "main"},
        ):
            problem(dora.post("/api/v1/agents/", {**self.WANTED, **body}), 400, "INVALID_VALUE")

    def test_limits_are_changed_as_they_were_seen(self, limited: Limited) -> None:
        dora = limited.lake.people["dora"]
        dora.post("/api/v1/agents/", self.WANTED)
        seen = dora.get("/api/v1/agents/fixer/")["ETag"]

        def change(body: Any) -> Any:
            headers = dora.headers | {"If-Match": seen}
            return dora.client.patch("/api/v1/agents/fixer/", body, content_type="application/json", headers=headers)

        changed = change({"writes_per_hour": 7})
        assert (changed.status_code, changed.json()["writes_per_hour"], changed.json()["tables"]) == (200, 7, ["d.*"])
        problem(change({"writes_per_hour": 9}), 412, "STALE")

    def test_a_token_makes_agents_that_end_with_it(self, limited: Limited) -> None:
        dora = limited.lake.people["dora"]
        dora.post("/api/v1/agents/", self.WANTED)
        reader = token_create(user=dora.user, name="reader", scopes=())[1]
        dora.headers = {"Authorization": f"Bearer {reader}"}
        problem(dora.post("/api/v1/agents/fixer/tokens/", {"name": "t"}), 403, "PERMISSION_DENIED")
