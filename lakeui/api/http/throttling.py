"""How many requests a person may send in a minute, counted in Redis for all web processes together."""

from __future__ import annotations

import logging
import time
from math import ceil

from django.conf import settings
from django.core.cache import cache
from redis import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

logger = logging.getLogger(__name__)

WINDOW_SECONDS = 60


class PersonThrottle(BaseThrottle):
    """Counts each person's requests, whatever token or session they come with; where no sign-in is needed, those of an
    address. ``LAKEUI_REQUESTS_PER_MINUTE`` is the limit, 0 for none.
    """

    def __init__(self) -> None:
        self._limits: dict[str, str] = {}

    @property
    def headers(self) -> dict[str, str]:
        """What is left, as draft-ietf-httpapi-ratelimit-headers says it; none where nothing was counted."""
        return self._limits

    def allow_request(self, request: Request, view: APIView) -> bool:
        limit = int(settings.LAKEUI["REQUESTS_PER_MINUTE"])
        if limit == 0:
            return True
        who = f"person:{request.user.pk}" if request.user.is_authenticated else f"address:{self.get_ident(request)}"
        try:
            count = _count(f"requests:{who}:{int(time.time()) // WINDOW_SECONDS}")
            self._limits = {
                "RateLimit-Policy": f'"requests";q={limit};w={WINDOW_SECONDS}',
                "RateLimit": f'"requests";r={max(0, limit - count)};t={ceil(self.wait())}',
            }
            return count <= limit
        except RedisError as error:
            # A Redis that is away stops no tasks and no pages either.
            logger.warning("requests are not counted: %s", error)
            return True

    def wait(self) -> float:
        """Seconds until the next minute begins."""
        return WINDOW_SECONDS - time.time() % WINDOW_SECONDS


def _count(key: str) -> int:
    """How many there were in this window, this one included."""
    if cache.add(key, 1, 2 * WINDOW_SECONDS):
        return 1
    return cache.incr(key)
