"""Who asks: ``Authorization: Bearer <token>`` (RFC 6750), or the browser's session with CSRF."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from catalog_app.selectors.agents import account_is_open
from lakeui.access.models import AccessToken
from lakeui.access.tokens import token_find

SCHEME = "bearer"


class BearerAuthentication(BaseAuthentication):
    """Takes the user from an access token. Without the header the next authentication is asked."""

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, AccessToken] | None:
        scheme, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
        if not scheme:
            return None
        secret = secret.strip()
        if scheme.lower() != SCHEME or not secret or not secret.isascii():
            raise AuthenticationFailed("The Authorization header must read: Bearer <token>.")
        token = token_find(secret)
        if token is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        if not account_is_open(token.user):
            raise AuthenticationFailed("The account of this token is not active, or that of who answers for it.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="lakeui"'


class BrowserAuthentication(SessionAuthentication):
    """The session of a signed-in browser; unsafe methods need the CSRF token. It is of a person:
    ``backends`` gives agents none.
    """
