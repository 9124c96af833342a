"""People who work on a table by merge requests, over HTTP."""

from __future__ import annotations

import secrets
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from catalog_app.domain.roles import Role
from lakeui.access.tokens import token_create
from tests.support.lake import Lake
from tests.support.members import join

CAST = {"alice": Role.CONTRIBUTOR, "bob": Role.REVIEWER, "dora": Role.OWNER}


class Person:
    """One of the cast with a token, at the resources of one catalog."""

    def __init__(self, name: str, lake: Lake, role: Role) -> None:
        self.user = User.objects.create_user(f"{name}-{secrets.token_hex(4)}")
        join(self.user, lake.catalog, role)
        self._client = Client(headers={"Authorization": f"Bearer {token_create(user=self.user, name='e2e')[1]}"})
        self._catalog = lake.catalog

    def get(self, path: str) -> Any:
        response = self._client.get(f"/api/v1/catalogs/{self._catalog}/{path}")
        assert response.status_code == 200, response.content
        return response.json()

    def post(self, path: str, body: Any = None) -> Any:
        address = f"/api/v1/catalogs/{self._catalog}/{path}"
        return self._client.post(address, body or {}, content_type="application/json", headers={"Prefer": "wait=120"})

    def sql(self, statement: str, branch: str = "main", transaction: str | None = None) -> Any:
        body = {"catalog": self._catalog, "branch": branch, "statement": statement, "transaction": transaction}
        return self._client.post("/api/v1/sql/", body, content_type="application/json", headers={"Prefer": "wait=120"})


class Reviewed:
    """Table d.t with two rows on main; who works on it, and a rule that takes approved requests only."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.alice, self.bob, self.dora = (Person(name, lake, role) for name, role in CAST.items())
        lake.sql("CREATE TABLE d.t (id INT, v STRING)")
        lake.sql("INSERT INTO d.t VALUES (1, 'base'), (2, 'base')")
        lake.sql("CREATE BRANCH b")

    def protect(self) -> None:
        refused = dict.fromkeys(("refuse_direct_writes", "refuse_deletion"), True)
        rule = {"pattern": "main", "required_approvals": 1, "merge_role": "contributor", **refused}
        made = self.dora.post("protection-rules/", rule)
        assert made.status_code == 201, made.content

    def open(self, source: str) -> int:
        opened = self.alice.post("merge-requests/", {"source": source, "destination": "main", "title": source})
        assert opened.status_code == 201, opened.content
        return int(opened.json()["number"])

    def approve(self, number: int, source: str) -> Any:
        seen = self.bob.get(f"compare/{source}...main/?merge_request={number}")["fingerprint"]
        return self.bob.post(f"merge-requests/{number}/reviews/", {"verdict": "approve", "fingerprint": seen})

    def state(self, number: int) -> str:
        return str(self.alice.get(f"merge-requests/{number}/")["state"])


@pytest.fixture
def reviewed(lake: Lake, celery_worker: None) -> Reviewed:
    return Reviewed(lake)
