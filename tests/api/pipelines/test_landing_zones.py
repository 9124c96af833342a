"""``…/landing-zones/``: who may send files there, and what each of them is."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.roles import Role
from lakeui import frontdoor
from tests.api.conftest import Caller
from tests.support.members import join
from tests.support.resource_lake import Lake
from tests.support.sent_files import sent

SOURCE = "SELECT id FROM {{ landing('orders') }} UNION ALL SELECT id FROM {{ landing(\"Late\") }}"
FILE = b"id,name\n1,one\n2,\n"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


@pytest.fixture
def zones(lake: Lake) -> str:
    wanted = {"catalog": lake.catalog, "name": "Load", "database": "d", "table": "new", "source": SOURCE}
    return f"/api/v1/pipelines/{lake.caller.post('/api/v1/pipelines/', wanted).json()['id']}/landing-zones/"


def _files(zones: str, zone: str = "orders") -> str:
    return f"{zones}{zone}/files/"


def _delete(caller: Caller, path: str) -> Any:
    return caller.client.delete(path, headers=caller.headers)


def _patch(caller: Caller, path: str, body: Any) -> Any:
    return caller.client.patch(path, body, content_type="application/json", headers=caller.headers)


def test_a_file_is_shown_as_it_will_read(lake: Lake, zones: str) -> None:
    made = sent(lake, _files(zones), FILE, "a.csv")
    assert made.status_code == 201
    body = made.json()
    assert body["columns"] == [{"name": "id", "type": "bigint"}, {"name": "name", "type": "string"}]
    assert (body["state"], body["rows"], body["format"], body["created_by"]) == ("waiting", 2, "csv", "alice")
    assert lake.caller.get(made["Location"]).json() == body
    assert lake.caller.get(_files(zones, "ORDERS")).json()["results"] == [body]


def test_zones_come_from_the_template_and_from_files(lake: Lake, zones: str) -> None:
    sent(lake, _files(zones), FILE, "a.csv")
    sent(lake, _files(zones, "other"), FILE, "a.csv")
    found = [(zone["name"], zone["waiting"], zone["is_read"]) for zone in lake.caller.get(zones).json()]
    assert found == [("orders", 1, True), ("Late", 0, True), ("other", 1, False)]


def test_repeated_file_is_one_changed_content_is_refused(lake: Lake, zones: str) -> None:
    first = sent(lake, _files(zones), FILE, "a.csv")
    again = sent(lake, _files(zones), FILE, "a.csv")
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    other = sent(lake, _files(zones), b"id\n3\n", "a.csv")
    assert (other.status_code, other.json()["code"]) == (409, "ALREADY_EXISTS")


def test_what_cannot_be_read_or_named_is_refused(lake: Lake, zones: str) -> None:
    assert sent(lake, _files(zones), b"PK\x03\x04rest", "a.xlsx").json()["code"] == "INVALID_VALUE"
    assert sent(lake, _files(zones, "a@b"), FILE).json()["code"] == "INVALID_VALUE"
    assert sent(lake, _files(zones), b"id,ID\n1,2\n", "twice.csv").json()["code"] == "INVALID_VALUE"
    assert lake.caller.get(_files(zones)).json()["results"] == []
    assert lake.caller.get(f"{_files(zones)}?state=gone").status_code == 400


def test_files_are_deleted_and_read_again(lake: Lake, zones: str) -> None:
    made = sent(lake, _files(zones), FILE, "a.csv")["Location"]
    assert _patch(lake.caller, made, {"state": "waiting"}).json()["state"] == "waiting"
    assert _patch(lake.caller, made, {"state": "archived"}).status_code == 400
    assert _delete(lake.caller, made).status_code == 204
    assert lake.caller.get(made).status_code == 404


@pytest.mark.parametrize(("role", "status"), [(Role.VIEWER, 403), (Role.CONTRIBUTOR, 201)])
def test_whoever_may_run_the_pipeline_may_send_files(
    lake: Lake, bob: Caller, zones: str, role: Role, status: int
) -> None:
    join(bob.user, lake.catalog, role)
    made = sent(lake, _files(zones), FILE, "theirs.csv")["Location"]
    asked = Lake.__new__(Lake)
    asked.caller = bob
    assert sent(asked, _files(zones), FILE, "a.csv").status_code == status
    assert _patch(bob, made, {"state": "waiting"}).status_code == (200 if status == 201 else 403)
    assert bob.get(zones).status_code == bob.get(made).status_code == 200
    assert _delete(bob, made).status_code == (204 if status == 201 else 403)


def test_a_stranger_sees_no_zone(lake: Lake, bob: Caller, zones: str) -> None:
    made = sent(lake, _files(zones), FILE, "a.csv")["Location"]
    for path in (zones, _files(zones), made):
        assert bob.get(path).status_code == 404


def test_files_for_protected_branches_need_right_to_write(lake: Lake, bob: Caller, zones: str) -> None:
    """A run has the rights of its owner: a file must not be a way past a protection."""
    join(bob.user, lake.catalog, Role.CONTRIBUTOR)
    assert lake.caller.post(f"{lake.address}protection-rules/", {"pattern": "main"}).status_code == 201
    asked = Lake.__new__(Lake)
    asked.caller = bob
    refused = sent(asked, _files(zones), FILE, "a.csv")
    assert (refused.status_code, refused.json()["code"]) == (403, "PERMISSION_DENIED")


def test_the_query_of_a_statement_knows_no_zone(lake: Lake, zones: str) -> None:
    sent(lake, _files(zones), FILE, "a.csv")
    session = frontdoor.Session(lake.catalog, "main", lake.caller.user)
    with pytest.raises(Exception, match="no database landing zone"):
        frontdoor.execute("SELECT * FROM `landing zone`.orders", session)
