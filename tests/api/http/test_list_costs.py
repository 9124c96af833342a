"""Every list of the interface takes as many statements for many entries as for few: no entry asks for itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog_app.domain.roles import Role
from catalog_app.models import KeptResult
from catalog_app.services.files import addresses_allocate
from lakeui.access.tokens import token_create
from lakeui.api.http.docs import openapi_document
from lakeui.frontdoor import compute
from merge_app.jobs.services import task_submit
from merge_app.mails.models import Mail
from tests.api.conftest import Caller
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.support.members import join
from tests.support.resource_lake import Lake
from tests.support.sent_files import send, sent

CATALOG = "/api/v1/catalogs/{catalog}/"
TABLE = CATALOG + "branches/{branch}/databases/{database}/tables/{table}/"
REQUEST = CATALOG + "merge-requests/{number}/"
PIPELINES = "/api/v1/pipelines/"
PIPELINE = PIPELINES + "{pipeline_id}/"

OF_AN_ACCOUNT = [
    *(
        f"/api/v1/{name}/"
        for name in (
            "agents",
            "catalogs",
            "dropped-catalogs",
            "tasks",
            "tokens",
            "merges",
            "inbox",
            "sessions",
            "results",
            "statements",
        )
    ),
    CATALOG + "merges/",
    "/api/v1/agents/{name}/tokens/",
]
OF_SETTINGS = [
    CATALOG + name
    for name in (
        "members/",
        "groups/",
        "candidates/",
        "protection-rules/",
        "restrictions/",
        "checks/",
        "queries/",
        "webhooks/",
        "webhooks/{webhook_id}/deliveries/",
    )
]
OF_THE_SERVER = [
    f"/api/v1/{name}/" for name in ("people", "groups", "rights-records", "account/sessions", "account/mail/sent")
]
OF_A_REQUEST = [
    REQUEST + name for name in ("comments/", "timeline/", "reviews/", "resolutions/", "checks/", "statuses/")
]
OF_WORK = [
    CATALOG + "branches/{branch}/imports/",
    CATALOG + "branches/{branch}/databases/{database}/views/",
    PIPELINES,
    PIPELINE + "versions/",
    PIPELINE + "runs/",
    PIPELINE + "landing-zones/{zone}/files/",
    "/api/v1/search/",
]
COUNTED_BESIDE_THEIR_RESOURCE = {
    CATALOG + "branches/",
    CATALOG + "branches/{branch}/history/",
    CATALOG + "branches/{branch}/history/{version}/operations/",
    CATALOG + "branches/{branch}/trash/",
    CATALOG + "branches/{branch}/databases/",
    CATALOG + "branches/{branch}/databases/{database}/tables/",
    *(TABLE + name for name in ("history/", "segments/", "partitions/", "versions/")),
    CATALOG + "compare/{source}...{destination}/",
    # The decisions that answer one object's conflicts: as many as it has conflicts.
    CATALOG + "compare/{source}...{destination}/objects/{kind}/{object_id}/decisions/",
    CATALOG + "merge-requests/",
    CATALOG + "tags/",
}
FEW, MANY = 2, 5


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def holds(lake: Lake, addresses: list[str], more: Callable[[int], object], **names: Any) -> None:
    """``more`` adds an entry to each of the lists; it is given the number of the entry."""
    asked = [address.format(catalog=lake.catalog, branch="main", **names) for address in addresses]
    for number in range(FEW):
        more(number)
    few = {address: _cost(lake, address) for address in asked}
    for number in range(FEW, MANY):
        more(number)
    many = {address: _cost(lake, address) for address in asked}
    assert {address for address in asked if not FEW <= few[address][1] < many[address][1]} == set()
    assert {address: many[address][0] for address in asked} == {address: few[address][0] for address in asked}


def _cost(lake: Lake, address: str) -> tuple[int, int]:
    """How many statements an answer takes when it is asked for the second time, and how many entries it has. The list
    of a search has room, so names that ended are looked for too.
    """
    address += f"?q=needle&catalog={lake.catalog}&branch=main&limit=50" if address.endswith("search/") else ""
    lake.caller.get(address)
    with CaptureQueriesContext(connection) as captured:
        response = lake.caller.get(address)
    assert response.status_code == 200, response.content
    return len(captured), len(response.json()["results"])


def made(response: Any) -> Any:
    """The body of an answer that must have been taken."""
    assert response.status_code in (200, 201), response.content
    return response.json()


def test_lists_of_an_account(lake: Lake, bob: Caller, no_worker: None) -> None:
    join(bob.user, lake.catalog, Role.MAINTAINER)

    def more(number: int) -> None:
        Lake(lake.caller)
        spare = Lake(lake.caller)
        spare.sql(f"DROP CATALOG {spare.catalog}")
        KeptResult.objects.create(
            owner=lake.caller.user, statement="SELECT 1", files=[], expires_at=timezone.now() + timedelta(hours=1)
        )
        parameters = {"statement": f"TASK {number}", "catalog": lake.catalog, "branch": "main", "transaction": None}
        task_submit(kind="sql", parameters=parameters, user=lake.caller.user)
        token_create(user=lake.caller.user, name=f"n{number}")
        session = made(lake.caller.post("/api/v1/sessions/", {"catalog": lake.catalog}))["id"]
        made(lake.caller.post("/api/v1/sql/", {"session": session, "statement": "BEGIN"}))
        made(lake.caller.post("/api/v1/agents/", {"name": f"a{number}", "purpose": "p", "catalogs": [lake.catalog]}))
        made(lake.caller.post("/api/v1/agents/a0/tokens/", {"name": f"n{number}"}))
        lake.sql(f"CREATE BRANCH b{number}")
        lake.insert(f"b{number}", 1)
        lake.sql(f"MERGE BRANCH b{number} DRY RUN")
        wanted = {"source": f"b{number}", "destination": "main", "title": "t", "reviewers": ["alice"]}
        made(bob.post(f"{lake.address}merge-requests/", wanted))

    holds(lake, OF_AN_ACCOUNT, more, name="a0")


def test_lists_of_settings(lake: Lake, no_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "WEBHOOK_NETWORKS", "127.0.0.0/8")
    wanted = {"url": "http://127.0.0.1:1/", "events": ["merge"]}
    webhook = made(lake.caller.post(f"{lake.address}webhooks/", wanted))["id"]
    lake.sql("CREATE BRANCH b")

    def more(number: int) -> None:
        join(User.objects.create_user(f"member{number}"), lake.catalog, Role.REVIEWER)
        User.objects.create_user(f"candidate{number}")
        group = Group.objects.create(name=f"g{number}")
        made(lake.caller.post(f"{lake.address}groups/", {"group": group.name, "role": "viewer"}))
        post = lake.caller.post
        made(post(f"{lake.address}protection-rules/", {"pattern": f"p{number}", "required_approvals": 1}))
        hidden = {"database": "d", "table": "t", "group": group.name, "masks": {"id": "NULL"}}
        made(post(f"{lake.address}restrictions/", hidden))
        made(post(f"{lake.address}checks/", {"name": f"c{number}", "query": "SELECT * FROM d.t WHERE id IS NULL"}))
        made(post(f"{lake.address}queries/", {"name": f"q{number}", "text": "SELECT 1"}))
        made(post(f"{lake.address}webhooks/", {**wanted, "url": f"http://127.0.0.1:1/{number}"}))
        lake.insert("b", 1)
        lake.sql("MERGE BRANCH b")

    holds(lake, OF_SETTINGS, more, webhook_id=webhook)


def test_lists_of_the_server(lake: Lake) -> None:
    User.objects.filter(pk=lake.caller.user.pk).update(is_staff=True, is_superuser=True)

    def more(number: int) -> None:
        made(lake.caller.post("/api/v1/groups/", {"name": f"g{number}"}))
        Mail.objects.create(user=lake.caller.user, event="test", key=f"{number}", subject="s", body="b", path="/")
        made(lake.caller.post("/api/v1/people/", {"username": f"p{number}", "groups": [f"g{number}"]}))
        Client().force_login(lake.caller.user)

    holds(lake, OF_THE_SERVER, more)


def test_lists_of_a_merge_request(lake: Lake, bob: Caller) -> None:
    join(bob.user, lake.catalog, Role.REVIEWER)
    lake.sql("CREATE BRANCH b")
    for number in range(MANY):
        for branch in ("b", "main"):
            lake.sql(f"CREATE TABLE d.n{number} (id INT)", branch)
    wanted = {"source": "b", "destination": "main", "title": "t"}
    opened = made(lake.caller.post(f"{lake.address}merge-requests/", wanted))
    own = f"{lake.address}merge-requests/{opened['number']}/"
    clashing = [entry["object_id"] for entry in lake.read("compare/b...main/")["results"]]
    heads = {f"{side}_head": opened[side]["head_version"] for side in ("source", "destination")}

    def more(number: int) -> None:
        post = lake.caller.post
        made(post(f"{own}comments/", {"body": f"comment {number}"}))
        made(bob.post(f"{own}reviews/", {"verdict": "request_changes", "body": "no"}))
        status = {"context": f"s{number}", "state": "success", "source_head": opened["source"]["head_version"]}
        made(bob.post(f"{own}statuses/", status))
        check = {"name": f"c{number}", "query": "SELECT * FROM d.t", "is_required": True}
        made(post(f"{lake.address}checks/", check))
        decided = {"object_kind": "table", "object_id": clashing[number], "decision": "rename", "name": f"m{number}"}
        made(post(f"{own}resolutions/", {**decided, **heads}))

    holds(lake, OF_A_REQUEST, more, number=opened["number"])


def test_lists_of_imports_pipelines_runs_and_search_results(
    lake: Lake, local_worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = DuckMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    wanted = {"catalog": lake.catalog, "database": "d", "source": "SELECT 1 AS id"}
    wanted["config"] = "merge_strategy: snapshot"
    first = made(lake.caller.post(PIPELINES, {**wanted, "name": "first", "table": "first"}))["id"]
    own = f"{PIPELINES}{first}/"

    def more(number: int) -> None:
        send(lake, b"a\n1\n", name=f"f{number}.csv")
        made(sent(lake, f"{own}landing-zones/z/files/", b"a\n1\n", f"f{number}.csv"))
        made(lake.caller.post(PIPELINES, {**wanted, "name": f"p{number}", "table": f"t{number}"}))
        edit = {"source": f"SELECT {number} AS id"}
        made(lake.caller.client.patch(own, edit, "application/json", headers=lake.caller.headers))
        made(lake.caller.post(f"{own}runs/", {}))
        lake.sql(f"CREATE TABLE d.needle{number} (needle INT)")
        lake.sql(f"CREATE BRANCH needle{number}")
        lake.sql(f"CREATE VIEW d.needle_view{number} AS SELECT 1 AS one")

    holds(lake, OF_WORK, more, pipeline_id=first, zone="z", database="d")


def test_no_list_is_left_out() -> None:
    counted = {*OF_AN_ACCOUNT, *OF_SETTINGS, *OF_THE_SERVER, *OF_A_REQUEST, *OF_WORK, *COUNTED_BESIDE_THEIR_RESOURCE}
    document = openapi_document()
    lists = {path for path, item in document["paths"].items() if "get" in item and _is_list(document, item["get"])}
    assert lists == counted


def _is_list(document: dict[str, Any], read: dict[str, Any]) -> bool:
    shape = read["responses"]["200"].get("content", {}).get("application/json", {}).get("schema", {})
    name = shape.get("$ref", "").rsplit("/", 1)[-1]
    found = document["components"]["schemas"].get(name, shape)
    return "results" in found.get("properties", {})
