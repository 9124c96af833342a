"""What the configuration asks for, and what a run refuses before it writes."""

from __future__ import annotations

import pytest
from django.utils import timezone

from catalog_app.domain.roles import LAKEUI
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import AlreadyExists, DuplicateKey, NotFound
from merge_app.jobs.models import Task, TaskState
from merge_app.pipelines.definition.mistakes import InvalidConfig
from merge_app.pipelines.services import policy_set
from tests.pipelines.strategies.cases import COLUMNS, CONFIGS, KEYED, ROWS
from tests.pipelines.strategies.pipes import Pipes, batch


def test_a_missing_field_degrades_and_marks_the_run(pipes: Pipes) -> None:
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
    policy_set(principal=LAKEUI, catalog=catalog, strict=True)
    for attempt in (pipe.start, lambda: pipes("merge_strategy: snapshot").run(batch(ROWS))):
        with pytest.raises(InvalidConfig, match="requires"):
            attempt()
    policy_set(principal=LAKEUI, catalog=catalog, strict=False)
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
def test_columns_the_query_lacks_are_named_by_line(
    pipes: Pipes, config: tuple[str, ...], field: str, line: int, advice: str
) -> None:
    with pytest.raises(InvalidConfig) as caught:
        pipes(*config).run(batch(ROWS))
    (error,) = caught.value.details["errors"]
    assert (error["file"], error["field"], error["line"]) == ("config.yaml", field, line)
    assert advice in error["remedy"]


