"""INSERT OVERWRITE .. PARTITION with values of some partition columns: all partitions that have them are replaced."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import LakeError
from lakeui.frontdoor import Session, execute
from lakeui.sql.parameters import Parameters
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def parted_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, x INT, y STRING) PARTITIONED BY (x, y)")
    lake.sql("INSERT INTO d.t VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a'), (4, NULL, 'a')")


@pytest.fixture
def parted(begun: Begun) -> Lake:
    return begun(parted_fill)


def rows(lake: Lake, branch: str = "main") -> list[tuple[Any, ...]]:
    return [tuple(row) for row in lake.sql("SELECT id, x, y FROM d.t ORDER BY id", branch).rows]


OTHERS = [(3, 2, "a"), (4, None, "a")]


@pytest.mark.parametrize("partition", ["x = 1, y", "x = 1", "X = 1"])
def test_all_partitions_with_the_value_are_replaced(parted: Lake, partition: str) -> None:
    parted.sql(f"INSERT OVERWRITE d.t PARTITION ({partition}) VALUES (11, 'b'), (12, 'c')")
    assert rows(parted) == [*OTHERS, (11, 1, "b"), (12, 1, "c")]


def test_a_later_columns_value_and_null_are_values(parted: Lake) -> None:
    parted.sql("INSERT OVERWRITE d.t PARTITION (x, y = 'a') VALUES (11, 5)")
    assert rows(parted) == [(2, 1, "b"), (11, 5, "a")]
    parted.sql("INSERT OVERWRITE d.t PARTITION (x = NULL) VALUES (12, 'n')")
    assert rows(parted) == [(2, 1, "b"), (11, 5, "a"), (12, None, "n")]


def test_without_a_new_row_the_partitions_are_empty(parted: Lake) -> None:
    parted.sql("INSERT OVERWRITE d.t PARTITION (x = 1) SELECT id, y FROM d.t WHERE id > 9")
    assert rows(parted) == OTHERS
    head = parted.head()
    parted.sql("INSERT OVERWRITE d.t PARTITION (x = 1) SELECT id, y FROM d.t WHERE id > 9")
    assert parted.head() == head


def test_dynamic_mode_replaces_only_partitions_with_new_rows(parted: Lake) -> None:
    session = Session(catalog=parted.catalog, branch="main", parameters=Parameters(overwrites_dynamically=True))
    execute("INSERT OVERWRITE d.t PARTITION (x = 1) VALUES (11, 'b')", session)
    assert rows(parted) == [(1, 1, "a"), *OTHERS, (11, 1, "b")]


def test_a_dry_run_counts_what_the_overwrite_does(parted: Lake) -> None:
    statement = "INSERT OVERWRITE d.t PARTITION (x = 1) VALUES (11, 'b')"
    counted = parted.sql(f"{statement} DRY RUN").metrics
    assert len(rows(parted)) == 4
    done = parted.sql(statement).metrics
    assert counted == done
    assert (done["rows_inserted"], done["files_removed"]) == (1, 2)


def test_a_merge_applies_overwrites_to_their_partitions_rows(parted: Lake) -> None:
    parted.sql("CREATE BRANCH b")
    parted.sql("INSERT OVERWRITE d.t PARTITION (x = 1) VALUES (11, 'b')", "b")
    parted.sql("INSERT INTO d.t VALUES (7, 1, 'a'), (8, 2, 'a')")
    parted.merge("b")
    assert rows(parted) == [(3, 2, "a"), (4, None, "a"), (8, 2, "a"), (11, 1, "b")]


def test_a_name_of_no_partition_column_is_refused(parted: Lake) -> None:
    with pytest.raises(LakeError, match="names z, which is no partition column"):
        parted.sql("INSERT OVERWRITE d.t PARTITION (x = 1, z = 2) VALUES (1, 'a')")
