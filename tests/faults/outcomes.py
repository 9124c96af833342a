"""What an interrupted statement must have come to: what it would have come to anyway, once."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from django.conf import settings

from catalog_app.models import Commit
from catalog_app.selectors.snapshots import catalog_get
from lakeui.frontdoor import compute
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit
from merge_app.review.verification import audit_verify
from tests.faults.scenarios import SCENARIOS
from tests.faults.worker import breaches_with_files
from tests.support.lake import Lake


def assert_happened_once(lake: Lake, statement: str, task: Task, commits: int) -> None:
    """The task of a scenario's statement has its answer, its rows, its commits and its audit record, and the catalog is
    sound. ``commits`` were there before it.
    """
    scenario = SCENARIOS[statement]
    varying = OF_ONE_RUN | OF_FILES if scenario.meanwhile else OF_ONE_RUN
    assert comparable(task.result or task.error, varying) == comparable(uninterrupted(statement), varying)
    assert {table: lake.rows(table) for table in scenario.rows} == scenario.rows
    assert commits_of(lake) - commits - bool(scenario.meanwhile) == scenario.commits
    assert Commit.objects.filter(task_id=task.pk).count() == scenario.commits
    assert MergeAttempt.objects.filter(task_id=task.pk).count() == scenario.records
    catalog = catalog_get(lake.catalog)
    assert breaches_with_files(catalog, settings.LAKEUI["WAREHOUSE"]) == []
    assert audit_verify(catalog) == []


def uninterrupted(statement: str) -> Any:
    """What the statement answers where no one dies."""
    return _uninterrupted(statement, type(compute.engine()))


@cache
def _uninterrupted(statement: str, _engine: type) -> Any:
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
    *("branch_id", "path", "bytes", "removed_segments", "file", "bytes_removed"),
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
