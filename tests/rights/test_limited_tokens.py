"""A token that is limited to catalogs: no others exist for it, whatever its user may do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from catalog_app.domain.roles import CatalogScope, Role, Scope
from catalog_app.selectors.snapshots import catalog_get
from lakeui.access.models import AccessToken
from lakeui.access.tokens import token_create
from lakeui.api import urls
from lakeui.frontdoor.queries import views
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.pipelines.models import Pipeline
from tests.benchmarks.lake import Bench
from tests.rights.paths import Person
from tests.support.members import join

FREE = {
    "catalogs/",
    "merges/",
    "merges/<str:merge_id>/",
    "pipelines/",
    "rules/",
    "sql/",
    "sql/script/",
    "tasks/",
    "tasks/<uuid:task_id>/",
    "tasks/<uuid:task_id>/cancel/",
    "tasks/<uuid:task_id>/retry/",
}
"""Addresses of no one catalog that look at the limit, beside those below ``pipelines/``."""


class Scene:
    """Two catalogs, a person who owns both, and a token of theirs for the first one."""

    def __init__(self) -> None:
        self.near, self.far = Bench(1).catalog, Bench(1).catalog
        self.person = Person("person", self.near)
        for name in (self.near, self.far):
            join(self.person.user, name, Role.OWNER)
        self.limit(self.near)

    def limit(self, *catalogs: str) -> AccessToken:
        ids = [catalog_get(name).pk for name in catalogs]
        token, secret = token_create(user=self.person.user, name="limited", catalogs=ids)
        self.person.headers = {"Authorization": f"Bearer {secret}", "Prefer": "respond-async"}
        return token

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        return self.person.send(method, f"/api/v1/{path}", body, **headers)

    def sql(self, text: str, catalog: str | None = None, **headers: str) -> Any:
        body = {"catalog": catalog or self.near, "statement": text}
        return self.ask("post", "sql/", body, **{"Prefer": "wait=5", **headers})


@pytest.fixture(params=[False, True], ids=["member", "superuser"])
def scene(request: pytest.FixtureRequest, db: None) -> Scene:
    found = Scene()
    found.person.user.is_superuser = found.person.user.is_staff = request.param
    found.person.user.save()
    return found


def test_only_its_catalogs_exist(scene: Scene) -> None:
    assert [entry["name"] for entry in scene.ask("get", "catalogs/").json()["results"]] == [scene.near]
    assert scene.ask("get", f"catalogs/{scene.near}/").status_code == 200
    assert scene.ask("get", f"catalogs/{scene.near.upper()}/").status_code == 200
    for path in ("", "branches/", "members/", "branches/main/databases/", "tags/", "checks/"):
        refused = scene.ask("get", f"catalogs/{scene.far}/{path}")
        assert refused.status_code == 404, (path, refused.content)
        assert refused.json().get("nearest") != scene.far


def test_statements_stay_in_its_catalogs(scene: Scene) -> None:
    table = "CREATE TABLE d.made (id INT)"
    assert scene.sql(table).status_code == 200
    for text in (table, "SHOW DATABASES", "SHOW BRANCHES"):
        assert scene.sql(text, scene.far).status_code == 404, text
    assert scene.sql(f"DESCRIBE TABLE {scene.far}.d.t").status_code in (400, 404)
    assert [row[0] for row in scene.sql("SHOW CATALOGS").json()["rows"]] == [scene.near]
    assert scene.sql("CREATE CATALOG another").status_code == 403


def test_work_in_the_background_keeps_the_limit(scene: Scene) -> None:
    begun = scene.sql("CREATE TABLE d.later (id INT)", Prefer="respond-async")
    task = Task.objects.get(pk=begun.json()["id"])
    assert CatalogScope.of(catalog_get(scene.near).pk) in (task.scopes or ())
    Task.objects.filter(pk=task.pk).update(parameters={**task.parameters, "catalog": scene.far})
    task_run(task_id=task.pk, worker="rights")
    task.refresh_from_db()
    assert task.error is not None
    assert (task.state, task.error["status"]) == ("failed", 404)


def test_tasks_of_other_catalogs_are_hidden(scene: Scene) -> None:
    near = scene.person.headers
    scene.limit(scene.far)
    begun = scene.sql("CREATE TABLE d.far (id INT)", scene.far, Prefer="respond-async", **{"Idempotency-Key": "one"})
    identity = begun.json()["id"]
    assert scene.ask("get", f"tasks/{identity}/").status_code == 200
    scene.person.headers = near
    for method, path in (("get", ""), ("post", "cancel/"), ("post", "retry/")):
        assert scene.ask(method, f"tasks/{identity}/{path}").status_code == 404
    assert scene.ask("get", "tasks/").json()["results"] == []
    repeated = scene.sql("CREATE TABLE d.far (id INT)", scene.far, **{"Idempotency-Key": "one"})
    assert repeated.status_code == 404


def test_refusals_name_no_other_catalog(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_query_check", lambda *_: None)
    assert scene.sql("CREATE TABLE d.moved (id INT)").status_code == 200
    assert scene.sql("CREATE VIEW d.seen AS SELECT * FROM d.moved").status_code == 200
    for what in ("TABLE d.moved", "VIEW d.seen"):
        answers = []
        for catalog in (scene.far, f"{scene.far}x"):
            refused = scene.sql(f"ALTER {what} RENAME TO {catalog}.d.elsewhere")
            answers.append((refused.status_code, refused.json().get("nearest") == scene.far))
        assert answers == [(404, False)] * 2, what


def test_work_of_its_several_catalogs_is_shown(scene: Scene) -> None:
    scene.limit(scene.near, scene.far)
    wide = scene.person.headers
    assert scene.sql("CREATE TABLE d.taken (id INT)").status_code == 200
    text = f"CREATE TABLE {scene.far}.d.copied AS SELECT * FROM {scene.near}.d.taken"
    begun = scene.sql(text, Prefer="respond-async")
    assert begun.status_code == 202, begun.content
    identity = begun.json()["id"]
    assert Task.objects.get(pk=identity).catalog is None
    assert scene.ask("get", f"tasks/{identity}/").status_code == 200
    scene.limit(scene.near)
    assert scene.ask("get", f"tasks/{identity}/").status_code == 404
    scene.person.headers = wide
    assert scene.ask("post", f"tasks/{identity}/cancel/").status_code == 200


def test_a_transaction_elsewhere_does_not_exist(scene: Scene) -> None:
    near = scene.person.headers
    scene.limit(scene.far)
    opened = scene.sql("BEGIN", scene.far).json()["transaction"]
    scene.person.headers = near
    for text in ("ROLLBACK", "COMMIT"):
        body = {"statement": text, "transaction": opened}
        assert scene.ask("post", "sql/", body, Prefer="wait=5").status_code == 404, text


def test_pipelines_of_other_catalogs_are_hidden(scene: Scene) -> None:
    body = {"name": "p", "database": "d", "table": "n", "source": "SELECT 1 AS id"}
    made = scene.ask("post", "pipelines/", {"catalog": scene.near, **body})
    assert made.status_code == 201, made.content
    pipeline = Pipeline.objects.get(pk=made.json()["id"])
    assert CatalogScope.of(catalog_get(scene.near).pk) in (pipeline.scopes or ())
    assert scene.ask("post", "pipelines/", {"catalog": scene.far, **body}).status_code == 404
    scene.limit(scene.far)
    assert scene.ask("get", "pipelines/").json()["results"] == []
    assert scene.ask("get", f"pipelines/{pipeline.pk}/").status_code == 404
    assert scene.ask("post", f"pipelines/{pipeline.pk}/runs/").status_code == 404


def test_what_is_of_no_catalog_is_refused(scene: Scene) -> None:
    for path in ("tokens/", "people/", "groups/", "agents/", "inbox/", "results/", "sessions/", "statements/"):
        assert scene.ask("get", path).status_code == 403, path
    assert scene.ask("post", "tokens/", {"name": "wider"}).status_code == 403
    assert scene.ask("post", "samples/", {"sample": "shop"}).status_code == 403
    assert scene.ask("get", "search/?q=t").status_code == 403
    assert scene.person.send("post", "/mcp", {}).status_code == 403


def test_each_address_without_a_catalog_is_decided() -> None:
    found = {route for route, view in _views(urls.urlpatterns, "") if getattr(view, "serves_limited_tokens", False)}
    names = {route.removeprefix("api/v1/") for route in found if "catalog>" not in route}
    assert {name for name in names if not name.startswith("pipelines/<")} - FREE == {
        f"pipelines/{name}/" for name in ("fields", "render", "schedule", "validate")
    }
    assert names >= FREE


def _views(patterns: Any, before: str) -> Iterator[tuple[str, Any]]:
    """Each route of the interface with the class of its view."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _views(pattern.url_patterns, route)
        else:
            yield route, getattr(pattern.callback, "cls", None)


