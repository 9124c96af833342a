"""Write, check, publish: what does not pass its checks is never seen."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import Branch, Transaction, TransactionState
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import MergeConflict
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.pipeline_runs import run_execute
from merge_app.pipelines.definition.mistakes import InvalidConfig
from merge_app.pipelines.errors import CheckFailed
from tests.pipelines.strategies.pipes import Attempt, Pipe, Pipes, batch

ROWS = [(1, "a", 1), (2, "b", 1)]
CHECKED = ("publish: checked", "merge_strategy: incremental", "unique_key: id", "checks: [id > 0, value IS NOT NULL]")


@pytest.fixture
def pipe(pipes: Pipes) -> Pipe:
    made = pipes(*CHECKED)
    made.run(batch(ROWS))
    return made


def workspaces(pipe: Pipe) -> list[str]:
    """What became of the workspaces of the lake's runs."""
    catalog = catalog_get(pipe.lake.catalog)
    assert not Branch.objects.filter(catalog=catalog, is_workspace=True, dropped_at__isnull=True).exists()
    return list(
        Transaction.objects.filter(target__catalog=catalog).order_by("started_at").values_list("state", flat=True)
    )


def test_what_passes_is_one_commit_of_the_branch(pipe: Pipe) -> None:
    before = pipe.lake.head()
    result = pipe.run(batch([(1, "x", 2), (3, "c", 2)]))
    assert pipe.rows() == [(1, "x", 2), (2, "b", 1), (3, "c", 2)]
    assert result.version == pipe.lake.head() > before
    assert (result.metrics["rows_updated"], result.metrics["rows_inserted"]) == (1, 1)
    newest = pipe.lake.sql("SHOW HISTORY LIMIT 2").rows
    assert newest[1][0] == before
    assert "RUN PIPELINE" in str(newest[0])
    assert workspaces(pipe) == [TransactionState.COMMITTED] * 2


def test_what_fails_a_check_is_never_seen(pipe: Pipe) -> None:
    before = pipe.lake.head()
    with pytest.raises(CheckFailed) as caught:
        pipe.run(batch([(-1, None, 2), (3, None, 2)]))
    assert caught.value.details["checks"] == [
        {"condition": "id > 0", "rows": 1},
        {"condition": "value IS NOT NULL", "rows": 2},
    ]
    assert (pipe.lake.head(), pipe.rows()) == (before, ROWS)
    assert workspaces(pipe)[-1] == TransactionState.ROLLED_BACK


def test_a_run_that_writes_nothing_publishes_nothing(pipe: Pipe) -> None:
    before = pipe.lake.head()
    assert pipe.run(batch(ROWS)).version == before == pipe.lake.head()
    assert workspaces(pipe)[-1] == TransactionState.ROLLED_BACK


def test_a_later_attempt_answers_what_was_published(pipe: Pipe) -> None:
    done = pipe.run(batch([(3, "c", 2)]))
    run = pipe.runs[-1]
    again = run_execute(run, session=Session(pipe.lake.catalog), context=Attempt(run.pk, attempt=2))
    assert again == done
    assert again.version == pipe.lake.head()


def test_an_attempt_dead_before_publishing_is_repeated(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lakeui.frontdoor.pipelines.publishing.merge_run", die)
        with pytest.raises(KeyboardInterrupt):
            pipe.run(batch([(3, "c", 2)]))
    assert pipe.rows() == ROWS
    run = pipe.runs[-1]
    run_execute(run, session=Session(pipe.lake.catalog), context=Attempt(run.pk, attempt=2))
    assert pipe.rows() == [*ROWS, (3, "c", 2)]


def test_what_others_wrote_meanwhile_is_judged(pipe: Pipe) -> None:
    theirs = iter(("theirs", "again"))

    class Beside(Attempt):
        def step(self, name: str, detail: str = "") -> None:
            if name == "publish":
                pipe.lake.sql(f"UPDATE {pipe.table} SET value = '{next(theirs)}' WHERE id = 3")

    pipe.run(batch([(3, "c", 1)]))
    pipe.start(context=Beside, source=batch([(1, "ours", 2)]))
    assert pipe.rows() == [(1, "ours", 2), (2, "b", 1), (3, "theirs", 1)]
    with pytest.raises(MergeConflict):
        pipe.start(context=Beside, source=batch([(3, "ours", 3)]))
    assert pipe.rows() == [(1, "ours", 2), (2, "b", 1), (3, "again", 1)]
    assert workspaces(pipe)[-1] == TransactionState.ROLLED_BACK


@pytest.mark.parametrize("check", ["id >", "java_method('a', 'b')", "id IN (SELECT 1)"])
def test_a_non_condition_check_is_a_configuration_error(pipe: Pipe, check: str) -> None:
    config = "\n".join([*CHECKED[:3], f'checks: ["{check}"]'])
    with pytest.raises(InvalidConfig) as caught:
        pipe.run(batch(ROWS), config=config)
    (error,) = caught.value.details["errors"]
    assert (error["field"], error["line"]) == ("checks", 4)
