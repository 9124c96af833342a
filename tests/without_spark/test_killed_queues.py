"""A worker is killed while it merges a request of a queue: that request is merged once, and the queue continues."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from catalog_app.models import Commit
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.faults import reached_mark
from merge_app.review.models import MergeRequest
from merge_app.review.verification import audit_verify
from tests.faults.worker import arm, be_missed, breaches_with_files, until
from tests.support.reviewed import Reviewed, reviewed

__all__ = ["reviewed"]


def reached(faults: Path, point: str) -> None:
    """Wait until a worker stands, or fell, at the point."""
    until(reached_mark(faults, point).exists)
    reached_mark(faults, point).unlink()


@pytest.mark.parametrize("point", ["merge.planned", "merge.committing", "merge.committed"])
def test_request_merges_once_and_next_merges_after_it(reviewed: Reviewed, worker_faults: Path, point: str) -> None:
    lake, numbers = reviewed.lake, []
    reviewed.protect()
    for turn in (1, 2):
        lake.sql(f"CREATE BRANCH q{turn}")
        lake.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('q{turn}' = '1')", f"q{turn}")
        numbers.append(reviewed.open(f"q{turn}"))
        reviewed.approve(numbers[-1], f"q{turn}")
    arm(worker_faults, "task.claimed", "pause")
    arm(worker_faults, point, "kill")
    for number in numbers:
        assert reviewed.alice.post(f"merge-requests/{number}/queue/").status_code == 200
    reached(worker_faults, "task.claimed")
    reached(worker_faults, point)
    catalog = catalog_get(lake.catalog)
    first = MergeRequest.objects.get(catalog=catalog, number=numbers[0])
    assert first.task_id is not None
    be_missed(first.task_id)
    until(lambda: [reviewed.state(number) for number in numbers] == ["merged"] * 2)
    merges = Commit.objects.filter(catalog=catalog, merge_parent__isnull=False).order_by("version")
    assert [commit.statement[-2:] for commit in merges] == [f"#{number}" for number in numbers]
    assert audit_verify(catalog) == []
    assert breaches_with_files(catalog, settings.LAKEUI["WAREHOUSE"]) == []
