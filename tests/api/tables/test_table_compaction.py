"""What OPTIMIZE would rewrite, said before it runs."""

from __future__ import annotations

import pytest

from catalog_app.services import compaction
from tests.api.conftest import Caller
from tests.support.resource_lake import Lake

TABLE = "branches/main/databases/d/tables/t/"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice, segments=3)


def test_small_files_are_counted_with_what_they_become(lake: Lake) -> None:
    assert lake.read(f"{TABLE}compaction/") == {
        "version": lake.branch("main").head_version,
        "files": 3,
        "chosen_files": 3,
        "chosen_bytes": 60000,
        "files_after": 1,
        "deletes": 0,
        "publishing": 0,
        "layout": 0,
        "small": 3,
    }


def test_a_single_small_file_stays_as_is(alice: Caller) -> None:
    found = Lake(alice, segments=1).read(f"{TABLE}compaction/")
    assert (found["files"], found["chosen_files"], found["files_after"]) == (1, 0, 1)


def test_files_with_another_layout_are_due(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t CLUSTER BY (id)")
    found = lake.read(f"{TABLE}compaction/")
    assert (found["layout"], found["small"], found["chosen_files"]) == (3, 0, 3)


def test_a_file_half_the_target_is_large_enough(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    for target, wanted in ((40000, 0), (40002, 3)):
        monkeypatch.setattr(compaction, "TARGET_BYTES", target)
        assert lake.read(f"{TABLE}compaction/")["chosen_files"] == wanted


def test_a_long_history_takes_no_more_statements(lake: Lake) -> None:
    few = lake.queries(f"{TABLE}compaction/")
    lake.insert("main", 12)
    assert lake.queries(f"{TABLE}compaction/") == few


def test_somebody_who_is_no_member_is_not_answered(lake: Lake, bob: Caller) -> None:
    assert bob.get(f"{lake.address}{TABLE}compaction/").status_code == 404
