"""The ends of tasks, published over Redis to whoever waits for them. A hint: whoever misses it asks a moment later."""

from __future__ import annotations

import time
from uuid import UUID

from redis.exceptions import RedisError

from lakeui.common.broker import redis_client

LOOK_SECONDS = 1.0
"""So long after an end that was not published it is found. Redis has to answer sooner than its client gives up."""
LOOK_WITHOUT_REDIS_SECONDS = 0.25
SHORTEST_SECONDS = 0.01
KEPT_SECONDS = 10


def end_publish(task_id: UUID) -> None:
    """The task has ended. Each of those that wait, and who begins to within some seconds, continues at once."""
    try:
        commands = redis_client().pipeline()
        commands.rpush(_key(task_id), 1)
        commands.expire(_key(task_id), KEPT_SECONDS)
        commands.execute()
    except RedisError:
        # Those that wait ask by themselves.
        return


def end_await(task_id: UUID, *, seconds: float) -> None:
    """Return when the task is said to have ended, and after ``seconds`` or somewhat sooner without that."""
    # Redis takes 0 as without end.
    seconds = min(max(seconds, SHORTEST_SECONDS), LOOK_SECONDS)
    try:
        # From the list into the same list: what one reads stays for the others.
        redis_client().brpoplpush(_key(task_id), _key(task_id), timeout=seconds)
    except RedisError:
        time.sleep(min(seconds, LOOK_WITHOUT_REDIS_SECONDS))


def _key(task_id: UUID) -> str:
    return f"lakeui:ended:{task_id}"
