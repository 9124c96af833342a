"""Tokens for programs."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from catalog_app.domain.roles import Scope


def every_scope() -> list[str]:
    return [scope.value for scope in Scope]


class AccessToken(models.Model):
    """A secret that stands for a user. Only its SHA-256 is kept: 256 random bits need no salt and no slow hash.

    ``prefix`` is the beginning of the secret, to recognise it by; ``scopes`` what it may be used for besides reading.
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
