"""Which workers are there: a sorted set in Redis of names by when they were last seen."""

from __future__ import annotations

import time
from typing import cast

from lakeui.common.broker import redis_client

_KEY = "lakeui:workers"
PRESENT_SECONDS = 20.0


def worker_seen(name: str) -> None:
    """This worker lives, and reaches database and broker."""
    now = time.time()
    client = redis_client()
    client.zadd(_KEY, {name: now})
    client.zremrangebyscore(_KEY, "-inf", now - PRESENT_SECONDS)


def workers_present() -> list[str]:
    """The names of the workers seen lately. Raises RedisError."""
    names = redis_client().zrangebyscore(_KEY, time.time() - PRESENT_SECONDS, "+inf")
    return [str(name, "utf-8") for name in cast(list[bytes], names)]
