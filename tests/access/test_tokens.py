"""Tokens: what opens the door and what does not."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog_app.models import Agent
from catalog_app.selectors.agents import account_is_open, account_of_user, is_agent
from lakeui.access.models import AccessToken
from lakeui.access.tokens import token_create, token_find, token_revoke

pytestmark = pytest.mark.django_db

TASKS = "/api/v1/tasks/"


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", password="correct horse")


def ask(secret: str, client: Client | None = None) -> tuple[int, dict[str, object]]:
    response = (client or Client()).get(TASKS, headers={"Authorization": f"Bearer {secret}"})
    return response.status_code, response.json()


def test_a_token_authenticates_and_only_its_hash_stays(alice: User) -> None:
    token, secret = token_create(user=alice, name="laptop")
    assert ask(secret)[0] == 200
    assert len(secret) >= 43
    stored = AccessToken.objects.filter(pk=token.pk).values_list().get()
    assert secret not in map(str, stored)
    assert secret.startswith(token.prefix)


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer lake_wrong", "Bearer é", "Token x", "Bearer a b"]
)
def test_without_a_good_token_a_401_says_how(header: str) -> None:
    response = Client().get(TASKS, headers={"Authorization": header} if header else {})
    assert response.status_code == 401
    assert response["Content-Type"] == "application/problem+json"
    assert response["WWW-Authenticate"] == 'Bearer realm="lakeui"'
    assert response.json()["code"] == "UNAUTHENTICATED"
    assert "Bearer <token>" in response.json()["remedy"]


def test_an_expired_token_is_refused(alice: User) -> None:
    _, past = token_create(user=alice, name="old", expires_at=timezone.now() - timedelta(seconds=1))
    _, future = token_create(user=alice, name="new", expires_at=timezone.now() + timedelta(hours=1))
    assert ask(past)[0] == 401
    assert ask(future)[0] == 200


def test_a_revoked_token_is_refused(alice: User) -> None:
    token, secret = token_create(user=alice, name="lost laptop")
    token_revoke(token)
    assert ask(secret)[0] == 401


@pytest.mark.parametrize("is_of_agent", [False, True])
def test_one_query_finds_token_user_and_owner(alice: User, is_of_agent: bool) -> None:
    user = User.objects.create_user("bob")
    if is_of_agent:
        Agent.objects.create(user=user, owner=alice, purpose="Tries things")
    _, secret = token_create(user=user, name="laptop")
    token_find(secret)
    with CaptureQueriesContext(connection) as asked:
        found = token_find(secret)
        assert found is not None
        assert (found.user, is_agent(found.user), account_is_open(found.user)) == (user, is_of_agent, True)
        assert not is_of_agent or (found.user.agent.owner, found.user.agent.user) == (alice, user)
    assert len(asked) == 1


@pytest.mark.parametrize("is_of_agent", [False, True])
def test_person_of_token_is_not_asked_for_again(alice: User, is_of_agent: bool) -> None:
    if is_of_agent:
        bob = User.objects.create_user("bob")
        Agent.objects.create(user=alice, owner=bob, purpose="p", statements=["select"])
    found = token_find(token_create(user=alice, name="laptop")[1])
    assert found is not None
    Agent.objects.update(statements=["insert"])
    with CaptureQueriesContext(connection) as called:
        agent = account_of_user(found.user).agent
    assert (len(called), agent and agent.statements) == ((1, {"insert"}) if is_of_agent else (0, None))
    assert account_of_user(None).agent is None


def test_the_token_of_an_inactive_user_is_refused(alice: User) -> None:
    _, secret = token_create(user=alice, name="laptop")
    User.objects.update(is_active=False)
    status, problem = ask(secret)
    assert status == 401
    assert "not active" in str(problem["detail"])


def test_a_bad_token_fails_despite_good_session(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert client.get(TASKS).status_code == 200
    assert ask("lake_wrong", client)[0] == 401


def test_last_use_is_noted_at_most_each_minute(alice: User) -> None:
    token, secret = token_create(user=alice, name="busy")
    assert token.last_used_at is None
    ask(secret)
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    ask(secret)
    token.refresh_from_db()
    assert token.last_used_at == first
    AccessToken.objects.update(last_used_at=first - timedelta(minutes=2))
    ask(secret)
    token.refresh_from_db()
    assert token.last_used_at > first


def test_the_command_prints_a_token_that_works(alice: User) -> None:
    out = StringIO()
    call_command("token", "alice", stdout=out)
    assert ask(out.getvalue().strip())[0] == 200


def test_the_command_refuses_strangers_and_the_inactive(alice: User) -> None:
    with pytest.raises(CommandError, match="no user bob"):
        call_command("token", "bob")
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="not active"):
        call_command("token", "alice")
