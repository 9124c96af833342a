"""The merge by lineage answers as the reference model does, for every merge of random histories."""

import random

import pytest

from tests.lineage.oracle import Watch
from tests.reference import lake
from tests.reference.history import History, Law
from tests.support.soak import IS_SOAK

BLOCKS = 200 if IS_SOAK else 8
HISTORIES = 100 if IS_SOAK else 3


class Tried(Law):
    """After every step two branches are merged, and the result is forgotten."""

    def stepped(self, history: History, b: str, rng: random.Random) -> None:
        history.lake.outcome(*rng.sample(history.names, 2))


@pytest.mark.parametrize("block", range(BLOCKS))
def test_each_merge_of_random_histories_ends_as_modelled(block, monkeypatch):
    watch = Watch(random.Random(block))
    monkeypatch.setattr(lake, "merge", watch.merge)
    for seed in range(block * HISTORIES, (block + 1) * HISTORIES):
        History(seed, law=Tried()).play()
    assert watch.merges > 40 * HISTORIES
