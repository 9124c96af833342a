"""Tests of a product of parameters: ``make test`` tries each pair of values, ``make soak`` the whole product.

``@pytest.mark.pairwise`` marks a test function. Of its items those stay that together hold each pair of values of two
parameters (NIST SP 800-142). The choice depends on nothing but the items and their order.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import pytest

from tests.support.soak import IS_SOAK

Pair = tuple[tuple[str, str], ...]


def pairwise_choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out of ``items`` what ``make test`` leaves to ``make soak``."""
    if IS_SOAK:
        return
    groups: defaultdict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("pairwise"):
            groups[item.nodeid.partition("[")[0]].append(item)
    chosen = {item for group in groups.values() for item in _cover(group)}
    left_out = [item for group in groups.values() for item in group if item not in chosen]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def _cover(items: list[pytest.Function]) -> list[pytest.Function]:
    """Items that hold each pair that all of them hold: each time the first that holds the most new ones."""
    pairs = {item: _pairs(item) for item in items}
    missing = set().union(*pairs.values())
    chosen = []
    while missing:
        best = max(items, key=lambda item: len(pairs[item] & missing))
        chosen.append(best)
        missing -= pairs[best]
    return chosen


def _pairs(item: pytest.Function) -> set[Pair]:
    """The pairs of this item's values, each value by its parameter's name and its text."""
    values = sorted((name, repr(value)) for name, value in item.callspec.params.items())
    return set(combinations(values, min(2, len(values))))
