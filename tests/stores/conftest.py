"""One object store, and one Spark server with the driver for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Embedded
from tests.support.lake import Lake
from tests.support.object_store import ObjectStore, spark_on


@pytest.fixture(scope="session")
def store(embedded: Embedded) -> Iterator[ObjectStore]:
    started = ObjectStore(embedded.home / "store")
    started.start()
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def store_spark(embedded: Embedded, store: ObjectStore) -> Iterator[str]:
    """Of its own: the server that other tests share has no driver. It comes with the module that asks for it."""
    server = spark_on(store, embedded.home / "store_spark")
    server.start()
    server.wait_until_ready()
    try:
        yield server.url
    finally:
        server.stop()


@pytest.fixture(scope="module")
def warehouse_in_store(open_database: None, store: ObjectStore, store_spark: str) -> Iterator[str]:
    """The settings name the store and its Spark for the tests of a module."""
    from django.conf import settings

    said: dict[str, Any] = {"WAREHOUSE": f"{store.bucket('lake')}/first", "STORE": store.options}
    said |= {"SPARK_REMOTE": store_spark, "SPARK_QUERY_REMOTE": ""}
    before = {name: settings.LAKEUI[name] for name in said}
    settings.LAKEUI.update(said)
    try:
        yield said["WAREHOUSE"]
    finally:
        settings.LAKEUI.update(before)


@pytest.fixture
def lake(warehouse_in_store: str) -> Iterator[Lake]:
    """A fresh lake with a database ``d``; its invariants are checked when the test is over."""
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    yield fresh
    assert fresh.breaches() == []
