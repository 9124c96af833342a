"""Role x resource of the HTTP interface x method: allowed, 403 or 404.

Roles are tried from none to owner: what is refused must have left things for the next one. "Allowed" is every answer
that is no refusal, since what the first allowed role did may stand in the way of the next.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.utils import timezone

from catalog_app.domain.roles import Role
from catalog_app.models import Catalog, FileImport, GroupRole
from catalog_app.selectors.snapshots import catalog_get
from lakeui.access.tokens import token_create
from lakeui.api.http.docs import openapi_document
from lakeui.frontdoor import compute
from merge_app.queries.models import SavedQuery
from merge_app.review.models import Comment
from merge_app.webhooks.models import Webhook
from tests.benchmarks.metadata import Bench
from tests.review.conftest import ReviewLake
from tests.rights.conftest import ROLES
from tests.rights.paths import Person
from tests.support.members import join
from tests.support.stored_databases import StoredDatabases

CATALOG = "/api/v1/catalogs/{catalog}/"
REQUEST = CATALOG + "merge-requests/{number}/"
IMPORT = CATALOG + "branches/{branch}/imports/{import_id}/"
WEBHOOK = CATALOG + "webhooks/{webhook_id}/"
QUERY = CATALOG + "queries/{query_id}/"
RESTRICTION = CATALOG + "restrictions/{restriction_id}/"
FOR_OWNERS = {CATALOG + "candidates/", CATALOG + "webhooks/", WEBHOOK, WEBHOOK + "deliveries/"}
"""What is read by owners only; everything else is read by whoever sees the catalog."""

SENT = b"a\n1\n"
LOAD = {"database": "d", "table": "loaded", "mode": "create"}
DECISION = {"object_kind": "table", "object_id": 1, "decision": "destination", "source_head": 1, "destination_head": 1}


def decided_together(decision: dict[str, Any]) -> dict[str, Any]:
    """One decision as the body of many."""
    heads = {name: value for name, value in decision.items() if name.endswith("_head")}
    return {**heads, "decisions": [{name: value for name, value in decision.items() if name not in heads}]}


HIDDEN = {"database": "d", "table": "t", "masks": {"id": "NULL"}}
STATUS = {"context": "ci", "state": "success", "source_head": 1}
DECISIONS = decided_together(DECISION)
BRANCH = CATALOG + "branches/{branch}/"
DBT_TESTS = "models: [{name: t, columns: [{name: id, data_tests: [not_null]}]}]"
WRITES: list[tuple[str, str, str, Any]] = [
    ("owner", "patch", CATALOG, {"name": "renamed"}),
    ("owner", "delete", CATALOG, None),
    ("contributor", "post", CATALOG + "branches/", {"name": "new", "parent": "main"}),
    ("contributor", "patch", BRANCH, {"name": "renamed"}),
    ("contributor", "post", BRANCH + "reset/", {}),
    ("contributor", "delete", BRANCH, None),
    ("contributor", "post", BRANCH + "databases/", {"name": "new"}),
    ("contributor", "patch", BRANCH + "databases/{database}/", {"name": "renamed"}),
    ("contributor", "delete", BRANCH + "databases/{database}/", None),
    ("contributor", "post", CATALOG + "merges/", {"source": "c", "destination": "main"}),
    ("contributor", "post", CATALOG + "restores/", {"branch": "main", "version": 1}),
    ("contributor", "post", CATALOG + "undrops/", {"branch": "gone"}),
    ("contributor", "post", CATALOG + "branches/{branch}/imports/", b"a,b\n1,x\n"),
    ("contributor", "patch", IMPORT, {"header": True}),
    ("contributor", "post", IMPORT + "load/", LOAD),
    ("contributor", "delete", IMPORT, None),
    ("contributor", "post", CATALOG + "branches/{branch}/databases/{database}/tables/{table}/rows/merge/", b"id\n1\n"),
    ("contributor", "post", CATALOG + "tags/", {"name": "new", "branch": "main"}),
    ("maintainer", "patch", CATALOG + "tags/{tag}/", {"name": "renamed"}),
    ("maintainer", "delete", CATALOG + "tags/{tag}/", None),
    ("owner", "post", CATALOG + "members/", {"username": "candidate", "role": "viewer"}),
    ("owner", "patch", CATALOG + "members/{username}/", {"role": "viewer"}),
    ("owner", "delete", CATALOG + "members/{username}/", None),
    ("owner", "post", CATALOG + "groups/", {"group": "others", "role": "viewer"}),
    ("owner", "patch", CATALOG + "groups/{group}/", {"role": "contributor"}),
    ("owner", "delete", CATALOG + "groups/{group}/", None),
    ("owner", "post", CATALOG + "protection-rules/", {"pattern": "x/*"}),
    ("owner", "patch", CATALOG + "protection-rules/{rule_id}/", {"required_approvals": 2}),
    ("owner", "delete", CATALOG + "protection-rules/{rule_id}/", None),
    ("owner", "post", CATALOG + "restrictions/", {**HIDDEN, "role": "viewer"}),
    # Without a role: whoever may look is refused for that, before the engine is asked.
    ("owner", "post", CATALOG + "restrictions/preview/", HIDDEN),
    ("owner", "patch", RESTRICTION, {"masks": {"w": "NULL"}}),
    ("owner", "delete", RESTRICTION, None),
    ("maintainer", "patch", CATALOG + "pipeline-policy/", {"strict": True}),
    ("owner", "patch", CATALOG + "settings/", {"merge_conflicts": "row"}),
    ("maintainer", "post", CATALOG + "checks/", {"name": "new", "query": "SELECT * FROM d.t"}),
    ("maintainer", "post", CATALOG + "dbt-tests/", {"text": DBT_TESTS, "database": "d"}),
    ("maintainer", "patch", CATALOG + "checks/{name}/", {"is_required": True}),
    ("maintainer", "delete", CATALOG + "checks/{name}/", None),
    ("viewer", "post", CATALOG + "queries/", {"name": "new", "text": "SELECT 1"}),
    ("viewer", "patch", QUERY, {"name": "My own"}),
    ("viewer", "delete", QUERY, None),
    ("contributor", "post", CATALOG + "merge-requests/", {"source": "c", "destination": "main", "title": "New"}),
    ("maintainer", "patch", REQUEST, {"title": "Of somebody else"}),
    ("contributor", "post", REQUEST + "checks/", None),
    ("reviewer", "post", REQUEST + "statuses/", STATUS),
    ("viewer", "post", REQUEST + "comments/", {"body": "Hm."}),
    ("viewer", "patch", REQUEST + "comments/{comment_id}/", {"body": "My own."}),
    ("viewer", "put", REQUEST + "comments/{comment_id}/resolved/", None),
    ("viewer", "delete", REQUEST + "comments/{comment_id}/resolved/", None),
    ("viewer", "delete", REQUEST + "comments/{comment_id}/", None),
    ("contributor", "post", REQUEST + "suggestions/", {"comments": [1]}),
    ("contributor", "post", REQUEST + "merge/", {}),
    ("contributor", "post", REQUEST + "queue/", {}),
    ("contributor", "delete", REQUEST + "queue/", None),
    ("owner", "post", CATALOG + "webhooks/", {"url": "https://192.0.2.1/", "events": ["merge"]}),
    ("owner", "patch", WEBHOOK, {"is_active": False}),
    ("owner", "post", WEBHOOK + "test/", None),
    ("owner", "post", WEBHOOK + "deliveries/{delivery_id}/repeat/", None),
    ("owner", "delete", WEBHOOK, None),
    ("contributor", "post", REQUEST + "resolutions/", DECISION),
    ("contributor", "post", REQUEST + "resolutions/batch/", DECISIONS),
    ("contributor", "delete", REQUEST + "resolutions/{resolution_id}/", None),
    ("reviewer", "post", REQUEST + "reviews/", {"verdict": "request_changes"}),
]


class Scene:
    """A lake with something in every list, and the person whose role is tried."""

    def __init__(self) -> None:
        self.lake = ReviewLake()
        self.person = Person("person", self.lake.catalog)
        lake, dora = self.lake, self.lake.people["dora"]
        lake.write("CREATE BRANCH c", "alice")
        lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('c' = '1')", "alice", "c")
        lake.write("CREATE TAG early", "alice")
        User.objects.create_user("candidate")
        join(User.objects.create_user("victim"), lake.catalog, Role.REVIEWER)
        Group.objects.create(name="others")
        GroupRole.objects.create(
            catalog=catalog_get(lake.catalog), group=Group.objects.create(name="readers"), role="viewer"
        )
        rule = dora.post(f"{lake.address}protection-rules/", {"pattern": "release/*"}).json()
        # For a group that no one is in: nothing is hidden from the person whose role is tried.
        lake.write("CREATE TABLE d.hidden (v INT, w INT)", "alice")
        restriction = {"database": "d", "table": "hidden", "group": "others", "masks": {"v": "NULL"}}
        hidden = dora.post(f"{lake.address}restrictions/", restriction).json()
        dora.post(f"{lake.address}checks/", {"name": "keys", "query": "SELECT * FROM d.t WHERE id IS NULL"})
        request = lake.open(reviewers=("bob",))
        review = lake.review("bob", request).json()
        comment = lake.post("bob", "1/comments/", {"body": "Why?"}).json()
        Comment.objects.filter(pk=comment["id"]).update(author=self.person.user)
        query = SavedQuery.objects.create(
            catalog=request.catalog, owner=self.person.user, name="own", text="SELECT 1", is_shared=True
        )
        hook = Webhook.objects.create(
            catalog=request.catalog, url="https://192.0.2.1/", events=["merge"], created_by=dora.user
        )
        self.names = {
            "catalog": lake.catalog,
            "branch": "main",
            "version": 1,
            "database": "d",
            "table": "t",
            "view": "v",
            "tag": "early",
            "source": "b",
            "destination": "main",
            "kind": "table",
            "object_id": lake.table_id,
            "table_id": lake.table_id,
            "username": "victim",
            "group": "readers",
            "rule_id": rule["id"],
            "restriction_id": hidden["id"],
            "name": "keys",
            "number": request.number,
            "comment_id": comment["id"],
            "review_id": review["id"],
            "resolution_id": 1,
            "query_id": query.pk,
            "webhook_id": hook.pk,
            "delivery_id": "00000000-0000-0000-0000-000000000001",
            "import_id": self._import(),
        }

    def file_put_back(self) -> None:
        """The rows of a test that removed it are back, its file is not."""
        kept = Path(settings.LAKEUI["WAREHOUSE"], FileImport.objects.get(pk=self.names["import_id"]).path)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(SENT)

    def _import(self) -> str:
        """The person's own, from a time when they could."""
        alice = self.lake.people["alice"]
        address = f"{self.lake.address}branches/main/imports/"
        sent = alice.client.post(address, SENT, content_type="application/octet-stream", headers=alice.headers)
        FileImport.objects.filter(pk=sent.json()["id"]).update(created_by=self.person.user)
        return str(sent.json()["id"])

    def status(self, role: str, method: str, template: str, body: Any = None, query: str = "") -> int:
        """200 for every answer that does not refuse for lack of rights."""
        self.person.become(role)
        path = template.format(**self.names) + query
        if isinstance(body, bytes):
            given = {"content_type": "application/octet-stream", "headers": self.person.headers}
            response = self.person.client.post(path, body, **given)
        else:
            response = self.person.send(method, path, body)
        assert response.status_code < 500, response.content
        if response.status_code == 404 and response.json()["kind"] != "catalog":
            return 200
        return response.status_code if response.status_code in (401, 403, 404) else 200

    def row(self, method: str, template: str, body: Any = None, query: str = "") -> dict[str, int]:
        return {role: self.status(role, method, template, body, query) for role in ROLES}


