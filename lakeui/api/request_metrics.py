"""Requests counted and timed, over all processes of the web server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

NOWHERE = "none"
"""The route of requests that no address takes, static files among them."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


@dataclass(frozen=True, slots=True)
class Instruments:
    requests: Counter
    seconds: Histogram


@cache
def instruments() -> Instruments:
    """Made on first use, as they are files in the directory that all processes share."""
    Path(settings.LAKEUI["METRICS"]).mkdir(parents=True, exist_ok=True)
    own = CollectorRegistry()
    return Instruments(
        Counter("lakeui_http_requests", "Requests answered.", ["method", "route", "status"], registry=own),
        Histogram(
            "lakeui_http_request_seconds",
            "Time to the answer.",
            ["method", "route"],
            registry=own,
            buckets=SECONDS,
        ),
    )


def requests_registry() -> CollectorRegistry:
    """A registry of what all processes counted so far."""
    instruments()
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry


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
        measures.seconds.labels(method, route).observe(taken)
        return response