def test_a_table_without_strategy_columns_is_refused(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: append_only")
    pipe.run(batch(ROWS))
    with pytest.raises(InvalidConfig, match="no column valid_from"):
        pipe.run(batch(ROWS), config="\n".join(CONFIGS["scd2"]))
    with pytest.raises(InvalidConfig, match="no column other"):
        pipe.run(
            batch([(1, "a", 1, 1)], (*COLUMNS, "other INT")), config="merge_strategy: delete_insert\nunique_key: other"
        )


@pytest.mark.parametrize(
    ("more", "columns"),
    [
        ("", "valid_from TIMESTAMP, valid_to TIMESTAMP"),
        ("watermark_column: at", "valid_from INT, valid_to INT"),
        ("watermark_column: at\nscd_open_marker: 99", "valid_from INT, valid_to INT"),
        (
            "hard_deletes: new_record\non_schema_change: ignore",
            "valid_from TIMESTAMP, valid_to TIMESTAMP, is_deleted BOOLEAN",
        ),
    ],
)
def test_one_statement_adds_the_columns_of_versions(pipes: Pipes, more: str, columns: str) -> None:
    pipe = pipes("merge_strategy: append_only")
    pipe.run(batch(ROWS))
    config = f"merge_strategy: scd2\nunique_key: id\n{more}"
    with pytest.raises(InvalidConfig) as caught:
        pipe.run(batch(ROWS), config=config)
    statement = caught.value.details["statement"]
    assert statement.endswith(f" ADD COLUMNS ({columns})")
    assert {error["remedy"] for error in caught.value.details["errors"]} == {statement}
    pipe.lake.sql(statement)
    pipe.run(batch([(1, "changed", 9), *ROWS[1:]]), config=config)
    found = pipe.rows(columns="id, value, coalesce(CAST(valid_to AS STRING), '99') = '99'")
    assert sorted(row for row in found if row[0] == 1) == [(1, ROWS[0][1], False), (1, "changed", True)]
    assert len(found) == len(ROWS) + 1


def test_columns_that_hold_keys_have_no_statement(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: append_only")
    pipe.run(batch(ROWS))
    with pytest.raises(InvalidConfig) as caught:
        pipe.run(batch([(1, "a", 1, 1)], (*COLUMNS, "other INT")), config="merge_strategy: scd2\nunique_key: other")
    assert "statement" not in caught.value.details


@pytest.mark.parametrize("strategy", ["incremental", "scd2"])
def test_unique_key_strategies_refuse_duplicate_keys(pipes: Pipes, strategy: str) -> None:
    pipe = pipes("merge_strategy: append_only")
    pipe.run("SELECT id, value, 1 AS at, 0 AS valid_from, CAST(NULL AS INT) AS valid_to FROM (" + batch(ROWS) + ")")
    pipe.start()
    before = pipe.rows()
    with pytest.raises(DuplicateKey, match="several rows of key id = "):
        pipe.run(batch([(1, "x", 2)]), config="\n".join(CONFIGS[strategy]))
    assert pipe.rows() == before
    pipes.lake.sql(f"DELETE FROM {pipe.table}")
    pipe.run(batch([(1, "x", 2)]))


def test_what_a_run_found_unique_is_not_rechecked(pipes: Pipes) -> None:
    pipe = pipes(*KEYED)
    looked = []
    for config in (KEYED, KEYED, KEYED, (KEYED[0], "unique_key: [id, at]")):
        pipe.run(batch(ROWS), config="\n".join(config))
        Task.objects.filter(pk=pipe.runs[-1].pk).update(state=TaskState.SUCCEEDED, finished_at=timezone.now())
        looked.append("look for duplicates" in pipe.attempts[-1].steps)
    assert looked == [False, False, False, True]


def test_rivals_are_refused_unless_something_orders_them(pipes: Pipes) -> None:
    pipe = pipes(*KEYED, "watermark_column: at")
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


def test_an_update_needs_a_table(pipes: Pipes) -> None:
    pipe = pipes(*KEYED, "key_strategy: update")
    with pytest.raises(NotFound, match="could be updated"):
        pipe.run(batch(ROWS))


@pytest.mark.parametrize(
    ("key_strategy", "left"),
    [
        ("insert", [*ROWS, (4, "d", 2)]),
        ("update", [ROWS[0], (2, "x", 2)]),
        ("upsert", [ROWS[0], (2, "x", 2), (4, "d", 2)]),
    ],
)
def test_rows_remove_known_keys_unless_left_alone(
    pipes: Pipes, key_strategy: str, left: list[tuple[int, str, int]]
) -> None:
    pipe = pipes(*CONFIGS["incremental"])
    pipe.run(batch(ROWS))
    lines = [*CONFIGS["incremental"], "delete_when: value = 'gone'", f"key_strategy: {key_strategy}"]
    pipe.run(batch([(2, "x", 2), (3, "gone", 2), (4, "d", 2), (5, "gone", 2)]), config="\n".join(lines))
    assert pipe.rows() == left


def test_rows_of_only_keys_have_nothing_to_replace(pipes: Pipes) -> None:
    pipe = pipes(*KEYED)
    pipe.run(batch([(1,)], ("id INT",)))
    result = pipe.run(batch([(1,), (2,)], ("id INT",)), config="\n".join([*KEYED, "key_strategy: update"]))
    assert (pipe.rows(), result.metrics["rows_inserted"]) == ([(1,)], 0)


def test_views_are_made_where_queries_change(pipes: Pipes) -> None:
    pipes.lake.sql("CREATE BRANCH views")
    pipe = pipes("materialized: view", "archive_landing_zones: false")
    done = pipe.run("SELECT 1 AS id;", branch="views")
    assert pipe.rows("views") == [(1,)]
    assert pipe.start("views").version == done.version
    pipe.start("views", source="SELECT 2 AS id")
    assert pipe.rows("views") == [(2,)]
    assert pipes.lake.sql("SHOW VIEWS IN d", branch="main").rows == []


def test_a_view_does_not_replace_a_table(pipes: Pipes) -> None:
    pipe = pipes("materialized: table")
    pipe.run("SELECT 1 AS id")
    with pytest.raises(AlreadyExists):
        pipe.run("SELECT 2 AS id", config="materialized: view")
    assert pipe.rows() == [(1,)]


class TestRowsOfOneKeyWithoutAnOrder:
    """``incremental`` without ``watermark_column`` writes one of them, always the same, and says so."""

    TWICE = [(1, "a", 1), (1, "b", 1), (1, "b", 1), (2, "x", 1), (2, "x", None), (3, "c", 1)]

    def test_highest_by_all_columns_is_written_degrading_runs(self, pipes: Pipes) -> None:
        pipe = pipes(*KEYED)
        for rows in (self.TWICE, self.TWICE[::-1]):
            pipe.run(batch(rows))
            assert pipe.rows() == [(1, "b", 1), (2, "x", 1), (3, "c", 1)]
            run = pipe.runs[-1]
            run.refresh_from_db()
            (said,) = [entry["message"] for entry in run.log if entry["level"] == "warning"]
            assert said.startswith("2 rows of 2 keys are left out")
            assert run.is_degraded

    def test_rows_that_are_the_same_are_one(self, pipes: Pipes) -> None:
        pipe = pipes(*KEYED)
        pipe.run(batch([(1, "b", 1), (1, "b", 1)]))
        assert pipe.rows() == [(1, "b", 1)]
        assert not pipe.runs[-1].is_degraded

    def test_a_strict_run_is_refused(self, pipes: Pipes) -> None:
        with pytest.raises(DuplicateKey, match="key id = "):
            pipes(*KEYED, "strict: true").run(batch(self.TWICE))
