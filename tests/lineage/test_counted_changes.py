"""Sums and sets over branches that merge each other in any order: a branch shows each change that it knows, once.

Each change adds another power of two, and another tag; so what a branch shows names the changes that it counts.
"""

from __future__ import annotations

from random import Random

import pytest

from lakeui.common.errors import MergeConflict
from tests.lineage.test_laws import DRAWN, services
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

__all__ = ["services"]
BRANCHES = ("main", "b1", "b2", "b3")
BY_COLUMN = "'merge.column.n' = 'sum', 'merge.column.tags' = 'union'"
TABLES = {
    "cells": f"(id INT, n BIGINT, tags ARRAY<STRING>) TBLPROPERTIES ('merge.conflicts' = 'cell', {BY_COLUMN})",
    "a key": f"(id INT PRIMARY KEY, n BIGINT, tags ARRAY<STRING>) TBLPROPERTIES ({BY_COLUMN})",
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("number", range(300 if IS_SOAK else 2))
def test_each_known_change_counts_once(services: None, number: int, table: str) -> None:
    rng, said = Random(f"{DRAWN} counted {table} {number}"), []
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(f"CREATE TABLE d.t {TABLES[table]}")
    lake.sql("INSERT INTO d.t VALUES (1, 0, array())")
    for name in BRANCHES[1:]:
        lake.sql(f"CREATE BRANCH {name}")
    known: dict[str, set[int]] = {name: set() for name in BRANCHES}
    for step in range(14):
        b = rng.choice(BRANCHES)
        if rng.random() < 0.4:
            # A row whose tags alone change is a change too.
            tags = ", ".join(f"'{change}'" for change in sorted({*known[b], step}))
            lake.sql(f"UPDATE d.t SET n = n + {1 << step}, tags = array({tags}) WHERE id = 1", b)
            known[b].add(step)
            said.append(f"{b}: {step}")
        else:
            source = rng.choice([name for name in BRANCHES if name != b])
            said.append(f"{b}: MERGE BRANCH {source}")
            try:
                lake.merge(source, b)
            except MergeConflict:
                # Images that were merged crosswise twice have no base: people decide.
                said[-1] += "  -- refused"
                continue
            known[b] |= known[source]
        ((_, n, tags),) = lake.rows("d.t", b)
        assert n == sum(1 << change for change in known[b]), said
        assert set(tags) == set(map(str, known[b])), said
        assert len(tags) == len(set(tags)), said
