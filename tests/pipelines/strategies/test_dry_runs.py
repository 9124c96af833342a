"""A dry run of a run does all but its commit: the run's own metrics, examples of rows, and nothing is left."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import Branch, Commit, DataFile, DeleteFile, ProtectionRule, Table, Transaction
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import DuplicateKey
from lakeui.frontdoor import Session, StatementResult
from lakeui.frontdoor.entries.pipeline_runs import run_dry
from merge_app.jobs.context import Context
from merge_app.pipelines.errors import CheckFailed
from merge_app.pipelines.models import PipelineRun
from tests.pipelines.strategies.cases import CONFIGS, KEYED, ROWS, every_strategy
from tests.pipelines.strategies.pipes import Pipe, Pipes, batch

LATER = [(1, "x", 2), (4, "d", 2)]


def dry(pipe: Pipe, **texts: str) -> StatementResult:
    assert pipe.pipeline is not None
    return run_dry(pipe.pipeline, texts, session=Session(pipe.lake.catalog), context=Context())


def everything(pipe: Pipe) -> dict[str, Any]:
    """What there is of the lake and of the pipeline's runs."""
    catalog = catalog_get(pipe.lake.catalog)
    tables = list(Table.objects.filter(catalog=catalog).order_by("pk").values_list("pk", flat=True))
    return {
        "heads": list(Branch.objects.filter(catalog=catalog).order_by("pk").values_list("pk", "head_version")),
        "commits": Commit.objects.filter(catalog=catalog).count(),
        "tables": tables,
        "views": pipe.lake.sql("SHOW VIEWS").rows,
        "transactions": Transaction.objects.filter(target__catalog=catalog).count(),
        "data": sorted(DataFile.objects.filter(table_id__in=tables).values_list("path", flat=True)),
        "deletes": sorted(DeleteFile.objects.filter(table_id__in=tables).values_list("path", flat=True)),
        "runs": PipelineRun.objects.filter(pipeline=pipe.pipeline).count(),
    }


def the_same(one: StatementResult, other: StatementResult) -> bool:
    """A file is as long each time, but for the fresh numbers in it."""
    return {**one.metrics, "bytes_written": 0} == {**other.metrics, "bytes_written": 0}


@every_strategy
@pytest.mark.parametrize("publish", ["direct", "checked"])
def test_it_counts_as_the_run_and_leaves_nothing(pipes: Pipes, strategy: str, publish: str) -> None:
    pipe = pipes(*CONFIGS[strategy], f"publish: {publish}")
    pipe.run(batch(ROWS))
    before = everything(pipe)
    tried = dry(pipe, source=batch(LATER))
    assert everything(pipe) == before
    assert (tried.extra["dry_run"], tried.version) == (True, pipe.lake.head())
    assert the_same(tried, pipe.run(batch(LATER)))


def test_it_shows_rows_by_what_happens_to_them(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["incremental"])
    pipe.run(batch(ROWS))
    found = dry(pipe, source=batch(LATER))
    assert found.extra["examples"] == [
        {"table": pipe.table, "change": "update_before", "row": {"id": 1, "value": "a", "at": 1}},
        {"table": pipe.table, "change": "update_after", "row": {"id": 1, "value": "x", "at": 2}},
        {"table": pipe.table, "change": "insert", "row": {"id": 4, "value": "d", "at": 2}},
    ]
    assert found.extra["sql"] == batch(LATER)
    assert found.extra["configuration"]["strategy"] == "incremental"
    assert {"phase": "execute", "level": "info", "message": "2 rows"} in found.extra["log"]


def test_a_first_run_would_make_the_table(pipes: Pipes) -> None:
    pipe = pipes(*KEYED, "publish: checked", "checks: [id > 0]")
    pipe.run(batch(ROWS))
    pipe.lake.sql(f"DROP TABLE {pipe.table}")
    before = everything(pipe)
    found = dry(pipe)
    assert (found.metrics["rows_inserted"], len(found.extra["examples"])) == (3, 3)
    assert everything(pipe) == before


def test_checks_judge_what_would_be_written(pipes: Pipes) -> None:
    pipe = pipes(*KEYED, "publish: checked", "checks: [id > 0]")
    pipe.run(batch(ROWS))
    before = everything(pipe)
    with pytest.raises(CheckFailed, match="1 row is not id > 0"):
        dry(pipe, source=batch([(-1, "below", 2)]))
    assert everything(pipe) == before


def test_published_runs_can_be_tried_on_protected_branches(pipes: Pipes) -> None:
    pipe = pipes(*KEYED, "publish: checked")
    pipe.run(batch(ROWS))
    ProtectionRule.objects.create(
        catalog=catalog_get(pipe.lake.catalog), pattern="main", refuse_direct_merges=False, required_approvals=0
    )
    assert dry(pipe, source=batch(LATER)).metrics["rows_inserted"] == 1


def test_a_view_would_be_made(pipes: Pipes) -> None:
    pipe = pipes("materialized: view")
    pipe.run("SELECT 1 AS id")
    before = everything(pipe)
    found = dry(pipe, source="SELECT 2 AS id")
    assert (found.extra["dry_run"], found.extra["sql"]) == (True, "SELECT 2 AS id")
    assert everything(pipe) == before


def test_what_the_run_would_refuse_is_refused(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["incremental"])
    pipe.run(batch(ROWS))
    with pytest.raises(DuplicateKey):
        dry(pipe, source=batch([(1, "x", 2), (1, "y", 2)]))
