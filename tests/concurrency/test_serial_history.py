"""Sixteen clients create, change, merge, restore and drop at once: their history has a serial explanation.

``LAKEUI_SOAK=1`` runs for a minute, else for some seconds.
"""

from __future__ import annotations

import time
from collections import Counter

from catalog_app.models import Catalog
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import catalog_get
from merge_app.review.verification import audit_verify
from tests.concurrency.clients import Client, Event
from tests.concurrency.replayed import Replayed
from tests.concurrency.serial import Serial
from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine
from tests.support.soak import IS_SOAK

CLIENTS = 16
BRANCHES = ("b", "c")
SECONDS = 60 if IS_SOAK else 8
Rows = dict[str, list[tuple[int, int]]]
"""By branch."""


def test_a_concurrent_history_has_a_serial_explanation(database: None, memory_engine: MemoryEngine) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id int, n int)")
    first_version = lake.head()
    branches = ["main", *BRANCHES]
    for branch in BRANCHES:
        lake.sql(f"CREATE BRANCH {branch}")
    events = run_clients(lake.catalog, branches)
    assert_no_duplicates(lake.catalog, events)
    shown = {branch: sorted(lake.rows("d.t", branch)) for branch in branches}
    if not _are_explained_by_model(shown, first_version, events):
        # Of rows that several branches deleted and restored lakeui remembers less than the model. Whether calls met
        # without a serial order is then for the same calls to say, one after the other.
        _assert_replayed(shown, first_version, events)
    assert lake.breaches() == []
    assert audit_verify(_catalog(lake)) == []
    _assert_worth_it(events)


def run_clients(catalog: str, branches: list[str]) -> list[Event]:
    """Everything that all clients saw. Fails with the first error that no client has to expect."""
    deadline = time.monotonic() + SECONDS
    clients = [Client(number, catalog, branches, deadline) for number in range(1, CLIENTS + 1)]
    for client in clients:
        client.thread.start()
    for client in clients:
        client.thread.join()
    for client in clients:
        for failure in client.failures:
            raise failure
    return [event for client in clients for event in client.events]


def assert_no_duplicates(catalog: str, events: list[Event]) -> None:
    """No version was given to two calls, and every commit of the catalog belongs to one."""
    reported = [event.version for event in events if event.version is not None]
    assert [version for version, count in Counter(reported).items() if count > 1] == []
    query = """SELECT c.version FROM catalog_app_commit c JOIN catalog_app_catalog k ON k.id = c.catalog_id
        WHERE k.name = %(catalog)s AND c.operation NOT IN ('CREATE DATABASE', 'CREATE TABLE')"""
    assert sorted(row[0] for row in fetch_all(query, {"catalog": catalog})) == sorted(reported)


def _are_explained_by_model(shown: Rows, first_version: int, events: list[Event]) -> bool:
    explanation = Serial(first_version, BRANCHES)
    try:
        explanation.replay(events)
    except AssertionError:
        return False
    return all(rows == explanation.rows(branch) for branch, rows in shown.items())


def _assert_replayed(shown: Rows, first_version: int, events: list[Event]) -> None:
    replayed = Replayed(first_version, BRANCHES)
    replayed.replay(events)
    for branch, found in shown.items():
        wanted = replayed.rows(branch)
        assert found == wanted, _history(branch, {row[0] for row in {*found} ^ {*wanted}}, events)


def _history(branch: str, ids: set[int], events: list[Event]) -> str:
    """What happened to these rows of the branch, and between branches, in the order of versions."""
    shown = [
        f"{event.version or event.details.get('fork')} {event.kind} {event.branch} {event.details}"
        for event in sorted(events, key=lambda event: (event.version or event.details.get("fork") or 0, event.ended))
        if not event.code and event.details.get("id", next(iter(ids))) in ids
    ]
    return "\n".join([f"{branch} differs in {sorted(ids)}", *shown])


def _assert_worth_it(events: list[Event]) -> None:
    """The clients did meet: things happened at once, and some were refused."""
    done = Counter(event.kind for event in events if event.version is not None)
    assert all(done[kind] for kind in ("insert", "count", "delete", "merge", "restore")), done
    assert any(event.code == "MERGE_CONFLICT" for event in events)


def _catalog(lake: Lake) -> Catalog:
    return catalog_get(lake.catalog)