@pytest.fixture
def scene(stored: StoredDatabases, no_worker: None, monkeypatch: pytest.MonkeyPatch) -> Scene:
    def refuse() -> Any:
        raise AssertionError("who may read rows is decided before the engine is asked")

    monkeypatch.setattr(compute, "engine_make", refuse)
    begun = stored.once("scene", Scene)
    begun.file_put_back()
    return begun


def expected(least: str) -> dict[str, int]:
    enough = ROLES.index(least)
    return {role: 404 if role == "none" else 200 if place >= enough else 403 for place, role in enumerate(ROLES)}


@pytest.mark.parametrize(("least", "method", "template", "body"), WRITES)
def test_a_role_writes_where_it_is_enough(scene: Scene, least: str, method: str, template: str, body: Any) -> None:
    assert scene.row(method, template, body) == expected(least)


def reads() -> dict[str, set[str]]:
    """By path of a GET in a catalog, the names of its parameters."""
    paths = openapi_document()["paths"].items()
    gets = {path: item["get"] for path, item in paths if path.startswith(CATALOG) and "get" in item}
    return {path: {parameter["name"] for parameter in get.get("parameters", [])} for path, get in gets.items()}


def query_of(parameters: set[str]) -> str:
    """What a GET with these parameters requires."""
    return "?from=1&to=2" if {"from", "to"} <= parameters else "?side=source" if "side" in parameters else ""


