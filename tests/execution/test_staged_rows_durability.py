"""What a later commit makes visible does not wait for the disk; whatever is committed does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from catalog_app.services.files import addresses_allocate
from tests.benchmarks.history import write_once
from tests.benchmarks.metadata import Bench

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _durable_commits() -> Iterator[None]:
    """As on any server; the one of the tests is started without."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
    yield
    with connection.cursor() as cursor:
        cursor.execute("RESET synchronous_commit")


def _synchronous_commit() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        (shown,) = cursor.fetchone()
    return str(shown)


def test_a_write_waits_for_the_disk_once() -> None:
    bench = Bench(1)
    staged: list[list[str]] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if "synchronous_commit" in sql:
            staged.append(sql.split()[:3])
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        write_once(bench.catalog)
    assert staged == [["UPDATE", "catalog_app_table", "SET"], ["INSERT", "INTO", "catalog_app_datafile"]]
    assert _synchronous_commit() == "on"


def test_a_transaction_that_does_more_keeps_its_durability() -> None:
    bench = Bench(1)
    with transaction.atomic():
        addresses_allocate(bench.table_id, 10)
        assert _synchronous_commit() == "on"


def test_addresses_follow_each_other_either_way() -> None:
    bench = Bench(1)
    first = addresses_allocate(bench.table_id, 10)
    with transaction.atomic():
        second = addresses_allocate(bench.table_id, 5)
    assert (second, addresses_allocate(bench.table_id, 1)) == (first + 10, first + 15)
