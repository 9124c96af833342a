"""What a page of this site may load (Content Security Policy, level 3): files of its own, and nothing inline."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]


class ContentPolicyMiddleware:
    """Sends the policy with every response.

    ``request.style_nonce`` allows the style sheets that the SQL editor makes while it runs; scripts get no nonce.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        nonce = secrets.token_urlsafe(16)
        # Django's way to hand something from middleware to views; its request type knows no such attribute.
        request.style_nonce = nonce  # type: ignore[attr-defined]
        response = self._get_response(request)
        response.headers.setdefault(
            "Content-Security-Policy",
            f"default-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; object-src 'none'; "
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        )
        return response
