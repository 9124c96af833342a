"""Making, checking and revoking access tokens."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from catalog_app.domain.roles import CatalogScope, Scope
from catalog_app.models import Agent
from catalog_app.selectors.agents import agent_attach
from catalog_app.selectors.rows import columns_of, fetch_all, models_of
from lakeui.access.models import AccessToken

SECRET_BYTES = 32
PREFIX_LENGTH = 10
LAST_USED_STEP = timedelta(minutes=1)

_LIVE = f"""
SELECT {columns_of(AccessToken, "t")}, {columns_of(User, "u")}, {columns_of(Agent, "a")}, {columns_of(User, "o")}
FROM access_accesstoken t JOIN auth_user u ON u.id = t.user_id
LEFT JOIN catalog_app_agent a ON a.user_id = u.id LEFT JOIN auth_user o ON o.id = a.owner_id
WHERE t.digest = %(digest)s AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > %(now)s)
"""
"""The live token of a digest, its user, and where that is an agent, what it is and who answers for it."""


def token_create(
    *,
    user: User,
    name: str,
    expires_at: datetime | None = None,
    scopes: Collection[Scope] = tuple(Scope),
    catalogs: Collection[int] = (),
) -> tuple[AccessToken, str]:
    """A new token and its secret, which is shown this once and never again. Every token may read. ``catalogs``: ids of
    those that it is limited to, if any.
    """
    limits = [CatalogScope.of(catalog_id) for catalog_id in sorted(set(catalogs))]
    secret = f"lake_{secrets.token_urlsafe(SECRET_BYTES)}"
    token = AccessToken.objects.create(
        user=user,
        name=name,
        prefix=secret[:PREFIX_LENGTH],
        scopes=[*(scope.value for scope in Scope if scope is Scope.READ or scope in scopes), *limits],
        digest=_digest(secret),
        expires_at=expires_at,
    )
    return token, secret


def token_find(secret: str) -> AccessToken | None:
    """The live token of this secret with its user, who may be inactive, and who answers for an agent; None if
    unknown, expired or revoked.

    Notes the use, at most once a minute, so that a busy client does not turn every read into a write.
    """
    now = timezone.now()
    token = _token_live(_digest(secret), now)
    if token is not None and (token.last_used_at is None or token.last_used_at < now - LAST_USED_STEP):
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def _token_live(digest: str, now: datetime) -> AccessToken | None:
    # Each request with a token asks: for Django to write this query takes longer than to answer it.
    for row in fetch_all(_LIVE, {"digest": digest, "now": now}, prepared=True):
        token, user, agent, owner = models_of(row, AccessToken, User, Agent, User)
        agent_attach(user, agent, owner)
        token.user = user
        found: AccessToken = token
        return found
    return None


def tokens_list(user: User) -> QuerySet[AccessToken]:
    """The user's tokens that are not revoked."""
    return AccessToken.objects.filter(user=user, revoked_at__isnull=True)


def token_revoke(token: AccessToken) -> None:
    """End the token now. Revoking again keeps the first time."""
    AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
