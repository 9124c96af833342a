"""Role x resource of pipelines: allowed, 403 or 404; and whose rights a run has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from catalog_app.domain.roles import Scope
from catalog_app.models import ProtectionRule
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.files import addresses_allocate
from lakeui.access.tokens import token_create
from lakeui.api.http.docs import openapi_document
from lakeui.frontdoor import compute
from lakeui.frontdoor.entries import pipeline_runs as pipelines
from merge_app.jobs.models import Task
from merge_app.pipelines.definition.templates import template_render
from merge_app.pipelines.models import Pipeline
from merge_app.pipelines.schedules import schedules_tick
from merge_app.pipelines.services import pipeline_create
from tests.benchmarks.lake import Bench
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.rights.conftest import ROLES
from tests.rights.paths import Person, task_outcome
from tests.support.members import join

LIST = "/api/v1/pipelines/"
VALIDATE = LIST + "validate/"
RENDER = LIST + "render/"
ONE = LIST + "{pipeline_id}/"
POLICY = "/api/v1/catalogs/{catalog}/pipeline-policy/"
FILES = ONE + "landing-zones/{zone}/files/"
FILE = FILES + "{file_id}/"
CHECKED = "publish: checked\nchecks: [id > 0]\n"
WRITES: list[tuple[str, str, str, Any]] = [
    ("contributor", "post", LIST, {"name": "new", "database": "d", "table": "n", "source": "SELECT 1 AS id"}),
    ("viewer", "post", VALIDATE, {"source": "SELECT 1", "config": ""}),
    ("viewer", "post", RENDER, {"database": "d", "table": "n", "source": "SELECT 1"}),
    ("contributor", "patch", ONE, {"layer": "silver"}),
    ("viewer", "post", ONE + "dry-run/", {}),
    ("contributor", "post", ONE + "runs/", None),
    ("contributor", "delete", ONE, None),
    ("contributor", "post", FILES, b"id\n1\n"),
    ("contributor", "patch", FILE, {"state": "waiting"}),
    ("contributor", "delete", FILE, None),
]
TOKENS = {
    "post " + LIST: Scope.WRITE,
    "patch " + ONE: Scope.WRITE,
    "post " + ONE + "runs/": Scope.WRITE,
    "delete " + ONE: Scope.WRITE,
    "post " + FILES: Scope.WRITE,
    "patch " + FILE: Scope.WRITE,
    "delete " + FILE: Scope.WRITE,
    "patch " + POLICY: Scope.ADMIN,
}


class Scene:
    """A pipeline of somebody else, and the person whose role is tried."""

    def __init__(self) -> None:
        self.lake = Bench(1)
        self.person = Person("person", self.lake.catalog)
        self.other = Person("other", self.lake.catalog)
        self.other.become("owner")
        self.pipeline = self.pipeline_make()
        self.names: dict[str, Any] = {"catalog": self.lake.catalog, "pipeline_id": self.pipeline.pk}
        self.names |= {"version": 1, "run_id": "7d1fe2f8-4fd1-4a3c-9e35-0a4a8b1e2b9e"}
        self.names |= {"zone": "orders", "file_id": "7d1fe2f8-4fd1-4a3c-9e35-0a4a8b1e2b9f"}

    def pipeline_make(self, **changes: str) -> Pipeline:
        values = {"name": "Ones", "layer": "", "database": "d", "table": "ones", "branch": "main", "config": ""}
        values |= {"source": "SELECT 1 AS id", "schedule": "", **changes}
        catalog = catalog_get(self.lake.catalog)
        return pipeline_create(catalog=catalog, values=values, owner_id=self.other.user.pk)

    def send(self, method: str, template: str, body: Any = None, person: Person | None = None) -> Any:
        if template in (LIST, VALIDATE, RENDER) and method == "post":
            body = {**body, "catalog": self.lake.catalog}
        who, path = person or self.person, template.format(**self.names)
        if isinstance(body, bytes):
            return who.client.post(path, body, content_type="application/octet-stream", headers=who.headers)
        return who.send(method, path, body)

    def status(self, role: str, method: str, template: str, body: Any = None) -> int:
        """200 for every answer that does not refuse for lack of rights."""
        self.person.become(role)
        response = self.send(method, template, body)
        assert response.status_code < 500, response.content
        if response.status_code == 404 and response.json()["kind"] not in ("catalog", "pipeline"):
            return 200
        return response.status_code if response.status_code in (401, 403, 404) else 200

    def protect(self, **rule: Any) -> None:
        ProtectionRule.objects.create(catalog=catalog_get(self.lake.catalog), pattern="main", **rule)

    def head(self) -> int:
        return self.lake.branch("main").head_version


@pytest.fixture
def scene(transactional_db: None, no_worker: None, monkeypatch: pytest.MonkeyPatch) -> Scene:
    engine = DuckMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    monkeypatch.setattr(pipelines, "bounded_render", template_render)
    return Scene()


def expected(least: str) -> dict[str, int]:
    enough = ROLES.index(least)
    return {role: 404 if role == "none" else 200 if place >= enough else 403 for place, role in enumerate(ROLES)}


@pytest.mark.parametrize(("least", "method", "template", "body"), WRITES)
def test_a_role_writes_where_it_is_enough(scene: Scene, least: str, method: str, template: str, body: Any) -> None:
    found = {}
    for role in ROLES:
        if method == "delete":
            scene.names["pipeline_id"] = scene.pipeline_make(name=f"of {role}").pk
        found[role] = scene.status(role, method, template, body)
    assert found == expected(least)


def paths() -> Mapping[str, Any]:
    found: Mapping[str, Any] = openapi_document()["paths"]
    return {path: item for path, item in found.items() if path.startswith(LIST)}


def test_every_write_of_the_document_is_in_matrix() -> None:
    written = {(verb, path) for path, item in paths().items() for verb in item if verb not in ("get", "parameters")}
    assert written == {(method, template) for _, method, template, _ in WRITES}


def test_who_sees_catalog_reads_all_and_others_nothing(scene: Scene) -> None:
    of_no_catalog = (LIST, LIST + "fields/", LIST + "schedule/")
    read = [path for path, item in paths().items() if "get" in item and path not in of_no_catalog]
    found = {path: {role: scene.status(role, "get", path) for role in ROLES} for path in read}
    assert found == {path: expected("viewer") for path in read}


def test_list_holds_nothing_of_an_invisible_catalog(scene: Scene) -> None:
    for role, count in (("viewer", 1), ("none", 0)):
        scene.person.become(role)
        for query in ("", f"?catalog={scene.lake.catalog}", "?search=Ones"):
            assert len(scene.person.send("get", LIST + query).json()["results"]) == count


def test_what_is_refused_says_which_role_it_takes(scene: Scene) -> None:
    scene.person.become("viewer")
    refused = scene.send("post", ONE + "runs/").json()
    assert (refused["code"], refused["role"]) == ("PERMISSION_DENIED", "contributor")
    assert refused["remedy"]


@pytest.mark.parametrize(("target", "scope"), TOKENS.items())
def test_a_token_does_what_its_scope_says(scene: Scene, target: str, scope: Scope) -> None:
    method, template = target.split()
    bodies = {(verb, path): body for _, verb, path, body in WRITES}
    body = bodies.get((method, template), {"strict": True})
    found = {}
    for offered in Scope:
        secret = token_create(user=scene.other.user, name=offered.value, scopes=[offered])[1]
        scene.other.headers["Authorization"] = f"Bearer {secret}"
        found[offered] = scene.send(method, template, body, scene.other).status_code == 403
        scene.names["pipeline_id"] = scene.pipeline_make(name=f"after {offered}").pk
    assert found == {offered: offered is not scope for offered in Scope}


class TestARun:
    def test_has_rights_its_runner_has_when_it_runs(self, scene: Scene) -> None:
        found = {}
        for role in ROLES:
            scene.person.become("contributor")
            queued = scene.send("post", ONE + "runs/").json()["id"]
            scene.person.become(role)
            found[role] = task_outcome(queued)
        assert found == expected("contributor")

    def test_of_foreign_text_reads_only_what_runner_sees(self, scene: Scene) -> None:
        hidden = Bench(1)
        hidden.sql("CREATE TABLE d.r (id INT)")
        hidden.sql("INSERT INTO d.r VALUES (1)")
        join(scene.other.user, hidden.catalog)
        source = f"SELECT count(*) AS n FROM {hidden.catalog}.d.r"
        made = scene.pipeline_make(name="Hidden", table="hidden", source=source)
        scene.names["pipeline_id"] = made.pk
        scene.person.become("contributor")
        assert task_outcome(scene.send("post", ONE + "runs/").json()["id"]) == 404
        assert task_outcome(scene.send("post", ONE + "runs/", person=scene.other).json()["id"]) == 200

    def test_by_schedule_has_rights_of_its_last_writer(self, scene: Scene) -> None:
        found = {}
        for number, role in enumerate(ROLES):
            scene.person.become("contributor")
            assert scene.send("patch", ONE, {"schedule": "0 * * * *", "layer": f"by {role}"}).status_code == 200
            scene.person.become(role)
            found[role] = self._scheduled(scene, number)
        assert found == expected("contributor")

    def test_by_schedule_is_limited_to_its_writing_token(self, scene: Scene) -> None:
        secret = token_create(user=scene.other.user, name="narrow", scopes=[Scope.WRITE])[1]
        scene.other.headers["Authorization"] = f"Bearer {secret}"
        scene.send("patch", ONE, {"schedule": "0 * * * *"}, scene.other)
        assert self._scheduled(scene, 0) == 200, Task.objects.latest("created_at").error
        assert Task.objects.latest("created_at").scopes == [Scope.READ.value, Scope.WRITE.value]

    @staticmethod
    def _scheduled(scene: Scene, number: int) -> int:
        scene.pipeline.refresh_from_db()
        due = scene.pipeline.next_run_at
        assert due is not None
        assert schedules_tick(due) == 1
        return task_outcome(str(Task.objects.latest("created_at").pk))

    def test_writes_no_branch_that_only_merges_change(self, scene: Scene) -> None:
        scene.person.become("owner")
        queued = scene.send("post", ONE + "runs/").json()["id"]
        scene.protect(refuse_direct_writes=True)
        before = scene.head()
        assert task_outcome(queued) == 403
        refused = scene.send("post", ONE + "runs/")
        assert (refused.status_code, refused.json()["branch"]) == (403, "main")
        assert scene.head() == before

    @pytest.mark.parametrize(
        ("rule", "status"),
        [
            ({}, 200),
            ({"merge_role": "maintainer"}, 403),
            ({"refuse_direct_merges": True}, 403),
            ({"required_approvals": 1}, 403),
        ],
    )
    def test_publishes_where_its_runner_may_merge(self, scene: Scene, rule: dict[str, Any], status: int) -> None:
        scene.names["pipeline_id"] = scene.pipeline_make(name="Checked", config=CHECKED).pk
        scene.person.become("contributor")
        queued = scene.send("post", ONE + "runs/").json()["id"]
        open_to_merges = {"merge_role": "contributor", "refuse_direct_merges": False, "required_approvals": 0}
        scene.protect(**{**open_to_merges, "refuse_direct_writes": True, **rule})
        before = scene.head()
        assert task_outcome(queued) == status, Task.objects.get(pk=queued).error
        assert (scene.head() > before) is (status == 200)
        assert scene.send("post", ONE + "runs/").status_code == (202 if status == 200 else 403)

    def test_refused_by_rule_made_meanwhile_is_not_published(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The judgement that counts is the commit's."""
        publish = pipelines.publish

        def protected_first(*arguments: Any) -> Any:
            scene.protect(refuse_direct_merges=True)
            return publish(*arguments)

        monkeypatch.setattr(pipelines, "publish", protected_first)
        scene.names["pipeline_id"] = scene.pipeline_make(name="Checked", config=CHECKED).pk
        scene.person.become("owner")
        before = scene.head()
        assert task_outcome(scene.send("post", ONE + "runs/").json()["id"]) == 403
        assert scene.head() == before
