"""``lake login`` by a password and by the link of an invitation, and ``lake logout``."""

from __future__ import annotations

import io
import json
import secrets
import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django_otp.oath import TOTP

from lakeui.access.models import AccessToken, BrowserSession
from lakeui.access.second_factor import second_factor_begin, second_factor_set_up
from lakeui_client.cli.main import run
from lakeui_client.errors import LakeError
from lakeui_client.sign_in import link_read

PASSWORD = "a long enough password"


class Terminal:
    """Calls the command with lines of standard input."""

    def __init__(self, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.url, self._monkeypatch, self._capsys = url, monkeypatch, capsys

    def __call__(self, *arguments: str, lines: str = "", status: int = 0) -> Any:
        self._monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        found = run([*arguments, "--json"])
        said = self._capsys.readouterr().out
        assert found == status, said
        return json.loads(said)


@pytest.fixture
def lake(url: str, kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(url, monkeypatch, capsys)


@pytest.fixture
def ada(store: object) -> User:
    return get_user_model().objects.create_superuser(f"ada-{secrets.token_hex(4)}", password=PASSWORD)


def test_a_password_makes_a_token_and_no_session(lake: Terminal, ada: User, kept: Path) -> None:
    signed_in = lake("login", lake.url, "--user", ada.username, "--purpose", "my desk", lines=f"{PASSWORD}\n")
    assert signed_in["username"] == ada.username
    (token,) = AccessToken.objects.filter(user=ada)
    assert (token.name, token.expires_at) == ("my desk", None)
    assert json.loads(kept.read_text())["token"].startswith(token.prefix)
    assert not BrowserSession.objects.filter(user_id=ada.pk).exists()
    assert lake("tokens")[0]["name"] == "my desk"


def test_a_wrong_password_keeps_nothing(lake: Terminal, ada: User, kept: Path) -> None:
    refused = lake("login", lake.url, "--user", ada.username, lines="wrong\n", status=1)
    assert (refused["code"], refused["detail"]) == ("UNAUTHENTICATED", "The user name or the password is not right.")
    assert not kept.exists()
    assert not AccessToken.objects.filter(user=ada).exists()


def test_many_wrong_passwords_are_refused_for_a_while(lake: Terminal, ada: User) -> None:
    for _ in range(30):
        refused = lake("login", lake.url, "--user", ada.username, lines="wrong\n", status=1)
        if refused["status"] == 429:
            break
    assert "Too many failed attempts" in refused["detail"]


def test_an_invited_person_chooses_a_password_once(lake: Terminal, ada: User, kept: Path) -> None:
    lake("login", lake.url, "--user", ada.username, lines=f"{PASSWORD}\n")
    bob = f"bob-{secrets.token_hex(4)}"
    link = lake("people", "--invite", bob)["invitation"]["link"]
    refused = lake("login", "--link", link, lines="12345\n", status=1)
    assert "too common" in refused["detail"]
    entered = lake("login", "--link", link, "--expires", "2099-01-01T00:00:00Z", lines="another good one\n")
    assert entered["username"] == bob
    (token,) = AccessToken.objects.filter(user__username=bob)
    assert token.expires_at is not None
    gone = lake("login", "--link", link, lines="a third good one\n", status=1)
    assert gone["detail"] == "This link does not work"
    assert lake("login", lake.url, "--user", bob, lines="another good one\n")["username"] == bob


@pytest.fixture
def codes(ada: User) -> TOTP:
    """The codes of ada's second factor; that of the time before is used up."""
    device = second_factor_begin(ada, None)
    codes = TOTP(device.bin_key)
    codes.time = time.time() - codes.step
    assert second_factor_set_up(ada, f"{codes.token():06}", shown=device.pk, stays=None)
    codes.time = time.time()
    return codes


def test_a_second_factor_is_asked_for(lake: Terminal, ada: User, codes: TOTP) -> None:
    refused = lake("login", lake.url, "--user", ada.username, lines=f"{PASSWORD}\n000000\n", status=1)
    assert "The code is not right" in refused["detail"]
    assert not AccessToken.objects.filter(user=ada).exists()


def test_a_right_code_makes_one_token(lake: Terminal, ada: User, codes: TOTP, kept: Path) -> None:
    lines = f"{PASSWORD}\n{codes.token():06}\n"
    assert lake("login", lake.url, "--user", ada.username, lines=lines)["username"] == ada.username
    (token,) = AccessToken.objects.filter(user=ada)
    assert json.loads(kept.read_text())["token"].startswith(token.prefix)
    assert not BrowserSession.objects.filter(user_id=ada.pk).exists()
    refused = lake("login", lake.url, "--user", ada.username, lines=lines, status=1)
    assert "The code is not right" in refused["detail"]
    assert AccessToken.objects.filter(user=ada).count() == 1


def test_a_logout_revokes_the_token(lake: Terminal, ada: User, kept: Path) -> None:
    lake("login", lake.url, "--user", ada.username, lines=f"{PASSWORD}\n")
    assert lake("logout")["is_revoked"] is True
    assert AccessToken.objects.get(user=ada).revoked_at is not None
    assert "token" not in json.loads(kept.read_text())
    assert lake("logout", status=1)["code"] == "NOT_FOUND"


@pytest.mark.parametrize("text", ["", "http://x/invitation/", "http://x/login/?secret=a"])
def test_what_is_no_link_is_refused(text: str) -> None:
    with pytest.raises(LakeError, match="not the link of an invitation"):
        link_read(text)


def test_another_server_is_named(lake: Terminal) -> None:
    assert lake("login", "http://127.0.0.1:1", "--user", "ada", lines="x\n", status=1)["code"] == "CONNECTION_FAILED"
