"""Agents: nothing on a branch that is not their own, and nothing outside of their limits, on any way in."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.forms.models import model_to_dict

from catalog_app.domain.roles import Role
from catalog_app.models import (
    Agent,
    Branch,
    Catalog,
    CatalogMember,
    Commit,
    ProtectionRule,
    Tag,
)
from catalog_app.services.files import addresses_allocate
from lakeui.access.models import AccessToken
from lakeui.access.tokens import token_create
from lakeui.api.docs import openapi_document
from lakeui.api.examples import BODIES
from lakeui.common.errors import LakeError, LimitReached, PermissionDenied
from lakeui.frontdoor import Session, compute, execute
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.pipelines.models import Pipeline
from merge_app.review.models import Check, ConflictResolution, MergeRequest, RequestStatus, Review
from merge_app.webhooks.models import Webhook
from tests.api.test_statements import problem
from tests.members import join
from tests.review.conftest import ReviewLake
from tests.rights.test_every_resource import IMPORT, WRITES, Scene
from tests.rights.test_every_statement import CONTRIBUTE, MAINTAIN, OWN, READ
from tests.sql.test_reference import EXAMPLES
from tests.stateful.memory_engine import MemoryEngine
from tests.stored import StoredDatabases

CALLS = 1000
OWN_BRANCH = "agent/person/x"
BRANCHES = ("main", "b", "c", "agent/other/y", "agent/persona", "agent/person2/z", OWN_BRANCH, "AGENT/person/x")
OTHERS = [Catalog, Tag, CatalogMember, ProtectionRule, Check, Webhook, Review, ConflictResolution, RequestStatus]
OTHERS += [AccessToken, Agent, Pipeline]
IGNORED = {"last_used_at"}


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    made = MemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: made)
    return made


class Agency:
    """A scene whose person is an agent, with every right that a person can have: owner, superuser, all scopes."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.lake, self.person = self.scene.lake, self.scene.person
        for name in BRANCHES[3:6]:
            self.lake.write(f"CREATE BRANCH `{name}`", "alice")
        self.lake.write("CREATE TABLE d.r (id INT, v STRING)", "alice")
        self.lake.write("INSERT INTO d.r VALUES (1, 'base')", "alice")
        self.person.become("owner")
        Agent.objects.create(user=self.person.user, owner=self.lake.people["dora"].user, purpose="tries everything")
        User.objects.filter(pk=self.person.user.pk).update(is_superuser=True)
        self.person.user.refresh_from_db()
        self.run(f"CREATE BRANCH `{OWN_BRANCH}`", "main")

    def run(self, text: str, branch: str, **more: Any) -> Any:
        user = User.objects.get(pk=self.person.user.pk)
        return execute(text, Session(self.lake.catalog, branch, user, **more))


@pytest.fixture
def agency(stored: StoredDatabases, nobody_hears: None, engine: MemoryEngine) -> Agency:
    begun = stored.once("agency", Agency)
    begun.scene.file_put_back()
    cache.clear()
    return begun


def world(agent: User) -> dict[str, Any]:
    """All that is not the agent's: rows of settings and reviews, every other branch, and requests of other people."""
    kept: dict[str, Any] = {
        kind.__name__: {
            row.pk: {name: str(value) for name, value in model_to_dict(row).items() if name not in IGNORED}
            for row in kind.objects.all()
        }
        for kind in OTHERS
    }
    branches = Branch.objects.filter(is_workspace=False).exclude(name__istartswith="agent/person/")
    kept["Branch"] = set(branches.values_list("pk", "name", "head_version", "dropped_at"))
    requests = MergeRequest.objects.exclude(author=agent)
    kept["MergeRequest"] = set(requests.values_list("pk", "state", "title", "destination_id", "queued_at"))
    kept["Task"] = set(Task.objects.exclude(created_by=agent).values_list("pk", "state"))
    kept["User"] = set(User.objects.values_list("pk", "is_active", "is_superuser", "username"))
    return kept


def shuffled_body(rng: random.Random, body: Any) -> Any:
    """The body with other branches in it, and at times with a reason to go past a protection."""
    if not isinstance(body, dict):
        return body
    made = json.loads(json.dumps(body))
    for name in ("branch", "source", "destination", "parent", "name"):
        if name in made and isinstance(made[name], str) and rng.random() < 0.5:
            made[name] = rng.choice(BRANCHES)
    if rng.random() < 0.2:
        made["bypass_reason"] = "I must."
    return made


