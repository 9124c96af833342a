"""What the REST catalog answers, to whom, and what it refuses."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.test import Client
from django.utils import timezone

from catalog_app.domain.roles import Role
from catalog_app.selectors.objects import database_get
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.access.tokens import token_create, token_revoke
from merge_app.execution.apply import CommitHeader
from merge_app.execution.views import ViewChange, view_commit
from tests.api.conftest import Caller
from tests.iceberg.conftest import IcebergLake, refusal
from tests.support.members import join


def names(answer: Any) -> list[str]:
    return [entry["name"] for entry in answer["identifiers"]]


def test_the_configuration_names_no_other_address(lake: IcebergLake) -> None:
    config = lake.ask("config")
    assert (config["defaults"], config["overrides"]) == ({}, {})
    assert all(line.startswith(("GET /v1/{prefix}/", "HEAD /v1/{prefix}/")) for line in config["endpoints"])
    assert lake.ask(f"config?warehouse={lake.catalog}") == config
    assert lake.catalog in lake.error("config?warehouse=other", 404)["message"]


def test_databases_are_namespaces_of_one_level(lake: IcebergLake) -> None:
    lake.sql("CREATE DATABASE e COMMENT 'second'")
    lake.sql("ALTER DATABASE e SET DBPROPERTIES ('k' = 'v')")
    assert lake.ask("namespaces") == {"namespaces": [["d"], ["e"]], "next-page-token": None}
    assert lake.ask("namespaces?parent=d") == {"namespaces": [], "next-page-token": None}
    assert lake.ask("namespaces/E") == {"namespace": ["e"], "properties": {"k": "v", "comment": "second"}}
    assert lake.caller.client.head(
        f"/iceberg/{lake.catalog}/main/v1/namespaces/e", headers=lake.caller.headers
    ).status_code == 204  # fmt: skip
    for path in ("namespaces/none", "namespaces?parent=none", "namespaces/none/tables", "namespaces/d%1Fx"):
        assert lake.error(path, 404)["type"] == "NoSuchNamespaceException"


def test_tables_are_listed_page_by_page(lake: IcebergLake) -> None:
    for number in range(4):
        lake.sql(f"CREATE TABLE d.T{number} (id INT)")
    everything = ["t", "T0", "T1", "T2", "T3"]
    assert names(lake.ask("namespaces/d/tables")) == everything
    found, token = [], ""
    while token is not None:
        page = lake.ask(f"namespaces/d/tables?pageToken={token}&pageSize=2")
        found.append(names(page))
        token = page["next-page-token"]
    assert found == [["t", "T0"], ["T1", "T2"], ["T3"]]
    assert lake.ask("namespaces/d/tables")["identifiers"][0] == {"namespace": ["d"], "name": "t"}
    lake.error("namespaces/d/tables?pageSize=0", 400)
    lake.error("namespaces/d/tables?pageToken=nonsense", 400)
    assert "pageSize" in lake.error("namespaces/d/tables?pagesize=2", 400)["message"]


def test_namespaces_are_listed_page_by_page(lake: IcebergLake) -> None:
    for name in ("e", "f"):
        lake.sql(f"CREATE DATABASE {name}")
    first = lake.ask("namespaces?pageToken=&pageSize=2")
    assert first["namespaces"] == [["d"], ["e"]]
    last = lake.ask(f"namespaces?pageToken={first['next-page-token']}&pageSize=2")
    assert last == {"namespaces": [["f"]], "next-page-token": None}


def test_a_table_exists_or_is_not_found(lake: IcebergLake) -> None:
    address = f"/iceberg/{lake.catalog}/main/v1/namespaces/d/tables/"
    answers = [lake.caller.client.head(address + name, headers=lake.caller.headers) for name in ("T", "none")]
    assert [answer.status_code for answer in answers] == [204, 404]
    assert lake.error("namespaces/d/tables/tt", 404) == {
        "message": "There is no table d.tt. Did you mean d.t?",
        "type": "NoSuchTableException",
        "code": 404,
        "stack": [],
    }


def test_references_are_branches_tags_or_versions(lake: IcebergLake) -> None:
    early = lake.branch("main").head_version
    lake.sql("CREATE TAG first")
    lake.sql("CREATE BRANCH `feature/x`")
    lake.sql("CREATE BRANCH `tag:x`")
    lake.sql("CREATE TABLE d.on_main (id INT)")
    lake.sql("CREATE TABLE d.on_branch (id INT)", "feature/x")
    lake.sql("CREATE TABLE d.odd (id INT)", "tag:x")
    late = lake.branch("feature/x").head_version
    found = {
        ref: names(lake.ask("namespaces/d/tables", quote(ref, safe="")))
        for ref in ("main", "feature/x", "branch:tag:x", "tag:first", f"version:{early}", f"version:{late}")
    }
    assert found == {
        "main": ["on_main", "t"],
        "feature/x": ["on_branch", "t"],
        "branch:tag:x": ["odd", "t"],
        "tag:first": ["t"],
        f"version:{early}": ["t"],
        f"version:{late}": ["on_branch", "t"],
    }
    assert names(lake.ask("namespaces/d/tables", "feature/x")) == ["on_branch", "t"]


@pytest.mark.parametrize(
    ("ref", "status", "said"),
    [
        ("mian", 404, "Did you mean main?"),
        ("tag:none", 404, "There is no tag none"),
        ("version:999999999", 404, "on any branch"),
        ("version:1x", 400, "SHOW HISTORY"),
        ("version:" + "9" * 30, 400, "is not a version"),
    ],
)
def test_a_reference_to_nothing_is_refused(lake: IcebergLake, ref: str, status: int, said: str) -> None:
    assert said in lake.error("config", status, ref)["message"]


def test_foreign_or_dropped_versions_are_not_found(lake: IcebergLake, alice: Caller) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE TABLE d.x (id INT)", "b")
    version = lake.branch("b").head_version
    lake.sql("DROP BRANCH b")
    lake.error("config", 404, f"version:{version}")
    other = IcebergLake(alice)
    other.error("config", 404, f"version:{lake.branch('main').head_version + 10**6}")


def test_views_are_listed(lake: IcebergLake) -> None:
    assert lake.ask("namespaces/d/views") == {"identifiers": [], "next-page-token": None}
    branch = lake.branch("main")
    snapshot = branch_snapshot(branch)
    for name in ("V", "w"):
        change = ViewChange(0, database_get(snapshot, "d").database_id, name, "SELECT 1")
        view_commit(branch_snapshot(lake.branch("main")), branch.pk, change, CommitHeader("CREATE VIEW"))
    page = lake.ask("namespaces/d/views?pageToken=&pageSize=1")
    assert names(page) == ["V"]
    assert names(lake.ask(f"namespaces/d/views?pageToken={page['next-page-token']}")) == ["w"]
    assert lake.error("namespaces/d/views/x", 404)["type"] == "NoSuchViewException"
    assert lake.error("namespaces/d/tables/v", 404)["type"] == "NoSuchTableException"


WRITES = [
    ("post", "namespaces"),
    ("delete", "namespaces/d"),
    ("post", "namespaces/d/properties"),
    ("post", "namespaces/d/tables"),
    ("post", "namespaces/d/register"),
    ("post", "namespaces/d/tables/t"),
    ("delete", "namespaces/d/tables/t"),
    ("post", "namespaces/d/tables/t/metrics"),
    ("post", "namespaces/d/tables/t/plan"),
    ("post", "tables/rename"),
    ("post", "transactions/commit"),
    ("post", "namespaces/d/views"),
    ("put", "namespaces/d/tables/t"),
    ("patch", "config"),
    ("options", "config"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_every_change_is_refused_by_name(lake: IcebergLake, method: str, path: str) -> None:
    address = f"/iceberg/{lake.catalog}/main/v1/{path}"
    send = getattr(lake.caller.client, method)
    error = refusal(send(address, "{}", content_type="application/json", headers=lake.caller.headers), 406)
    assert error["type"] == "UnsupportedOperationException"
    assert "read-only" in error["message"]
    refusal(send(address, "{}", content_type="application/json"), 401)


@pytest.mark.parametrize("path", ["namespaces/d/tables/t/credentials/x", "nothing", "config/"])
def test_other_addresses_are_not_found(lake: IcebergLake, path: str) -> None:
    lake.error(path, 404)
    refusal(lake.caller.get("/iceberg/x"), 404)


def test_a_folder_of_this_machine_has_no_keys(lake: IcebergLake) -> None:
    error = lake.error("namespaces/d/tables/t/credentials", 400)
    assert error["type"] == "UnsupportedOperationException"
    lake.error("namespaces/d/tables/none/credentials", 404)
    assert "planId" in lake.error("namespaces/d/tables/t/credentials?plan=1", 400)["message"]


# -- rights -----------------------------------------------------------------------------------------------------------

READS = ["config", "namespaces", "namespaces/d", "namespaces/d/tables", "namespaces/d/tables/t", "namespaces/d/views"]


@pytest.mark.parametrize("path", READS)
def test_only_those_with_a_role_see_anything(lake: IcebergLake, bob: Caller, path: str) -> None:
    address = f"/iceberg/{lake.catalog}/main/v1/{path}"
    absent = refusal(bob.get(f"/iceberg/absent/main/v1/{path}"), 404)
    hidden = refusal(bob.get(address), 404)
    assert hidden["message"] == absent["message"].replace("absent", lake.catalog)
    join(bob.user, lake.catalog, Role.VIEWER)
    assert bob.get(address).status_code == 200


def test_a_token_is_required(lake: IcebergLake) -> None:
    address = f"/iceberg/{lake.catalog}/main/v1/config"
    browser = Client()
    browser.force_login(lake.caller.user)
    for client, headers in ((Client(), {}), (browser, {}), (Client(), {"Authorization": "Bearer lake_wrong"})):
        response = client.get(address, headers=headers)
        assert refusal(response, 401)["type"] == "NotAuthorizedException"
        assert response["WWW-Authenticate"].startswith("Bearer")


def token(lake: IcebergLake, form: dict[str, str], **headers: str) -> Any:
    address = f"/iceberg/{lake.catalog}/main/v1/oauth/tokens"
    return Client().post(address, urlencode(form), content_type="application/x-www-form-urlencoded", headers=headers)


def test_client_credentials_are_a_token_of_lakeui(lake: IcebergLake) -> None:
    later = timezone.now() + timedelta(hours=1)
    made, secret = token_create(user=lake.caller.user, name="engine", expires_at=later)
    asked = {"grant_type": "client_credentials", "client_secret": secret, "scope": "catalog"}
    answer = token(lake, asked)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert answer.json()["token_type"] == "bearer"
    assert 3500 < answer.json()["expires_in"] <= 3600
    given = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    assert Client().get(f"/iceberg/{lake.catalog}/main/v1/config", headers=given).status_code == 200
    basic = base64.b64encode(f"id:{secret}".encode()).decode()
    in_header = token(lake, {"grant_type": "client_credentials"}, Authorization=f"Basic {basic}")
    assert in_header.json()["access_token"] == secret
    token_revoke(made)
    assert token(lake, asked).json()["error"] == "invalid_client"


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({"grant_type": "client_credentials", "client_secret": "lake_wrong"}, 401, "invalid_client"),
        ({"grant_type": "client_credentials", "client_secret": "é"}, 401, "invalid_client"),
        ({"grant_type": "client_credentials"}, 400, "invalid_request"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange"}, 400, "unsupported_grant_type"),
        ({}, 400, "unsupported_grant_type"),
    ],
)
def test_other_credentials_are_refused(lake: IcebergLake, form: dict[str, str], status: int, error: str) -> None:
    answer = token(lake, form)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["error_description"]


@pytest.mark.parametrize("path", ["namespaces/a%00b", "namespaces/d/tables/a%00b", "namespaces?parent=%00"])
def test_an_address_with_nul_is_refused(lake: IcebergLake, path: str) -> None:
    assert "NUL" in lake.error(path, 400)["message"]
