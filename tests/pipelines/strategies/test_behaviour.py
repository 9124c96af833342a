"""What runs do at the edges: first, empty, drifting, degraded, refused, repeated, cancelled, beside others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from catalog_app.selectors.lineage import catalog_get
from lakeui.common.errors import DuplicateKey, LakeError, MergeConflict, NotFound, NotNullViolation
from lakeui.frontdoor import Session, StatementResult
from lakeui.frontdoor.pipelines import run_execute, run_rehearse
from merge_app.jobs.errors import TaskCancelled
from merge_app.jobs.models import Task, TaskState
from merge_app.pipelines.definition.mistakes import InvalidConfig
from merge_app.pipelines.services import policy_set
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.pipelines.strategies.pipes import Attempt, Pipe, Pipes, batch

ROWS = [(1, "a", 1), (2, "b", 1), (3, "c", 1)]
COLUMNS = ("id INT", "value STRING", "at INT")
KEYED = ("merge_strategy: incremental", "unique_key: id")
CONFIGS: dict[str, tuple[str, ...]] = {
    "full_refresh": ("merge_strategy: full_refresh",),
    "append_only": ("merge_strategy: append_only",),
    "incremental": (*KEYED, "watermark_column: at"),
    "delete_insert": ("merge_strategy: delete_insert", "unique_key: id"),
    "snapshot": ("merge_strategy: snapshot", "partition_column: value"),
    "scd2": ("merge_strategy: scd2", "unique_key: id", "watermark_column: at"),
}
every_strategy = pytest.mark.parametrize("strategy", CONFIGS)


def table(pipe: Pipe) -> Any:
    return pipe.lake.sql(f"DESCRIBE TABLE {pipe.table}").rows


def types(pipe: Pipe) -> dict[str, str]:
    return {row[0]: row[1] for row in table(pipe)}


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

    def test_ignores_new_columns_when_told(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy], "on_schema_change: ignore")
        pipe.run(batch(ROWS))
        before = types(pipe)
        pipe.run(batch([(4, "d", 2, 9)], (*COLUMNS, "extra INT")))
        assert types(pipe) == before
        assert (4, "d") in pipe.rows(columns="id, value")

    def test_leaves_everything_as_it_was_when_it_fails(
        self, pipes: Pipes, strategy: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        before = (pipes.lake.head(), pipe.rows(), types(pipe))

        def fail(point: str) -> None:
            if point == "write.registered":
                raise NotFound("table", "the power")

        for module in ("pipeline_writes", "merging", "data"):
            monkeypatch.setattr(f"lakeui.frontdoor.{module}.fault_point", fail)
        with pytest.raises(NotFound):
            pipe.run(batch([(1, "x", 5, 1), (4, "d", 5, 1)], (*COLUMNS, "extra INT")))
        assert (pipes.lake.head(), pipe.rows(), types(pipe)) == before
        assert pipe.runs[-1].log[-1]["level"] == "error"

    def test_stops_before_it_writes_when_it_is_cancelled(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        pipe.run(batch(ROWS))
        before = (pipes.lake.head(), pipe.rows())

        class Cancelled(Attempt):
            def step(self, name: str, detail: str = "") -> None:
                if name == "commit":
                    raise TaskCancelled("The task was cancelled before it wrote anything.")

        with pytest.raises(TaskCancelled):
            pipe.start(context=Cancelled, source=batch([(1, "x", 5), (4, "d", 5)]))
        assert (pipes.lake.head(), pipe.rows()) == before

    def test_answers_what_an_earlier_attempt_committed(self, pipes: Pipes, strategy: str) -> None:
        pipe = pipes(*CONFIGS[strategy])
        first = pipe.run(batch(ROWS))
        second = pipe.run(batch([(1, "x", 5), (4, "d", 5)]))
        before = (pipes.lake.head(), pipe.rows())
        session = Session(pipes.lake.catalog)
        again = run_execute(pipe.runs[-1], session=session, context=Attempt(pipe.runs[-1].pk, attempt=2))
        assert again.version == second.version != first.version
        assert (pipes.lake.head(), pipe.rows()) == before

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


def test_a_run_beside_another_writer_is_judged_and_not_lost(pipes: Pipes) -> None:
    pipe = pipes(*KEYED)
    pipe.run(batch(ROWS))
    pipe.run(batch([(4, "d", 1)]))
    pipes.lake.sql("CREATE BRANCH other")
    pipes.lake.sql(f"UPDATE {pipe.table} SET value = 'mine' WHERE id = 4", "other")
    pipe.run(batch([(2, "z", 2)]))
    pipes.lake.merge("other")
    assert pipe.rows() == [(1, "a", 1), (2, "z", 2), (3, "c", 1), (4, "mine", 1)]
    pipes.lake.sql("CREATE BRANCH rival")
    pipes.lake.sql(f"UPDATE {pipe.table} SET value = 'theirs' WHERE id = 2", "rival")
    pipe.run(batch([(2, "ours", 3)]))
    with pytest.raises(MergeConflict):
        pipes.lake.merge("rival")


BESIDE = {
    "full_refresh": [(4, "ours", 5)],
    "append_only": [*ROWS, (4, "ours", 5), (4, "theirs", 5)],
    "incremental": [*ROWS, (4, "ours", 5)],
    "delete_insert": [*ROWS, (4, "ours", 5)],
    "snapshot": [*ROWS, (4, "ours", 5), (4, "theirs", 5)],
}
"""What is there after a run beside an INSERT of the same key, which commits when the run has staged its rows."""


class Overtaken(Attempt):
    """Somebody else commits once, when the run is about to."""

    work: Callable[[], object]

    def step(self, name: str, detail: str = "") -> None:
        super().step(name, detail)
        if name == "commit" and self.steps.count("commit") == 1:
            type(self).work()


@pytest.mark.parametrize("strategy", BESIDE)
def test_a_run_that_is_overtaken_leaves_what_one_after_the_other_would(pipes: Pipes, strategy: str) -> None:
    pipe = pipes(*CONFIGS[strategy])
    pipe.run(batch(ROWS))

    class Beside(Overtaken):
        work = staticmethod(lambda: pipes.lake.sql(f"INSERT INTO {pipe.table} VALUES (4, 'theirs', 5)"))

    pipe.start(source=batch([(4, "ours", 5)]), context=Beside)
    assert pipe.rows() == BESIDE[strategy]


def test_two_pipelines_that_bring_the_same_key_at_once_leave_one_open_version(pipes: Pipes) -> None:
    first, second = (pipes(*CONFIGS["scd2"]) for _ in range(2))
    second.table = first.table
    first.run(batch(ROWS))
    second.run(batch(ROWS[:1]))

    class Beside(Overtaken):
        work = staticmethod(lambda: second.start(source=batch([(4, "theirs", 5)])))

    first.start(source=batch([(4, "ours", 6)]), context=Beside)
    assert [row for row in history(first) if row[0] == 4] == [(4, "ours", 6, None), (4, "theirs", 5, 6)]


# -- operations -------------------------------------------------------------------------------------------------------


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
    assert f"RUN PIPELINE `{pipe.table.removeprefix('d.')}`" in str(newest)


def test_a_second_identical_run_changes_nothing_where_that_is_promised(pipes: Pipes) -> None:
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


def test_a_table_that_is_partitioned_otherwise_takes_snapshots_by_value(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["snapshot"])
    pipes.lake.sql(f"CREATE TABLE {pipe.table} (id INT, value STRING, at INT)")
    pipes.lake.sql(f"INSERT INTO {pipe.table} VALUES (1, 'a', 1), (2, 'b', 1), (3, NULL, 1)")
    pipe.run(batch([(4, "a", 2), (5, None, 2)]))
    assert pipe.rows() == [(2, "b", 1), (4, "a", 2), (5, None, 2)]


def test_a_full_refresh_empties_its_table_only_when_allowed(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: full_refresh")
    pipe.run(batch(ROWS))
    pipe.run(batch([]), config="merge_strategy: full_refresh\nallow_empty: true")
    assert pipe.rows() == []


# -- configuration ----------------------------------------------------------------------------------------------------


def test_a_missing_field_degrades_the_run_and_marks_it(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: incremental")
    pipe.run(batch(ROWS))
    pipe.run(batch(ROWS[:1]))
    assert pipe.rows() == ROWS[:1]
    run = pipe.runs[-1]
    run.refresh_from_db()
    assert run.is_degraded
    assert run.configuration is not None
    assert run.configuration["missing"] == ["unique_key"]
    assert [entry["level"] for entry in run.log].count("warning") == 1


def test_a_strict_catalog_fails_what_would_degrade(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: incremental")
    pipe.run(batch(ROWS))
    catalog = catalog_get(pipes.lake.catalog)
    policy_set(catalog, strict=True)
    for attempt in (pipe.start, lambda: pipes("merge_strategy: snapshot").run(batch(ROWS))):
        with pytest.raises(InvalidConfig, match="requires"):
            attempt()
    policy_set(catalog, strict=False)
    pipe.start()
    assert pipe.rows() == ROWS


def test_a_degraded_run_never_replaces_history(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["scd2"])
    pipe.run(batch(ROWS))
    with pytest.raises(InvalidConfig, match="versions"):
        pipe.run(batch(ROWS), config="merge_strategy: scd2")
    assert len(pipe.rows()) == 3


@pytest.mark.parametrize(
    ("config", "field", "line", "advice"),
    [
        (("merge_strategy: incremental", "unique_key: idd"), "unique_key", 2, "Did you mean id?"),
        ((*KEYED, "watermark_column: when"), "watermark_column", 3, "Select it"),
        (("merge_strategy: snapshot", "partition_column: day"), "partition_column", 2, "Select it"),
        (("merge_strategy: scd2", "unique_key: id", "scd_valid_from: at"), "scd_valid_from", 3, "Rename it"),
    ],
)
def test_columns_that_the_query_does_not_give_are_named_by_line(
    pipes: Pipes, config: tuple[str, ...], field: str, line: int, advice: str
) -> None:
    with pytest.raises(InvalidConfig) as caught:
        pipes(*config).run(batch(ROWS))
    (error,) = caught.value.details["errors"]
    assert (error["file"], error["field"], error["line"]) == ("config.yaml", field, line)
    assert advice in error["remedy"]


def test_a_table_without_the_columns_of_the_strategy_is_refused(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: append_only")
    pipe.run(batch(ROWS))
    with pytest.raises(InvalidConfig, match="no column valid_from"):
        pipe.run(batch(ROWS), config="\n".join(CONFIGS["scd2"]))
    with pytest.raises(InvalidConfig, match="no column other"):
        pipe.run(
            batch([(1, "a", 1, 1)], (*COLUMNS, "other INT")), config="merge_strategy: delete_insert\nunique_key: other"
        )


@pytest.mark.parametrize("strategy", ["incremental", "scd2"])
def test_a_strategy_that_takes_keys_to_be_unique_is_not_let_loose_on_others(pipes: Pipes, strategy: str) -> None:
    pipe = pipes("merge_strategy: append_only")
    pipe.run("SELECT id, value, 1 AS at, 0 AS valid_from, CAST(NULL AS INT) AS valid_to FROM (" + batch(ROWS) + ")")
    pipe.start()
    before = pipe.rows()
    with pytest.raises(DuplicateKey, match="several rows of key id = "):
        pipe.run(batch([(1, "x", 2)]), config="\n".join(CONFIGS[strategy]))
    assert pipe.rows() == before
    pipes.lake.sql(f"DELETE FROM {pipe.table}")
    pipe.run(batch([(1, "x", 2)]))


def test_what_a_run_has_found_unique_is_not_looked_at_again(pipes: Pipes) -> None:
    pipe = pipes(*KEYED)
    looked = []
    for config in (KEYED, KEYED, KEYED, (KEYED[0], "unique_key: [id, at]")):
        pipe.run(batch(ROWS), config="\n".join(config))
        Task.objects.filter(pk=pipe.runs[-1].pk).update(state=TaskState.SUCCEEDED, finished_at=timezone.now())
        looked.append("look for duplicates" in pipe.attempts[-1].steps)
    assert looked == [False, False, False, True]


def test_rivals_are_refused_unless_something_orders_them(pipes: Pipes) -> None:
    pipe = pipes(*KEYED)
    rivals = batch([(1, "a", 1), (1, "b", 1)])
    with pytest.raises(DuplicateKey, match="id = 1"):
        pipe.run(rivals)
    pipe.run(rivals, config="\n".join([*KEYED, "tie_break: value"]))
    assert pipe.rows() == [(1, "b", 1)]


def test_rows_may_take_their_key_away(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["incremental"], "delete_when: value = 'gone' -- and nothing else")
    pipe.run(batch([*ROWS, (4, "gone", 1), (5, None, 1)]))
    assert pipe.rows() == [*ROWS, (5, None, 1)]
    result = pipe.run(batch([(1, "gone", 2), (2, "gone", 0), (3, "gone", 1), (3, "back", 2), (6, "gone", 2)]))
    assert pipe.rows() == [(2, "b", 1), (3, "back", 2), (5, None, 1)]
    assert (result.metrics["rows_deleted"], result.metrics["rows_updated"]) == (1, 1)
    with pytest.raises(InvalidConfig, match="java_method"):
        pipe.run(batch(ROWS), config="\n".join([*CONFIGS["incremental"], "delete_when: java_method('a', 'b')"]))


# -- templates --------------------------------------------------------------------------------------------------------


def test_an_incremental_run_goes_on_from_the_watermark_of_its_branch(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["incremental"])
    source = (
        "{% if is_incremental() %}SELECT CAST(9 AS INT) AS id, '{{ watermark_value }}' AS value, CAST(9 AS INT) AS at"
    )
    source += "{% else %}" + batch(ROWS) + "{% endif %}"
    pipe.run(source)
    pipes.lake.sql("CREATE BRANCH cut")
    pipe.start()
    assert (9, "1", 9) in pipe.rows()
    pipe.start()
    assert (9, "9", 9) in pipe.rows()
    pipes.lake.sql(f"RESTORE TABLE {pipe.table} TO VERSION AS OF {pipe.runs[0].committed_version}")
    pipe.start()
    assert (9, "1", 9) in pipe.rows()


@pytest.mark.parametrize(
    ("column", "lookback", "expected"),
    [
        ("CAST(9 AS INT)", "2", "7"),
        ("DATE '2026-03-31'", "3 days", "2026-03-28"),
        ("TIMESTAMP '2026-03-01 01:30:00+00:00'", "2 hours", "2026-02-28 23:30:00"),
    ],
)
def test_a_run_looks_back_as_far_as_it_is_told(pipes: Pipes, column: str, lookback: str, expected: str) -> None:
    pipe = pipes(*KEYED, "watermark_column: at", f"lookback: {lookback}")
    first = f"{{% if not is_incremental() %}}SELECT 1 AS id, {column} AS at{{% else %}}"
    pipe.run(f"{first}SELECT '{{{{ watermark_value }}}}' AS id, {column} AS at{{% endif %}}")
    assert pipe.pipeline is not None
    found = run_rehearse(pipe.pipeline, {}, session=Session(pipes.lake.catalog)).rendered
    assert found.split("'")[1].startswith(expected)


@pytest.mark.parametrize(
    ("column", "lookback", "takes"),
    [("CAST(9 AS INT)", "2 days", "a number"), ("DATE '2026-03-31'", "2", "a time"), ("'x'", "2", "nothing")],
)
def test_a_lookback_that_the_watermark_cannot_take_is_refused_by_its_line(
    pipes: Pipes, column: str, lookback: str, takes: str
) -> None:
    pipe = pipes(*KEYED, "watermark_column: at", f"lookback: {lookback}")
    pipe.run(f"SELECT 1 AS id, {column} AS at {{% if is_incremental() %}}WHERE true{{% endif %}}")
    with pytest.raises(InvalidConfig) as caught:
        pipe.start()
    (error,) = caught.value.details["errors"]
    assert (error["field"], error["line"]) == ("lookback", 4)
    assert takes in error["remedy"]


def test_a_row_that_comes_late_is_taken_in_by_looking_back(pipes: Pipes) -> None:
    pipe = pipes(*KEYED, "watermark_column: at", "lookback: 3")
    later = "{% if is_incremental() %}WHERE at >= {{ watermark_value }}{% endif %}"
    pipe.run(f"SELECT * FROM ({batch([(1, 'a', 1), (2, 'b', 9)])}) {later}")
    late = batch([(2, "b", 9), (3, "late", 6), (4, "too late", 5), (1, "older", 0)])
    result = pipe.start(source=f"SELECT * FROM ({late}) {later}")
    assert pipe.rows() == [(1, "a", 1), (2, "b", 9), (3, "late", 6)]
    assert (result.metrics["rows_inserted"], result.metrics["rows_updated"]) == (1, 0)


def test_what_the_query_does_not_give_is_said_before_it_runs(pipes: Pipes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckMemoryEngine, "frozen", None)
    with pytest.raises(InvalidConfig, match="no column idd"):
        pipes("merge_strategy: incremental", "unique_key: idd").run(batch(ROWS))


def test_a_dry_run_writes_nothing(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["incremental"])
    pipe.run(batch(ROWS))
    assert pipe.pipeline is not None
    before = pipes.lake.head()
    texts = {"source": "SELECT {{ watermark_value }} AS n FROM {{ this }}"}
    prepared = run_rehearse(pipe.pipeline, texts, session=Session(pipes.lake.catalog))
    assert prepared.rendered == f"SELECT 1 AS n FROM `d`.`{pipe.table.removeprefix('d.')}`"
    assert pipes.lake.head() == before


# -- versions ---------------------------------------------------------------------------------------------------------


def history(pipe: Pipe) -> list[tuple[Any, ...]]:
    return pipe.rows(columns="id, value, valid_from, valid_to")


def open_versions(result: list[tuple[Any, ...]]) -> list[Any]:
    return sorted(row[0] for row in result if row[3] is None)


class TestVersionsByTheTimeOfTheRun:
    CONFIG = ("merge_strategy: scd2", "unique_key: id")

    def test_a_change_ends_one_version_and_begins_the_next(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG)
        pipe.run(batch(ROWS))
        result: StatementResult = pipe.run(batch([(1, "x", 1), (2, "b", 1), (4, "d", 1)]))
        assert (result.metrics["rows_updated"], result.metrics["rows_inserted"]) == (1, 2)
        first, second = sorted((row for row in history(pipe) if row[0] == 1), key=lambda row: str(row[2]))
        assert (first[1], second[1], second[3]) == ("a", "x", None)
        assert first[3] == second[2]
        assert open_versions(history(pipe)) == [1, 2, 3, 4]

    def test_keys_that_are_gone_end_when_asked(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG, "hard_deletes: invalidate")
        pipe.run(batch(ROWS))
        pipe.run(batch(ROWS[:1]))
        assert open_versions(history(pipe)) == [1]
        assert len(history(pipe)) == 3
        pipe.run(batch(ROWS[:2]))
        assert open_versions(history(pipe)) == [1, 2]
        assert len(history(pipe)) == 4
        assert pipe.run(batch([])).metrics["rows_updated"] == 0

    def test_only_tracked_columns_make_versions(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG, "scd_columns: value", "scd_valid_from: since", "scd_valid_to: until")
        pipe.run(batch(ROWS))
        before = pipes.lake.head()
        assert pipe.run(batch([(1, "a", 7)])).version == before
        assert list(types(pipe))[-2:] == ["since", "until"]

    def test_only_files_with_open_versions_of_the_batch_s_keys_are_read(self, pipes: Pipes) -> None:
        looked: list[str] = []

        class Watched(Attempt):
            def step(self, name: str, detail: str = "") -> None:
                if name == "read versions":
                    looked.append(detail.split(" files", maxsplit=1)[0])

        pipe = pipes(*self.CONFIG)
        for first in (10, 20, 30):
            pipe.run(batch([(first, "a", 1), (first + 1, "a", 1)]))
        pipe.start(source=batch([(21, "b", 1)]), context=Watched)
        pipe.start(source=batch([(21, "c", 1), (99, "new", 1)]), context=Watched)
        # The file with the version that 21 had first, ended now, is none of those that count.
        assert looked == ["1 of 3", "2 of 5"]
        assert [row[1] for row in history(pipe) if row[0] == 21 and row[3] is None] == ["c"]
        assert len([row for row in history(pipe) if row[0] == 21]) == 3


class TestVersionsByTheirOwnTime:
    def test_a_late_change_splits_the_interval(self, pipes: Pipes) -> None:
        pipe = pipes(*CONFIGS["scd2"], "scd_columns: value")
        pipe.run(batch([(1, "a", 1), (1, "c", 9)]))
        pipe.run(batch([(1, "b", 5), (1, "a", 3), (1, "0", 0)]))
        assert sorted(history(pipe), key=lambda row: row[2]) == [
            (1, "0", 0, 1),
            (1, "a", 1, 5),
            (1, "b", 5, 9),
            (1, "c", 9, None),
        ]

    def test_a_version_without_a_time_is_refused(self, pipes: Pipes) -> None:
        with pytest.raises(NotNullViolation):
            pipes(*CONFIGS["scd2"]).run(batch([(1, "a", None)]))
