"""The Redis that carries notifications of workers, reached directly."""

from __future__ import annotations

from functools import cache

import redis
from django.conf import settings


def redis_client() -> redis.Redis:
    """A client of the broker's Redis; its connections are pooled, and no answer within two seconds is an error."""
    return _client(str(settings.CELERY_BROKER_URL))


@cache
def _client(url: str) -> redis.Redis:
    # Celery and redis-py spell a Unix socket differently.
    plain = url.replace("redis+socket://", "unix://", 1)
    return redis.Redis.from_url(plain, socket_timeout=2.0, socket_connect_timeout=2.0)