class Calls:
    """Generated calls over all operations of the document and all kinds of statements, and how each ended."""

    def __init__(self, agency: Agency, seed: int) -> None:
        self.agency, self.rng = agency, random.Random(seed)
        self.texts = [*CONTRIBUTE, *MAINTAIN, *OWN, *READ, *EXAMPLES]
        self.texts += ["INSERT INTO d.r VALUES (7, 'agent')", "DELETE FROM d.r", "UPDATE d.r SET v = 'x'"] * 5
        bodies = {(method, path): body for _, method, path, body in WRITES}
        self.operations = [
            (method, path, bodies.get((method, path), BODIES.get(operation["operationId"])))
            for path, item in openapi_document()["paths"].items()
            for method, operation in item.items()
            if method in ("get", "post", "put", "patch", "delete")
        ]
        self.asked: set[tuple[str, str]] = set()
        self.ends: dict[str, int] = {}

    def make(self, number: int) -> None:
        if number < len(self.operations):
            end = self._operation(*self.operations[number])
        elif self.rng.random() < 0.3:
            end = self._operation(*self.rng.choice(self.operations))
        else:
            end = self._statement()
        self.ends[end] = self.ends.get(end, 0) + 1

    def _operation(self, method: str, template: str, body: Any) -> str:
        agency, rng = self.agency, self.rng
        self.asked.add((method, template))
        names = {**agency.scene.names, "branch": rng.choice(BRANCHES), "source": rng.choice(BRANCHES)}
        names |= {"destination": rng.choice(BRANCHES), "pipeline_id": 1, "version": 1, "token_id": 1}
        names |= {"task_id": names["import_id"], "run_id": names["import_id"], "merge_id": names["import_id"]}
        if template.startswith(IMPORT):
            names["branch"] = rng.choice(("main", OWN_BRANCH))
        path = template.format(**names)
        if isinstance(body, bytes):
            given = {"content_type": "application/octet-stream", "headers": agency.person.headers}
            answer = agency.person.client.post(path, body, **given)
        else:
            answer = agency.person.send(method, path, shuffled_body(rng, body))
        assert answer.status_code < 500 or answer.status_code in (502, 503), (method, path, answer.content)
        return self._ended(answer)

    def _statement(self) -> str:
        agency, rng = self.agency, self.rng
        text, branch = rng.choice(self.texts).replace("{c}", agency.lake.catalog), rng.choice(BRANCHES)
        session: dict[str, Any] = {"bypass_reason": "I must."} if rng.random() < 0.2 else {}
        way = rng.choice(("door", "http", "script", "transaction", "rehearsal"))
        if way in ("http", "script"):
            body: dict[str, Any] = {"catalog": agency.lake.catalog, "branch": branch}
            if way == "http":
                answer = agency.person.send("post", "/api/v1/sql/", {**body, "statement": text, **session})
            else:
                script = f"USE BRANCH `{branch}`; {text}"
                answer = agency.person.send("post", "/api/v1/sql/script/", {**body, "branch": "main", "script": script})
            return self._ended(answer)
        if way == "rehearsal":
            session["dry_run"] = True
        try:
            if way == "transaction":
                begun = rng.choice((branch, OWN_BRANCH))
                opened = agency.run("BEGIN", begun).extra["transaction"]
                for each in (text, "COMMIT"):
                    agency.run(each, branch, transaction=opened)
            else:
                agency.run(text, branch, **session)
        except LakeError as refusal:
            return refusal.code
        return "done"

    def _ended(self, answer: Any) -> str:
        """How it ended; a task is run as its worker would."""
        if answer.status_code == 202 and answer["Content-Type"] == "application/json" and "id" in answer.json():
            task = Task.objects.filter(pk=answer.json()["id"]).first()
            if task is None:
                return "done"
            task_run(task_id=task.pk, worker="agents")
            task.refresh_from_db()
            return "done" if task.state == "succeeded" else str((task.error or {}).get("code", task.state))
        if answer.status_code < 400:
            return "done"
        return str(answer.json().get("code"))


