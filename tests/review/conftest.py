"""Merge requests on real metadata: a cast of people and their catalog, no Spark."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Principal, Role
from catalog_app.models import ProtectionRule
from catalog_app.selectors.snapshots import catalog_get
from lakeui.frontdoor import Session, execute
from merge_app.review.models import MergeRequest
from merge_app.review.requests import RequestDraft, request_open
from merge_app.review.selectors import request_get
from tests.api.conftest import Caller, local_worker, no_worker
from tests.stories.conftest import database, stored
from tests.support.members import join
from tests.support.resource_lake import Lake
from tests.support.stored_databases import StoredDatabases

__all__ = ["database", "local_worker", "no_worker", "stored"]

CAST = {
    "alice": Role.CONTRIBUTOR,
    "bob": Role.REVIEWER,
    "carol": Role.REVIEWER,
    "dora": Role.OWNER,
    "victor": Role.VIEWER,
    "mallory": None,
}
"""Alice asks, Bob and Carol review, Dora owns the catalog, Victor only looks, Mallory has no role."""


class ReviewLake(Lake):
    """A catalog with table d.t and a branch b, on which Alice inserted rows."""

    def __init__(self) -> None:
        self.people = {name: Caller(User.objects.create_user(name)) for name in CAST}
        super().__init__(self.people["alice"])
        for name, role in CAST.items():
            if role is not None:
                join(self.people[name].user, self.catalog, role)
        self.requests = f"{self.address}merge-requests/"
        self.write("CREATE BRANCH b", "alice")
        self.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "alice", "b")

    def write(self, text: str, name: str, branch: str = "main") -> Any:
        """A statement by one of the people."""
        session = Session(catalog=self.catalog, branch=branch, user=self.people[name].user)
        return execute(text, session)

    def who(self, name: str) -> Principal:
        return Principal(self.people[name].user.pk, name)

    def open(self, by: str = "alice", source: str = "b", destination: str = "main", **draft: Any) -> MergeRequest:
        """A request from one branch into another."""
        wanted = RequestDraft(**{"title": "Delays", **draft})
        opened = request_open(
            principal=self.who(by), source=self.branch(source), destination=self.branch(destination), draft=wanted
        )
        return self.seen(opened)

    def seen(self, request: MergeRequest) -> MergeRequest:
        """The request as it is now."""
        return request_get(catalog_get(self.catalog), request.number)

    def protect(self, pattern: str = "main", **rule: Any) -> ProtectionRule:
        """A rule that takes requests only, and lets everybody go on writing."""
        given = {"required_approvals": 1, "merge_role": "contributor", "refuse_direct_writes": False, **rule}
        return ProtectionRule.objects.create(catalog=catalog_get(self.catalog), pattern=pattern, **given)

    def fingerprint(self, pair: str = "b...main") -> str:
        """What the comparison's page shows."""
        return str(self.read(f"compare/{pair}/")["fingerprint"])

    def review(self, by: str, request: MergeRequest, verdict: str = "approve", **body: Any) -> Any:
        given = {"verdict": verdict, **({"fingerprint": self.fingerprint()} if verdict == "approve" else {}), **body}
        return self.post(by, f"{request.number}/reviews/", given)

    def post(self, by: str, path: str, body: Any = None, **headers: str) -> Any:
        return self.people[by].post(self.requests + path, body, **headers)

    def patch(self, by: str, path: str, body: Any, **headers: str) -> Any:
        caller = self.people[by]
        given = caller._all(headers)
        return caller.client.patch(self.requests + path, body, content_type="application/json", headers=given)

    def detail(self, request: MergeRequest, by: str = "alice") -> Any:
        response = self.people[by].get(f"{self.requests}{request.number}/")
        assert response.status_code == 200, response.content
        return response.json()

    def timeline(self, request: MergeRequest) -> list[tuple[str, str, str]]:
        """Kind and states of each entry."""
        found = self.read(f"merge-requests/{request.number}/timeline/")["results"]
        return [(entry["kind"], entry["from_state"], entry["to_state"]) for entry in found]


@pytest.fixture
def lake(stored: StoredDatabases) -> ReviewLake:
    return stored.once("lake", ReviewLake)
