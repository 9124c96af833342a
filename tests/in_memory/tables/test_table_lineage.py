"""What a table was made from, and what is made from it, as its resource answers."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from catalog_app.models import CommitRead, Table
from lakeui.api.tables import table_lineage
from lakeui.frontdoor import Session, execute
from merge_app.jobs.context import Context
from merge_app.jobs.models import Task
from merge_app.pipelines.models import Pipeline, PipelineRun, Trigger
from tests.support.lake import Lake
from tests.support.members import join


@pytest.fixture
def client(lake: Lake) -> Client:
    user = User.objects.create_user(f"reader_{uuid.uuid4().hex[:8]}")
    join(user, lake.catalog)
    client = Client()
    client.force_login(user)
    for name in ("a", "b", "c"):
        lake.sql(f"CREATE TABLE d.{name} (id INT)")
    lake.sql("INSERT INTO d.a VALUES (1)")
    return client


def lineage(client: Client, lake: Lake, table: str, branch: str = "main", **query: Any) -> dict[str, Any]:
    address = f"/api/v1/catalogs/{lake.catalog}/branches/{branch}/databases/d/tables/{table}/lineage/"
    response = client.get(address, query)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found


def edges(found: dict[str, Any]) -> set[tuple[str, str]]:
    names = {node["node"]: node["name"] for node in found["nodes"]}
    return {(names[edge["origin"]], names[edge["target"]]) for edge in found["edges"]}


def pipeline_make(lake: Lake, name: str, table: str, statement: str | None = None, branch: str = "main") -> Pipeline:
    """A pipeline, and with a statement a run of it that made this commit."""
    catalog = lake.branch().catalog
    made = Pipeline.objects.create(catalog=catalog, name=name, database="d", table=table, branch=branch, source="")
    if statement is not None:
        task = Task.objects.create(kind="pipeline")
        context = Context()
        context.task_id = task.pk
        execute(statement, Session(catalog=lake.catalog, branch=branch), context)
        PipelineRun.objects.create(task=task, pipeline=made, version=1, trigger=Trigger.MANUAL)
    return made


def test_statements_lead_from_table_to_table(lake: Lake, client: Client) -> None:
    lake.sql("INSERT INTO d.b SELECT id FROM d.a")
    lake.sql("INSERT INTO d.c SELECT id FROM d.b")
    lake.sql("INSERT INTO d.b SELECT id + 1 FROM d.a")
    for table in ("a", "b", "c"):
        assert edges(lineage(client, lake, table)) == {("d.a", "d.b"), ("d.b", "d.c")}
    found = lineage(client, lake, "b")
    first = next(edge for edge in found["edges"] if edge["target"] == found["node"])
    assert (first["version"], first["statements"]) == (lake.head(), 2)
    assert [(commit["version"], commit["branch"], commit["operation"]) for commit in found["commits"]] == [
        (lake.head() - 1, "main", "INSERT"),
        (lake.head(), "main", "INSERT"),
    ]


def test_a_table_without_readers_stands_alone(lake: Lake, client: Client) -> None:
    found = lineage(client, lake, "a")
    assert [node["name"] for node in found["nodes"]] == ["d.a"]
    assert (found["edges"], found["hidden_tables"], found["is_cut"]) == ([], 0, False)


def test_a_pipeline_stands_between_the_tables(lake: Lake, client: Client) -> None:
    pipeline_make(lake, "daily", "b", "INSERT INTO d.b SELECT id FROM d.a")
    assert edges(lineage(client, lake, "a")) == {("d.a", "daily"), ("daily", "d.b")}


def test_pipeline_that_never_ran_leads_to_its_target(lake: Lake, client: Client) -> None:
    made = pipeline_make(lake, "daily", "b")
    pipeline_make(lake, "elsewhere", "b", branch="other")
    found = lineage(client, lake, "b")
    assert edges(found) == {("daily", "d.b")}
    assert [edge["version"] for edge in found["edges"]] == [None]
    made.branch = "gone"
    made.save()
    assert edges(lineage(client, lake, "b")) == set()


def test_views_read_tables_and_views(lake: Lake, client: Client) -> None:
    lake.sql("INSERT INTO d.b SELECT id FROM d.a")
    lake.sql("CREATE VIEW d.seen AS SELECT id FROM d.b")
    lake.sql("CREATE VIEW d.again AS SELECT id FROM d.seen")
    lake.sql("CREATE VIEW d.aside AS SELECT id FROM d.c")
    wanted = {("d.a", "d.b"), ("d.b", "d.seen"), ("d.seen", "d.again")}
    assert edges(lineage(client, lake, "a")) == wanted


def test_a_branch_shows_what_it_knows(lake: Lake, client: Client) -> None:
    lake.sql("CREATE BRANCH side")
    before = lake.head("side")
    lake.sql("INSERT INTO d.b SELECT id FROM d.a", "side")
    assert edges(lineage(client, lake, "b")) == set()
    assert edges(lineage(client, lake, "b", "side")) == {("d.a", "d.b")}
    assert edges(lineage(client, lake, "b", "side", version=before)) == set()
    lake.sql("MERGE BRANCH side")
    found = lineage(client, lake, "b")
    assert edges(found) == {("d.a", "d.b")}
    assert [commit["branch"] for commit in found["commits"]] == ["side"]


def test_names_are_those_of_the_branch_now(lake: Lake, client: Client) -> None:
    lake.sql("INSERT INTO d.b SELECT id FROM d.a")
    lake.sql("ALTER TABLE d.a RENAME TO d.first")
    assert edges(lineage(client, lake, "b")) == {("d.first", "d.b")}
    lake.sql("DROP TABLE d.first")
    found = lineage(client, lake, "b")
    assert [(node["name"], node["is_dropped"]) for node in found["nodes"]] == [("d.first", True), ("d.b", False)]


def test_tables_of_other_catalogs_are_counted_not_named(lake: Lake, client: Client) -> None:
    other = Lake()
    other.sql("CREATE DATABASE d")
    other.sql("CREATE TABLE d.secret (id INT)")
    lake.sql("INSERT INTO d.b SELECT id FROM d.a")
    secret = Table.objects.get(catalog__name=other.catalog)
    kept = CommitRead.objects.get(commit__catalog__name=lake.catalog)
    CommitRead.objects.create(
        commit=kept.commit, written=kept.written, table=secret, branch=other.branch(), version=other.head()
    )
    found = lineage(client, lake, "b")
    assert found["hidden_tables"] == 1
    assert "secret" not in str(found)


def test_a_circle_ends(lake: Lake, client: Client) -> None:
    lake.sql("INSERT INTO d.b SELECT id FROM d.a")
    lake.sql("INSERT INTO d.a SELECT id FROM d.b")
    assert edges(lineage(client, lake, "a")) == {("d.a", "d.b"), ("d.b", "d.a")}


def test_a_wide_lineage_is_cut_and_says_so(lake: Lake, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b", "c"):
        lake.sql(f"INSERT INTO d.{name} SELECT id FROM d.a")
    monkeypatch.setattr(table_lineage, "MOST_TABLES", 2)
    found = lineage(client, lake, "a")
    assert (found["is_cut"], edges(found)) == (True, {("d.a", "d.b")})


def test_a_long_history_takes_no_more_statements(lake: Lake, client: Client) -> None:
    lake.sql("INSERT INTO d.b SELECT id FROM d.a")
    counts = []
    for _ in range(2):
        lineage(client, lake, "b")
        with CaptureQueriesContext(connection) as captured:
            lineage(client, lake, "b")
        counts.append(len(captured))
        for _ in range(5):
            lake.sql("INSERT INTO d.b SELECT id FROM d.a")
    assert counts[0] == counts[1]


def test_somebody_who_is_no_member_is_not_answered(lake: Lake, client: Client) -> None:
    client.force_login(User.objects.create_user(f"stranger_{uuid.uuid4().hex[:8]}"))
    address = f"/api/v1/catalogs/{lake.catalog}/branches/main/databases/d/tables/a/lineage/"
    assert client.get(address).status_code == 404
