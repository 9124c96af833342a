"""The merge by lineage answers as the reference model does, for every merge of random histories."""

import random

import pytest

from tests.lineage import model
from tests.lineage.oracle import Watch
from tests.soak import IS_SOAK

BLOCKS = 200 if IS_SOAK else 8
HISTORIES = 100 if IS_SOAK else 3


@pytest.mark.parametrize("block", range(BLOCKS))
def test_each_merge_of_random_histories_ends_as_in_the_model(block, monkeypatch):
    watch = Watch(random.Random(block))
    monkeypatch.setattr(model.Merge, "run", watch.run(model.Merge.run))
    for seed in range(block * HISTORIES, (block + 1) * HISTORIES):
        model.FILES.clear()
        model.Play(seed, quiet=True).run()
    assert watch.merges > 50 * HISTORIES
