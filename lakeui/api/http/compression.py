"""Answers compressed by gzip, where the client takes them (RFC 9110, 12.5.3)."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TEXTS = ("application/json", "application/problem+json", "application/vnd.oai.openapi", "text/html", "text/markdown")
SMALLEST = 1024
"""Bytes: below that, compressing takes longer than sending."""


class Compression(GZipMiddleware):
    """Middleware for answers of one piece, in JSON or HTML. Streams of rows and files have formats that compress
    themselves. The entity tag of a compressed answer is a weak one, which If-Match takes.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_text = response.headers.get("Content-Type", "").startswith(TEXTS)
        if response.streaming or not is_text or len(getattr(response, "content", b"")) < SMALLEST:
            return response
        return super().process_response(request, response)
