"""kill -9 at every step of every statement: another worker finishes the task, and all of it has happened once."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from catalog_app.models import Commit
from catalog_app.selectors.lineage import catalog_get
from lakeui.common.faults import POINTS
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit
from tests.e2e.lake import Lake
from tests.faults.scenarios import SCENARIOS
from tests.faults.worker import breaches_with_files, run_and_kill

PAIRS = [
    ("INSERT", "task.claimed"),
    ("INSERT", "write.begin"),
    ("INSERT", "write.planned"),
    ("INSERT", "task.finishing"),
    ("UPDATE", "write.staged"),
    ("UPDATE", "write.committed"),
    ("DELETE", "write.registered"),
    ("DELETE", "write.committed"),
    ("MERGE INTO", "write.staged"),
    ("MERGE INTO", "write.committed"),
    ("MERGE INTO, copy-on-write", "write.registered"),
    ("MERGE INTO, copy-on-write", "write.committing"),
    ("MERGE INTO, copy-on-write", "write.committed"),
    ("UPDATE beside OPTIMIZE", "write.row_work"),
    ("UPDATE beside OPTIMIZE", "write.committing"),
    ("DELETE beside OPTIMIZE", "write.row_work"),
    ("DELETE beside OPTIMIZE", "write.committed"),
    ("INSERT OVERWRITE", "write.committing"),
    ("INSERT OVERWRITE", "write.committed"),
    ("OPTIMIZE", "write.begin"),
    ("OPTIMIZE", "write.staged"),
    ("OPTIMIZE", "write.registered"),
    ("OPTIMIZE", "write.planned"),
    ("OPTIMIZE", "write.committing"),
    ("OPTIMIZE", "write.committed"),
    ("CTAS", "write.registered"),
    ("CTAS", "write.committed"),
    ("MERGE BRANCH", "merge.planned"),
    ("MERGE BRANCH", "merge.row_work"),
    ("MERGE BRANCH", "merge.committing"),
    ("MERGE BRANCH", "merge.committed"),
    ("MERGE BRANCH by key", "merge.row_work"),
    ("MERGE BRANCH by key", "merge.committing"),
    ("MERGE BRANCH by key", "merge.committed"),
    ("MERGE BRANCH, refused", "task.finishing"),
    ("MERGE BRANCH, nothing new", "task.finishing"),
    ("RESTORE TABLE", "restore.planned"),
    ("RESTORE TABLE", "restore.committing"),
    ("RESTORE TABLE", "restore.committed"),
    ("UNDROP TABLE", "restore.committed"),
    ("UNDROP BRANCH", "task.finishing"),
    ("CREATE BRANCH", "task.finishing"),
    ("VACUUM", "vacuum.committing"),
    ("VACUUM", "vacuum.committed"),
    ("VACUUM", "vacuum.removing"),
    ("COMMIT", "transaction.committing"),
    ("COMMIT", "transaction.committed"),
    ("RUN PIPELINE", "write.begin"),
    ("RUN PIPELINE", "write.staged"),
    ("RUN PIPELINE", "write.committing"),
    ("RUN PIPELINE", "write.committed"),
    ("RUN PIPELINE, first run", "write.registered"),
    ("RUN PIPELINE, published", "merge.planned"),
    ("RUN PIPELINE, published", "transaction.committing"),
    ("RUN PIPELINE, published", "merge.committed"),
    ("IMPORT", "write.begin"),
    ("IMPORT", "write.staged"),
    ("IMPORT", "write.registered"),
    ("IMPORT", "write.committed"),
    ("IMPORT", "task.finishing"),
    ("IMPORT by key", "write.staged"),
    ("IMPORT by key", "write.registered"),
    ("IMPORT by key", "write.committed"),
    ("IMPORT of a new table", "write.staged"),
    ("IMPORT of a new table", "write.committed"),
]


def test_every_point_and_every_statement_is_tried() -> None:
    # Merges into plain data sets have no worker; tests/keyed kills their process itself.
    assert {point for _, point in PAIRS} == {point for point in POINTS if not point.startswith("keyed.")}
    assert {statement for statement, _ in PAIRS} == set(SCENARIOS)


@pytest.mark.parametrize(("statement", "point"), PAIRS, ids=[" at ".join(pair) for pair in PAIRS])
def test_a_statement_whose_worker_is_killed_happens_once(
    lake: Lake, worker_faults: Path, statement: str, point: str
) -> None:
    scenario = SCENARIOS[statement]
    parameters = scenario.prepare(lake)
    commits = commits_of(lake) + bool(scenario.meanwhile)
    meanwhile = partial(lake.sql, scenario.meanwhile) if scenario.meanwhile else None
    task = run_and_kill(parameters, worker_faults, point, meanwhile, kind=scenario.kind)
    assert task.attempts == 2
    varying = OF_ONE_RUN | OF_FILES if scenario.meanwhile else OF_ONE_RUN
    assert comparable(task.result or task.error, varying) == comparable(uninterrupted(statement), varying)
    assert {table: lake.rows(table) for table in scenario.rows} == scenario.rows
    assert commits_of(lake) - commits == scenario.commits
    assert Commit.objects.filter(task_id=task.pk).count() == scenario.commits
    assert MergeAttempt.objects.filter(task_id=task.pk).count() == scenario.records
    assert breaches_with_files(catalog_get(lake.catalog), settings.LAKEUI["WAREHOUSE"]) == []


@cache
def uninterrupted(statement: str) -> Any:
    """What the statement answers where nobody dies."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    scenario = SCENARIOS[statement]
    parameters = scenario.prepare(lake)
    if scenario.meanwhile:
        lake.sql(scenario.meanwhile)
    task = task_wait(task_submit(kind=scenario.kind, parameters=parameters).pk, seconds=60)
    assert task.attempts == 1
    return task.result or task.error


OF_ONE_RUN = {
    *("version", "merge_id", "audit_id", "transaction", "fingerprint"),
    *("object_id", "table_id", "source_versions", "dest_versions", "bytes_written", "new_bytes"),
    *("path", "bytes", "removed_segments", "file", "bytes_removed"),
}

OF_FILES = {"files_scanned", "files_skipped", "files_reused", "files_removed", "files_rewritten"}
"""Counted before or after the OPTIMIZE beside it, whichever attempt it was that committed."""


def comparable(body: Any, varying: Collection[str]) -> Any:
    """An answer without what differs from run to run."""
    if isinstance(body, list):
        return [comparable(item, varying) for item in body]
    if not isinstance(body, dict):
        return body
    rows = {}
    if "columns" in body and "rows" in body:
        names = [column["name"] for column in body["columns"]]
        rows = {"rows": [dict(zip(names, row, strict=True)) for row in body["rows"]]}
    return {key: key if key in varying else comparable(value, varying) for key, value in {**body, **rows}.items()}


def commits_of(lake: Lake) -> int:
    """Those that somebody can see: workspaces are seen by their transactions alone."""
    return Commit.objects.filter(catalog__name=lake.catalog, branch__is_workspace=False).count()
