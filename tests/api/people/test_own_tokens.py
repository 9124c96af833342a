"""``/api/v1/tokens/``."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from lakeui.access.models import AccessToken
from lakeui.access.tokens import token_create
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem

TOKENS = "/api/v1/tokens/"


def listed(caller: Caller) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(TOKENS).json()["results"]
    return found


def test_the_secret_is_shown_once_and_authenticates(alice: Caller) -> None:
    made = alice.post(TOKENS, {"name": "ci"})
    assert (made.status_code, made["Cache-Control"]) == (201, "no-store")
    body = made.json()
    assert (body["name"], body["expires_at"], body["is_expired"]) == ("ci", None, False)
    response = Client().get(TOKENS, headers={"Authorization": f"Bearer {body['token']}"})
    assert response.status_code == 200
    assert body["token"] not in response.content.decode()
    assert body["token"].startswith(listed(alice)[0]["prefix"])


def test_only_own_tokens_are_listed_newest_first(alice: Caller, bob: Caller) -> None:
    for name in ("one", "two"):
        alice.post(TOKENS, {"name": name})
    first = alice.get(f"{TOKENS}?limit=2").json()
    second = alice.get(first["next"]).json()
    assert [entry["name"] for entry in first["results"] + second["results"]] == ["two", "one", "test"]
    assert [entry["name"] for entry in listed(bob)] == ["test"]


def test_a_revoked_token_is_gone_and_opens_nothing(alice: Caller) -> None:
    made = alice.post(TOKENS, {"name": "ci"}).json()
    response = alice.client.delete(f"{TOKENS}{made['id']}/", headers=alice.headers)
    assert (response.status_code, response.content) == (204, b"")
    assert [entry["name"] for entry in listed(alice)] == ["test"]
    refused = Client().get(TOKENS, headers={"Authorization": f"Bearer {made['token']}"})
    problem(refused, 401, "UNAUTHENTICATED")
    problem(alice.client.delete(f"{TOKENS}{made['id']}/", headers=alice.headers), 404, "NOT_FOUND")


def test_another_users_token_cannot_be_revoked(alice: Caller, bob: Caller) -> None:
    own = AccessToken.objects.get(user=bob.user)
    problem(alice.client.delete(f"{TOKENS}{own.pk}/", headers=alice.headers), 404, "NOT_FOUND")
    assert AccessToken.objects.get(pk=own.pk).revoked_at is None


def test_a_token_needs_a_name_and_future_expiry(alice: Caller) -> None:
    assert problem(alice.post(TOKENS, {}), 400, "INVALID_VALUE")["errors"][0]["field"] == "name"
    past = (timezone.now() - timedelta(days=1)).isoformat()
    problem(alice.post(TOKENS, {"name": "ci", "expires_at": past}), 400, "INVALID_VALUE")


def test_a_token_made_by_token_never_outlives_it(alice: Caller) -> None:
    end = timezone.now() + timedelta(days=1)
    alice.headers = {"Authorization": f"Bearer {token_create(user=alice.user, name='short', expires_at=end)[1]}"}
    later = (end + timedelta(days=1)).isoformat()
    problem(alice.post(TOKENS, {"name": "long", "expires_at": later}), 400, "INVALID_VALUE")
    made = alice.post(TOKENS, {"name": "as long"})
    assert made.status_code == 201
    assert AccessToken.objects.get(name="as long").expires_at == end


def test_a_session_needs_csrf_token_to_make_tokens(alice: Caller) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice.user)
    response = client.post(TOKENS, {"name": "ci"}, content_type="application/json")
    problem(response, 403, "PERMISSION_DENIED")
