"""The calls of the concurrent history one after the other: what fails here needs no race, and its seed fails again."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.concurrency.clients import Client
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
