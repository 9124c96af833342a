"""Agents: nothing on a branch that is not their own, and nothing outside of their limits, on any way in."""

from __future__ import annotations

import json
import random
from io import StringIO
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.forms.models import model_to_dict

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
from lakeui.api.http.docs import openapi_document
from lakeui.api.http.examples import BODIES
from lakeui.api.management.commands import sql as sql_command
from lakeui.common.errors import LakeError
from lakeui.frontdoor import Session, compute, execute, parsed
from lakeui.mcp.tools import TOOLS
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.pipelines.models import Pipeline
from merge_app.review.models import Check, ConflictResolution, MergeRequest, RequestStatus, Review
from merge_app.review.states import REVIEWED
from merge_app.webhooks.models import Webhook
from tests.api.sql.test_statements import problem
from tests.rights.test_every_resource import IMPORT, WRITES, Scene
from tests.rights.test_every_statement import CONTRIBUTE, MAINTAIN, OWN, READ
from tests.sql.test_reference import EXAMPLES
from tests.support.memory_engine import MemoryEngine
from tests.support.soak import IS_SOAK
from tests.support.stored_databases import StoredDatabases

CALLS = 1000 if IS_SOAK else 600
SEEDS = range(37, 57) if IS_SOAK else (37,)
BROKEN = "INTERNAL_ERROR"
"""How a call ends that comes to rows of d.t, which has no files here. It must have changed nothing either."""
OWN_BRANCH = "agent/person/x"
BRANCHES = ("main", "b", "c", "agent/other/y", "agent/persona", "agent/person2/z", OWN_BRANCH, "AGENT/person/x")
OTHERS: list[Any] = [
    Catalog,
    Tag,
    CatalogMember,
    ProtectionRule,
    Check,
    Webhook,
    Review,
    ConflictResolution,
    RequestStatus,
]
OTHERS += [AccessToken, Agent, Pipeline]
IGNORED = {"last_used_at"}
WAYS = ("door", "http", "script", "transaction", "rehearsal", "command", "queued", "tool")
"""How a statement comes in: ``queued`` is a task that was asked for while the account was no agent's."""
DETOURS = (
    *("UNDROP BRANCH `{branch}`", "DROP BRANCH `{branch}`", "ALTER BRANCH `{branch}` RENAME TO `{other}`"),
    *("UNDROP BRANCH `{branch}` AS `{other}`", "UNDROP BRANCH `{other}` AS `{branch}`"),
    *("ALTER BRANCH `{branch}` RESET TO PARENT", "ALTER BRANCH `{other}` RESET TO PARENT"),
    *("ALTER BRANCH `{branch}` SET EXPIRY '1 hour'", "ALTER BRANCH `{branch}` UNSET EXPIRY"),
    *("RESTORE BRANCH `{branch}` TO VERSION AS OF 1", "RESTORE TABLE d.r TO VERSION AS OF 3"),
    *("CREATE BRANCH `{other}` FROM `{branch}`", "MERGE BRANCH `{other}` TO `{branch}`", "UNDROP TABLE d.r"),
    *("CREATE OR REPLACE VIEW d.w AS SELECT * FROM d.r", "INSERT INTO d.w VALUES (1, 'a')", "DROP VIEW d.w"),
    *("INSERT INTO d.r@`{branch}` VALUES (1, 'a')", "DROP TABLE d.r", "DROP DATABASE d CASCADE"),
)
"""Restores, views and names: what might lead to a branch that is not the agent's."""


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
def agency(stored: StoredDatabases, no_worker: None, engine: MemoryEngine) -> Agency:
    begun = stored.once("agency", Agency, engine)
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
    # Whoever touches a request has its state follow what the branches are: that it is with people does not change.
    kept["MergeRequest"] = {
        (pk, "with people" if state in REVIEWED else state, *rest)
        for pk, state, *rest in requests.values_list("pk", "state", "title", "destination_id", "queued_at")
    }
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
        self.texts += DETOURS * 3
        self.ways: dict[str, int] = {}
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
        # A call may have dropped or renamed it, and then none writes any more.
        if not Branch.objects.filter(name=OWN_BRANCH, dropped_at=None).exists():
            self.agency.run(f"CREATE BRANCH `{OWN_BRANCH}`", "main")
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
        names |= {
            "destination": rng.choice(BRANCHES),
            **dict.fromkeys(("pipeline_id", "version", "token_id", "statement_id", "catalog_id"), 1),
        }
        names |= {"task_id": names["import_id"], "run_id": names["import_id"], "merge_id": names["import_id"]}
        names |= dict.fromkeys(("sign_in_id", "session_id", "result_id", "file_id"), names["import_id"])
        names["zone"] = "orders"
        if template.startswith(IMPORT):
            names["branch"] = rng.choice(("main", OWN_BRANCH))
        path = template.format(**names)
        if isinstance(body, bytes):
            answer = agency.person.client.post(
                path, body, content_type="application/octet-stream", headers=agency.person.headers
            )
        else:
            answer = agency.person.send(method, path, shuffled_body(rng, body))
        return self._ended(answer)

    def _statement(self) -> str:
        agency, rng = self.agency, self.rng
        text, branch = rng.choice(self.texts).replace("{c}", agency.lake.catalog), rng.choice(BRANCHES)
        text = text.replace("{branch}", rng.choice(BRANCHES)).replace("{other}", rng.choice(BRANCHES))
        session: dict[str, Any] = {"bypass_reason": "I must."} if rng.random() < 0.2 else {}
        way = rng.choice(WAYS)
        by: dict[str, Any] = {"command": self._command, "queued": self._queued, "tool": self._tool}
        by |= {"http": self._http, "script": self._script}
        try:
            if way == "queued" and not parsed(text).is_task:
                way = "tool"
            self.ways[way] = self.ways.get(way, 0) + 1
            return str(by.get(way, self._door)(text, branch, session, way))
        except LakeError as refusal:
            return refusal.code
        except Exception:  # noqa: BLE001 - the engine in memory does not know every statement
            return BROKEN

    def _http(self, text: str, branch: str, session: dict[str, Any], _: str) -> str:
        body = {"catalog": self.agency.lake.catalog, "branch": branch, "statement": text}
        return self._ended(self.agency.person.send("post", "/api/v1/sql/", {**body, **session}))

    def _script(self, text: str, branch: str, *_: Any) -> str:
        body = {"catalog": self.agency.lake.catalog, "branch": "main", "script": f"USE BRANCH `{branch}`; {text}"}
        return self._ended(self.agency.person.send("post", "/api/v1/sql/script/", body))

    def _door(self, text: str, branch: str, session: dict[str, Any], way: str) -> str:
        if way == "transaction":
            begun = self.rng.choice((branch, OWN_BRANCH))
            opened = self.agency.run("BEGIN", begun).extra["transaction"]
            for each in (text, "COMMIT"):
                self.agency.run(each, branch, transaction=opened)
        else:
            self.agency.run(text, branch, **session, **({"dry_run": True} if way == "rehearsal" else {}))
        return "done"

    def _command(self, text: str, branch: str, session: dict[str, Any], _: str) -> str:
        """``manage.py sql``. No worker runs its task, so it does that itself in place of waiting."""
        answer = StringIO()

        def run(task_id: UUID, **_: Any) -> Task:
            task_run(task_id=task_id, worker="agents")
            return Task.objects.get(pk=task_id)

        options = [item for name, value in session.items() for item in (f"--{name.replace('_', '-')}", value)]
        options += ["-c", self.agency.lake.catalog, "-b", branch, "--user", self.agency.person.user.username, "--json"]
        try:
            with mock.patch.object(sql_command, "task_wait", run):
                call_command("sql", *options, text, stdout=answer, stderr=StringIO())
        except SystemExit:
            return str(json.loads(answer.getvalue())["code"])
        return "done"

    def _queued(self, text: str, branch: str, *_: Any) -> str:
        """A task of the account from before it became an agent's; a worker gets to it now."""
        held = Agent.objects.get(user=self.agency.person.user)
        Agent.objects.filter(pk=held.pk).delete()
        body = {"catalog": self.agency.lake.catalog, "branch": branch, "statement": text}
        answer = self.agency.person.send("post", "/api/v1/sql/", body)
        Agent.objects.bulk_create([held])
        return self._ended(answer)

    def _tool(self, text: str, branch: str, *_: Any) -> str:
        """One of the tools of the Model Context Protocol, with what it takes."""
        catalog, other = self.agency.lake.catalog, self.rng.choice(BRANCHES)
        newest = Branch.objects.filter(name=branch, dropped_at=None).values_list("head_version", flat=True).first()
        given = {"catalog": catalog, "branch": branch, "statement": text, "name": other, "parent": branch}
        given |= {"source": branch, "destination": other, "title": "Mine", "database": "d", "table": "r"}
        given |= {"number": 1, "version": newest or 1}
        tool = self.rng.choice(("write", "write", *TOOLS))
        arguments = {name: given[name] for name in TOOLS[tool].takes.model_fields if name in given}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        result = self.agency.person.send("post", "/mcp", call, **headers).json()
        content = json.loads(result["result"]["content"][0]["text"])
        return str(content.get("code")) if result["result"].get("isError") else "done"

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