def test_who_sees_catalog_reads_everything_others_nothing(scene: Scene) -> None:
    found = {}
    for path, parameters in reads().items():
        query = query_of(parameters)
        if path.endswith("rows/") or {"from", "to"} <= parameters:
            # Whoever may read gets to the engine, which is not there.
            found[path] = {"none": scene.status("none", "get", path, query=query)}
        else:
            found[path] = scene.row("get", path)
    wanted = {path: expected("owner" if path in FOR_OWNERS else "viewer") for path in found}
    rows = {path: {"none": 404} for path, row in found.items() if row.keys() == {"none"}}
    assert found == wanted | rows


def test_token_for_a_dropped_namesake_reaches_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    namesake = catalog_get(Bench(1).catalog)
    join(scene.person.user, namesake.name)
    Catalog.objects.filter(pk=namesake.pk).update(name=scene.lake.catalog, dropped_at=timezone.now())
    secret = token_create(user=scene.person.user, name="limited", catalogs=[namesake.pk])[1]
    monkeypatch.setitem(scene.person.headers, "Authorization", f"Bearer {secret}")
    for is_superuser in (False, True):
        User.objects.filter(pk=scene.person.user.pk).update(is_superuser=is_superuser)
        for _, method, path, body in WRITES:
            assert scene.status("owner", method, path, body) == 404, (is_superuser, method, path)
        for path, parameters in reads().items():
            assert scene.status("owner", "get", path, query=query_of(parameters)) == 404, (is_superuser, path)


