"""Signing in and out, the start page, and pages for errors. The front door is a fake here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from lakeui import frontdoor
from lakeui.common.errors import EngineError

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse"


@pytest.fixture(autouse=True)
def clean_counts() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", password=PASSWORD)


@pytest.fixture
def fake_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {
        "SHOW CATALOGS": ([("name", "string")], [["demo"], ["<b>odd</b>"]]),
        "SHOW BRANCHES": (
            [("name", "string"), ("parent", "string"), ("fork_version", "bigint"), ("head_version", "bigint")],
            [["main", None, 0, 7], ["feature/x", "main", 5, 12]],
        ),
    }

    def execute(text: str, session: Any, context: Any) -> Any:
        columns, rows = answers[text]
        return frontdoor.StatementResult(columns=columns, rows=rows, row_count=len(rows))

    monkeypatch.setattr(frontdoor, "execute", execute)


def sign_in(client: Client, password: str = PASSWORD, address: str = "10.0.0.1", username: str = "alice") -> Any:
    data = {"username": username, "password": password}
    return client.post("/login/", data, REMOTE_ADDR=address)


def test_the_start_page_asks_strangers_to_sign_in() -> None:
    response = Client().get("/")
    assert response.status_code == 302
    assert response["Location"] == "/login/?next=/"


@pytest.mark.usefixtures("fake_lake")
def test_signing_in_leads_to_the_catalogs_and_signing_out_back(alice: User) -> None:
    client = Client()
    assert sign_in(client)["Location"] == "/"
    page = client.get("/").content.decode()
    assert "feature/x" in page
    assert re.search(r"feature/x</th><td>main</td>\s*<td class=\"number\">5</td>\s*<td class=\"number\">12<", page)
    assert "&lt;b&gt;odd" in page
    assert page.count('<pre class="command">') == 3
    assert 'href="/api/docs/"' in page
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/").status_code == 302


def test_a_lake_that_cannot_be_read_is_said_on_the_start_page(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise EngineError("Nothing answers.")

    monkeypatch.setattr(frontdoor, "execute", fail)
    client = Client()
    client.force_login(alice)
    response = client.get("/")
    assert response.status_code == 200
    assert "Nothing answers." in response.content.decode()


def test_sign_in_needs_the_csrf_token(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    response = sign_in(client)
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()


def test_sign_in_goes_on_only_to_this_site(alice: User) -> None:
    data = {"username": "alice", "password": PASSWORD}
    assert Client().post("/login/", data | {"next": "https://evil.example/"})["Location"] == "/"
    assert Client().post("/login/", data | {"next": "/api/docs/"})["Location"] == "/api/docs/"


def test_an_inactive_user_cannot_sign_in(alice: User) -> None:
    User.objects.update(is_active=False)
    response = sign_in(Client())
    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()


def test_ten_failures_close_the_door_for_that_name_and_address_only(alice: User) -> None:
    client = Client()
    for _ in range(10):
        assert sign_in(client, "wrong").status_code == 200
    refused = sign_in(client)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert "Too many failed attempts" in refused.content.decode()
    assert sign_in(Client(), address="10.0.0.2").status_code == 302


def test_fifty_failures_of_one_address_close_it_for_every_name(alice: User) -> None:
    for number in range(50):
        sign_in(Client(), "wrong", username=f"user{number}")
    assert sign_in(Client()).status_code == 429


def test_a_success_forgets_the_failures_of_the_name(alice: User) -> None:
    for _ in range(2):
        for _ in range(9):
            sign_in(Client(), "wrong")
        assert sign_in(Client()).status_code == 302


def test_the_pages_carry_no_inline_style_or_script(alice: User) -> None:
    for address in ("/login/", "/no/such/page", "/api/docs/"):
        page = Client().get(address).content.decode()
        assert "<script" not in page
        assert "<style" not in page
        assert 'style="' not in page
        assert '<html lang="en">' in page
        assert "http://" not in page.replace("http://testserver", "")
        assert "https://" not in page


def test_an_unknown_page_is_a_page_with_404() -> None:
    response = Client().get("/no/such/page")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


def test_a_page_that_fails_shows_an_id_and_no_trace(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any) -> Any:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(frontdoor, "execute", crash)
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    response = client.get("/")
    assert response.status_code == 500
    page = response.content.decode()
    assert "secret" not in page
    assert re.search(r"<code>[0-9a-f]{32}</code>", page)
