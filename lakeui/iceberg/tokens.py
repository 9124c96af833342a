"""Tokens as engines ask for them: OAuth2 client credentials, whose secret is a token of lakeui."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from django.utils import timezone
from rest_framework.parsers import FormParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog_app.selectors.agents import account_is_open
from lakeui.access.tokens import token_find
from lakeui.api.http.throttling import PersonThrottle
from lakeui.iceberg.errors import iceberg_response

_GRANT = "client_credentials"
_NO_STORE = {"Cache-Control": "no-store"}


class TokenView(APIView):
    """Answers the token that it was sent, if that is valid: nothing new comes to be. The id of the client and the scope
    are what engines fill in, and mean nothing here. What the token may do is said when it is made.
    """

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    throttle_classes = [PersonThrottle]
    parser_classes = [FormParser]
    renderer_classes = [JSONRenderer]
    metadata_class = None
    schema = None

    def get_exception_handler(self) -> Any:
        return iceberg_response

    def post(self, request: Request, catalog: str, ref: str) -> Response:
        form: Any = request.data
        grant = form.get("grant_type", "")
        if grant != _GRANT:
            return _refused(400, "unsupported_grant_type", f"The grant {grant!r} is not {_GRANT}.")
        secret = form.get("client_secret") or _secret_of_header(request)
        if not secret:
            return _refused(400, "invalid_request", "There is no client_secret. Send a token of lakeui as such.")
        token = token_find(secret) if secret.isascii() else None
        if token is None or not account_is_open(token.user):
            return _refused(401, "invalid_client", "client_secret is no token of lakeui, or it expired or was revoked.")
        body = {
            "access_token": secret,
            "token_type": "bearer",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        }
        if token.expires_at is not None:
            body["expires_in"] = max(1, int((token.expires_at - timezone.now()).total_seconds()))
        return Response(body, headers=_NO_STORE)


def _secret_of_header(request: Request) -> str:
    scheme, _, encoded = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(encoded.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _refused(status: int, code: str, description: str) -> Response:
    return Response({"error": code, "error_description": description}, status=status, headers=_NO_STORE)
