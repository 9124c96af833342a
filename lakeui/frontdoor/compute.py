"""The process's engines, made when first needed: the web and workers start without PySpark.

There are two where two Spark servers are set: one for writes and merges, one for what people ask. So a query that ends
its server takes no write down.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache, partial

from django.conf import settings

from catalog_app.engine.engine import Engine
from catalog_app.engine.session import QUERY_CONFIGURATION, SparkSessions
from catalog_app.services.files import addresses_allocate, addresses_release, identity_numbers_allocate
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.instruments import instruments
from merge_app.jobs.context import Context

_is_reading: ContextVar[bool] = ContextVar("is_reading", default=False)


@contextmanager
def reading() -> Iterator[None]:
    """What runs inside only reads: it uses the Spark server of queries. All else uses the one of writes."""
    before = _is_reading.set(True)
    try:
        yield
    finally:
        _is_reading.reset(before)


def spark_remote() -> str:
    """The address of the Spark server for what runs here; one serves both where no other is set."""
    remote: str = settings.LAKEUI["SPARK_REMOTE"]
    return (settings.LAKEUI["SPARK_QUERY_REMOTE"] or remote) if _is_reading.get() else remote


@cache
def _sessions_on(remote: str) -> SparkSessions:
    return SparkSessions(remote, observe=_observe)


@cache
def _queries_on(remote: str) -> SparkSessions:
    return SparkSessions(remote, configuration=QUERY_CONFIGURATION, observe=_observe)


def _observe(outcome: str, seconds: float) -> None:
    instruments().spark_seconds.labels(outcome).observe(seconds)


def engine_make() -> Engine:
    """The engine on the warehouse and the Spark server of the settings."""
    return _engine_on(settings.LAKEUI["WAREHOUSE"], spark_remote())


@cache
def _engine_on(warehouse: str, remote: str) -> Engine:
    return Engine(
        _sessions_on(remote),
        Warehouse(warehouse),
        addresses_allocate,
        identity_numbers_allocate,
        release=addresses_release,
        queries=_queries_on(remote),
    )


def engine() -> Engine:
    """What every caller imports; ``engine_make`` is the one place where another engine can take its part."""
    return engine_make()


@contextmanager
def interruptible(context: Context) -> Iterator[None]:
    """Work on Spark that stops when its context is cancelled."""
    if context.key is None:
        yield
        return
    tag, remote = f"work-{context.key}", spark_remote()
    with ExitStack() as stack:
        for sessions in (_sessions_on(remote), _queries_on(remote)):
            context.on_cancel(partial(sessions.interrupt, tag))
            stack.enter_context(sessions.interruptible(tag))
        yield
