"""A script with a token, which asks over HTTP."""

from __future__ import annotations

import secrets
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from lakeui.access.tokens import token_create
from tests.support.lake import Lake
from tests.support.members import join


class Http:
    """A script with a token."""

    def __init__(self, lake: Lake) -> None:
        user = get_user_model().objects.create_user(f"script-{secrets.token_hex(4)}")
        join(user, lake.catalog)
        _, secret = token_create(user=user, name="e2e")
        self.client = Client(headers={"Authorization": f"Bearer {secret}"})
        self.catalog = lake.catalog

    def sql(self, statement: str, branch: str = "main", **headers: str) -> Any:
        body = {"catalog": self.catalog, "branch": branch, "statement": statement}
        return self.client.post("/api/v1/sql/", body, content_type="application/json", headers=headers)


@pytest.fixture
def http(lake: Lake, celery_worker: None) -> Http:
    return Http(lake)