def test_other_engines_read_its_catalogs_alone(scene: Scene) -> None:
    def config(catalog: str) -> int:
        return int(scene.person.send("get", f"/iceberg/{catalog}/main/v1/config").status_code)

    assert (config(scene.near), config(scene.far)) == (200, 404)


def test_a_limit_is_asked_for_by_name(scene: Scene) -> None:
    token, secret = token_create(user=scene.person.user, name="whole")
    scene.person.headers = {"Authorization": f"Bearer {secret}"}
    assert token.scopes == [scope.value for scope in Scope]
    made = scene.ask("post", "tokens/", {"name": "one", "scopes": ["read"], "catalogs": [scene.far]})
    assert (made.status_code, made.json()["catalogs"], made.json()["scopes"]) == (201, [scene.far], ["read"])
    assert scene.ask("get", "tokens/").json()["results"][0]["catalogs"] == [scene.far]
    assert scene.ask("post", "tokens/", {"name": "none", "catalogs": ["nowhere"]}).status_code == 404
    assert scene.ask("post", "tokens/", {"name": "none", "catalogs": []}).status_code == 400
    scene.person.headers = {"Authorization": f"Bearer {made.json()['token']}"}
    assert [entry["name"] for entry in scene.ask("get", "catalogs/").json()["results"]] == [scene.far]
