"""Merges by lineage on files that Spark made from files: a compaction changes no verdict and no row (law 9)."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

from catalog_app.domain.files import FACT_FIELDS, FACT_KINDS, FileScan
from catalog_app.models import DataFile
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import table_scan
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.frontdoor.compute import engine
from tests.support.lake import Lake
from tests.support.rows import MODES, OPTIMIZE, delete, row_ids, rows, run, set_v, three_files_create

INSERT, UPDATE, RESTORE = (FACT_KINDS.index(kind) for kind in ("insert", "update", "restore"))


def files(lake: Lake, branch: str = "main") -> list[FileScan]:
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), branch))
    return list(table_scan(snapshot, table_get(snapshot, database_get(snapshot, "d"), "t")).files)


def facts(lake: Lake, branch: str = "main") -> dict[int, tuple[int, int, int]]:
    """By ``id``: stamp, kind, and stamp that a restore restored, as the files store them."""
    names = {row_id: number for number, row_id in row_ids(lake, branch).items()}
    found = {}
    for file in files(lake, branch):
        ids, stored = engine().file_rows(file)
        for at in range(file.rows):
            if stored is not None and int(ids[at]) in names:
                found[names[int(ids[at])]] = (int(stored.stamp[at]), int(stored.kind[at]), int(stored.prior[at]))
    return found


def test_a_compacted_file_stores_who_decided_each_row(lake: Lake) -> None:
    three_files_create(lake)
    first = lake.head() - 2
    updated = lake.sql(set_v("u", 3)).version
    lake.sql(delete(6))
    lake.sql(OPTIMIZE)
    (file,) = files(lake)
    with pq.ParquetFile(engine()._warehouse.absolute(file.path)) as stored:
        ids = {field.name: int(field.metadata[b"PARQUET:field_id"]) for field in stored.schema_arrow}
    assert ids == {"id": 1, "v": 2, "_row_id": 2147483540, **FACT_FIELDS}
    expected = {
        1: (first, INSERT, 0),
        2: (first, INSERT, 0),
        3: (updated, UPDATE, 0),
        4: (first + 1, INSERT, 0),
        5: (first + 2, INSERT, 0),
    }
    assert facts(lake) == expected
    bounds = DataFile.objects.values_list("stores_stamps", "smallest_stamp", "largest_stamp")
    assert bounds.get(pk=file.file_id) == (True, first, updated)
    assert lake.sql("SELECT * FROM d.t").columns == [("id", "int"), ("v", "string")]
    assert "_last_updated" not in str(lake.sql("DESCRIBE TABLE EXTENDED d.t").rows)
    # A restored row speaks for the change that it brings back; a compaction of a compaction keeps all that.
    version = lake.head()
    restore = f"RESTORE TABLE d.t TO VERSION AS OF {version}"
    run(lake, "main", delete(1), restore, "INSERT INTO d.t VALUES (7, 'o')", OPTIMIZE)
    restored = facts(lake)
    assert (restored[1][1:], restored[3]) == ((RESTORE, first), expected[3])
    # Copies of untouched rows keep their facts; the statement's own rows have the stamp of the segment.
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('write.update.mode' = 'copy-on-write')")
    lake.sql(set_v("w", 2))
    assert facts(lake) == {**restored, 2: (0, UPDATE, 0)}
    (copied,) = files(lake)
    assert DataFile.objects.get(pk=copied.file_id).smallest_stamp == 0
    lake.sql("VACUUM")
    assert rows(lake) == "1o 2w 3u 4o 5o 7o"


STORIES: tuple[tuple[tuple[str, ...], tuple[str, ...], set[str] | str], ...] = (
    ((set_v("m", 1),), (set_v("b", 2),), {"SAME_FILE_UPDATE_UPDATE"}),
    ((set_v("m", 1),), (set_v("b", 4),), "1m 2o 3o 4b 5o 6o"),
    ((set_v("m", 1), delete(3)), (delete(6),), "1m 2o 4o 5o"),
    ((delete(5), "RESTORE TABLE d.t TO VERSION AS OF {start}"), (set_v("b", 5),), "1o 2o 3o 4o 5b 6o"),
)
"""What the source does, what the target does, and the verdicts or the rows of the target after the merge."""


@pytest.mark.parametrize("mode", MODES)
def test_files_from_files_change_no_verdict_or_row(lake: Lake, mode: str) -> None:
    """Both sides compact all that they have, or copy the files that they touch."""
    three_files_create(lake, mode)
    start = lake.head()
    for number, (ours, theirs, expected) in enumerate(STORIES):
        branches = f"s{number}", f"d{number}"
        for branch, statements in zip(branches, (ours, theirs), strict=True):
            lake.sql(f"CREATE BRANCH {branch}")
            run(lake, branch, *(text.format(start=start) for text in statements), *[OPTIMIZE] * (mode == MODES[0]))
        if isinstance(expected, set):
            assert lake.codes(*branches) == expected
        else:
            lake.merge(*branches)
            assert rows(lake, branches[1]) == expected


def test_a_transaction_that_compacts_has_one_stamp(lake: Lake) -> None:
    three_files_create(lake)
    opened = lake.sql("BEGIN").extra["transaction"]
    for statement in (set_v("t", 1), OPTIMIZE):
        lake.sql(statement, transaction=opened)
    lake.sql("COMMIT", transaction=opened)
    stamps = {number: fact[0] for number, fact in facts(lake).items()}
    assert stamps[1] == 0
    assert all(stamps[number] > 0 for number in (2, 3, 4, 5, 6))
    assert np.all([file.fact.stamp == lake.head() for file in files(lake)])
    lake.sql(delete(6), "b")
    lake.merge("main", "b")
    assert rows(lake, "b") == "1t 2o 3o 4o 5o"
