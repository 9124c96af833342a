"""Merge-on-read and copy-on-write: other files, the same rows, row ids, merges and row diffs (rows §2)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.lake import Lake, OwnBranch
from tests.support.rows import (
    MODES,
    OPTIMIZE,
    delete,
    properties,
    remove,
    row_ids,
    rows,
    run,
    set_v,
    three_files_create,
    upsert,
)
from tests.support.soak import IS_SOAK

REFUSED = [
    ([upsert("B", 1)], [remove(2)], "SAME_FILE_UPDATE_DELETE"),
    ([upsert("B", 1)], [upsert("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
    ([upsert("B", 1), OPTIMIZE], [OPTIMIZE, set_v("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
    ([set_v("B", 1)], [OPTIMIZE, upsert("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
    ([upsert("B", 1)], ["INSERT INTO d.t VALUES (9, 'm')"], "PREDICATE_DML_VS_INSERT"),
]
"""What the source did, what the target did, and the code of the conflict."""
MERGED = [
    ([upsert("B", 1)], [remove(3)], "1B 2o 4o 5o 6o"),
    ([upsert("B", 1, 7)], [upsert("M", 3)], "1B 2o 3M 4o 5o 6o 7B"),
    ([remove(1, 2, 5)], [upsert("M", 2, 3)], "2M 3M 4o 6o"),
    ([remove(1)], [remove(1, 2), OPTIMIZE], "3o 4o 5o 6o"),
    ([upsert("B", 1), upsert("C", 1, 2)], [OPTIMIZE], "1C 2C 3o 4o 5o 6o"),
    ([remove(1), upsert("B", 2, 3), OPTIMIZE], [delete(5)], "2B 3B 4o 6o"),
]
"""What the source did, what the target did, and the rows of both after merges there and back."""


@pytest.fixture(scope="module", params=MODES)
def shared(services: None, request: pytest.FixtureRequest) -> Iterator[Lake]:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    yield three_files_create(lake, request.param)
    assert lake.breaches() == []


@pytest.fixture
def three_files(shared: Lake) -> Lake:
    return OwnBranch(shared)


def is_copy_on_write(lake: Lake) -> bool:
    return any("copy-on-write" in str(row) for row in lake.sql("DESCRIBE TABLE EXTENDED d.t").rows)


def test_row_ids_survive_and_row_diffs_are_exact(three_files: Lake) -> None:
    before, version = row_ids(three_files, three_files.main), three_files.head()
    result = three_files.sql(upsert("U", 2, 3, 9))
    assert rows(three_files) == "1o 2U 3U 4o 5o 6o 9U"
    after = row_ids(three_files, three_files.main)
    assert before.items() <= after.items()
    changes = three_files.sql(f"SHOW CHANGES d.t FROM VERSION {version} TO VERSION {result.version}").rows
    assert sorted((row[0], row[2], row[3]) for row in changes) == [
        ("insert", 9, "U"),
        ("update_after", 2, "U"),
        ("update_after", 3, "U"),
        ("update_before", 2, "o"),
        ("update_before", 3, "o"),
    ]


def test_untouched_files_stay_and_old_versions_stay_readable(three_files: Lake) -> None:
    version = three_files.head()
    result = three_files.sql(upsert("U", 2, 3))
    segments = three_files.sql("SHOW SEGMENTS d.t").rows
    metrics = result.metrics
    assert metrics["files_reused"] + metrics["files_removed"] == 3
    assert metrics["files_scanned"] == 2
    if is_copy_on_write(three_files):
        assert (metrics["files_rewritten"], metrics["rows_copied"], metrics["files_added"]) == (2, 2, 2)
        assert len(segments) == 3
    else:
        assert (metrics["files_rewritten"], metrics["rows_copied"], metrics["files_added"]) == (0, 0, 1)
        assert len(segments) == 4
    assert three_files.rows(f"d.t VERSION AS OF {version}") == [(number, "o") for number in range(1, 7)]


def test_copies_keep_the_order_of_the_rows(three_files: Lake) -> None:
    three_files.sql("INSERT OVERWRITE d.t SELECT id, 'o' FROM range(0, 1000, 1, 1) t(id)")
    three_files.sql(upsert("U", 500, 3, 999))
    found = [row[0] for row in three_files.sql("SELECT id FROM d.t").rows]
    if is_copy_on_write(three_files):
        assert found == list(range(1000))
    assert sorted(found) == list(range(1000))


def test_update_and_delete_follow_the_mode_too(three_files: Lake) -> None:
    before = row_ids(three_files, three_files.main)
    run(three_files, "main", set_v("U", 1), delete(4))
    assert rows(three_files) == "1U 2o 3o 5o 6o"
    assert row_ids(three_files, three_files.main) == {number: before[number] for number in (1, 2, 3, 5, 6)}
    assert len(three_files.sql("SHOW SEGMENTS d.t").rows) == (3 if is_copy_on_write(three_files) else 4)


def test_branches_of_rewritten_files_merge_like_others(lake: Lake) -> None:
    """Each case has two branches of its own. ``tests/stories/merge_into.toml`` has them merge-on-read."""
    three_files_create(lake, MODES[1])
    before = row_ids(lake)
    refused, merged = (REFUSED, MERGED) if IS_SOAK else (REFUSED[2:3], MERGED[1::2])
    for number, (source, destination, expected) in enumerate([*refused, *merged]):
        ours, theirs = f"s{number}", f"d{number}"
        for branch, statements in ((ours, source), (theirs, destination)):
            lake.sql(f"CREATE BRANCH {branch}")
            run(lake, branch, *statements)
        if number < len(refused):
            assert expected in lake.codes(ours, theirs), (source, destination)
            continue
        lake.merge(ours, theirs)
        assert rows(lake, theirs) == expected, (source, destination)
        after = row_ids(lake, theirs)
        assert {number: after[number] for number in after if number in before}.items() <= before.items()
        lake.merge(theirs, ours)
        assert rows(lake, ours) == expected, (source, destination)


def test_rewritten_rows_new_on_branch_survive_overwrite(lake: Lake) -> None:
    three_files_create(lake, MODES[1])
    run(lake, "b", upsert("B", 3, 7, 8, 9), remove(4, 8), upsert("C", 3, 7, 9))
    run(lake, "main", upsert("M", 1), "INSERT OVERWRITE d.t VALUES (0, 'over')")
    result = lake.merge("b")
    assert rows(lake) == "0over 7C 9C"
    assert {"DISCARDED_UPDATE", "DISCARDED_DELETE"} <= {note["code"] for note in result["notes"]}


def test_row_moved_to_another_partition_keeps_its_id(lake: Lake) -> None:
    lake.sql(f"CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ({properties(MODES[1])})")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'b')")
    before = row_ids(lake)
    result = lake.sql(upsert("b", 1, 3).replace("(id, v)", "(id, p)"))
    assert lake.rows("d.t") == [(1, "b"), (2, "a"), (3, "b"), (4, "b")]
    assert row_ids(lake) == before
    assert result.metrics["files_rewritten"] == 1
