"""A maintainer from whom a column and a row are hidden asks every address, statement and tool: neither ever shows.

The addresses are those of the OpenAPI document, so a new one is asked too. One that shows nothing which may be hidden
says so (``keeps_restrictions``); the lists here are where that is looked at again.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction
from django.test import Client

from catalog_app.domain.roles import Role
from catalog_app.models import GroupRole
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import OK, LakeError, RowsRestricted
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.rights import statement_kind
from lakeui.frontdoor.statements import KEEPS, STATEMENTS
from lakeui.mcp.tools import TOOLS
from lakeui.sql.parse import parse
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.queries.models import KeptStatement
from merge_app.webhooks.models import Webhook
from tests.on_spark.queries.test_restrictions import Reader
from tests.rights.test_every_statement import LEAST
from tests.support.lake import Lake

SECRET, HIDDEN = "zebra@secret.example", "walrus-row"
CATALOG = "/api/v1/catalogs/{catalog}/"
DATABASE = CATALOG + "branches/{branch}/databases/{database}/"
TABLES, VIEWS = DATABASE + "tables/", DATABASE + "views/"
KEEPING = {
    *(CATALOG, CATALOG + "branches/", CATALOG + "tags/", CATALOG + "branches/{branch}/databases/"),
    *(DATABASE, TABLES, TABLES + "{table}/rows/", VIEWS),
}
"""Addresses of a catalog that somebody may read from whom rows are hidden there."""
KEEPING_STATEMENTS = {
    *("show_catalogs", "use_catalog", "show_branches", "use_branch", "use_database", "show_tags", "show_databases"),
    *("show_tables", "show_views", "select", "show_dropped_catalogs"),
}
OF_NO_CATALOG = {"show_queries", "drop_temporary_view", "set_partition_overwrite"}
SHOWN_TO_OWNERS = {
    *(TABLES + "{table}/" + part for part in ("rows/", "changes/", "history/", "profile/")),
    *(CATALOG + "branches/{branch}/history/", CATALOG + "merge-requests/", CATALOG + "checks/"),
    *(CATALOG + "queries/", VIEWS + "{view}/"),
    CATALOG + "compare/{source}...{destination}/objects/table/{table_id}/rows/",
    CATALOG + "merge-requests/{number}/comments/",
    *("/api/v1/tasks/", "/api/v1/results/{result_id}/rows/", "/api/v1/pipelines/{pipeline_id}/"),
    *(f"/api/v1/pipelines/{{pipeline_id}}/landing-zones/{{zone}}/files/{part}" for part in ("", "{file_id}/")),
}
"""Where an owner does see what is hidden: a test in which these show nothing would test nothing."""


class Story:
    """A lake in which a secret and a hidden row are in rows, statistics, partitions, history, tasks, results, requests,
    checks, pipelines, imports and landing zones.
    """

    def __init__(self) -> None:
        self.lake = lake = Lake()
        self.owner, self.maintainer = Reader(lake, Role.OWNER), Reader(lake, Role.MAINTAINER)
        # Pages of people and of rights are for the staff.
        self.maintainer.user.is_staff = True
        self.maintainer.user.save()
        sql = self.owner.sql
        sql("CREATE DATABASE d")
        sql("CREATE TABLE d.t (id INT, email STRING, team STRING) PARTITIONED BY (team)")
        sql(f"INSERT INTO d.t VALUES (1, '{SECRET}', 'a'), (2, 'x', '{HIDDEN}')")
        sql(f"CREATE VIEW d.v AS SELECT * FROM d.t WHERE email <> 'not {SECRET}'")
        for branch in ("b", "c", "gone"):
            sql(f"CREATE BRANCH {branch}")
        sql(f"UPDATE d.t SET email = 'left {SECRET}' WHERE id = 2", "b")
        sql(f"UPDATE d.t SET email = 'right {SECRET}' WHERE id = 2")
        sql(f"INSERT INTO d.t VALUES (3, '{SECRET}', 'a')", "c")
        sql("MERGE BRANCH c TO main")
        with pytest.raises(LakeError):
            sql("MERGE BRANCH b TO main")
        sql("DROP BRANCH gone")
        sql("CREATE TAG g FROM main")
        self.names = self._names()

    def _names(self) -> dict[str, Any]:
        lake, owner, by = self.lake, self.owner, self.maintainer
        table = next(iter(lake.sql("SHOW TABLES").rows))
        group = Group.objects.create(name=f"team-{secrets.token_hex(4)}")
        GroupRole.objects.create(catalog=catalog_get(lake.catalog), group=group, role=Role.VIEWER.value)
        request = self._made("merge-requests/", {"source": "b", "destination": "main", "title": SECRET})
        number = request["number"]
        at = f"merge-requests/{number}/"
        comment = self._made(at + "comments/", {"body": SECRET})
        review = self._made(at + "reviews/", {"verdict": "request_changes", "body": SECRET})
        check = self._made("checks/", {"name": "k", "query": f"SELECT * FROM d.t WHERE email = '{SECRET}'"})
        query = self._made("queries/", {"name": "q", "text": f"SELECT '{SECRET}'", "is_shared": True})
        rule = self._made("protection-rules/", {"pattern": "none/*"})
        webhook = Webhook.objects.create(
            catalog=catalog_get(lake.catalog), url="https://192.0.2.1/", events=["merge"], created_by=owner.user
        )
        imported = owner.client.post(
            f"/api/v1/catalogs/{lake.catalog}/branches/main/imports/",
            f"email\n{SECRET}\n".encode(),
            content_type="application/octet-stream",
            headers=owner.headers,
        )
        pipeline = self._made(
            "/api/v1/pipelines/",
            {
                "catalog": lake.catalog,
                "name": "p",
                "database": "d",
                "table": "made",
                "source": f"SELECT * FROM d.t WHERE email = '{SECRET}'",
            },
        )
        landed = owner.client.post(
            f"/api/v1/pipelines/{pipeline['id']}/landing-zones/orders/files/",
            f"email\n{SECRET}\n".encode(),
            content_type="application/octet-stream",
            headers={**owner.headers, "Content-Disposition": f'attachment; filename="{SECRET}.csv"'},
        )
        assert landed.status_code == 201, landed.content
        result = self._made("/api/v1/results/", {"catalog": lake.catalog, "statement": "SELECT * FROM d.t"})
        restriction = {"database": "d", "table": "t", "role": "maintainer"}
        hidden = {"row_filter": "team = 'a'", "masks": {"email": "left(email, 1)"}}
        task = self._task(owner, f"INSERT INTO d.t VALUES (4, '{SECRET}', 'a')")
        # From before the restriction: a result, a session with a view, and a task that waits.
        self.kept = self._made("/api/v1/results/", {"catalog": lake.catalog, "statement": "SELECT * FROM d.t"}, by)
        self.session = self._made("/api/v1/sessions/", {"catalog": lake.catalog, "database": "d"}, by)["id"]
        view = {"session": self.session, "statement": "CREATE TEMP VIEW mine AS SELECT * FROM d.t"}
        self._made("/api/v1/sql/", view, by)
        self.queued = self._task(self.maintainer, "CREATE TABLE d.copied AS SELECT * FROM d.t")
        made = self._made("restrictions/", {**restriction, **hidden})
        merge = MergeAttempt.objects.filter(catalog=catalog_get(lake.catalog), kind="merge").latest("number")
        assert imported.status_code == 201, imported.content
        return {
            "catalog": lake.catalog,
            "branch": "main",
            "database": "d",
            "table": "t",
            "view": "v",
            "tag": "g",
            "group": group.name,
            "source": "b",
            "destination": "main",
            "kind": "table",
            "object_id": table[2],
            "table_id": table[2],
            "number": number,
            "comment_id": comment["id"],
            "review_id": review["id"],
            "name": check["name"],
            "rule_id": rule["id"],
            "query_id": query["id"],
            "restriction_id": made["id"],
            "webhook_id": webhook.pk,
            "import_id": imported.json()["id"],
            "pipeline_id": pipeline["id"],
            "zone": "orders",
            "file_id": landed.json()["id"],
            "result_id": result["id"],
            "task_id": task,
            "merge_id": str(merge.merge_id),
            "username": owner.user.username,
            "version": 1,
            "run_id": task,
            "session_id": task,
            "statement_id": KeptStatement.objects.filter(owner=self.maintainer.user).latest("pk").pk,
            "delivery_id": task,
            "resolution_id": 1,
            "token_id": 1,
            "catalog_id": 1,
            "sign_in_id": task,
        }

    def _made(self, path: str, body: Any, by: Reader | None = None) -> Any:
        who = by or self.owner
        if path.startswith("/"):
            response = who.client.post(path, body, content_type="application/json", headers=who.headers)
        else:
            response = who.send("post", path, body)
        assert response.status_code in (200, 201), response.content
        return response.json()

    def _task(self, who: Reader, statement: str) -> str:
        body = {"catalog": self.lake.catalog, "statement": statement}
        headers = who.headers | {"Prefer": "respond-async"}
        response = who.client.post("/api/v1/sql/", body, content_type="application/json", headers=headers)
        assert response.status_code == 202, response.content
        return str(response.json()["id"])

    def ask(self, who: Reader, method: str, template: str, body: Any = None, **headers: str) -> Any:
        path = re.sub(r"{(\w+)}", lambda name: str(self.names[name[1]]), template)
        send = getattr(who.client, method)
        given = {} if method == "get" else {"data": body or {}, "content_type": "application/json"}
        return send(path, headers=who.headers | headers, **given)


QUERIES = {
    "changes/": "?from=1&to=100000",
    "rows/": "",
    "/api/v1/search/": f"?q={SECRET}",
    "schedule/": "?schedule=0+6+*+*+*",
}


def texts(response: Any) -> str:
    """All that an answer says."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    said = body.decode("utf-8", "replace") + json.dumps(dict(response.headers))
    return said + base64.b64encode(body).decode()