@pytest.mark.parametrize("seed", SEEDS)
def test_hundreds_of_calls_of_agent_change_own_branches(
    agency: Agency, monkeypatch: pytest.MonkeyPatch, settings: Any, seed: int
) -> None:
    monkeypatch.setitem(settings.LAKEUI, "REQUESTS_PER_MINUTE", 0)
    monkeypatch.setitem(settings.LAKEUI, "WAITING_TASKS_PER_PERSON", 0)
    agent = agency.person.user
    before, calls = world(agent), Calls(agency, seed)
    for number in range(CALLS):
        calls.make(number)
    assert world(agent) == before
    written = Commit.objects.filter(author=agent, branch__is_workspace=False).values_list("branch__name", flat=True)
    assert written.count() > 1
    assert {name for name in written if not name.casefold().startswith("agent/person/")} == set()
    made = Branch.objects.filter(created_by=agent, is_workspace=False).values_list("name", flat=True)
    assert {name for name in made if not name.casefold().startswith("agent/person/")} == set()
    sources = MergeRequest.objects.filter(author=agent).values_list("source__name", flat=True)
    assert {name for name in sources if not name.casefold().startswith("agent/person/")} == set()
    assert not MergeAttempt.objects.filter(actor=agent, kind="bypass").exists()
    assert calls.asked >= {(method, path) for method, path, _ in calls.operations}
    assert calls.ends["PERMISSION_DENIED"] > CALLS / 5
    assert calls.ends["done"] > CALLS / 10
    assert calls.ends.get(BROKEN, 0) < CALLS / 5
    assert set(calls.ways) == set(WAYS)


def test_agent_works_on_its_branch_and_requests_merges(agency: Agency) -> None:
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
