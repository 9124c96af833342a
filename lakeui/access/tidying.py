"""What sign-in leaves behind and is of no use any more."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from lakeui.access.models import AccessToken, BrowserSession, Invitation

TOKEN_DAYS = 30
"""How long an expired or revoked token is still listed."""


def sessions_tidy(now: datetime) -> int:
    """Remove sessions of browsers that have expired."""
    return BrowserSession.objects.filter(expire_date__lt=now).delete()[0]


def tokens_tidy(now: datetime) -> int:
    """Remove tokens that ended long ago."""
    before = now - timedelta(days=TOKEN_DAYS)
    return AccessToken.objects.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before)).delete()[0]


def invitations_tidy(now: datetime) -> int:
    """Remove links that ended long ago; the audit keeps who made them."""
    before = now - timedelta(days=TOKEN_DAYS)
    return Invitation.objects.filter(Q(expires_at__lt=before) | Q(ended_at__lt=before)).delete()[0]
