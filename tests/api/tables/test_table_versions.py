"""Rows and bytes of a table over its versions."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from catalog_app.models import Commit, CommitOperation, DataFile, DeleteFile, Segment, SegmentDelete, SegmentRemoval
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake

VERSIONS = "branches/{}/databases/d/tables/t/versions/"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice, segments=3)


def sizes(lake: Lake, branch: str = "main", query: str = "") -> list[tuple[int, int, int]]:
    found = lake.read(VERSIONS.format(branch) + query)["results"]
    return [(entry["rows"], entry["bytes"], entry["files"]) for entry in found]


def operation_of(lake: Lake, segments: int = 1) -> CommitOperation:
    return CommitOperation.objects.get(pk=lake.insert("main", segments))


def mask(lake: Lake, segment: Segment, rows: int) -> None:
    """A commit of one new segment that also deletes rows of an older one."""
    done = operation_of(lake)
    file = DeleteFile.objects.create(
        table_id=lake.table_id, data_file_id=segment.file_id, path=f"deletes/{done.pk}", rows=rows, bytes=1
    )
    SegmentDelete.objects.create(
        table_id=lake.table_id,
        branch=done.branch,
        operation=done,
        attached_version=done.version,
        segment=segment,
        delete_file=file,
    )


def remove(lake: Lake, segment: Segment) -> None:
    done = operation_of(lake)
    SegmentRemoval.objects.create(
        table_id=lake.table_id, branch=done.branch, operation=done, removed_version=done.version, segment=segment
    )


def test_each_version_that_changed_data_is_a_point(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')")
    lake.insert("main", 2)
    found = lake.read(VERSIONS.format("main"))
    assert found["total"] == 2
    assert sizes(lake) == [(3000, 60000, 3), (5000, 100000, 5)]
    newest = Commit.objects.get(branch=lake.branch("main"), version=found["version"])
    last: dict[str, Any] = found["results"][-1]
    assert (last["version"], last["operation"]) == (newest.version, "INSERT")


def test_deleted_and_removed_rows_count_once(lake: Lake) -> None:
    first, second, _ = Segment.objects.filter(table_id=lake.table_id).order_by("pk")
    mask(lake, first, 400)
    mask(lake, first, 900)
    mask(lake, second, 100)
    remove(lake, first)
    remove(lake, second)
    rows = [row for row, _, _ in sizes(lake)]
    # Two delete files that name 1,300 of 1,000 rows leave none; a removal takes what was still live.
    assert rows == [3000, 3600, 4000, 4900, 5900, 6000]
    assert sizes(lake)[-1] == (6000, 20000 * 6, 6)


def test_the_last_point_equals_the_table_resource(lake: Lake) -> None:
    first = Segment.objects.filter(table_id=lake.table_id).order_by("pk").first()
    assert first is not None
    mask(lake, first, 400)
    table = lake.read("branches/main/databases/d/tables/t/")
    assert sizes(lake)[-1] == (table["rows"], table["bytes"], table["files"])


def test_a_branch_sees_ancestors_up_to_its_cut(lake: Lake) -> None:
    lake.sql("CREATE BRANCH dev")
    lake.insert("main", 5)
    lake.insert("dev", 1)
    assert sizes(lake, "dev") == [(3000, 60000, 3), (4000, 80000, 4)]


def test_an_old_version_ends_there(lake: Lake) -> None:
    version = lake.branch("main").head_version
    lake.insert("main", 5)
    assert sizes(lake, query=f"?version={version}") == [(3000, 60000, 3)]


@pytest.mark.parametrize("points", [2, 3, 7, 10])
def test_many_versions_are_thinned_out_evenly(lake: Lake, points: int) -> None:
    for _ in range(10):
        lake.insert("main", 1)
    rows = [row for row, _, _ in sizes(lake, query=f"?points={points}")]
    every = [row for row, _, _ in sizes(lake)]
    assert len(every) == 11
    assert len(rows) == points
    assert (rows[0], rows[-1]) == (every[0], every[-1])
    gaps = {every.index(later) - every.index(earlier) for earlier, later in itertools.pairwise(rows)}
    assert max(gaps) - min(gaps) <= 1


def test_an_empty_table_has_no_point(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.e (id INT)")
    found = lake.read("branches/main/databases/d/tables/e/versions/")
    assert (found["results"], found["total"]) == ([], 0)


@pytest.mark.parametrize("query", ["points=1", "points=1001", "points=x", "version=-1"])
def test_a_bad_query_is_refused(lake: Lake, query: str) -> None:
    problem(lake.get(f"{VERSIONS.format('main')}?{query}"), 400, "INVALID_VALUE")


def test_it_is_few_statements_however_many_files(lake: Lake) -> None:
    path = VERSIONS.format("main")
    before = lake.queries(path)
    lake.insert("main", 200)
    assert lake.queries(path) == before
    assert DataFile.objects.filter(table_id=lake.table_id).count() == 203
