"""Signing in at an OpenID provider: the authorization code flow with PKCE, state and nonce, all of it by Authlib.

Off unless ``LAKEUI_OIDC_ISSUER`` names a provider. Whom the provider's id token speaks of follows from issuer and
subject: neither an address nor a name, which people may choose there, opens an account that is here already.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from joserfc.errors import JoseError
from requests import RequestException

from catalog_app.domain.roles import Principal
from lakeui.access.backends import may_sign_in
from lakeui.access.models import ExternalIdentity
from lakeui.access.people import groups_follow

logger = logging.getLogger(__name__)

PROVIDER = "provider"
TIMEOUT_SECONDS = 10
LONGEST_USERNAME = 150


class SignOnRefused(Exception):
    """No sign-in happened; the message says why, to the person."""


def sign_on_offered() -> bool:
    """Whether a provider is set."""
    return bool(settings.LAKEUI["OIDC_ISSUER"])


def sign_on_begin(request: HttpRequest, *, back_to: str) -> HttpResponse:
    """The way to the provider, which sends the browser back to that address. Raises SignOnRefused."""
    try:
        redirect: HttpResponse = _client().authorize_redirect(request, back_to)
    except (AuthlibBaseError, RequestException, ValueError) as error:
        raise _failed(error) from error
    return redirect


def sign_on_finish(request: HttpRequest) -> User:
    """Whom the provider sent back, with an account. Raises SignOnRefused.

    Authlib compares the state with that of this browser's session, redeems the code, checks the id token's signature
    by the provider's keys, its nonce and its times. Issuer and audience are held against the settings here.
    """
    demanded = {
        "iss": {"essential": True, "value": settings.LAKEUI["OIDC_ISSUER"]},
        "aud": {"essential": True, "value": settings.LAKEUI["OIDC_CLIENT_ID"]},
        "sub": {"essential": True},
    }
    client = _client()
    try:
        token = client.authorize_access_token(request, claims_options=demanded)
    except (AuthlibBaseError, JoseError, RequestException, ValueError) as error:
        raise _failed(error) from error
    if not token.get("userinfo"):
        raise _failed("the provider sent no id token")
    claims = _claims_complete(client, token)
    user = _account(str(claims["iss"]), str(claims["sub"]), claims)
    if not may_sign_in(user):
        raise SignOnRefused("Your account here is not active, or is an agent's. Ask an administrator.")
    _groups_follow(user, claims)
    return user


def _claims_complete(client: Any, token: dict[str, Any]) -> dict[str, Any]:
    """The claims of the id token, and those that only the provider's userinfo endpoint says of the same subject.

    A provider may leave name and groups out of the id token (OpenID Connect Core, 5.4). The id token's own claims hold.
    """
    claims = dict(token["userinfo"])
    wanted = {"preferred_username"}
    if settings.LAKEUI["OIDC_GROUPS"]:
        wanted.add(settings.LAKEUI["OIDC_GROUPS_CLAIM"])
    if wanted <= claims.keys() or "userinfo_endpoint" not in client.load_server_metadata():
        return claims
    try:
        more = client.userinfo(token=token)
    except (AuthlibBaseError, RequestException, ValueError, TypeError) as error:
        raise _failed(error) from error
    if more.get("sub") != claims["sub"]:
        raise _failed("the userinfo endpoint says another subject than the id token")
    return {**more, **claims}


def _groups_follow(user: User, claims: dict[str, Any]) -> None:
    """The groups that the provider manages are as its claim says now; a claim that is missing names none."""
    managed: dict[str, str] = settings.LAKEUI["OIDC_GROUPS"]
    if not managed:
        return
    claim = settings.LAKEUI["OIDC_GROUPS_CLAIM"]
    said = claims.get(claim, [])
    values = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    if claim not in claims:
        logger.warning("single sign-on of %s: neither id token nor userinfo has a claim %s", user.username, claim)
    claimed = {managed[value] for value in values if isinstance(value, str) and value in managed}
    groups_follow(Principal(name="single sign-on"), user, claimed=claimed, managed=set(managed.values()))


def _failed(reason: object) -> SignOnRefused:
    logger.warning("single sign-on failed: %s", reason)
    return SignOnRefused("Single sign-on did not work. Try again; if it stays so, the server's log says why.")


def _client() -> Any:
    chosen = settings.LAKEUI
    return _client_of(
        chosen["OIDC_ISSUER"], chosen["OIDC_CLIENT_ID"], chosen["OIDC_CLIENT_SECRET"], chosen["OIDC_SCOPES"]
    )


@cache
def _client_of(issuer: str, client_id: str, client_secret: str, scopes: str) -> Any:
    """Made once for each provider: it keeps what the provider says of itself, and its keys."""
    return OAuth().register(
        PROVIDER,
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": scopes,
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_SECONDS,
        },
    )


def _account(issuer: str, subject: str, claims: dict[str, Any]) -> User:
    """The account of that identity, made now where there is none and that is allowed."""
    known = ExternalIdentity.objects.select_related("user").filter(issuer=issuer, subject=subject).first()
    if known is None:
        return _account_make(issuer, subject, claims)
    ExternalIdentity.objects.filter(pk=known.pk).update(last_used_at=timezone.now())
    return known.user


def _account_make(issuer: str, subject: str, claims: dict[str, Any]) -> User:
    name = str(claims.get("preferred_username") or claims.get("email") or subject)[:LONGEST_USERNAME]
    if not settings.LAKEUI["OIDC_NEW_ACCOUNTS"]:
        logger.warning("single sign-on of %s, subject %s: accounts are not made", name, subject)
        raise SignOnRefused("There is no account for you here. Ask an administrator for one.")
    try:
        User.username_validator(name)
        with transaction.atomic():
            user = User(username=name, email=str(claims.get("email") or ""))
            user.first_name = str(claims.get("given_name") or "")[:150]
            user.last_name = str(claims.get("family_name") or "")[:150]
            user.set_unusable_password()
            user.save(force_insert=True)
            ExternalIdentity.objects.create(user=user, issuer=issuer, subject=subject, last_used_at=timezone.now())
    except (IntegrityError, ValidationError):
        logger.warning("single sign-on of %s, subject %s: no account of that name can be made", name, subject)
        raise SignOnRefused(
            f"No account named {name} can be made for you: it is there already, or is no user name here. An"
            " administrator links accounts with `manage.py link_identity`."
        ) from None
    return user