def test_a_thousand_calls_change_nothing_but_branches_of_its_own(
    agency: Agency, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setitem(settings.LAKEUI, "REQUESTS_PER_MINUTE", 0)
    monkeypatch.setitem(settings.LAKEUI, "WAITING_TASKS_PER_PERSON", 0)
    agent = agency.person.user
    before, calls = world(agent), Calls(agency, 34)
    for number in range(CALLS):
        calls.make(number)
    assert world(agent) == before
    written = Commit.objects.filter(author=agent, branch__is_workspace=False).values_list("branch__name", flat=True)
    assert written.count() > 10
    assert {name for name in written if not name.casefold().startswith("agent/person/")} == set()
    made = Branch.objects.filter(created_by=agent, is_workspace=False).values_list("name", flat=True)
    assert {name for name in made if not name.casefold().startswith("agent/person/")} == set()
    sources = MergeRequest.objects.filter(author=agent).values_list("source__name", flat=True)
    assert {name for name in sources if not name.casefold().startswith("agent/person/")} == set()
    assert not MergeAttempt.objects.filter(actor=agent, kind="bypass").exists()
    assert calls.asked >= {(method, path) for method, path, _ in calls.operations}
    assert calls.ends["PERMISSION_DENIED"] > 200
    assert calls.ends["done"] > 100


def test_an_agent_works_on_its_branch_and_asks_people_to_merge(agency: Agency) -> None:
    agency.run("INSERT INTO d.r VALUES (7, 'agent')", OWN_BRANCH)
    person, lake = agency.person, agency.lake
    wanted = {"source": OWN_BRANCH, "destination": "main", "title": "One more row"}
    opened = person.send("post", f"{lake.address}merge-requests/", wanted)
    assert opened.status_code == 201
    number = opened.json()["number"]
    refused = problem(
        person.send("post", f"{lake.address}merge-requests/{number}/merge/", {}), 403, "PERMISSION_DENIED"
    )
    assert (refused["agent"], refused["action"]) == ("person", "merge")
    foreign = person.send("post", f"{lake.address}merge-requests/", {**wanted, "source": "c"})
    assert problem(foreign, 403, "PERMISSION_DENIED")["branches"] == "agent/person/*"


@pytest.fixture
def limited(stored: StoredDatabases, nobody_hears: None, engine: MemoryEngine) -> Any:
    begun = stored.once("limited", _limited)
    cache.clear()
    return begun


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


def _limited() -> Limited:
    return Limited()


def test_tables_that_are_not_its_own_stay(limited: Limited) -> None:
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
    limited.run("CREATE DATABASE e")
    limited.run("CREATE TABLE e.any (id INT)")
    opened = limited.run("BEGIN").extra["transaction"]
    limited.run("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", transaction=opened)
    with pytest.raises(PermissionDenied):
        limited.run("COMMIT", transaction=opened)


def test_kinds_of_statements_that_it_may_not_run_are_refused(limited: Limited) -> None:
    limited.hold(statements=["insert"])
    limited.run("INSERT INTO d.r VALUES (1)")
    limited.run("SHOW TABLES IN d")
    for text in ("DELETE FROM d.r", "CREATE BRANCH `agent/tester/y`", "TRUNCATE TABLE d.r", "BEGIN"):
        with pytest.raises(PermissionDenied, match="its statements are insert"):
            limited.run(text)


def test_writes_and_rows_of_an_hour_are_counted_together(limited: Limited) -> None:
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
    Commit.objects.filter(author=limited.user).exists()
    limited.hold(writes_per_hour=3)
    limited.run("ALTER TABLE d.r SET TBLPROPERTIES ('k' = '1')")


class TestResources:
    """Making, changing and ending agents."""

    WANTED = {"name": "fixer", "purpose": "Corrects codes", "tables": ["d.*"], "writes_per_hour": 5}

    def test_an_owner_makes_one_and_it_is_held_from_then_on(self, limited: Limited) -> None:
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
        for path, body in (("/api/v1/agents/", {**self.WANTED, "name": "x"}), ("/api/v1/tokens/", {"name": "t"})):
            refused = dora.client.post(path, body, content_type="application/json", headers=held)
            problem(refused, 403, "PERMISSION_DENIED")
        User.objects.filter(username="dora").update(is_active=False)
        problem(tell("SHOW BRANCHES"), 401, "UNAUTHENTICATED")
        User.objects.filter(username="dora").update(is_active=True)
        assert dora.client.delete("/api/v1/agents/fixer/", headers=dora.headers).status_code == 204
        problem(tell("SHOW BRANCHES"), 401, "UNAUTHENTICATED")
        assert dora.get("/api/v1/agents/").json()["results"] == []

    def test_nobody_sees_or_changes_agents_of_others(self, limited: Limited) -> None:
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
