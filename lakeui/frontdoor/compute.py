"""The process's one engine, made when first needed: the web and workers start without PySpark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings

from catalog_app.engine.engine import Engine
from catalog_app.engine.session import SparkSessions
from catalog_app.services.files import addresses_allocate
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.instruments import instruments
from merge_app.jobs.context import Context


def _sessions() -> SparkSessions:
    return _sessions_on(settings.LAKEUI["SPARK_REMOTE"])


@cache
def _sessions_on(remote: str) -> SparkSessions:
    return SparkSessions(remote, observe=_observe)


def _observe(outcome: str, seconds: float) -> None:
    instruments().spark_seconds.labels(outcome).observe(seconds)


def engine_make() -> Engine:
    """The engine on the warehouse and the Spark server of the settings."""
    return _engine_on(settings.LAKEUI["WAREHOUSE"], settings.LAKEUI["SPARK_REMOTE"])


@cache
def _engine_on(warehouse: str, remote: str) -> Engine:
    return Engine(_sessions_on(remote), Warehouse(warehouse), addresses_allocate)


def engine() -> Engine:
    """What every caller imports; ``engine_make`` is the one place where another engine can take its part."""
    return engine_make()


@contextmanager
def interruptible(context: Context) -> Iterator[None]:
    """Work on Spark that stops when its context is cancelled."""
    if context.key is None:
        yield
        return
    tag = f"work-{context.key}"
    context.on_cancel(lambda: _sessions().interrupt(tag))
    with _sessions().interruptible(tag):
        yield
