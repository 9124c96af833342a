"""Merges that put rows of one file into several partitions: each part becomes a file, and rows keep their facts."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.rows import rows, run

RENAME = "ALTER TABLE d.t PARTITION (p = 'x') RENAME TO PARTITION (p = 'w')"
SHARED = "1ow 2ow 3Mw 7mx"


def parted_fill(lake: Lake) -> None:
    run(
        lake,
        "main",
        "CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)",
        "INSERT INTO d.t VALUES (1, 'o', 'x'), (2, 'o', 'x'), (3, 'o', 'x')",
        "CREATE BRANCH b",
        "INSERT INTO d.t VALUES (7, 'm', 'x')",
        "UPDATE d.t SET v = 'M' WHERE id = 3",
        "OPTIMIZE d.t",
    )
    run(lake, "b", RENAME)
    lake.merge("main", "b")
    assert rows(lake, "b") == SHARED


@pytest.fixture
def parted(begun: Begun) -> Lake:
    """Main holds 1, 2, 3, 7 in one file of partition x; on b, which renamed x to w before it knew 7, they are two."""
    return begun(parted_fill)


def test_each_part_is_a_file_of_its_own(parted: Lake) -> None:
    found = parted.sql("SHOW SEGMENTS d.t", "b")
    # b keeps its file of 1 and 2; of the file of main come 3, into w, and 7.
    assert len(found.rows) == 3
    assert [row[0] for row in parted.sql("SHOW PARTITIONS d.t", "b").rows] == ["p=w", "p=x"]
    assert parted.breaches() == []


def test_there_and_back_both_branches_are_the_same(parted: Lake) -> None:
    parted.merge("b")
    assert rows(parted) == rows(parted, "b") == SHARED
    parted.merge("main", "b")
    parted.merge("b")
    assert (rows(parted), rows(parted, "b")) == (SHARED, SHARED)


def test_unchanged_rows_stay_in_their_partition(parted: Lake) -> None:
    """The target's file holds 7, of which neither side has news, and rows that the source renamed."""
    run(parted, "main", "UPDATE d.t SET v = 'late' WHERE id = 2")
    parted.merge("b")
    assert rows(parted) == "1ow 2latew 3Mw 7mx"
    assert parted.breaches() == []
    parted.merge("main", "b")
    assert rows(parted, "b") == rows(parted)


@pytest.mark.parametrize("third", ["DELETE FROM d.t WHERE id = 1", "UPDATE d.t SET v = 'late' WHERE id = 1"])
def test_rewritten_rows_keep_who_decided_them(parted: Lake, third: str) -> None:
    """A branch that knows the rows as they are changes one: the changed row is news, the others are none."""
    parted.sql("CREATE BRANCH c FROM b")
    run(parted, "c", third)
    run(parted, "b", "DELETE FROM d.t WHERE id = 7")
    parted.merge("c", "b")
    assert rows(parted, "b") == ("2ow 3Mw" if "DELETE" in third else "1latew 2ow 3Mw")
    parted.merge("b")
    assert rows(parted) == rows(parted, "b")
    assert parted.breaches() == []


def test_rows_deleted_by_one_side_stay_deleted(parted: Lake) -> None:
    run(parted, "main", "DELETE FROM d.t WHERE id = 1")
    parted.merge("b")
    assert rows(parted) == "2ow 3Mw 7mx"
    parted.merge("main", "b")
    assert rows(parted, "b") == rows(parted)


def test_dry_run_counts_rows_of_parts(parted: Lake) -> None:
    run(parted, "main", "UPDATE d.t SET v = 'late' WHERE id = 2")
    dry = parted.sql("MERGE BRANCH b TO main DRY RUN").extra
    assert dry["mergeable"]
    made = parted.merge("b")
    assert made["fingerprint"] == dry["fingerprint"]
