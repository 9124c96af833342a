"""The web server as it is run: gunicorn with its processes, over real HTTP."""

from __future__ import annotations

import json
import os
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from django.conf import global_settings
from django.contrib.auth.models import User

from lakeui.access.throttle import MOST_FAILURES_OF_NAME
from lakeui.access.tokens import token_create
from lakeui.runtime.processes import log_tail, process_record, process_start, process_stop
from lakeui.runtime.web import web_command
from tests.access.provider import CLIENT, SECRET, Provider, provider_run

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 10


class NotFollowed(urllib.request.HTTPRedirectHandler):
    """Redirects are answers here."""

    def redirect_request(self, *_: object) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    location: str
    body: bytes


class Browser:
    """Keeps cookies, follows nothing."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.cookies = CookieJar()
        self._opener = urllib.request.build_opener(
            NotFollowed, urllib.request.HTTPCookieProcessor(self.cookies), urllib.request.ProxyHandler({})
        )

    def send(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        body = urllib.parse.urlencode(form).encode() if form is not None else None
        request = urllib.request.Request(self.server + path, body, headers)
        try:
            with self._opener.open(request, timeout=60) as answer:
                return Answer(answer.status, answer.headers.get("Location", ""), answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return Answer(refused.status or 0, refused.headers.get("Location", ""), refused.read())

    def sign_in(self, username: str, password: str) -> int:
        page = self.send("/login/").body.decode()
        (token,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        return self.send("/login/", {"username": username, "password": password, "csrfmiddlewaretoken": token}).status


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with provider_run() as running:
        yield running


@pytest.fixture(scope="module")
def server(
    provider: Provider, database_url: str, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A server with a low limit and single sign-on; what tests write is there for it to see."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("web") / "web.log"
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "LAKEUI_REQUESTS_PER_MINUTE": str(LIMIT),
        "LAKEUI_OIDC_ISSUER": provider.issuer,
        "LAKEUI_OIDC_CLIENT_ID": CLIENT,
        "LAKEUI_OIDC_CLIENT_SECRET": SECRET,
        # The provider is on loopback, without TLS.
        "AUTHLIB_INSECURE_TRANSPORT": "1",
    }
    process = process_start(web_command(port), log=log, env=environment, cwd=ROOT)
    try:
        deadline = time.monotonic() + 90
        while not _answers(port):
            assert process.poll() is None, log_tail(log)
            assert time.monotonic() < deadline, log_tail(log)
            # Another process: nothing tells that it listens but an answer.
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process_stop(process_record("web", process.pid), patience_seconds=10)
        process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def minute() -> int:
    return int(time.time()) // 60


def served(server: str, name: str) -> list[int]:
    """What a person is answered who asks three times as often as one may within a minute."""
    user = User.objects.create_user(name)
    secrets = [token_create(user=user, name=f"token {number}")[1] for number in range(2)]
    browser = Browser(server)
    return [
        browser.send("/api/v1/tokens/", Authorization=f"Bearer {secrets[number % 2]}").status
        for number in range(3 * LIMIT)
    ]


@pytest.mark.django_db(transaction=True)
def test_all_processes_together_serve_a_person_within_limit(server: str) -> None:
    for attempt in range(5):
        began = minute()
        answers = served(server, f"hasty-{attempt}")
        if minute() == began:
            break
    assert answers == [200] * LIMIT + [429] * (2 * LIMIT)


@pytest.mark.django_db(transaction=True)
def test_all_processes_together_block_who_guesses_passwords(server: str, settings: Any) -> None:
    # The server does not know the quick hasher of these tests.
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    User.objects.create_user("grace", password="the right one")
    statuses = [Browser(server).sign_in("grace", f"guess {number}") for number in range(MOST_FAILURES_OF_NAME + 2)]
    assert statuses == [200] * MOST_FAILURES_OF_NAME + [429] * 2
    assert Browser(server).sign_in("grace", "the right one") == 429
    User.objects.create_user("heidi", password="the right one")
    assert Browser(server).sign_in("heidi", "the right one") == 302


@pytest.mark.django_db(transaction=True)
def test_a_sign_in_is_known_to_every_process(server: str, provider: Provider) -> None:
    browser = Browser(server)
    begun = browser.send("/login/sso/")
    assert begun.status == 302
    done = browser.send(provider.visited(begun.location))
    assert (done.status, done.location) == (302, "/")
    for _ in range(4):
        answer = browser.send("/api/v1/tokens/")
        assert (answer.status, json.loads(answer.body)["results"]) == (200, [])
    assert User.objects.filter(username="erin", email="erin@example.org").exists()
    (session,) = [cookie for cookie in browser.cookies if cookie.name == "sessionid"]
    assert session.has_nonstandard_attr("HttpOnly")
    assert session.get_nonstandard_attr("SameSite") == "Lax"
