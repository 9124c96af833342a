"""Signing in at an OpenID provider, over real HTTP and with tokens that are really signed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.test import Client
from joserfc.jwk import RSAKey

from lakeui.access.models import ExternalIdentity
from merge_app.audit.models import AccountRecord
from tests.access.provider import CLIENT, SECRET, Provider, provider_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    # Authlib asks for https; this provider is on loopback.
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    with provider_run() as running:
        chosen = {"OIDC_ISSUER": running.issuer, "OIDC_CLIENT_ID": CLIENT, "OIDC_CLIENT_SECRET": SECRET}
        for name, value in {**chosen, "OIDC_NAME": "Example"}.items():
            monkeypatch.setitem(settings.LAKEUI, name, value)
        yield running


def begin(client: Client, query: str = "") -> str:
    response = client.get(f"/login/sso/{query}")
    assert response.status_code == 302, response.content
    location: str = response["Location"]
    return location


def sign_on(client: Client, provider: Provider, query: str = "") -> Any:
    """From the button to where the browser ends up."""
    return client.get(provider.visited(begin(client, query)))


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def refused(client: Client, response: Any, words: str) -> None:
    assert response.status_code == 403
    assert words in response.content.decode()
    assert not is_signed_in(client)


def test_nothing_of_it_exists_without_a_provider(client: Client) -> None:
    assert "sso" not in client.get("/login/").content.decode()
    assert client.get("/login/sso/").status_code == 404
    assert client.get("/login/sso/done/").status_code == 404


def test_the_sign_in_page_keeps_the_address(client: Client, provider: Provider) -> None:
    page = client.get("/login/?next=/c/demo%3Ftab%3Dhistory").content.decode()
    assert "Sign in with Example" in page
    assert "/login/sso/?next=%2Fc%2Fdemo%3Ftab%3Dhistory" in page


def test_the_first_sign_in_makes_the_account(client: Client, provider: Provider) -> None:
    done = sign_on(client, provider, "?next=/c/demo")
    assert (done.status_code, done["Location"]) == (302, "/c/demo")
    assert is_signed_in(client)
    erin = User.objects.get(username="erin")
    assert (erin.email, erin.is_superuser, erin.has_usable_password()) == ("erin@example.org", False, False)
    provider.claims = {"preferred_username": "renamed"}
    again = Client()
    sign_on(again, provider)
    assert again.session["_auth_user_id"] == str(erin.pk)
    assert User.objects.count() == 1


def test_pkce_state_and_nonce_are_new_each_time(client: Client, provider: Provider) -> None:
    asked = []
    for _ in range(2):
        provider.visited(begin(client))
        asked.append(provider.asked)
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
    assert asked[0]["code_challenge_method"] == "S256"


def test_the_session_gets_a_new_key(client: Client, provider: Provider) -> None:
    location = begin(client)
    before = client.session.session_key
    client.get(provider.visited(location))
    assert client.session.session_key != before


def test_another_browsers_state_is_refused_before_redeeming_code(client: Client, provider: Provider) -> None:
    stolen = provider.visited(begin(Client()))
    refused(client, client.get(stolen), "did not work")
    assert provider.redeemed == []


def test_a_way_back_works_once(client: Client, provider: Provider) -> None:
    back = provider.visited(begin(client))
    assert client.get(back).status_code == 302
    client.logout()
    refused(client, client.get(back), "did not work")
    assert len(provider.redeemed) == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"iss": "https://elsewhere.example"},
        {"aud": "another-client"},
        {"exp": 1_000_000},
        {"sub": None},
    ],
    ids=lambda claims: next(iter(claims)),
)
def test_an_id_token_with_wrong_claim_is_refused(client: Client, provider: Provider, claims: dict[str, Any]) -> None:
    provider.claims = claims
    refused(client, sign_on(client, provider), "did not work")
    assert not User.objects.exists()


def test_an_id_token_of_another_key_is_refused(client: Client, provider: Provider) -> None:
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
    refused(client, sign_on(client, provider), "did not work")


def test_an_answer_without_an_id_token_is_refused(client: Client, provider: Provider) -> None:
    provider.sends_id_token = False
    refused(client, sign_on(client, provider), "did not work")


def test_what_the_provider_refused_is_refused_here(client: Client, provider: Provider) -> None:
    provider.visited(begin(client))
    refused(client, client.get(f"/login/sso/done/?error=access_denied&state={provider.asked['state']}"), "did not work")


def test_an_unreachable_provider_is_no_server_failure(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch, provider: Provider
) -> None:
    monkeypatch.setitem(settings.LAKEUI, "OIDC_ISSUER", "http://127.0.0.1:1")
    refused(client, client.get("/login/sso/"), "did not work")


def test_a_taken_name_waits_for_an_administrator(client: Client, provider: Provider) -> None:
    admin = User.objects.create_superuser("erin", password="correct horse")
    refused(client, sign_on(client, provider), "it is there already")
    call_command("link_identity", "erin", "subject-1", stdout=None)
    assert sign_on(client, provider).status_code == 302
    assert client.session["_auth_user_id"] == str(admin.pk)


def test_an_account_that_is_not_active_stays_closed(client: Client, provider: Provider) -> None:
    sign_on(client, provider)
    User.objects.update(is_active=False)
    refused(Client(), sign_on(Client(), provider), "not active")


def test_no_accounts_are_made_where_that_is_off(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch, provider: Provider
) -> None:
    monkeypatch.setitem(settings.LAKEUI, "OIDC_NEW_ACCOUNTS", False)
    refused(client, sign_on(client, provider), "There is no account for you here")
    assert not ExternalIdentity.objects.exists()


@pytest.mark.parametrize("wanted", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"])
def test_no_redirect_leaves_the_site(client: Client, provider: Provider, wanted: str) -> None:
    assert sign_on(client, provider, f"?next={wanted}")["Location"] == "/"


@pytest.mark.parametrize(("user", "issuer"), [("nobody", "https://id.example"), ("erin", "")])
def test_linking_says_what_is_missing(settings: Any, monkeypatch: pytest.MonkeyPatch, user: str, issuer: str) -> None:
    User.objects.create_user("erin")
    monkeypatch.setitem(settings.LAKEUI, "OIDC_ISSUER", issuer)
    with pytest.raises(CommandError):
        call_command("link_identity", user, "subject-1")


def groups_of(name: str) -> set[str]:
    return set(User.objects.get(username=name).groups.values_list("name", flat=True))


def test_groups_follow_the_claim_at_each_sign_in(provider: Provider, settings: Any) -> None:
    managed = {"lake-writers": "writers", "lake-readers": "readers", "all": "readers"}
    settings.LAKEUI = settings.LAKEUI | {"OIDC_GROUPS": managed, "OIDC_GROUPS_CLAIM": "roles"}
    provider.claims = {"roles": ["lake-writers", "all", "superusers", 7]}
    sign_on(Client(), provider)
    assert groups_of("erin") == {"writers", "readers"}
    assert not User.objects.get(username="erin").is_superuser
    User.objects.get(username="erin").groups.add(Group.objects.create(name="of here"))
    provider.claims = {"roles": "lake-readers"}
    sign_on(Client(), provider)
    assert groups_of("erin") == {"readers", "of here"}
    reported = AccountRecord.objects.filter(subject="group member").order_by("number")
    assert [(one.actor_name, one.before, one.after) for one in reported] == [
        ("single sign-on", None, {"group": "readers"}),
        ("single sign-on", None, {"group": "writers"}),
        ("single sign-on", {"group": "writers"}, None),
    ]


@pytest.mark.parametrize("claims", [{}, {"groups": None}, {"groups": {"a": 1}}, {"groups": []}])
def test_a_claim_that_says_nothing_leaves_no_group(provider: Provider, settings: Any, claims: dict[str, Any]) -> None:
    settings.LAKEUI = settings.LAKEUI | {"OIDC_GROUPS": {"a": "readers"}}
    provider.claims = {"groups": ["a"]}
    sign_on(Client(), provider)
    assert groups_of("erin") == {"readers"}
    provider.claims = claims
    sign_on(Client(), provider)
    assert groups_of("erin") == set()


def test_userinfo_gives_what_the_id_token_omits(client: Client, provider: Provider, settings: Any) -> None:
    """As of providers that keep to OpenID Connect Core, 5.4: the id token of a code flow names its subject alone."""
    settings.LAKEUI = settings.LAKEUI | {"OIDC_GROUPS": {"a": "readers"}}
    provider.userinfo = {"sub": "subject-1", "preferred_username": "erin", "email": "e@example.org", "groups": ["a"]}
    sign_on(client, provider)
    assert User.objects.get(username="erin").email == "e@example.org"
    assert groups_of("erin") == {"readers"}


def test_what_the_id_token_says_holds_against_userinfo(client: Client, provider: Provider) -> None:
    provider.userinfo = {"sub": "subject-1", "preferred_username": "erin", "email": "other@example.org"}
    provider.claims = {"email": "erin@example.org"}
    sign_on(client, provider)
    assert User.objects.get(username="erin").email == "erin@example.org"


@pytest.mark.parametrize(
    "userinfo", [{"sub": "another"}, {}, 5, [1]], ids=["another subject", "no subject", "a number", "a list"]
)
def test_userinfo_of_another_person_is_refused(client: Client, provider: Provider, userinfo: Any) -> None:
    provider.userinfo = userinfo
    refused(client, sign_on(client, provider), "did not work")
    assert not User.objects.exists()
