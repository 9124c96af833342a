"""Branches that compact and merge in turn. Other repeated merges are stories: tests/stories/repeated_merges.toml."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.rows import rows, run


def two_partitions_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o', 'x'), (2, 'o', 'x'), (5, 'o', 'y'), (6, 'o', 'y')")
    lake.sql("INSERT INTO d.t VALUES (3, 'o', 'x'), (4, 'o', 'x')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two_partitions(begun: Begun) -> Lake:
    """Table d.t with rows 1, 2 and 3, 4 in two files of partition x, 5, 6 in one of y, and branch b."""
    return begun(two_partitions_fill)


def test_branches_compacting_and_merging_in_turn_stay_equal(two_partitions: Lake) -> None:
    for turn in range(1, 4):
        run(two_partitions, "b", f"UPDATE d.t SET v = 'b{turn}' WHERE id = 1", "OPTIMIZE d.t")
        run(two_partitions, "main", f"INSERT INTO d.t SELECT 1{turn}, 'm', 'x' WHERE false", "OPTIMIZE d.t")
        two_partitions.merge("b")
        two_partitions.merge("main", "b")
        assert rows(two_partitions) == rows(two_partitions, "b") == f"1b{turn}x 2ox 3ox 4ox 5oy 6oy"
        run(two_partitions, "main", f"UPDATE d.t SET v = 'm{turn}' WHERE id = 5", "OPTIMIZE d.t")
        run(two_partitions, "b", f"DELETE FROM d.t WHERE id = 1{turn}", "OPTIMIZE d.t")
        two_partitions.merge("main", "b")
        two_partitions.merge("b")
        assert rows(two_partitions) == rows(two_partitions, "b") == f"1b{turn}x 2ox 3ox 4ox 5m{turn}y 6oy"
        run(two_partitions, "main", "UPDATE d.t SET v = 'o' WHERE id = 5")
        two_partitions.merge("main", "b")
