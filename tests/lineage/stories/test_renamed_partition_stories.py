"""Renamed partitions, merged by lineage (§4, R12)."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake
from tests.lineage.stories.shared import stories_of
from tests.stateful import test_renamed_partition_stories as replays
from tests.stateful.test_renamed_partition_stories import RENAME

globals().update(
    stories_of(
        replays,
        changed=("test_a_rename_goes_with_the_rows_when_a_merge_overwrites_the_table",),
    )
)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ("INSERT OVERWRITE d.p VALUES (7, 1)", [(7, 1)]),
        ("RESTORE TABLE d.p TO VERSION AS OF {before}", [(1, 7), (2, 7), (3, 7), (4, 2)]),
    ],
    ids=["overwritten", "restored"],
)
def test_a_rename_takes_rows_that_it_does_not_know_along_beside_a_merged_overwrite(
    parts: Lake, change: str, left: list[tuple[int, int]]
) -> None:
    """A rename is a scope (lineage §4, R12). The rows of an overwrite stay where it wrote them, since the side of the
    rename knows them. A restore is its changes (§1): it leaves the partition of other rows alone.
    """
    before = parts.head("b")
    parts.sql("INSERT INTO d.p VALUES (5, 1)")
    parts.merge("main", "b")
    parts.sql(change.format(before=before), "b")
    parts.merge("b", "c")
    parts.sql(RENAME)
    parts.merge("c", "main")
    assert parts.rows("d.p") == left
    parts.sql("INSERT INTO d.p VALUES (8, 1)", "b")
    for source, destination in (("main", "b"), ("b", "main"), ("main", "c")):
        parts.merge(source, destination)
        assert parts.rows("d.p", destination) == [*left, (8, 7)]