def test_every_write_of_the_document_is_in_matrix() -> None:
    known = {(method, path) for _, method, path, _ in WRITES}
    written = {
        (method, path)
        for path, item in openapi_document()["paths"].items()
        for method in item.keys() & {"post", "put", "patch", "delete"}
        if path.startswith(CATALOG)
    }
    assert written == known


@pytest.mark.parametrize("path", ["/api/v1/catalogs/", "/api/v1/merges/", "/api/v1/tasks/", "/api/v1/inbox/"])
def test_lists_over_all_catalogs_omit_invisible_ones(scene: Scene, path: str) -> None:
    scene.lake.sql("MERGE BRANCH c")
    owner, person = scene.lake.people["dora"], scene.person
    scene.lake.post("dora", "1/comments/", {"body": "listed"})
    person.become("none")
    assert scene.lake.catalog not in person.send("get", path).content.decode()
    assert person.send("get", path).json()["results"] == []
    if path in ("/api/v1/catalogs/", "/api/v1/merges/"):
        assert scene.lake.catalog in owner.get(path).content.decode()


def test_search_finds_nothing_of_an_invisible_catalog(scene: Scene) -> None:
    for text in (scene.lake.catalog, "early", "main", "id", "t"):
        path = f"/api/v1/search/?q={text}"
        scene.person.become("viewer")
        assert scene.person.send("get", path).json()["results"]
        scene.person.become("none")
        assert scene.person.send("get", path).json()["results"] == []


def test_merge_id_of_invisible_catalog_is_not_found(scene: Scene) -> None:
    merged = scene.lake.sql("MERGE BRANCH c").extra["merge_id"]
    scene.person.become("viewer")
    assert scene.person.send("get", f"/api/v1/merges/{merged}/").status_code == 200
    scene.person.become("none")
    assert scene.person.send("get", f"/api/v1/merges/{merged}/").status_code == 404
