"""A writer frees its branch before the disk has the commit, and answers only when the disk has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from merge_app.execution.commit import early_lock_release
from tests.benchmarks.history import write_once
from tests.benchmarks.metadata import Bench

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _durable_commits() -> Iterator[None]:
    """As on any server; the one of the tests is started without."""
    _ask("SET synchronous_commit = on")
    yield
    _ask("RESET synchronous_commit")


@pytest.fixture
def observer() -> Iterator[Any]:
    """A connection of somebody else."""
    other = connections.create_connection(DEFAULT_DB_ALIAS)
    yield other
    other.close()


def _ask(query: str, asked: Any = connection) -> Any:
    with asked.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0] if cursor.description else None


def test_the_branch_is_free_before_the_disk_answers(observer: Any) -> None:
    bench = Bench(1)
    branch = bench.branch("main")
    seen: list[int] = []

    def look(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if "pg_logical_emit_message" in sql:
            query = f"SELECT head_version FROM catalog_app_branch WHERE id = {branch.pk} FOR UPDATE NOWAIT"
            seen.append(_ask(query, observer))
        return execute(sql, *rest)

    with connection.execute_wrapper(look):
        write_once(bench.catalog)
    branch.refresh_from_db()
    assert seen == [branch.head_version]


def test_what_returned_is_on_disk(observer: Any) -> None:
    """Many times: PostgreSQL writes late commits behind one's back, some fifth of a second after each."""
    bench = Bench(1)
    logged: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if "pg_logical_emit_message" in sql:
            logged.append(_ask("SELECT pg_current_wal_insert_lsn()", observer))
        return execute(sql, *rest)

    for _ in range(10):
        with connection.execute_wrapper(note):
            write_once(bench.catalog)
        assert _ask(f"SELECT pg_current_wal_flush_lsn() >= '{logged[-1]}'::pg_lsn", observer)
    assert len(logged) == 10


def test_a_transaction_around_it_keeps_its_durability() -> None:
    with transaction.atomic():
        with early_lock_release():
            assert _ask("SHOW synchronous_commit") == "on"
        assert _ask("SHOW synchronous_commit") == "on"


def test_nothing_of_it_outlives_it() -> None:
    def fail() -> None:
        with early_lock_release():
            assert _ask("SHOW synchronous_commit") == "off"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert _ask("SHOW synchronous_commit") == "on"
