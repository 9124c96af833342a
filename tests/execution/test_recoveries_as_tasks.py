"""Every RESTORE and UNDROP is a task that tells its steps, leaves one audit record and copies no file."""

from __future__ import annotations

import uuid

import pytest

from catalog_app.models import DataFile
from catalog_app.selectors.snapshots import catalog_get
from lakeui.frontdoor import Session, execute, parsed
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.context import TaskContext
from merge_app.review.verification import audit_verify
from tests.stories.conftest import database, lake, memory_engine, stored
from tests.support.lake import Lake

__all__ = ["database", "lake", "memory_engine", "stored"]

STEPS = ["compare", "commit"]
RECOVERIES = [
    ("RESTORE TABLE d.t TO VERSION AS OF {version}", "DELETE FROM d.t", "restore", STEPS),
    ("RESTORE DATABASE d TO VERSION AS OF {version}", "DELETE FROM d.t", "restore", STEPS),
    ("RESTORE BRANCH main TO VERSION AS OF {version}", "DELETE FROM d.t", "restore", STEPS),
    ("RESTORE TABLE d.t TO TIMESTAMP AS OF '{moment}'", "DELETE FROM d.t", "restore", STEPS),
    ("RESTORE DATABASE d TO TIMESTAMP AS OF '{moment}'", "DELETE FROM d.t", "restore", STEPS),
    ("RESTORE BRANCH main TO TIMESTAMP AS OF '{moment}'", "DELETE FROM d.t", "restore", STEPS),
    ("RESTORE MERGE '{merge}'", "MERGE BRANCH b", "restore", STEPS),
    ("UNDROP TABLE d.t", "DROP TABLE d.t", "undrop", STEPS),
    ("UNDROP DATABASE d", "DROP DATABASE d CASCADE", "undrop", STEPS),
    # One row changes: there is nothing to compare and no version to make.
    ("UNDROP BRANCH b", "DROP BRANCH b", "undrop", []),
]


@pytest.mark.parametrize(("statement", "before", "kind", "steps"), RECOVERIES, ids=[item[0] for item in RECOVERIES])
def test_recoveries_report_steps_record_once_and_copy_nothing(
    lake: Lake, statement: str, before: str, kind: str, steps: list[str]
) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    version, moment = lake.sql("SHOW HISTORY LIMIT 1").rows[0][:2]
    merge = lake.sql(before).extra.get("merge_id")
    text = statement.format(version=version, moment=moment, merge=merge)
    files = _files(lake)
    assert parsed(text).is_task
    context = TaskContext(uuid.uuid4())
    result = execute(text, Session(catalog=lake.catalog), context)
    assert [step["name"] for step in context.report().steps] == steps
    record = MergeAttempt.objects.get(task_id=context.task_id)
    assert (record.kind, str(record.merge_id)) == (kind, result.extra["audit_id"])
    assert lake.audit(result.extra["audit_id"])["statement"] == text
    assert audit_verify(catalog_get(lake.catalog)) == []
    assert _files(lake) == files
    assert (lake.rows("d.t"), lake.rows("d.t", "b")) == ([(1, "a")], [(1, "a"), (2, "b")])


def _files(lake: Lake) -> set[str]:
    return set(DataFile.objects.filter(table__catalog__name=lake.catalog).values_list("path", flat=True))
