"""Readiness part by part, and the OpenAPI document."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from lakeui.common.broker import redis_client
from lakeui.runtime.spark_address import PartMissing, spark_address
from merge_app.jobs.presence import worker_seen
from tests.api.conftest import Caller


@pytest.fixture
def spark_port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Something listens where Spark should."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setitem(settings.LAKEUI, "SPARK_REMOTE", f"sc://127.0.0.1:{port}/;token=secret")
        yield port


@pytest.fixture
def worker_present(db: None) -> None:
    worker_seen("test")


def ready() -> tuple[int, dict[str, Any]]:
    response = Client().get("/readyz")
    return response.status_code, response.json()


def test_the_process_answers_without_any_part() -> None:
    for address in ("/livez", "/healthz"):
        assert Client().get(address).json() == {"status": "ok"}


@pytest.mark.usefixtures("spark_port", "worker_present")
@pytest.mark.parametrize("address", ["/livez", "/readyz"])
def test_probes_answer_by_address_without_a_redirect(settings: Any, address: str) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = Client().get(address, headers={"Host": "10.1.2.3:8000"})
    assert answer.status_code == 200
    assert not answer.cookies
    assert Client().post(address, headers={"Host": "10.1.2.3"}).status_code == 405


@pytest.mark.usefixtures("spark_port", "worker_present")
def test_ready_when_every_part_answers() -> None:
    parts = dict.fromkeys(("database", "redis", "spark", "worker"), "ok")
    assert ready() == (200, {"status": "ok", "parts": parts})


@pytest.mark.usefixtures("worker_present")
def test_an_unreachable_spark_is_named_without_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "SPARK_REMOTE", "sc://127.0.0.1:1/;token=secret")
    status, body = ready()
    assert status == 503
    assert body["parts"] == {"database": "ok", "redis": "ok", "spark": "does not answer", "worker": "ok"}
    assert "secret" not in str(body)


@pytest.mark.usefixtures("spark_port", "worker_present")
def test_an_unreachable_query_spark_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "SPARK_QUERY_REMOTE", "sc://127.0.0.1:1/;token=secret")
    status, body = ready()
    assert (status, body["parts"]["spark"], body["parts"]["spark_queries"]) == (503, "ok", "does not answer")


@pytest.mark.usefixtures("spark_port", "db")
def test_a_missing_worker_is_named() -> None:
    redis_client().delete("lakeui:workers")
    status, body = ready()
    assert (status, body["parts"]["worker"]) == (503, "no worker was seen lately")


@pytest.mark.usefixtures("spark_port", "db")
def test_a_redis_that_is_away_is_named(settings: Any) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    status, body = ready()
    assert (status, body["parts"]["redis"], body["parts"]["database"]) == (503, "does not answer", "ok")


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("sc://localhost:15110/;token=x", ("localhost", 15110)),
        ("sc://spark", ("spark", 15002)),
        ("sc://spark/;use_ssl=true", ("spark", 15002)),
        ("sc://[::1]:99", ("::1", 99)),
    ],
)
def test_spark_addresses_are_read(remote: str, address: tuple[str, int]) -> None:
    assert spark_address(remote) == address


@pytest.mark.parametrize("remote", ["", "local[2]", "spark://host:7077", "sc://host:port"])
def test_what_is_no_spark_address_counts_as_missing(remote: str) -> None:
    with pytest.raises(PartMissing):
        spark_address(remote)


def test_the_document_is_valid_openapi_3_1() -> None:
    # A third of a second to import, for one test of one worker.
    from openapi_spec_validator import OpenAPIV31SpecValidator

    response = Client().get("/api/v1/schema/")
    assert response.status_code == 200
    document = response.json()
    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()
    operations = {
        path: sorted(item.keys() & {"get", "post", "patch", "delete"}) for path, item in document["paths"].items()
    }
    assert operations == {
        "/api/v1/agents/": ["get", "post"],
        "/api/v1/agents/{name}/": ["delete", "get", "patch"],
        "/api/v1/agents/{name}/tokens/": ["delete", "get", "post"],
        "/api/v1/catalogs/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/": ["delete", "get", "patch"],
        "/api/v1/dropped-catalogs/": ["get"],
        "/api/v1/dropped-catalogs/{catalog_id}/undrop/": ["post"],
        "/api/v1/catalogs/{catalog}/branches/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/views/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/views/{view}/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/changes/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/compaction/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/history/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/lineage/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/partitions/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/profile/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/rows/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/rows/merge/": ["post"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/schemas/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/segments/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/versions/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/history/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/history/{version}/operations/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/protection/": ["get"],
        "/api/v1/catalogs/{catalog}/candidates/": ["get"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/imports/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/imports/{import_id}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/imports/{import_id}/load/": ["post"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/reset/": ["post"],
        "/api/v1/catalogs/{catalog}/branches/{branch}/trash/": ["get"],
        "/api/v1/catalogs/{catalog}/compare/{source}...{destination}/": ["get"],
        "/api/v1/catalogs/{catalog}/compare/{source}...{destination}/objects/{kind}/{object_id}/": ["get"],
        "/api/v1/catalogs/{catalog}/compare/{source}...{destination}/objects/{kind}/{object_id}/decisions/": ["get"],
        "/api/v1/catalogs/{catalog}/compare/{source}...{destination}/objects/table/{table_id}/profile/": ["get"],
        "/api/v1/catalogs/{catalog}/compare/{source}...{destination}/objects/table/{table_id}/rows/": ["get"],
        "/api/v1/catalogs/{catalog}/compare/{source}...{destination}/objects/table/{table_id}/rows/sides/": ["get"],
        "/api/v1/catalogs/{catalog}/graph/": ["get"],
        "/api/v1/catalogs/{catalog}/merges/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/restores/": ["post"],
        "/api/v1/catalogs/{catalog}/undrops/": ["post"],
        "/api/v1/catalogs/{catalog}/pipeline-policy/": ["get", "patch"],
        "/api/v1/catalogs/{catalog}/webhooks/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/webhooks/{webhook_id}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/webhooks/{webhook_id}/deliveries/": ["get"],
        "/api/v1/catalogs/{catalog}/webhooks/{webhook_id}/deliveries/{delivery_id}/repeat/": ["post"],
        "/api/v1/catalogs/{catalog}/webhooks/{webhook_id}/test/": ["post"],
        "/api/v1/catalogs/{catalog}/checks/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/checks/{name}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/dbt-tests/": ["post"],
        "/api/v1/catalogs/{catalog}/queries/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/queries/{query_id}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/merge-requests/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/": ["get", "patch"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/checks/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/statuses/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/suggestions/": ["post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/comments/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/comments/{comment_id}/": ["delete", "patch"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/comments/{comment_id}/resolved/": ["delete"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/merge/": ["post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/queue/": ["delete", "post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/resolutions/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/resolutions/batch/": ["post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/resolutions/{resolution_id}/": ["delete"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/reviews/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/reviews/{review_id}/changes/": ["get"],
        "/api/v1/catalogs/{catalog}/merge-requests/{number}/timeline/": ["get"],
        "/api/v1/inbox/": ["get"],
        "/api/v1/markdown/": ["post"],
        "/api/v1/catalogs/{catalog}/members/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/members/{username}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/settings/": ["get", "patch"],
        "/api/v1/catalogs/{catalog}/protection-rules/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/protection-rules/{rule_id}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/restrictions/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/restrictions/preview/": ["post"],
        "/api/v1/catalogs/{catalog}/restrictions/{restriction_id}/": ["delete", "get", "patch"],
        "/api/v1/catalogs/{catalog}/tags/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/tags/{tag}/": ["delete", "get", "patch"],
        "/api/v1/merges/": ["get"],
        "/api/v1/merges/{merge_id}/": ["get"],
        "/api/v1/merges/{merge_id}/replay/": ["get"],
        "/api/v1/pipelines/": ["get", "post"],
        "/api/v1/pipelines/fields/": ["get"],
        "/api/v1/pipelines/render/": ["post"],
        "/api/v1/pipelines/schedule/": ["get"],
        "/api/v1/pipelines/validate/": ["post"],
        "/api/v1/pipelines/{pipeline_id}/": ["delete", "get", "patch"],
        "/api/v1/pipelines/{pipeline_id}/dry-run/": ["post"],
        "/api/v1/pipelines/{pipeline_id}/landing-zones/": ["get"],
        "/api/v1/pipelines/{pipeline_id}/landing-zones/{zone}/files/": ["get", "post"],
        "/api/v1/pipelines/{pipeline_id}/landing-zones/{zone}/files/{file_id}/": ["delete", "get", "patch"],
        "/api/v1/pipelines/{pipeline_id}/runs/": ["get", "post"],
        "/api/v1/pipelines/{pipeline_id}/runs/{run_id}/": ["get"],
        "/api/v1/pipelines/{pipeline_id}/versions/": ["get"],
        "/api/v1/pipelines/{pipeline_id}/versions/{version}/": ["get"],
        "/api/v1/results/": ["get", "post"],
        "/api/v1/results/{result_id}/": ["delete", "get"],
        "/api/v1/results/{result_id}/rows/": ["get"],
        "/api/v1/rules/": ["get"],
        "/api/v1/samples/": ["post"],
        "/api/v1/search/": ["get"],
        "/api/v1/sessions/": ["get", "post"],
        "/api/v1/sessions/{session_id}/": ["delete", "get"],
        "/api/v1/sql/": ["post"],
        "/api/v1/sql/script/": ["post"],
        "/api/v1/statements/": ["delete", "get"],
        "/api/v1/statements/{statement_id}/": ["delete", "get"],
        "/api/v1/tasks/": ["get"],
        "/api/v1/tasks/{task_id}/": ["get"],
        "/api/v1/tasks/{task_id}/cancel/": ["post"],
        "/api/v1/tasks/{task_id}/retry/": ["post"],
        "/api/v1/account/": ["get"],
        "/api/v1/account/password/": [],
        "/api/v1/account/mail/": ["get", "patch"],
        "/api/v1/account/mail/sent/": ["get"],
        "/api/v1/account/mail/test/": ["post"],
        "/api/v1/account/second-factor/": ["get"],
        "/api/v1/account/sessions/": ["get"],
        "/api/v1/account/sessions/{sign_in_id}/": ["delete"],
        "/api/v1/people/": ["get", "post"],
        "/api/v1/people/{username}/": ["get", "patch"],
        "/api/v1/people/{username}/link/": ["post"],
        "/api/v1/people/{username}/second-factor/": ["delete", "get"],
        "/api/v1/groups/": ["get", "post"],
        "/api/v1/groups/{group}/": ["delete", "get"],
        "/api/v1/groups/{group}/members/{username}/": ["delete"],
        "/api/v1/rights-records/": ["get"],
        "/api/v1/catalogs/{catalog}/groups/": ["get", "post"],
        "/api/v1/catalogs/{catalog}/groups/{group}/": ["delete", "get", "patch"],
        "/api/v1/tokens/": ["get", "post"],
        "/api/v1/tokens/{token_id}/": ["delete"],
    }
    assert "Bearer" in str(document["components"]["securitySchemes"])


def test_the_document_is_made_once_for_all_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    def made_again(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was there already")

    first = Client().get("/api/v1/schema/").content
    monkeypatch.setattr(SchemaGenerator, "get_schema", made_again)
    assert Client().get("/api/v1/schema/").content == first


def test_the_page_shows_every_operation() -> None:
    document = Client().get("/api/v1/schema/").json()
    page = Client().get("/api/docs/").content.decode()
    for path, item in document["paths"].items():
        assert path in page
        for verb in item.keys() & {"get", "post"}:
            assert f'id="{item[verb]["operationId"]}"' in page


def test_the_rules_are_data(alice: Caller) -> None:
    response = alice.get("/api/v1/rules/")
    assert response.status_code == 200
    assert response.json()
    assert alice.get("/api/v1/rules/", If_None_Match=response["ETag"]).status_code == 304
