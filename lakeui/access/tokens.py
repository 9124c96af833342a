"""Making, checking and revoking access tokens."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from catalog_app.domain.roles import Scope
from lakeui.access.models import AccessToken

SECRET_BYTES = 32
PREFIX_LENGTH = 10
LAST_USED_STEP = timedelta(minutes=1)


def token_create(
    *, user: User, name: str, expires_at: datetime | None = None, scopes: Collection[Scope] = tuple(Scope)
) -> tuple[AccessToken, str]:
    """A new token and its secret, which is shown this once and never again. Every token may read."""
    secret = f"lake_{secrets.token_urlsafe(SECRET_BYTES)}"
    token = AccessToken.objects.create(
        user=user,
        name=name,
        prefix=secret[:PREFIX_LENGTH],
        scopes=[scope.value for scope in Scope if scope is Scope.READ or scope in scopes],
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
    token = (
        AccessToken.objects.select_related("user__agent__owner")
        .filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), digest=_digest(secret), revoked_at__isnull=True)
        .first()
    )
    if token is not None and (token.last_used_at is None or token.last_used_at < now - LAST_USED_STEP):
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def tokens_list(user: User) -> QuerySet[AccessToken]:
    """The user's tokens that are not revoked."""
    return AccessToken.objects.filter(user=user, revoked_at__isnull=True)


def token_revoke(token: AccessToken) -> None:
    """End the token now. Revoking again keeps the first time."""
    AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
