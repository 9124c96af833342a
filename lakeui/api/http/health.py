"""``/livez`` (this process answers) and ``/readyz`` (every part that work needs answers); ``/healthz`` is ``/livez``.

Probes come by address: a middleware answers them before anything looks at the host, at a session or at a cookie.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from lakeui.common.broker import redis_client
from lakeui.runtime.spark_address import SPARK_SECONDS, PartMissing, spark_address
from merge_app.jobs.presence import workers_present

logger = logging.getLogger(__name__)


class Probes:
    """Middleware for the probes; it stands before whatever asks which host was meant."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe = _PROBES.get(request.path)
        if probe is None:
            return self._get_response(request)
        response = probe(request)
        response["X-Frame-Options"] = "DENY"
        return response


@never_cache
@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 if every part works, else 503; each part is named with ``ok`` or what is wrong with it."""
    checks = _CHECKS | ({"spark_queries": _spark_queries} if settings.LAKEUI["SPARK_QUERY_REMOTE"] else {})
    parts = {name: _state(name, check) for name, check in checks.items()}
    ready = all(state == "ok" for state in parts.values())
    return JsonResponse({"status": "ok" if ready else "unavailable", "parts": parts}, status=200 if ready else 503)


def _state(name: str, check: Callable[[], None]) -> str:
    try:
        check()
    except PartMissing as missing:
        return str(missing)
    except (DatabaseError, RedisError, OSError, ValueError) as error:
        logger.warning("%s is not ready: %s", name, error)
        return "does not answer"
    return "ok"


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _redis() -> None:
    redis_client().ping()


def _spark() -> None:
    _connect(settings.LAKEUI["SPARK_REMOTE"])


def _spark_queries() -> None:
    _connect(settings.LAKEUI["SPARK_QUERY_REMOTE"])


def _connect(remote: str) -> None:
    host, port = spark_address(remote)
    socket.create_connection((host, port), timeout=SPARK_SECONDS).close()


def _worker() -> None:
    if not workers_present():
        raise PartMissing("no worker was seen lately")


_PROBES: dict[str, Callable[[HttpRequest], HttpResponseBase]] = {"/livez": livez, "/healthz": livez, "/readyz": readyz}

_CHECKS: dict[str, Callable[[], None]] = {
    "database": _database,
    "redis": _redis,
    "spark": _spark,
    "worker": _worker,
}
