"""VACUUM leaves what an unfinished merge request may yet merge, however long its branches have been dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from catalog_app.models import Branch
from tests.review.conftest import ReviewLake


@pytest.fixture
def aged(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ReviewLake:
    """Branch b is dropped, and what was dropped before now expires."""
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 0)
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", str(tmp_path))
    lake.insert("b", 1)
    return lake


def vacuumed(lake: ReviewLake) -> bool:
    """Whether branch b expired, and with it the file that it alone had."""
    proposed = {row[0] for row in lake.sql("VACUUM DRY RUN").rows}
    lake.sql("VACUUM")
    expired = bool(Branch.objects.get(catalog__name=lake.catalog, name="b").expired_at)
    assert bool(proposed) is expired
    return expired


def test_without_a_request_a_dropped_branch_expires(aged: ReviewLake) -> None:
    aged.write("DROP BRANCH b", "dora")
    assert vacuumed(aged)


def test_source_of_open_request_stays_until_it_closes(aged: ReviewLake) -> None:
    aged.open()
    aged.write("DROP BRANCH b", "dora")
    assert not vacuumed(aged)
    aged.write("UNDROP BRANCH b", "dora")
    aged.write("DROP BRANCH b", "dora")
    assert not vacuumed(aged)
    assert aged.patch("alice", "1/", {"state": "closed"}).status_code == 200
    assert vacuumed(aged)
