"""A row that is older than a delete of its key stays deleted, on every branch that knows of the delete (rows §4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog_app.models import DeletedKeys
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from catalog_app.services.deleted_keys import deleted_keys_register
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.pipeline_runs import run_dry
from lakeui.frontdoor.pipelines import deletes as pipeline_deletes
from merge_app.execution.deleted_keys import tombstones_find
from merge_app.jobs.context import Context
from tests.pipelines.strategies.cases import CONFIGS
from tests.pipelines.strategies.pipes import Pipe, Pipes, batch
from tests.support.lake import Lake
from tests.support.two_catalogs import take

LINES = (*CONFIGS["incremental"], "delete_when: value = 'gone'")
GONE = (1, "gone", 3)
LATE = (1, "zombie", 1)
STAYS = (2, "b", 1)


def kept(pipe: Pipe) -> QuerySet[DeletedKeys]:
    return DeletedKeys.objects.filter(branch__catalog__name=pipe.lake.catalog)


def deleted(pipes: Pipes, *lines: str) -> Pipe:
    """Key 1 was there, and went at 3."""
    pipe = pipes(*LINES, *lines)
    pipe.run(batch([(1, "a", 1), STAYS]))
    pipe.run(batch([GONE]))
    assert pipe.rows() == [STAYS]
    return pipe


@pytest.mark.parametrize("late", [LATE, (1, "zombie", 2), (1, "zombie", None)])
def test_rows_older_than_their_keys_delete_stay_deleted(pipes: Pipes, late: tuple[Any, ...]) -> None:
    pipe = deleted(pipes)
    head = pipes.lake.head()
    done = pipe.run(batch([late]))
    assert (pipe.rows(), pipes.lake.head(), done.metrics["rows_inserted"]) == ([STAYS], head, 0)


@pytest.mark.parametrize("at", [3, 4])
def test_a_row_not_older_brings_its_key_back(pipes: Pipes, at: int) -> None:
    pipe = deleted(pipes)
    pipe.run(batch([(1, "back", at)]))
    assert pipe.rows() == [(1, "back", at), STAYS]
    pipe.run(batch([(1, "newer", at)]))
    assert (1, "newer", at) in pipe.rows()
    pipe.run(batch([LATE]))
    assert (1, "newer", at) in pipe.rows()


def test_a_delete_counts_although_the_key_came_never(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([STAYS, (7, "gone", 3)]))
    pipe.run(batch([(8, "gone", 3)]))
    head = pipes.lake.head()
    pipe.run(batch([(8, "gone", 3), (7, "gone", 2)]))
    assert pipes.lake.head() == head
    pipe.run(batch([(7, "zombie", 2), (8, "zombie", 2), (9, "i", 2)]))
    assert pipe.rows() == [STAYS, (9, "i", 2)]


def test_older_rows_of_the_same_batch_stay_deleted(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([STAYS, GONE, LATE]))
    pipe.run(batch([(5, "e", 1), (5, "gone", 2)]))
    pipe.run(batch([LATE, (5, "e", 1)]))
    assert pipe.rows() == [STAYS]


def test_a_late_delete_makes_no_version(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 5)]))
    head = pipes.lake.head()
    pipe.run(batch([GONE]))
    assert (pipe.rows(), pipes.lake.head()) == ([(1, "a", 5)], head)


def test_the_newest_of_several_deletes_counts(pipes: Pipes) -> None:
    pipe = deleted(pipes)
    pipe.run(batch([(1, "back", 4)]))
    pipe.run(batch([(1, "gone", 6)]))
    pipe.run(batch([(1, "gone", 5)]))
    pipe.run(batch([(1, "zombie", 5)]))
    assert pipe.rows() == [STAYS]
    pipe.run(batch([(1, "back", 6)]))
    assert pipe.rows() == [(1, "back", 6), STAYS]


def test_branches_see_own_deletes_and_merges_bring_them(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 1), STAYS]))
    pipes.lake.sql("CREATE BRANCH cut")
    pipe.run(batch([GONE, (7, "gone", 3)]), branch="cut")
    pipe.run(batch([(7, "g", 1)]))
    pipes.lake.sql(f"DELETE FROM {pipe.table} WHERE id = 7")
    assert pipe.rows() == [(1, "a", 1), STAYS]
    pipes.lake.sql("MERGE BRANCH cut")
    pipe.run(batch([LATE, (7, "zombie", 1)]))
    assert pipe.rows() == [STAYS]


def test_a_merge_brings_deletes_of_absent_keys(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([STAYS]))
    pipes.lake.sql("CREATE BRANCH cut")
    pipe.run(batch([(7, "gone", 3)]), branch="cut")
    pipes.lake.sql("MERGE BRANCH cut")
    pipe.run(batch([(7, "zombie", 1)]))
    assert pipe.rows() == [STAYS]


@pytest.mark.parametrize(
    "restore", ["RESTORE TABLE {table} TO VERSION AS OF {version}", "RESTORE BRANCH main TO VERSION AS OF {version}"]
)
@pytest.mark.parametrize("key", [1, 7])
def test_a_restore_removes_deletes_and_another_returns_them(pipes: Pipes, restore: str, key: int) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 1), STAYS]))
    before = pipes.lake.head()
    pipe.run(batch([(key, "gone", 3)]))
    after = pipes.lake.head()
    pipes.lake.sql(restore.format(table=pipe.table, version=before))
    pipe.run(batch([(key, "late", 2)]))
    assert (key, "late", 2) in pipe.rows()
    pipes.lake.sql(restore.format(table=pipe.table, version=after))
    pipe.run(batch([(key, "zombie", 2)]))
    assert key not in [row[0] for row in pipe.rows()]


@pytest.mark.parametrize(
    "clears", ["full_refresh", "TRUNCATE TABLE {table}", "INSERT OVERWRITE {table} VALUES (2, 'b', 1)"]
)
def test_clearing_a_whole_table_clears_its_deletes(pipes: Pipes, clears: str) -> None:
    pipe = deleted(pipes)
    if clears == "full_refresh":
        pipe.run(batch([STAYS]), config="merge_strategy: full_refresh")
    else:
        pipes.lake.sql(clears.format(table=pipe.table))
    pipe.run(batch([LATE]))
    assert LATE in pipe.rows()


@pytest.mark.parametrize("clears", ["TRUNCATE TABLE {table}", "INSERT OVERWRITE {table} SELECT * FROM {table}"])
def test_clearing_a_table_without_rows_clears_deletes_too(pipes: Pipes, clears: str) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 1)]))
    pipe.run(batch([GONE]))
    pipes.lake.sql(clears.format(table=pipe.table))
    head = pipes.lake.head()
    pipes.lake.sql(clears.format(table=pipe.table))
    assert pipes.lake.head() == head
    pipe.run(batch([LATE]))
    assert pipe.rows() == [LATE]


@pytest.mark.parametrize(
    ("statements", "is_back"),
    [
        (["RESTORE TABLE {table} TO VERSION AS OF {before}"], True),
        (["RESTORE TABLE {table} TO VERSION AS OF {before}", "RESTORE TABLE {table} TO VERSION AS OF {after}"], False),
        (["TRUNCATE TABLE {table}", "RESTORE TABLE {table} TO VERSION AS OF {after}"], False),
        (["RESTORE TABLE {table} TO VERSION AS OF {after}", "TRUNCATE TABLE {table}"], True),
        (["DELETE FROM {table}", "TRUNCATE TABLE {table}"], True),
        (["TRUNCATE TABLE {table}", "RESTORE TABLE {table} TO VERSION AS OF {alone}"], True),
    ],
)
def test_a_transactions_last_statement_decides_which_deletes_count(
    pipes: Pipes, statements: list[str], is_back: bool
) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([STAYS]))
    alone = pipes.lake.head()
    pipe.run(batch([(1, "a", 1)]))
    before = pipes.lake.head()
    pipe.run(batch([GONE]))
    after = pipes.lake.head()
    begun = pipes.lake.sql("BEGIN").extra["transaction"]
    for text in (*statements, "COMMIT"):
        pipes.lake.sql(text.format(table=pipe.table, alone=alone, before=before, after=after), transaction=begun)
    pipes.lake.sql(f"DELETE FROM {pipe.table} WHERE id = 1")
    pipe.run(batch([LATE]))
    assert (LATE in pipe.rows()) == is_back


def test_restores_of_restores_are_read_once_each(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 1), STAYS]))
    before = pipes.lake.head()
    pipe.run(batch([GONE]))
    table_id = kept(pipe).get().table_id

    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            tombstones_find(branch_snapshot(branch_get(catalog_get(pipes.lake.catalog), "main")), table_id)
        return len(asked)

    numbers = []
    for _ in range(4):
        undone = pipes.lake.head()
        pipes.lake.sql(f"RESTORE TABLE {pipe.table} TO VERSION AS OF {before}")
        pipes.lake.sql(f"RESTORE TABLE {pipe.table} TO VERSION AS OF {undone}")
        numbers.append(statements())
    assert numbers[3] - numbers[2] == numbers[2] - numbers[1]
    pipe.run(batch([LATE]))
    assert pipe.rows() == [STAYS]


def test_tables_removed_by_restore_return_with_their_deletes(pipes: Pipes) -> None:
    before = pipes.lake.head()
    pipe = deleted(pipes)
    pipes.lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {before}")
    pipes.lake.sql(f"UNDROP TABLE {pipe.table}")
    pipe.run(batch([LATE]))
    assert pipe.rows() == [STAYS]


def test_a_reverted_merge_removes_deletes_of_absent_keys(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([STAYS]))
    pipes.lake.sql("CREATE BRANCH cut")
    pipe.run(batch([(7, "gone", 3)]), branch="cut")
    merged = pipes.lake.sql("MERGE BRANCH cut")
    undone = pipes.lake.sql(f"RESTORE MERGE '{merged.rows[0][0]}'")
    assert undone.extra["objects"] == 1
    pipe.run(batch([(7, "late", 1)]))
    assert pipe.rows() == [STAYS, (7, "late", 1)]


def test_a_reverted_merge_takes_its_deletes_with_it(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 1), STAYS]))
    pipes.lake.sql("CREATE BRANCH cut")
    pipe.run(batch([GONE, (7, "gone", 3)]), branch="cut")
    merged = pipes.lake.sql("MERGE BRANCH cut")
    pipes.lake.sql(f"RESTORE MERGE '{merged.rows[0][0]}'")
    pipe.run(batch([(7, "late", 1)]))
    assert pipe.rows() == [(1, "a", 1), STAYS, (7, "late", 1)]


def test_a_checked_run_publishes_its_deletes(pipes: Pipes) -> None:
    pipe = deleted(pipes, "publish: checked", "checks: [id > 0]")
    pipe.run(batch([LATE]))
    assert pipe.rows() == [STAYS]
    assert set(kept(pipe).values_list("branch__name", flat=True)) == {"main"}


def test_a_dry_run_keeps_no_delete(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 1)]))
    assert pipe.pipeline is not None
    run_dry(pipe.pipeline, {"source": batch([GONE])}, session=Session(pipe.lake.catalog), context=Context())
    assert not kept(pipe).exists()


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("CAST(NULL AS STRING)", "'NULL'"),
        ("'a'", "'A'"),
        ("CAST('x' AS CHAR(3))", "CAST('y' AS CHAR(3))"),
        ("CAST(1.50 AS DECIMAL(10,2))", "CAST(1.51 AS DECIMAL(10,2))"),
        ("TIMESTAMP '2026-01-01 00:00:00.000001+00:00'", "TIMESTAMP '2026-01-01 00:00:00.000002+00:00'"),
        ("CAST('-0.0' AS DOUBLE)", "CAST('1e-300' AS DOUBLE)"),
    ],
)
def test_keys_are_compared_whole(pipes: Pipes, key: str, other: str) -> None:
    pipe = pipes("merge_strategy: incremental", "unique_key: [a, b]", "watermark_column: at", "delete_when: gone")

    def rows(gone: str, at: int, *keys: str) -> str:
        return " UNION ALL ".join(f"SELECT {k} AS a, 'n' AS b, {gone} AS gone, {at} AS at" for k in keys)

    pipe.run(rows("false", 1, key, other))
    pipe.run(rows("true", 3, key.replace("-0.0", "0.0")))
    pipe.run(rows("false", 2, key, other))
    assert [row[3] for row in pipe.rows()] == [2]


@pytest.mark.parametrize(
    ("late", "same", "kind"),
    [
        ("'9'", "'9a'", "STRING"),
        ("9", "10", "INT"),
        ("9.99", "10.00", "DECIMAL(10,2)"),
        ("'9.5'", "'1e1'", "DOUBLE"),
        ("'2026-01-01'", "'2026-01-02'", "DATE"),
        ("'2026-01-01 00:00:00.000001'", "'2026-01-01 00:00:00.000002'", "TIMESTAMP_NTZ"),
        ("'2026-01-01 00:00:00'", "'2026-01-01 00:00:00.5'", "TIMESTAMP"),
    ],
)
def test_watermarks_are_compared_as_their_type(pipes: Pipes, late: str, same: str, kind: str) -> None:
    pipe = pipes("merge_strategy: incremental", "unique_key: id", "watermark_column: at", "delete_when: gone")

    def row(gone: str, at: str) -> str:
        return f"SELECT 1 AS id, {gone} AS gone, CAST({at} AS {kind}) AS at"

    pipe.run(row("true", same))
    pipe.run(row("false", late))
    assert pipe.rows() == []
    pipe.run(row("false", same))
    assert len(pipe.rows()) == 1


def test_keys_stay_the_same_through_renaming_and_widening(pipes: Pipes) -> None:
    pipe = deleted(pipes)
    pipes.lake.sql(f"ALTER TABLE {pipe.table} RENAME COLUMN id TO number")
    pipes.lake.sql(f"ALTER TABLE {pipe.table} RENAME COLUMN at TO moment")
    pipes.lake.sql(f"ALTER TABLE {pipe.table} ALTER COLUMN number TYPE BIGINT")
    config = "\n".join(LINES).replace("unique_key: id", "unique_key: number").replace("column: at", "column: moment")
    pipe.run(batch([LATE, (2, "c", 1)], ("number BIGINT", "value STRING", "moment INT")), config=config)
    assert pipe.rows() == [(2, "c", 1)]


def test_another_key_or_watermark_is_compared_with_none(pipes: Pipes) -> None:
    pipe = deleted(pipes)
    config = "\n".join(LINES).replace("column: at", "column: id")
    pipe.run(batch([LATE]), config=config)
    assert LATE in pipe.rows()


def test_a_watermark_absent_from_the_table_orders_deletes(pipes: Pipes) -> None:
    pipe = pipes(
        "merge_strategy: incremental",
        "unique_key: id",
        "watermark_column: seq",
        "delete_when: gone",
        "on_schema_change: ignore",
    )
    pipes.lake.sql(f"CREATE TABLE {pipe.table} (id INT)")
    columns = ("id INT", "seq INT", "gone BOOLEAN")
    pipe.run(batch([(1, 1, False), (2, 1, False)], columns))
    pipe.run(batch([(1, 3, True)], columns))
    pipe.run(batch([(1, 2, False)], columns))
    assert pipe.rows() == [(2,)]
    pipe.run(batch([(1, 3, False)], columns))
    assert pipe.rows() == [(1,), (2,)]


def test_a_watermark_added_later_orders_earlier_deletes(pipes: Pipes) -> None:
    pipe = pipes(*LINES)
    pipes.lake.sql(f"CREATE TABLE {pipe.table} (id INT, value STRING)")
    pipe.run(batch([GONE]))
    pipe.run(batch([STAYS]))
    pipe.run(batch([LATE]))
    assert pipe.rows() == [STAYS]


def test_deletes_are_kept_as_long_as_history_is(pipes: Pipes, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = deleted(pipes)
    kept(pipe).update(kept_at=timezone.now() - timedelta(days=29))
    pipe.run(batch([LATE]))
    assert pipe.rows() == [STAYS]
    kept(pipe).update(kept_at=timezone.now() - timedelta(days=31))
    pipe.run(batch([LATE]))
    assert pipe.rows() == [LATE, STAYS]
    pipes.lake.sql("VACUUM DRY RUN")
    assert kept(pipe).exists()
    pipes.lake.sql("VACUUM")
    assert not kept(pipe).exists()


def test_many_deletes_come_in_parts(pipes: Pipes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_deletes, "PART_ROWS", 3)
    pipe = pipes(*LINES)
    pipe.run(batch([(n, "gone", 3) for n in range(40)]))
    assert kept(pipe).count() > 1
    assert sum(kept(pipe).values_list("rows", flat=True)) == 40
    pipe.run(batch([(n, "zombie", 2) for n in range(41)]))
    assert pipe.rows() == [(40, "zombie", 2)]


@pytest.mark.parametrize("publish", ["direct", "checked"])
def test_a_run_rechecks_where_another_kept_deletes_meanwhile(
    pipes: Pipes, monkeypatch: pytest.MonkeyPatch, publish: str
) -> None:
    """Two pipelines write one table: the row was staged before the delete of its key was there."""
    pipe, other = pipes(*LINES, f"publish: {publish}"), pipes(*LINES)
    other.table = pipe.table
    pipe.run(batch([STAYS]))
    real = pipeline_deletes.deletes_keep
    done: list[bool] = []

    def beside(*arguments: Any) -> Any:
        if not done:
            done.append(True)
            other.run(batch([(7, "gone", 3)]))
        return real(*arguments)

    monkeypatch.setattr("lakeui.frontdoor.pipelines.writes.deletes_keep", beside)
    pipe.run(batch([(7, "zombie", 1), (8, "h", 1)]))
    assert pipe.rows() == [STAYS, (8, "h", 1)]


def test_a_commit_that_fails_keeps_no_deletes(pipes: Pipes, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = pipes(*LINES)
    pipe.run(batch([(1, "a", 1)]))

    def kept_and_killed(**known: Any) -> None:
        deleted_keys_register(**known)
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(pipeline_deletes, "deleted_keys_register", kept_and_killed)
        with pytest.raises(RuntimeError, match="killed"):
            pipe.run(batch([GONE]))
    assert (pipe.rows(), kept(pipe).count()) == ([(1, "a", 1)], 0)
    pipe.start()
    pipe.run(batch([LATE]))
    assert (pipe.rows(), kept(pipe).count()) == ([], 1)


def test_another_catalog_knows_the_deletes_it_merged(pipes: Pipes) -> None:
    pipe, other = deleted(pipes), Lake()
    take(other, pipes.lake)
    pipe.run(batch([(7, "gone", 3)]))
    there = Pipes(other)(*LINES)
    there.table = pipe.table
    there.run(batch([LATE, (7, "g", 1)]))
    assert there.rows() == [STAYS, (7, "g", 1)]
    other.sql(f"DELETE FROM {pipe.table} WHERE id = 7")
    take(other, pipes.lake)
    there.run(batch([LATE, (7, "zombie", 1)]))
    assert there.rows() == [STAYS]
    assert other.breaches() == []
