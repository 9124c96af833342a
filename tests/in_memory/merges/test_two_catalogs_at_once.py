"""Merges between catalogs beside each other and beside commits, and merges that die on the way."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from catalog_app.models import Commit
from catalog_app.services import joins
from lakeui.common.errors import NotFound
from merge_app.execution import commit, merge
from tests.support.lake import Lake
from tests.support.two_catalogs import are_joined, breaches, catalog_of, made, take

SECONDS = 30.0


class Killed(BaseException):
    """In place of ``kill -9``: the connection ends, and with it the transaction."""


class Client:
    """What runs in a thread with a connection of its own."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._act()
        except BaseException as failure:  # noqa: BLE001
            # ``Killed`` is none of Exception, and a failed assertion has to reach the thread that calls ``end``.
            self.failure = failure
        finally:
            connection.close()

    @property
    def runs(self) -> bool:
        return self._thread.is_alive()

    def end(self) -> None:
        self._thread.join(SECONDS)
        assert not self.runs, "it waits"
        if self.failure is not None:
            raise self.failure


@contextmanager
def acting_at(monkeypatch: pytest.MonkeyPatch, point: str, act: Callable[[], Any]) -> Iterator[None]:
    """``act`` happens in each thread that comes to the point."""
    with monkeypatch.context() as patch:
        for module in (merge, joins, commit):
            patch.setattr(module, "fault_point", lambda name: act() if name == point else None)
        yield


class Stop:
    """The first thread that comes by waits until it is let go."""

    def __init__(self) -> None:
        self._came, self._goes = threading.Event(), threading.Event()
        self._first = threading.Lock()

    def __call__(self) -> None:
        if self._first.acquire(blocking=False):
            self._came.set()
            assert self._goes.wait(SECONDS)

    def reached(self) -> None:
        assert self._came.wait(SECONDS)

    def let_go(self) -> None:
        self._goes.set()


def waits_for_a_join(client: Client) -> None:
    """Until the client waits for an advisory lock."""
    deadline = time.monotonic() + SECONDS
    while client.runs and time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
            if cursor.fetchone()[0]:
                return
        # PostgreSQL sends no event when a lock is waited for, so its view is polled.
        time.sleep(0.01)
    raise AssertionError("it does not wait")


def versions_are_of_one_commit(*lakes: Lake) -> None:
    """After the newest join of these."""
    catalogs = [catalog_of(lake).pk for lake in lakes]
    joined = max(joins.CatalogJoin.objects.filter(catalog__in=catalogs).values_list("version", flat=True))
    made_then = Commit.objects.filter(catalog__in=catalogs, version__gt=joined).values_list("version", flat=True)
    assert [version for version, count in Counter(made_then).items() if count > 1] == []


def two_lakes(lake: Lake) -> tuple[Lake, Lake]:
    return made(lake, "a.x"), made(Lake())


@pytest.mark.parametrize(
    ("point", "is_joined"),
    [("merge.row_work", False), ("catalogs.joining", False), ("merge.joined", True), ("merge.committing", True)],
)
def test_the_next_merge_completes_one_that_dies(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, point: str, is_joined: bool
) -> None:
    one, other = two_lakes(lake)
    heads = one.head(), other.head()

    def die() -> None:
        raise Killed

    with acting_at(monkeypatch, point, die):
        client = Client(lambda: take(one, other))
        with pytest.raises(Killed):
            client.end()
    assert are_joined(one, other) is is_joined
    assert (one.head(), other.head()) == heads
    with pytest.raises(NotFound):
        one.rows("e.t")
    one.sql("UPDATE a.x SET v = 1 WHERE id = 1")
    other.sql("UPDATE e.t SET v = 1 WHERE id = 1")
    take(one, other)
    take(other, one)
    assert one.rows("e.t") == other.rows("e.t") == one.rows("a.x") == other.rows("a.x") == [(1, 1), (2, 0), (3, 0)]
    versions_are_of_one_commit(one, other)
    assert breaches(one, other) == []


