"""VACUUM takes what nothing can reach, and nothing else (semantics §5)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from catalog_app.models import Branch, ExpiredFile
from catalog_app.selectors.snapshots import branch_get, catalog_get
from catalog_app.services.integrity import catalog_check
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import NotFound, Stale
from lakeui.frontdoor.compute import engine
from merge_app.execution.apply import CommitHeader
from merge_app.execution.restore import Scope, recovery_run, restore_plan
from merge_app.jobs.models import Task, TaskState
from merge_app.review.verification import audit_verify
from tests.support.lake import Lake


@pytest.fixture
def nothing_is_retained() -> None:
    """Here each test says what is retained."""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No retention: what is out of reach goes at once."""
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 0)
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)


@pytest.fixture
def table(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """Two files, compacted into a third. What other tests left in the warehouse is gone before."""
    with monkeypatch.context() as patched:
        patched.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
        lake.sql("VACUUM")
    lake.sql("CREATE TABLE d.t (id int)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql("INSERT INTO d.t VALUES (2)")
    return lake


def proposed(lake: Lake) -> int:
    return lake.sql("VACUUM DRY RUN").row_count


def size_of() -> Callable[[str], int | None]:
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    return lambda path: warehouse.size(path) if warehouse.exists(path) else None


def in_order(lake: Lake) -> bool:
    return catalog_check(catalog_get(lake.catalog), size_of=size_of()) == []


def drop_long_ago(lake: Lake, branch: str) -> None:
    lake.sql(f"DROP BRANCH {branch}")
    Branch.objects.filter(catalog__name=lake.catalog, name=branch).update(
        dropped_at=timezone.now() - timedelta(days=99)
    )


@pytest.mark.usefixtures("at_once")
def test_files_replaced_by_compaction_go_when_versions_expire(table: Lake) -> None:
    before = table.head()
    table.sql("OPTIMIZE d.t")
    result = table.sql("VACUUM")
    assert result.metrics["files_removed"] == 2
    assert [row[2] for row in result.rows] == ["no branch, tag or trash reaches it"] * 2
    assert table.rows("d.t") == [(1,), (2,)]
    assert in_order(table)
    with pytest.raises(NotFound, match="retention"):
        table.rows(f"d.t VERSION AS OF {before}")
    assert proposed(table) == 0


def test_nothing_goes_within_the_retention(table: Lake) -> None:
    table.sql("OPTIMIZE d.t")
    table.sql("DROP TABLE d.t")
    table.sql("CREATE BRANCH dev")
    table.sql("DROP BRANCH dev")
    assert proposed(table) == 0


@pytest.mark.usefixtures("at_once")
def test_what_a_branch_sees_stays(table: Lake) -> None:
    table.sql("CREATE BRANCH dev")
    table.sql("OPTIMIZE d.t")
    table.sql("VACUUM")
    assert table.rows("d.t", "dev") == [(1,), (2,)]
    assert in_order(table)


@pytest.mark.usefixtures("at_once")
def test_what_a_tag_names_stays(table: Lake) -> None:
    table.sql("CREATE TAG kept")
    table.sql("INSERT OVERWRITE d.t VALUES (3)")
    assert proposed(table) == 0
    table.sql("VACUUM")
    assert table.rows("d.`t@kept`") == [(1,), (2,)]
    table.sql("DROP TAG kept")
    assert proposed(table) == 2


@pytest.mark.usefixtures("at_once")
def test_what_a_merge_may_yet_need_stays(table: Lake) -> None:
    """The inputs of a compaction come over where the target changed them (semantics §3)."""
    table.sql("CREATE BRANCH dev")
    table.sql("INSERT INTO d.t VALUES (3)", "dev")
    table.sql("OPTIMIZE d.t", "dev")
    table.sql("DELETE FROM d.t WHERE id = 1")
    table.sql("VACUUM")
    notes = table.merge("dev")["notes"]
    assert [note["code"] for note in notes] == ["COMPACTION_SKIPPED"]
    assert table.rows("d.t") == [(2,), (3,)]
    assert in_order(table)


@pytest.mark.usefixtures("at_once")
def test_dropped_branch_keeps_files_while_it_can_return(table: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table.sql("CREATE BRANCH dev")
    table.sql("INSERT INTO d.t VALUES (3)", "dev")
    table.sql("DROP BRANCH dev")
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 1)
    assert proposed(table) == 0
    table.sql("UNDROP BRANCH dev")
    drop_long_ago(table, "dev")
    assert table.sql("VACUUM").metrics["files_removed"] == 1
    with pytest.raises(NotFound):
        table.sql("UNDROP BRANCH dev")
    assert in_order(table)


@pytest.mark.usefixtures("at_once")
def test_what_a_merge_took_over_outlives_its_branch(table: Lake) -> None:
    table.sql("CREATE BRANCH dev")
    table.sql("INSERT INTO d.t VALUES (3)", "dev")
    table.merge("dev")
    drop_long_ago(table, "dev")
    table.sql("VACUUM")
    assert table.rows("d.t") == [(1,), (2,), (3,)]
    assert in_order(table)


@pytest.mark.usefixtures("at_once")
def test_branch_from_expired_one_keeps_what_it_sees(table: Lake) -> None:
    table.sql("CREATE BRANCH dev")
    table.sql("INSERT INTO d.t VALUES (3)", "dev")
    table.sql("CREATE BRANCH sub FROM dev")
    table.sql("INSERT INTO d.t VALUES (4)", "dev")
    drop_long_ago(table, "dev")
    table.sql("VACUUM")
    assert table.rows("d.t", "sub") == [(1,), (2,), (3,)]
    assert in_order(table)


@pytest.mark.usefixtures("at_once")
def test_dropped_table_loses_its_files_and_cannot_return(table: Lake) -> None:
    table.sql("DROP TABLE d.t")
    assert table.sql("VACUUM").metrics["files_removed"] == 2
    with pytest.raises(NotFound):
        table.sql("UNDROP TABLE d.t")
    assert in_order(table)


@pytest.mark.usefixtures("at_once")
def test_tables_of_a_dropped_database_go_with_it(table: Lake) -> None:
    table.sql("DROP DATABASE d CASCADE")
    assert table.sql("VACUUM").metrics["files_removed"] == 2
    with pytest.raises(NotFound):
        table.sql("UNDROP DATABASE d")


@pytest.mark.usefixtures("at_once")
def test_open_transaction_keeps_what_it_wrote_and_sees(table: Lake) -> None:
    opened = table.sql("BEGIN").extra["transaction"]
    table.sql("INSERT INTO d.t VALUES (3)", transaction=opened)
    table.sql("OPTIMIZE d.t")
    table.sql("VACUUM")
    found = table.sql("SELECT id FROM d.t ORDER BY id", transaction=opened)
    assert found.rows == [[1], [2], [3]]
    table.sql("COMMIT", transaction=opened)
    assert table.rows("d.t") == [(1,), (2,), (3,)]
    assert in_order(table)


@pytest.mark.usefixtures("at_once")
def test_what_a_rolled_back_transaction_wrote_goes(table: Lake) -> None:
    opened = table.sql("BEGIN").extra["transaction"]
    table.sql("INSERT INTO d.t VALUES (3)", transaction=opened)
    table.sql("ROLLBACK", transaction=opened)
    assert table.sql("VACUUM").metrics["files_removed"] == 1
    assert table.rows("d.t") == [(1,), (2,)]


@pytest.mark.usefixtures("at_once")
def test_files_of_a_crash_go_unless_owned(table: Lake) -> None:
    segment = Path(settings.LAKEUI["WAREHOUSE"]) / table.sql("SHOW SEGMENTS d.t").rows[0][0]
    orphan = segment.with_name(f"{uuid.uuid4().hex}.parquet")
    orphan.write_bytes(segment.read_bytes())
    running = Task.objects.create(
        kind="sql",
        state=TaskState.RUNNING,
        claim=uuid.uuid4(),
        heartbeat_at=timezone.now(),
        started_at=timezone.now() - timedelta(minutes=1),
    )
    assert proposed(table) == 0
    running.delete()
    assert [row[0].rsplit("/", 1)[1] for row in table.sql("VACUUM").rows] == [orphan.name]
    assert not orphan.exists()
    assert table.rows("d.t") == [(1,), (2,)]


@pytest.mark.usefixtures("at_once")
def test_the_next_vacuum_finishes_a_killed_one(table: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table.sql("OPTIMIZE d.t")

    def power_cut(self: Warehouse, paths: Sequence[str]) -> None:
        raise OSError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(Warehouse, "remove_all", power_cut)
        with pytest.raises(OSError, match="power cut"):
            table.sql("VACUUM")
    assert ExpiredFile.objects.filter(removed_at__isnull=True).count() == 2
    assert in_order(table)
    table.sql("VACUUM")
    assert not ExpiredFile.objects.filter(removed_at__isnull=True).exists()


@pytest.mark.usefixtures("at_once")
def test_a_restore_that_a_vacuum_overtakes_is_refused(table: Lake) -> None:
    past = table.head()
    table.sql("INSERT OVERWRITE d.t VALUES (1), (2)")
    branch = branch_get(catalog_get(table.catalog), "main")
    (table_id,) = (row[2] for row in table.sql("SHOW TABLES").rows)
    planned = restore_plan(branch, past, Scope(frozenset(), frozenset({int(table_id)})))
    table.sql("VACUUM")
    with pytest.raises(Stale):
        recovery_run(planned, CommitHeader("RESTORE TABLE"), engine)
    assert table.rows("d.t") == [(1,), (2,)]


@pytest.mark.usefixtures("at_once")
def test_each_run_leaves_one_record_and_chain_holds(table: Lake) -> None:
    table.sql("OPTIMIZE d.t")
    table.sql("VACUUM")
    catalog = catalog_get(table.catalog)
    assert audit_verify(catalog) == []
    call_command("verify_audit", table.catalog)
    call_command("vacuum", table.catalog, "--dry-run")


def test_a_changed_or_missing_record_is_found(table: Lake) -> None:
    table.sql("CREATE BRANCH dev")
    for value in (3, 4, 5):
        table.sql(f"INSERT INTO d.t VALUES ({value})", "dev")
        table.merge("dev")
    catalog = catalog_get(table.catalog)
    assert audit_verify(catalog) == []
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        try:
            cursor.execute(
                "UPDATE merge_app_mergeattempt SET actor_name = 'mallory' WHERE catalog_id = %s AND number = 1",
                [catalog.pk],
            )
            cursor.execute("DELETE FROM merge_app_mergeattempt WHERE catalog_id = %s AND number = 2", [catalog.pk])
        finally:
            cursor.execute("SET session_replication_role = DEFAULT")
    found = audit_verify(catalog)
    assert found[0] == "record 1 was changed after it was written"
    assert found[1] == "records 2 to 2 are missing"
    assert found[2].startswith("version ")
    with pytest.raises(CommandError):
        call_command("verify_audit", table.catalog)


@pytest.mark.usefixtures("at_once")
def test_a_vacuum_changes_no_readable_row(table: Lake) -> None:
    table.sql("CREATE BRANCH a")
    table.sql("UPDATE d.t SET id = id + 10 WHERE id = 1", "a")
    table.sql("CREATE BRANCH b FROM a")
    table.sql("OPTIMIZE d.t", "b")
    table.sql("INSERT OVERWRITE d.t VALUES (7)")
    table.sql("DELETE FROM d.t WHERE id = 2", "a")
    seen = {name: table.rows("d.t", name) for name in ("main", "a", "b")}
    table.sql("VACUUM")
    assert {name: table.rows("d.t", name) for name in ("main", "a", "b")} == seen
    assert branch_get(catalog_get(table.catalog), "main").oldest_version >= 0
    assert in_order(table)


@pytest.fixture
def two(table: Lake) -> Lake:
    """Tables d.t and d.u, each of two files that were compacted into a third."""
    table.sql("CREATE TABLE d.u (id int)")
    table.sql("INSERT INTO d.u VALUES (1)")
    table.sql("INSERT INTO d.u VALUES (2)")
    table.sql("OPTIMIZE d.t")
    table.sql("OPTIMIZE d.u")
    return table


def under(lake: Lake, table: str) -> set[str]:
    return {row[0] for row in lake.sql(f"VACUUM {table} DRY RUN").rows}


@pytest.mark.usefixtures("at_once")
def test_one_table_lets_its_own_files_go(two: Lake) -> None:
    of_t, of_u, all_of_them = under(two, "d.t"), under(two, "d.u"), under(two, "")
    assert (len(of_t), len(of_u), of_t | of_u) == (2, 2, all_of_them)
    before = two.head()
    assert {row[0] for row in two.sql("VACUUM d.t").rows} == of_t
    assert under(two, "d.t") == set()
    assert under(two, "") == of_u
    assert two.rows("d.t") == two.rows("d.u") == [(1,), (2,)]
    assert in_order(two)
    # A version expires for all tables.
    for name in ("d.t", "d.u"):
        with pytest.raises(NotFound):
            two.sql(f"SELECT * FROM {name} VERSION AS OF {before - 2}")
    assert {row[0] for row in two.sql("VACUUM").rows} == of_u
    assert in_order(two)


@pytest.mark.usefixtures("at_once")
def test_a_clone_keeps_the_files_that_it_shares(two: Lake) -> None:
    two.sql("CREATE TABLE d.c SHALLOW CLONE d.t VERSION AS OF " + str(two.head() - 2))
    assert two.sql("VACUUM d.t").row_count == 0
    assert sorted(two.rows("d.c")) == [(1,), (2,)]
    assert in_order(two)


def test_one_table_keeps_to_the_retention(two: Lake) -> None:
    assert two.sql("VACUUM d.t").row_count == 0
    with pytest.raises(NotFound, match="missing"):
        two.sql("VACUUM d.missing")
