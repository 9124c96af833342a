"""The calls of the concurrent history one after the other: what fails here needs no race, and its seed fails again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.concurrency.clients import Client, Event
from tests.concurrency.replayed import Replayed
from tests.concurrency.serial import Serial
from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine
from tests.support.soak import IS_SOAK

SEEDS = range(30) if IS_SOAK else (33,)
CALLS = 120


def _calls(client: Client) -> list[Callable[[], None]]:
    return [
        *[client._insert] * 5,
        *[client._count_up] * 4,
        *[client._delete] * 2,
        *[client._merge] * 4,
        *[client._restore] * 2,
        client._create_branch,
        client._drop_branch,
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_branch_shows_what_the_model_shows(database: None, memory_engine: MemoryEngine, seed: int) -> None:
    rng, lake, branches = random.Random(seed), Lake(), ["main", "b", "c"]
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id int, n int)")
    explanation = Serial(lake.head(), branches[1:])
    for branch in branches[1:]:
        lake.sql(f"CREATE BRANCH {branch}")
    clients = [Client(number, lake.catalog, branches, 0) for number in range(1, rng.choice([2, 4, 8]))]
    for number, client in enumerate(clients):
        client._random = random.Random(f"{seed} {number}")
    calls = [_calls(client) for client in clients]
    for _ in range(CALLS):
        rng.choice(rng.choice(calls))()
    events = sorted((event for client in clients for event in client.events), key=lambda event: event.began)
    explanation.replay(events)
    for branch in branches:
        assert sorted(lake.rows("d.t", branch)) == explanation.rows(branch), branch
    assert explanation.explained
    assert lake.breaches() == []


COUNT = "UPDATE d.t SET n = n + 1 WHERE id = 1"


class Recorded:
    """A lake with branch b, and the calls that were made on it."""

    def __init__(self) -> None:
        self.lake = Lake()
        self.lake.sql("CREATE DATABASE d")
        self.lake.sql("CREATE TABLE d.t (id int, n int)")
        self.first_version = self.lake.head()
        self.lake.sql("CREATE BRANCH b")
        self._client = Client(1, self.lake.catalog, ["main", "b"], 0)

    @property
    def events(self) -> list[Event]:
        return self._client.events

    def insert(self, branch: str) -> int:
        return self._call("insert", branch, "INSERT INTO d.t VALUES (1, 0)", id=1)

    def count(self, branch: str) -> int:
        return self._call("count", branch, COUNT, id=1)

    def delete(self, branch: str) -> int:
        return self._call("delete", branch, "DELETE FROM d.t WHERE id = 1", id=1)

    def restore(self, branch: str, version: int) -> int:
        return self._call("restore", branch, f"RESTORE TABLE d.t TO VERSION AS OF {version}", to=version)

    def merge(self, source: str, target: str) -> int:
        return self._call("merge", target, f"MERGE BRANCH {source} TO {target}", source=source)

    def _call(self, kind: str, branch: str, text: str, **details: Any) -> int:
        self._client._call(kind, branch, text, **details)
        return self.lake.head(branch)


def test_counting_to_a_number_again_is_a_change(database: None, memory_engine: MemoryEngine) -> None:
    """Lineage §1: without a key the value of a row is where its image lies. So P7 does not speak for main."""
    recorded = Recorded()
    then = recorded.insert("main")
    recorded.count("main")
    recorded.merge("main", "b")
    recorded.restore("main", then)
    recorded.delete("b")
    recorded.count("main")
    recorded.merge("b", "main")
    explanation = Serial(recorded.first_version, ["b"])
    explanation.replay(recorded.events)
    assert recorded.lake.rows("d.t") == explanation.rows("main") == [(1, 1)]


def test_replayed_calls_find_a_lost_write(database: None, memory_engine: MemoryEngine) -> None:
    recorded = Recorded()
    recorded.insert("main")
    then = recorded.merge("main", "b")
    recorded.count("b")
    recorded.merge("b", "main")
    recorded.restore("b", then)
    recorded.merge("b", "main")
    recorded.count("main")
    assert recorded.lake.rows("d.t") == [(1, 1)]
    assert _are_explained(recorded, recorded.events)
    for lost in (event for event in recorded.events if event.branch == "main" and event.kind != "merge"):
        assert not _are_explained(recorded, [event for event in recorded.events if event is not lost]), lost


def _are_explained(recorded: Recorded, events: list[Event]) -> bool:
    """Whether these calls, one after the other, leave what the lake shows."""
    replayed = Replayed(recorded.first_version, ["b"])
    try:
        replayed.replay(events)
    except AssertionError:
        return False
    return all(replayed.rows(branch) == recorded.lake.rows("d.t", branch) for branch in ("main", "b"))
