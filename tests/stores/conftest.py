"""One object store, and one Spark server with the driver for it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Embedded
from tests.support.lake import Lake
from tests.support.object_store import ObjectStore, store_of_spark
from tests.support.servers import small_spark


@pytest.fixture(scope="session")
def store(embedded: Embedded) -> Iterator[ObjectStore]:
    given = ObjectStore.given()
    if given is not None:
        yield given
        return
    started = ObjectStore(embedded.home / "store")
    started.start()
    started.wait_until_ready()
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def store_spark(embedded: Embedded, store: ObjectStore) -> Iterator[str]:
    """The server that other tests share has the driver where ``python -m tests`` started both."""
    if ObjectStore.given() is not None:
        yield os.environ["SPARK_REMOTE"]
        return
    server = small_spark(embedded.home / "store_spark", store_of_spark(store))
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

    said: dict[str, Any] = {
        "WAREHOUSE": f"{store.bucket(f'lake-{uuid.uuid4().hex[:12]}')}/first",
        "STORE": store.options,
    }
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
