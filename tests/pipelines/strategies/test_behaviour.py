"""What runs do at the edges: first, empty, drifting, degraded, refused, repeated, cancelled, beside others."""

from __future__ import annotations

import pytest

from catalog_app.selectors.graph import graph_commits
from catalog_app.selectors.history import HistoryFilter, history_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.common.errors import CheckViolated, LakeError, NotFound
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.pipeline_runs import run_execute
from merge_app.jobs.errors import TaskCancelled
from tests.pipelines.strategies.cases import COLUMNS, CONFIGS, ROWS, every_strategy, types
from tests.pipelines.strategies.pipes import Attempt, Pipes, batch


class Cancelled(Attempt):
    """Somebody cancels the run when all is staged."""

    def step(self, name: str, detail: str = "") -> None:
        if name == "commit":
            raise TaskCancelled("The task was cancelled before it wrote anything.")


@every_strategy
class TestEveryStrategy:
    def test_makes_its_table_in_one_version(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        before = pipes.lake.head()
        result = pipe.run(batch(ROWS))
        assert result.version == pipes.lake.head()
        assert result.metrics["rows_inserted"] == 3
        assert len(pipe.operations()) == 1
        assert before < pipes.lake.head()
        columns = ["id", "value", "at", *(["valid_from", "valid_to"] if strategy == "scd2" else [])]
        assert list(types(pipe)) == columns
        assert pipes.lake.sql(f"SHOW PARTITIONS {pipe.table}").row_count == 3 if strategy == "snapshot" else True

    def test_writes_no_row_that_a_table_constraint_refuses(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        pipes.lake.sql(f"ALTER TABLE {pipe.table} ADD CONSTRAINT early CHECK (at < 9)")
        head = pipes.lake.head()
        with pytest.raises(CheckViolated, match="early"):
            pipe.run(batch([*ROWS, (4, "d", 9)]))
        assert pipes.lake.head() == head
        pipe.run(batch([*ROWS, (4, "d", 8)]))
        assert {row[0] for row in pipe.rows(columns="id")} == {1, 2, 3, 4}

    def test_makes_an_empty_table_of_no_rows(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch([]))
        assert pipe.rows() == []
        pipe.run(batch(ROWS))
        assert len(pipe.rows()) == 3

    def test_writes_nothing_for_a_batch_without_rows(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        before = pipes.lake.head()
        result = pipe.run(batch([]))
        assert (result.version, pipes.lake.head()) == (before, before)
        assert len(pipe.rows()) == 3

    def test_takes_new_wider_and_missing_columns(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        before = pipes.lake.head()
        drifted = ("id BIGINT", "value STRING", "at INT", "extra STRING")
        pipe.run(batch([(4, "d", 2, "new")], drifted))
        assert len(pipe.operations()) == 2, "the columns came with the rows, in one version"
        assert pipes.lake.head() > before
        found = types(pipe)
        assert (found["id"], found["extra"]) == ("bigint", "string")
        assert (4, "new") in pipe.rows(columns="id, extra")
        if strategy != "full_refresh":
            assert (1, None) in pipe.rows(columns="id, extra")
        pipe.run(batch([(5, "e", 3)], COLUMNS))
        assert (5, None) in pipe.rows(columns="id, extra")

    def test_refuses_a_column_that_does_not_fit(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy], "on_schema_change: fail")
        pipe.run(batch(ROWS))
        before = pipes.lake.head()
        for columns in (("id BIGINT", *COLUMNS[1:]), (*COLUMNS, "extra INT")):
            row = (4, "d", 2, 1)[: len(columns)]
            with pytest.raises(LakeError, match="differ"):
                pipe.run(batch([row], columns))
        assert pipes.lake.head() == before

    def test_new_columns_are_ignored_where_asked(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy], "on_schema_change: ignore")
        pipe.run(batch(ROWS))
        before = types(pipe)
        pipe.run(batch([(4, "d", 2, 9)], (*COLUMNS, "extra INT")))
        assert types(pipe) == before
        assert (4, "d") in pipe.rows(columns="id, value")

    def test_drops_columns_missing_from_query_only_when_asked(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy], "on_schema_change: sync")
        first = pipe.run(batch([(1, "a", 1, "old")], (*COLUMNS, "extra STRING"))).version
        pipe.run(batch([(1, "a", 2, 7), (2, "b", 2, 8)], (*COLUMNS, "more INT")))
        times = ["valid_from", "valid_to"] if strategy == "scd2" else []
        assert sorted(types(pipe)) == sorted(["id", "value", "at", "more", *times])
        assert len(pipe.operations()) == 2, "they went with the rows, in one version"
        assert {(1, 7), (2, 8)} <= set(pipe.rows(columns="id, more"))
        before = pipes.lake.sql(f"SELECT id, extra FROM {pipe.table} VERSION AS OF {first}").rows
        assert before == [[1, "old"]]

    def test_leaves_everything_as_it_was_when_it_fails(
        self, pipes: Pipes, strategy: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        before = (pipes.lake.head(), pipe.rows(), types(pipe))

        def fail(point: str) -> None:
            if point == "write.registered":
                raise NotFound("table", "the power")

        for module in ("merge_into", "writes"):
            monkeypatch.setattr(f"lakeui.frontdoor.rows.{module}.fault_point", fail)
        with pytest.raises(NotFound):
            pipe.run(batch([(1, "x", 5, 1), (4, "d", 5, 1)], (*COLUMNS, "extra INT")))
        assert (pipes.lake.head(), pipe.rows(), types(pipe)) == before
        assert pipe.runs[-1].log[-1]["level"] == "error"

    def test_stops_before_it_writes_when_it_is_cancelled(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        before = (pipes.lake.head(), pipe.rows())

        with pytest.raises(TaskCancelled):
            pipe.start(context=Cancelled, source=batch([(1, "x", 5), (4, "d", 5)]))
        assert (pipes.lake.head(), pipe.rows()) == before

    def test_cancelled_or_failed_first_run_makes_no_table(
        self, pipes: Pipes, strategy: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pipe = pipes(*CONFIGS[strategy])
        before = pipes.lake.head()
        with pytest.raises(TaskCancelled):
            pipe.run(batch(ROWS), context=Cancelled)

        def fail(point: str) -> None:
            if point == "write.registered":
                raise NotFound("table", "the power")

        with monkeypatch.context() as patched:
            patched.setattr("lakeui.frontdoor.tables.create_table.fault_point", fail)
            with pytest.raises(NotFound):
                pipe.start()
        assert pipes.lake.head() == before
        assert pipes.lake.sql("SHOW TABLES IN d").rows == []
        pipe.start()
        assert len(pipe.rows()) == 3

    def test_answers_what_an_earlier_attempt_committed(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        first = pipe.run(batch(ROWS))
        second = pipe.run(batch([(1, "x", 5), (4, "d", 5)]))
        before = (pipes.lake.head(), pipe.rows())
        session = Session(pipes.lake.catalog)
        again = run_execute(pipe.runs[-1], session=session, context=Attempt(pipe.runs[-1].pk, attempt=2))
        assert again.version == second.version != first.version
        assert (pipes.lake.head(), pipe.rows()) == before

    def test_says_in_the_history_what_it_is_for(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        for message, rows in (("days of May", ROWS), ("late", [(1, "x", 5), (4, "d", 5)]), ("", [(5, "e", 6)])):
            pipe.run(batch(rows), message=message)
            details = pipes.lake.sql(f"DESCRIBE HISTORY {pipe.table} LIMIT 1").rows[0][-1]
            assert details.get("message", "") == message

    def test_runs_on_its_branch(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        branch = f"b_{strategy}"
        pipes.lake.sql(f"CREATE BRANCH {branch}")
        pipe.run(batch([(1, "x", 5), (4, "d", 5)]), branch=branch)
        assert len(pipe.rows()) == 3
        there = pipe.rows(branch)
        pipes.lake.merge(branch)
        assert pipe.rows() == there


@pytest.mark.parametrize(
    ("strategy", "operation"),
    [
        ("full_refresh", "INSERT OVERWRITE"),
        ("append_only", "INSERT"),
        ("incremental", "MERGE"),
        ("delete_insert", "MERGE"),
        ("snapshot", "INSERT OVERWRITE"),
        ("scd2", "MERGE"),
    ],
)
def test_the_history_says_what_a_run_did(pipes: Pipes, strategy: str, operation: str) -> None:
    pipe = pipes(*CONFIGS[strategy])
    pipe.run(batch(ROWS))
    pipe.run(batch([(1, "a", 2)]))
    assert pipe.operations() == [operation, "CREATE TABLE AS SELECT"]
    newest = pipes.lake.sql("SHOW HISTORY LIMIT 1").rows[0]
    name = pipe.table.removeprefix("d.")
    assert f"RUN PIPELINE `{name}` ({strategy})" in str(newest)
    catalog = catalog_get(pipes.lake.catalog)
    named = f"{name} ({strategy})"
    assert history_list(branch_snapshot(branch_get(catalog, "main")), HistoryFilter(), limit=1)[0].pipeline == named
    assert [commit.pipeline for commit in graph_commits(catalog, limit=2)] == [named, named]


def test_an_identical_second_run_changes_nothing_where_promised(pipes: Pipes) -> None:
    for strategy in ("incremental", "scd2"):
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        before = pipes.lake.head()
        assert pipe.run(batch(ROWS)).version == before


def test_only_partitions_of_the_batch_are_replaced(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["snapshot"])
    pipe.run(batch([(1, "a", 1), (2, "b", 1), (3, None, 1)]))
    result = pipe.run(batch([(4, "a", 2), (5, None, 2), (6, "new", 2)]))
    assert pipe.rows() == [(2, "b", 1), (4, "a", 2), (5, None, 2), (6, "new", 2)]
    assert (result.metrics["files_removed"], result.metrics["files_added"]) == (2, 3)


def test_differently_partitioned_tables_take_snapshots_by_value(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["snapshot"])
    pipes.lake.sql(f"CREATE TABLE {pipe.table} (id INT, value STRING, at INT)")
    pipes.lake.sql(f"INSERT INTO {pipe.table} VALUES (1, 'a', 1), (2, 'b', 1), (3, NULL, 1)")
    pipe.run(batch([(4, "a", 2), (5, None, 2)]))
    assert pipe.rows() == [(2, "b", 1), (4, "a", 2), (5, None, 2)]


def test_a_full_refresh_empties_tables_only_when_allowed(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: full_refresh")
    pipe.run(batch(ROWS))
    pipe.run(batch([]), config="merge_strategy: full_refresh\nallow_empty: true")
    assert pipe.rows() == []


class TestColumnsThatAreLeftOut:
    """``on_schema_change: ignore`` leaves them out of the table, not out of what decides about rows."""

    MORE = (*COLUMNS, "gone BOOLEAN", "seq INT")

    def test_delete_when_sees_them(self, pipes: Pipes) -> None:
        pipe = pipes(*CONFIGS["incremental"])
        pipe.run(batch(ROWS))
        before = types(pipe)
        later = "\n".join([*CONFIGS["incremental"], "delete_when: gone", "on_schema_change: ignore"])
        rows = [(1, "a", 2, True, 1), (2, "x", 2, False, 1), (4, "d", 2, True, 1)]
        pipe.run(batch(rows, self.MORE), config=later)
        assert (types(pipe), pipe.rows()) == (before, [(2, "x", 2), (3, "c", 1)])

    def test_the_watermark_orders_rows_by_them(self, pipes: Pipes) -> None:
        config = ("merge_strategy: incremental", "unique_key: id", "on_schema_change: ignore")
        pipe = pipes(*config)
        pipe.run(batch(ROWS))
        later = "\n".join([*config, "watermark_column: seq", "delete_when: gone"])
        rows = [(1, "old", 2, False, 1), (1, "new", 2, False, 2), (2, "x", 2, False, 1), (2, "x", 2, True, 2)]
        pipe.run(batch(rows, self.MORE), config=later)
        assert pipe.rows() == [(1, "new", 2), (3, "c", 1)]
        (said,) = [entry["message"] for entry in pipe.runs[-1].log if entry["level"] == "warning"]
        assert "has no column seq" in said
