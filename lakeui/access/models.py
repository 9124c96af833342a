"""Tokens for programs, sessions of browsers, links of invitations, and identities elsewhere."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

from catalog_app.domain.roles import Scope


def every_scope() -> list[str]:
    return [scope.value for scope in Scope]


class AccessToken(models.Model):
    """A secret that stands for a user. Only its SHA-256 is kept: 256 random bits need no salt and no slow hash.

    ``prefix`` is the beginning of the secret, to recognise it by; ``scopes`` what it may be used for besides reading,
    and the catalogs that it is limited to (``CatalogScope``).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="access_tokens")
    name = models.TextField()
    prefix = models.TextField()
    scopes = ArrayField(models.TextField(), default=every_scope)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}...)"


class BrowserSession(AbstractBaseSession):
    """A session of a browser. Once somebody has signed in it names who, when, and from where.

    ``identity`` is what others may see of it: the key opens it. It stays while the key changes, when two rows have it
    for a moment.
    """

    identity = models.UUIDField(null=True, db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="browser_sessions")
    signed_in_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(default=timezone.now)
    address = models.TextField(default="")
    agent = models.TextField(default="")


class Invitation(models.Model):
    """A link that lets one person choose a password, once, until it expires. Only its SHA-256 is kept."""

    identity = models.UUIDField(primary_key=True, default=uuid.uuid4)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="invitations")
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"invitation of {self.user}"


class ExternalIdentity(models.Model):
    """Whom a provider of single sign-on means by ``subject``: the account here that it opens."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="external_identities")
    issuer = models.TextField()
    subject = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="external_identity_once")]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"