def silent(said: str) -> None:
    for word in (SECRET, HIDDEN):
        assert word not in said, said
        assert base64.b64encode(word.encode()).decode()[4:-4] not in said


def answered(story: Story, text: str) -> tuple[str, str]:
    """All that a statement says, and its outcome."""
    try:
        found = story.maintainer.sql(text)
    except LakeError as error:
        return json.dumps(error.as_problem(), default=str), error.code
    return json.dumps([found.rows, found.extra, found.metrics], default=str), OK


@pytest.fixture(scope="module")
def story(services: None, monkeypatch_module: None) -> Story:
    return Story()


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[None]:
    """No worker gets a signal: tasks stay queued."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)
        yield


@pytest.fixture(autouse=True)
def taken_back(story: Story) -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


PATHS = json.loads((Path(settings.BASE_DIR) / "frontend" / "openapi.json").read_text())["paths"]
"""As stored, since each worker that collects tests reads this. tests/contract holds it against the served document."""
GETS = [path for path, item in PATHS.items() if "get" in item]


def query_for(story: Story, template: str) -> str:
    if template.endswith("/table/{table_id}/rows/"):
        return "?side=source"
    if template.endswith("changes/"):
        return f"?from=1&to={story.lake.head()}" if "tables" in template else ""
    return next((query for end, query in QUERIES.items() if template.endswith(end) and query), "")


@pytest.mark.parametrize("template", GETS)
def test_no_address_shows_it(story: Story, template: str) -> None:
    response = story.ask(story.maintainer, "get", template + query_for(story, template))
    said = texts(response).replace(f"?q={SECRET}", "")
    silent(said)
    if template.startswith(CATALOG) and template not in KEEPING:
        assert response.status_code in (403, 404), said
        assert "ROWS_RESTRICTED" in said, said
    if template in KEEPING:
        assert response.status_code == 200, said


@pytest.mark.parametrize("template", sorted(SHOWN_TO_OWNERS))
def test_an_owner_does_see_it(story: Story, template: str) -> None:
    response = story.ask(story.owner, "get", template + query_for(story, template))
    said = texts(response)
    assert SECRET in said or HIDDEN in said, said


@pytest.mark.parametrize(
    "accept", ["application/vnd.apache.arrow.stream", "text/csv", "application/vnd.apache.parquet"]
)
def test_no_form_of_a_result_shows_it(story: Story, accept: str) -> None:
    for template in ("/api/v1/results/{result_id}/rows/", TABLES + "{table}/rows/"):
        silent(texts(story.ask(story.maintainer, "get", template, Accept=accept)))
    body = {"catalog": story.lake.catalog, "statement": "SELECT * FROM d.t"}
    for address in ("/api/v1/sql/", "/api/v1/results/"):
        silent(texts(story.ask(story.maintainer, "post", address, body, Accept=accept)))


CHANGES = [
    (method, path)
    for path, item in PATHS.items()
    for method in ("post", "put", "patch", "delete")
    if method in item and path.startswith((CATALOG, "/api/v1/pipelines/{", "/api/v1/tasks/{"))
]


@pytest.mark.parametrize(("method", "template"), CHANGES)
def test_no_change_gets_in(story: Story, method: str, template: str) -> None:
    response = story.ask(story.maintainer, method, template)
    said = texts(response)
    silent(said)
    assert 400 <= response.status_code < 500, said


def test_only_these_statements_keep_restrictions() -> None:
    """Another one needs a look at all that it answers."""
    assert {statement_kind(kind) for kind, row in STATEMENTS.items() if KEEPS in row.traits} == KEEPING_STATEMENTS


@pytest.mark.parametrize("text", [text for found in LEAST.values() for text in found])
def test_no_statement_shows_it(story: Story, text: str) -> None:
    written = text.format(c=story.lake.catalog)
    said, code = answered(story, written)
    silent(said)
    if code == OK:
        kind = statement_kind(type(parse(written)))
        assert kind in KEEPING_STATEMENTS | OF_NO_CATALOG, kind
    else:
        assert code in ("ROWS_RESTRICTED", "PERMISSION_DENIED"), said


@pytest.mark.parametrize(
    "text",
    [
        *("SELECT * FROM d.v", "SELECT * FROM d.`t@b`", "SELECT * FROM d.`t@g`", "SELECT * FROM d.t VERSION AS OF 3"),
        *("SELECT max(email), min(team), count(*) FROM d.t", "SELECT to_json(struct(*)) FROM d.t t"),
        *("SELECT * FROM d.t a FULL JOIN d.t b ON a.team <> b.team", "SELECT DISTINCT team FROM d.t ORDER BY team"),
        *("SELECT _metadata.file_path FROM d.t", "SELECT _metadata.row_index FROM d.t", "SELECT base FROM d.t"),
        *("SELECT CAST(email AS INT) FROM d.t", "SELECT raise_error(email) FROM d.t", "SELECT __lake_row_id FROM d.t"),
        *("SELECT * FROM (SELECT * FROM d.t) WHERE raise_error(team) IS NULL", "EXPLAIN SELECT * FROM d.t"),
        *("EXPLAIN ANALYZE SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 2 DRY RUN"),
    ],
)
def test_no_query_shows_it(story: Story, text: str) -> None:
    silent(answered(story, text)[0])


def test_no_list_says_how_many_rows_there_are(story: Story) -> None:
    sizes = [
        story.ask(who, "get", TABLES + "?include=sizes").json()["results"][0]["sizes"]
        for who in (story.maintainer, story.owner)
    ]
    assert sizes[0] is None
    assert sizes[1]["rows"] > 2


def test_the_catalog_audit_is_refused_not_shown_empty(story: Story) -> None:
    response = story.ask(story.maintainer, "get", f"/api/v1/merges/?catalog={story.lake.catalog.upper()}")
    assert (response.status_code, response.json()["code"]) == (403, "ROWS_RESTRICTED")
    assert story.ask(story.maintainer, "get", "/api/v1/merges/?catalog=elsewhere").json()["results"] == []


def test_an_earlier_result_is_no_longer_read(story: Story) -> None:
    address = f"/api/v1/results/{story.kept['id']}/"
    for path in (f"{address}rows/", "/api/v1/results/"):
        response = story.ask(story.maintainer, "get", path)
        silent(texts(response))
    assert story.ask(story.maintainer, "get", f"{address}rows/").status_code == 403


def test_an_earlier_session_view_shows_what_is_seen(story: Story) -> None:
    body = {"session": story.session, "statement": "SELECT email, team FROM mine ORDER BY id"}
    response = story.ask(story.maintainer, "post", "/api/v1/sql/", body)
    assert response.json()["rows"] == [["z", "a"], ["z", "a"]]


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/api/v1/sql/script/", {"script": "SELECT * FROM d.t; CREATE TABLE d.x AS SELECT * FROM d.t"}),
        ("/api/v1/pipelines/", {"name": "q", "database": "d", "table": "q", "source": "SELECT * FROM d.t"}),
        ("/api/v1/pipelines/validate/", {"source": "SELECT * FROM d.t", "config": "merge_strategy: append_only\n"}),
        ("/api/v1/pipelines/render/", {"database": "d", "table": "t", "source": "SELECT {{ watermark_value }}"}),
        ("/api/v1/results/", {"statement": "SELECT * FROM d.t"}),
    ],
)
def test_nothing_else_is_begun(story: Story, address: str, body: dict[str, Any]) -> None:
    response = story.ask(story.maintainer, "post", address, {"catalog": story.lake.catalog, **body})
    said = texts(response)
    silent(said)
    assert response.status_code == 403, said
    assert "ROWS_RESTRICTED" in said


def test_tasks_that_wait_are_judged_when_they_run(story: Story) -> None:
    task_run(task_id=Task.objects.get(pk=story.queued).pk, worker="test")
    task = Task.objects.get(pk=story.queued)
    assert (task.state, task.error["code"]) == ("failed", "ROWS_RESTRICTED")


def test_a_read_only_task_gives_what_is_seen(story: Story) -> None:
    body = {"catalog": story.lake.catalog, "statement": "SELECT id, email FROM d.t"}
    response = story.ask(story.maintainer, "post", "/api/v1/sql/", body, Prefer="respond-async")
    assert response.status_code == 202, response.content
    task_run(task_id=Task.objects.get(pk=response.json()["id"]).pk, worker="test")
    said = texts(story.ask(story.maintainer, "get", f"/api/v1/tasks/{response.json()['id']}/"))
    silent(said)
    assert '[[1,"z"]' in said, said


@pytest.mark.parametrize(
    "path",
    [
        *("config", "namespaces", "namespaces/d", "namespaces/d/tables", "namespaces/d/tables/t"),
        *("namespaces/d/tables/t/credentials", "namespaces/d/views/v"),
    ],
)
def test_engines_get_nothing(story: Story, path: str) -> None:
    for ref in ("main", "b", "tag:g"):
        response = story.ask(story.maintainer, "get", f"/iceberg/{story.lake.catalog}/{ref}/v1/{path}")
        silent(texts(response))
        assert response.status_code == 403, response.content


ARGUMENTS = {
    "list": {"database": "d"},
    "describe": {"database": "d", "table": "t"},
    "query": {"statement": "SELECT * FROM d.t"},
    "open_branch": {"name": "mine"},
    "write": {"branch": "main", "statement": "DELETE FROM d.t WHERE id = 2"},
    "diff": {"source": "b"},
    "dry_run_merge": {"source": "b"},
    "open_request": {"source": "b", "title": "x"},
    "request_status": {"number": 1},
    "undo_own": {"branch": "main", "version": 3},
}


@pytest.mark.parametrize("tool", list(TOOLS))
def test_no_tool_shows_it(story: Story, tool: str) -> None:
    params = {"name": tool, "arguments": {"catalog": story.lake.catalog, **ARGUMENTS[tool]}}
    response = Client(raise_request_exception=False).post(
        "/mcp",
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        content_type="application/json",
        headers=story.maintainer.headers
        | {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"},
    )
    said = texts(response)
    silent(said)
    assert response.status_code == 200, said
    answers = {"query": '\\"rows\\"', "list": '\\"tables\\"'}
    assert answers.get(tool, "ROWS_RESTRICTED") in said, said


def test_a_check_is_not_judged_on_some_rows(story: Story) -> None:
    session = Session(story.lake.catalog, user=story.maintainer.user, is_whole=True)
    with pytest.raises(RowsRestricted):
        execute("SELECT * FROM d.t", session)


def test_the_session_of_somebody_else_is_as_restricted(story: Story) -> None:
    """Rows are judged by who asks, on every branch of the catalog."""
    found = execute("SELECT email FROM d.t ORDER BY id", Session(story.lake.catalog, "c", story.maintainer.user))
    assert found.rows == [["z"], ["z"]]
