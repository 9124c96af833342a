"""More requests in a minute than a person may send are refused, with the time after which to come again."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from lakeui.access.tokens import token_create
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem


@pytest.fixture(autouse=True)
def three_a_minute(settings: Any, monkeypatch: pytest.MonkeyPatch, redis_url: str) -> None:
    """All within one minute, however slow the machine is."""
    monkeypatch.setitem(settings.LAKEUI, "REQUESTS_PER_MINUTE", 3)
    monkeypatch.setattr("lakeui.api.http.throttling.time.time", lambda: 1_000_000_010.0)
    cache.clear()


def test_requests_over_the_limit_are_refused_that_minute(
    alice: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [alice.get("/api/v1/tokens/").status_code for _ in range(3)] == [200] * 3
    refused = alice.get("/api/v1/tokens/")
    problem(refused, 429, "TOO_MANY_REQUESTS")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert bob.get("/api/v1/tokens/").status_code == 200
    monkeypatch.setattr("lakeui.api.http.throttling.time.time", lambda: 1_000_000_010.0 + int(refused["Retry-After"]))
    assert alice.get("/api/v1/tokens/").status_code == 200


def test_each_answer_says_how_much_is_left(alice: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [alice.get("/api/v1/tokens/") for _ in range(4)]
    assert [answer["RateLimit"] for answer in answers] == [f'"requests";r={left};t=10' for left in (2, 1, 0, 0)]
    assert {answer["RateLimit-Policy"] for answer in answers} == {'"requests";q=3;w=60'}
    monkeypatch.setitem(settings.LAKEUI, "REQUESTS_PER_MINUTE", 0)
    assert "RateLimit" not in alice.get("/api/v1/tokens/")


def test_another_token_of_same_person_does_not_help(alice: Caller) -> None:
    for _ in range(3):
        alice.get("/api/v1/tokens/")
    alice.headers = {"Authorization": f"Bearer {token_create(user=alice.user, name='another')[1]}"}
    assert alice.get("/api/v1/tokens/").status_code == 429


def test_anonymous_requests_are_counted_by_address() -> None:
    answers = [Client().get("/api/v1/schema/").status_code for _ in range(4)]
    assert answers == [200, 200, 200, 429]


def test_naming_other_addresses_does_not_help() -> None:
    forged = [Client(headers={"X-Forwarded-For": f"198.51.100.{number}"}) for number in range(4)]
    assert [client.get("/api/v1/schema/").status_code for client in forged] == [200, 200, 200, 429]


def test_behind_a_proxy_the_address_it_saw_counts(settings: Any) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}

    def ask(forwarded: str) -> int:
        return Client(headers={"X-Forwarded-For": forwarded}).get("/api/v1/schema/").status_code

    assert [ask(f"203.0.113.{number}, 198.51.100.7") for number in range(4)] == [200, 200, 200, 429]
    assert ask("198.51.100.8") == 200


def test_no_limit_is_kept_where_none_is_set(alice: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "REQUESTS_PER_MINUTE", 0)
    assert {alice.get("/api/v1/tokens/").status_code for _ in range(5)} == {200}


def test_requests_are_answered_while_redis_is_away(alice: Caller, settings: Any) -> None:
    lost = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": lost}
    assert {alice.get("/api/v1/tokens/").status_code for _ in range(5)} == {200}
