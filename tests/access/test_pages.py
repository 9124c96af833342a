"""Signing in and out, the shell of the browser application, and pages for errors."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from lakeui.access import themes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_counts")]

PASSWORD = "correct horse"


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", password=PASSWORD)


@pytest.fixture
def bundle(settings: Any, tmp_path: Path) -> Path:
    """Static files as a build leaves them: an entry that imports one module, each with a style sheet."""
    manifest = {
        "src/main.tsx": {
            "file": "assets/main-aaaaaaaa.js",
            "css": ["assets/main-bbbbbbbb.css"],
            "imports": ["_shared"],
        },
        "_shared": {"file": "assets/shared-cccccccc.js", "css": ["assets/shared-dddddddd.css"]},
        "src/later.tsx": {"file": "assets/later-eeeeeeee.js", "imports": ["_shared"]},
    }
    settings.STATIC_ROOT = str(tmp_path)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path / "app" / "manifest.json"


def sign_in(client: Client, password: str = PASSWORD, address: str = "10.0.0.1", username: str = "alice") -> Any:
    data = {"username": username, "password": password}
    return client.post("/login/", data, REMOTE_ADDR=address)


def test_the_start_page_asks_strangers_to_sign_in() -> None:
    response = Client().get("/")
    assert response.status_code == 302
    assert response["Location"] == "/login/?next=/"


@pytest.mark.usefixtures("bundle")
def test_signing_in_opens_application_and_signing_out_leaves(alice: User) -> None:
    client = Client()
    assert sign_in(client)["Location"] == "/"
    page = client.get("/").content.decode()
    assert '<script type="module" src="/static/app/assets/main-aaaaaaaa.js"></script>' in page
    assert '<meta name="lakeui-user" content="alice">' in page
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/").status_code == 302


@pytest.mark.usefixtures("bundle")
@pytest.mark.parametrize("address", ["/", "/c/demo", "/c/demo/b/feature%2Fx/t/d/t", "/merges/1", "/tasks", "/tasks/1"])
def test_every_address_of_the_application_gets_its_shell(alice: User, address: str) -> None:
    assert Client().get(address)["Location"].startswith("/login/?next=/")
    client = Client()
    client.force_login(alice)
    response = client.get(address)
    assert response.status_code == 200
    assert '<div id="root">' in response.content.decode()
    assert response.cookies["csrftoken"].value


@pytest.mark.usefixtures("bundle")
def test_shell_preloads_only_what_the_entry_needs(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    page = client.get("/").content.decode()
    assert re.findall(r'rel="modulepreload" href="([^"]+)"', page) == ["/static/app/assets/shared-cccccccc.js"]
    assert re.findall(r'rel="stylesheet" href="([^"]+)"', page) == [
        "/static/app/assets/main-bbbbbbbb.css",
        "/static/app/assets/shared-dddddddd.css",
    ]
    assert "later" not in page


def test_a_new_build_is_seen_without_a_restart(alice: User, bundle: Path) -> None:
    client = Client()
    client.force_login(alice)
    assert "main-aaaaaaaa.js" in client.get("/").content.decode()
    bundle.write_text(bundle.read_text().replace("aaaaaaaa", "ffffffff"))
    os.utime(bundle, ns=(1, 1))
    assert "main-ffffffff.js" in client.get("/").content.decode()


@pytest.mark.usefixtures("bundle")
@pytest.mark.parametrize(("chosen", "shown"), [("dark", 'data-theme="dark"'), ('"><b>', '<html lang="en">')])
def test_the_shell_is_drawn_in_the_chosen_theme(alice: User, chosen: str, shown: str) -> None:
    client = Client()
    client.force_login(alice)
    client.cookies["theme"] = chosen
    assert shown in client.get("/").content.decode()


@pytest.mark.parametrize(("chosen", "shown"), [("contrast", 'data-theme="contrast"'), ("neon", '<html lang="en">')])
@pytest.mark.parametrize("address", ["/login/", "/no/such/page"])
def test_own_pages_follow_the_chosen_theme(address: str, chosen: str, shown: str) -> None:
    client = Client()
    client.cookies["theme"] = chosen
    assert shown in client.get(address).content.decode()


def test_each_theme_has_its_colours() -> None:
    style = (Path(themes.__file__).parent / "static/lakeui/pages.css").read_text()
    assert all(f':root[data-theme="{theme}"]' in style for theme in themes.THEMES)


def test_an_unbuilt_bundle_names_the_command_to_run(alice: User, settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path)
    client = Client()
    client.force_login(alice)
    response = client.get("/c/demo")
    assert response.status_code == 503
    assert "make up" in response.content.decode()


@pytest.mark.usefixtures("bundle")
def test_no_page_may_run_anything_inline(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    for address in ("/", "/login/", "/api/docs/", "/no/such/page", "/api/v1/rules/"):
        policy = client.get(address)["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "script-src" not in policy
        assert "unsafe" not in policy
    shell = client.get("/")
    nonce = re.search(r'name="lakeui-style-nonce" nonce="([^"]+)"', shell.content.decode())
    assert nonce
    assert f"style-src 'self' 'nonce-{nonce[1]}'" in shell["Content-Security-Policy"]
    assert nonce[1] not in client.get("/")["Content-Security-Policy"]


def test_sign_in_needs_the_csrf_token(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    response = sign_in(client)
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()


def test_sign_in_redirects_only_to_this_site(alice: User) -> None:
    data = {"username": "alice", "password": PASSWORD}
    assert Client().post("/login/", data | {"next": "https://evil.example/"})["Location"] == "/"
    assert Client().post("/login/", data | {"next": "/api/docs/"})["Location"] == "/api/docs/"


def test_a_wrong_password_is_typed_again(alice: User) -> None:
    """The name stays, and the focus is where the mistake most often is."""
    fields = re.findall(r"<input id=[^>]*>", sign_in(Client(), "wrong").content.decode())
    assert 'value="alice"' in fields[0]
    assert [" autofocus" in field for field in fields] == [False, True]
    assert all('aria-describedby="refused"' in field for field in fields)
    fresh = re.findall(r"<input id=[^>]*>", Client().get("/login/").content.decode())
    assert [" autofocus" in field for field in fresh] == [True, False]
    assert "aria-invalid" not in "".join(fresh)


def test_an_inactive_user_cannot_sign_in(alice: User) -> None:
    User.objects.update(is_active=False)
    response = sign_in(Client())
    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()


def test_ten_failures_block_only_that_name_and_address(alice: User) -> None:
    client = Client()
    for _ in range(10):
        assert sign_in(client, "wrong").status_code == 200
    refused = sign_in(client)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert "Too many failed attempts" in refused.content.decode()
    assert sign_in(Client(), address="10.0.0.2").status_code == 302


@pytest.mark.parametrize("typed", ["alice ", " ALICE", "\uff41lice", "Alice\t"])
def test_other_spellings_of_a_name_are_one_account(alice: User, typed: str) -> None:
    for _ in range(10):
        sign_in(Client(), "wrong")
    assert sign_in(Client(), username=typed).status_code == 429


def test_hundred_failures_of_an_account_block_every_address(alice: User) -> None:
    for number in range(100):
        sign_in(Client(), "wrong", address=f"10.0.1.{number}")
    assert sign_in(Client(), address="10.0.2.1").status_code == 429
    User.objects.create_user("bob", password=PASSWORD)
    assert sign_in(Client(), address="10.0.2.1", username="bob").status_code == 302


def test_failures_are_logged_with_account_and_address(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    sign_in(Client(), "wrong", username=" Alice\n")
    (line,) = [record for record in caplog.records if "sign-in" in record.getMessage()]
    assert line.getMessage() == "sign-in of 'alice' from 10.0.0.1 failed"
    assert (vars(line)["account"], vars(line)["address"]) == ("alice", "10.0.0.1")


def test_fifty_failures_of_an_address_block_every_name(alice: User) -> None:
    for number in range(50):
        sign_in(Client(), "wrong", username=f"user{number}")
    assert sign_in(Client()).status_code == 429


def test_naming_other_addresses_does_not_unblock_whoever_guesses(alice: User) -> None:
    for number in range(50):
        sign_in(Client(headers={"X-Forwarded-For": f"198.51.100.{number}"}), "wrong", username=f"user{number}")
    assert sign_in(Client(headers={"X-Forwarded-For": "198.51.100.99"})).status_code == 429


def test_behind_a_proxy_only_whoever_guesses_is_blocked(alice: User, settings: Any) -> None:
    """All come from the proxy's address; the last entry is the one that it wrote."""
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    for number in range(50):
        forged = f"203.0.113.{number}, 198.51.100.7"
        sign_in(Client(headers={"X-Forwarded-For": forged}), "wrong", username=f"user{number}")
    assert sign_in(Client(headers={"X-Forwarded-For": "198.51.100.7"})).status_code == 429
    assert sign_in(Client(headers={"X-Forwarded-For": "198.51.100.8"})).status_code == 302


def test_a_success_clears_the_failures_of_the_name(alice: User) -> None:
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


def test_a_failing_page_shows_an_id_no_trace(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any) -> Any:
        raise RuntimeError("secret inside")

    monkeypatch.setattr("lakeui.access.views.bundle_find", crash)
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    response = client.get("/")
    assert response.status_code == 500
    page = response.content.decode()
    assert "secret" not in page
    assert re.search(r"<code>[0-9a-f]{32}</code>", page)
