"""One catalog with something in every list, and the values of every name in the addresses of the interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from catalog_app.domain.results import KeptRows
from catalog_app.engine.inputs_outputs import QueryResult
from catalog_app.engine.kept_results import kept_files
from catalog_app.models import GroupRole
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.files import addresses_allocate
from catalog_app.storage.warehouse import Warehouse
from lakeui.access.models import AccessToken, BrowserSession
from lakeui.frontdoor import compute
from lakeui.frontdoor.entries import pipeline_runs as pipelines
from merge_app.jobs.models import Task
from merge_app.pipelines.definition.templates import template_render
from tests.review.conftest import ReviewLake
from tests.stories.conftest import database
from tests.support.memory_merging import MergingMemoryEngine
from tests.support.sent_files import send, sent

__all__ = ["database"]


PIPELINE = {"name": "Ones", "database": "d", "table": "ones", "source": "SELECT 1 AS id"}


@dataclass(frozen=True)
class Contract:
    """``names``: for each name in an address the value that leads to something; tokens of an owner and of a viewer."""

    names: dict[str, Any]
    owner: dict[str, str]
    viewer: dict[str, str]


class AnsweringEngine(MergingMemoryEngine):
    """The engine in memory; the files of this lake hold no rows, so each read finds one that was made up."""

    def select(self, *_: Any, **__: Any) -> QueryResult:
        return QueryResult((("id", "int"),), [[1]], False)

    def keep(self, text: str, tables: Any, folder: str, **_: Any) -> KeptRows:
        warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
        warehouse.make_folder(folder)
        pq.write_table(pa.table({"c0": pa.array([1], pa.int32())}), warehouse.absolute(f"{folder}/part-0.parquet"))
        return KeptRows((("id", "int"),), kept_files(warehouse, folder, ["c0"]))

    def describe(self, *_: Any, **__: Any) -> list[tuple[str, str]]:
        return [("id", "int")]

    columns_made = describe

    def changes(self, *_: Any, **__: Any) -> QueryResult:
        return QueryResult(
            (("_change_type", "string"), ("_row_id", "bigint"), ("id", "int")), [["insert", 1, 1]], False
        )


@pytest.fixture(scope="module")
def contract(database: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Contract]:
    """Made once: whoever calls takes back what the call did. The engine in memory takes Spark's place, and no worker
    gets the signal, so that tasks stay queued.
    """
    patch = pytest.MonkeyPatch()
    memory = AnsweringEngine(addresses_allocate)
    patch.setattr(compute, "engine_make", lambda: memory)
    patch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)
    patch.setattr("merge_app.webhooks.tasks.deliver_webhook.apply_async", lambda *_, **__: None)
    patch.setattr(pipelines, "bounded_render", template_render)
    # A task that no one runs is not worth waiting for.
    patch.setattr("lakeui.api.sql.sql_view.task_awaited", lambda pk, **_: Task.objects.get(pk=pk))
    patch.setitem(settings.LAKEUI, "REQUESTS_PER_MINUTE", 0)
    patch.setitem(settings.LAKEUI, "WEBHOOK_NETWORKS", "127.0.0.0/8")
    with django_db_blocker.unblock():
        lake = ReviewLake()
        made = Contract(_filled(lake), lake.people["dora"].headers, lake.people["victor"].headers)
        _uses_noted()
        with _connections_kept():
            yield made
    patch.undo()


def _uses_noted() -> None:
    """No call writes that its token is used, which it would take back. ``tests/access`` looks at that."""
    AccessToken.objects.update(last_used_at=timezone.now() + timedelta(days=1))


@contextmanager
def _connections_kept() -> Iterator[None]:
    """Django ends connections around each request, and with them the transaction that takes a call back."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def _filled(lake: ReviewLake) -> dict[str, Any]:
    dora, address = lake.people["dora"], lake.address
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "dora")
    lake.write("CREATE TAG early FROM b", "dora")
    lake.write("CREATE VIEW d.v COMMENT 'all' AS SELECT id FROM d.t", "dora")
    number = _made(dora.post(lake.requests, {"source": "b", "destination": "main", "title": "Properties"}))["number"]
    own = f"{lake.requests}{number}/"
    lake.write("MERGE BRANCH b DRY RUN", "dora")
    heads = {"source_head": lake.branch("b").head_version, "destination_head": lake.branch("main").head_version}
    of_property = {"decision": "destination", "part": "property", "part_key": "k"}
    decided = {"object_kind": "table", "object_id": lake.table_id, **of_property, **heads}
    hook = _made(dora.post(f"{address}webhooks/", {"url": "http://127.0.0.1:1/", "events": ["merge"]}))["id"]
    task = dora.post("/api/v1/sql/", _statement(lake, "OPTIMIZE d.t"), Prefer="respond-async").json()
    pipeline = _made(dora.post("/api/v1/pipelines/", {"catalog": lake.catalog, **PIPELINE}))["id"]
    assert dora.post(f"/api/v1/pipelines/{pipeline}/runs/", Prefer="respond-async").status_code == 202
    _made(dora.post("/api/v1/agents/", {"name": "keys", "purpose": "Tries things"}))
    readers = Group.objects.create(name="readers")
    GroupRole.objects.create(catalog=catalog_get(lake.catalog), group=readers, role="viewer")
    Client().force_login(lake.people["dora"].user)
    session = BrowserSession.objects.get(user=lake.people["dora"].user)
    hidden = {"database": "d", "table": "t", "group": "readers", "masks": {"id": "NULL"}}
    _made(dora.post("/api/v1/catalogs/", {"name": "spare"}))
    assert dora.client.delete("/api/v1/catalogs/spare/", headers=dora.headers).status_code == 204
    return {
        "catalog": lake.catalog,
        "catalog_id": dora.get("/api/v1/dropped-catalogs/").json()["results"][0]["catalog_id"],
        "branch": "main",
        "source": "b",
        "destination": "main",
        "database": "d",
        "table": "t",
        "view": "v",
        "kind": "table",
        "object_id": lake.table_id,
        "table_id": lake.table_id,
        "tag": "early",
        "number": number,
        "comment_id": _made(dora.post(f"{own}comments/", {"body": "Why?"}))["id"],
        "resolution_id": _made(dora.post(f"{own}resolutions/", decided))["id"],
        "review_id": _made(lake.people["bob"].post(f"{own}reviews/", {"verdict": "request_changes", "body": "no"}))[
            "id"
        ],
        "name": _made(dora.post(f"{address}checks/", {"name": "keys", "query": "SELECT * FROM d.t"}))["name"],
        "rule_id": _made(dora.post(f"{address}protection-rules/", {"pattern": "release"}))["id"],
        "restriction_id": _made(dora.post(f"{address}restrictions/", hidden))["id"],
        "query_id": _made(dora.post(f"{address}queries/", {"name": "keys", "text": "SELECT 1"}))["id"],
        "webhook_id": hook,
        "delivery_id": _made(dora.post(f"{address}webhooks/{hook}/test/"), 202)["id"],
        "import_id": send(lake, b"a,b\n1,x\n")["id"],
        "username": "carol",
        "group": "readers",
        "sign_in_id": str(session.identity),
        "task_id": task["id"],
        "merge_id": dora.get(f"/api/v1/merges/?catalog={lake.catalog}").json()["results"][0]["merge_id"],
        "pipeline_id": pipeline,
        "zone": "orders",
        "file_id": _made(sent(lake, f"/api/v1/pipelines/{pipeline}/landing-zones/orders/files/", b"a\n1\n"))["id"],
        "version": 1,
        "run_id": dora.get(f"/api/v1/pipelines/{pipeline}/runs/").json()["results"][0]["id"],
        "result_id": _made(dora.post("/api/v1/results/", _statement(lake, "SELECT 1 AS id")))["id"],
        "statement_id": dora.get("/api/v1/statements/").json()["results"][0]["id"],
        "session_id": _made(dora.post("/api/v1/sessions/", {"catalog": lake.catalog}))["id"],
        "token_id": _made(dora.post("/api/v1/tokens/", {"name": "x", "scopes": ["read"]}))["id"],
    }


def _statement(lake: ReviewLake, text: str) -> dict[str, str]:
    return {"catalog": lake.catalog, "branch": "main", "statement": text}


def _made(response: Any, status: int = 201) -> Any:
    assert response.status_code == status, response.content
    return response.json()
