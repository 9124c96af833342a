"""Requests counted and timed, over all processes of the web server."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from lakeui.common.instruments import instruments

NOWHERE = "none"
"""The route of requests that no address takes, static files among them."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestMetrics:
    """Middleware. Labels are the route's pattern and known methods, so that no client can make up new series."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self._get_response(request)
        taken = time.perf_counter() - began
        route = request.resolver_match.route if request.resolver_match else NOWHERE
        method = request.method if request.method in METHODS else "other"
        measures = instruments()
        measures.requests.labels(method, route, response.status_code).inc()
        measures.request_seconds.labels(method, route).observe(taken)
        return response