def together(monkeypatch: pytest.MonkeyPatch, *merges: tuple[Lake, Lake]) -> None:
    """The merges, of targets and sources, after all of them are planned."""
    barrier, passed = threading.Barrier(len(merges)), threading.local()

    def once() -> None:
        if not getattr(passed, "is_passed", False):
            passed.is_passed = True
            barrier.wait(SECONDS)

    with acting_at(monkeypatch, "merge.planned", once):
        clients = [Client(lambda pair=pair: take(*pair)) for pair in merges]
        for client in clients:
            client.end()


def test_both_directions_at_once(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two_lakes(lake)
    together(monkeypatch, (one, other), (other, one))
    assert one.rows("e.t") == other.rows("e.t")
    assert one.rows("a.x") == other.rows("a.x")
    versions_are_of_one_commit(one, other)
    one.sql("DELETE FROM e.t WHERE id = 1")
    other.sql("DELETE FROM a.x WHERE id = 1")
    together(monkeypatch, (one, other), (other, one))
    assert one.rows("e.t") == other.rows("e.t") == one.rows("a.x") == other.rows("a.x") == [(2, 0), (3, 0)]
    heads = one.head(), other.head()
    take(one, other)
    take(other, one)
    assert (one.head(), other.head()) == heads
    assert breaches(one, other) == []


def test_one_direction_twice_at_once(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two_lakes(lake)
    head = one.head()
    together(monkeypatch, (one, other), (one, other))
    assert one.rows("e.t") == other.rows("e.t")
    assert Commit.objects.filter(catalog=catalog_of(one), version__gt=head).count() == 1
    assert breaches(one, other) == []


def test_a_circle_of_three_at_once(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two_lakes(lake)
    third = made(Lake(), "c.z")
    circle = (one, other), (other, third), (third, one)
    for _ in range(2):
        together(monkeypatch, *circle)
    for pair in circle:
        assert are_joined(*pair)
    versions_are_of_one_commit(one, other, third)
    for table in ("a.x", "e.t", "c.z"):
        assert one.rows(table) == other.rows(table) == third.rows(table) == [(1, 0), (2, 0), (3, 0)]
    assert breaches(one, other, third) == []


def test_a_join_waits_for_its_versions_commit(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two_lakes(lake)
    one.sql("CREATE BRANCH b")
    stop = Stop()
    with acting_at(monkeypatch, "write.committing", stop):
        writer = Client(lambda: one.sql("UPDATE a.x SET v = 1 WHERE id = 1", "b"))
        stop.reached()
        merger = Client(lambda: take(one, other))
        waits_for_a_join(merger)
        assert not are_joined(one, other)
        stop.let_go()
        writer.end()
        merger.end()
    assert one.head("b") < one.head()
    versions_are_of_one_commit(one, other)
    assert breaches(one, other) == []


def test_a_commit_waits_for_a_join(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its version would be one of its catalog alone."""
    one, other = two_lakes(lake)
    one.sql("CREATE BRANCH b")
    stop = Stop()
    with acting_at(monkeypatch, "catalogs.joining", stop):
        merger = Client(lambda: take(one, other))
        stop.reached()
        writers = [
            Client(lambda: one.sql("UPDATE a.x SET v = 1 WHERE id = 1", "b")),
            Client(lambda: other.sql("UPDATE e.t SET v = 1 WHERE id = 1")),
        ]
        for writer in writers:
            waits_for_a_join(writer)
        stop.let_go()
        for client in (merger, *writers):
            client.end()
    versions_are_of_one_commit(one, other)
    take(other, one, "b")
    take(one, other)
    assert one.rows("a.x") == other.rows("a.x") == one.rows("e.t") == [(1, 1), (2, 0), (3, 0)]
    assert breaches(one, other) == []
