"""DELETE and UPDATE with subqueries, common tables before a write, and REPLACE WHERE."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from catalog_app.models import CommitRead
from lakeui.common.errors import DuplicateKey, ForbiddenStatement, InvalidValue, NotFound, NotSupported
from lakeui.frontdoor import Session, execute
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.members import join
from tests.support.row_stories import STORIES, Rows, story_made


@pytest.fixture
def prepared(begun: Begun) -> Lake:
    return begun(story_made)


def reads(lake: Lake) -> list[tuple[str, int]]:
    found = CommitRead.objects.filter(commit__catalog__name=lake.catalog).order_by("id")
    return list(found.values_list("branch__name", "version"))


@pytest.mark.parametrize(("statement", "rows"), STORIES)
def test_what_is_left(prepared: Lake, statement: str, rows: Rows) -> None:
    prepared.sql(statement)
    assert prepared.rows("d.t") == sorted(rows, key=repr)


@pytest.mark.parametrize(("statement", "rows"), STORIES)
def test_dry_run_gives_metrics_of_write_without_writing(prepared: Lake, statement: str, rows: Rows) -> None:
    before, head = prepared.rows("d.t"), prepared.head()
    rehearsed = prepared.sql(f"{statement} DRY RUN")
    assert (prepared.rows("d.t"), prepared.head()) == (before, head)
    assert rehearsed.metrics == prepared.sql(statement).metrics


def test_statistics_leave_out_files_beside_a_subquery(prepared: Lake) -> None:
    metrics = prepared.sql("DELETE FROM d.t WHERE id > 2 AND id IN (SELECT id + 2 FROM d.s)").metrics
    assert (metrics["files_scanned"], metrics["files_skipped"], metrics["rows_deleted"]) == (1, 1, 2)


@pytest.mark.parametrize("condition", ["id IN (SELECT 4)", "id > 9 OR id = (SELECT 4)", "NOT id <> (SELECT 4)"])
def test_file_is_kept_where_only_subquery_knows(prepared: Lake, condition: str) -> None:
    metrics = prepared.sql(f"DELETE FROM d.t WHERE {condition}").metrics
    assert (metrics["files_scanned"], metrics["files_skipped"], metrics["rows_deleted"]) == (2, 0, 1)


def test_subquery_tables_are_recorded_reads_and_become_stale(lake: Lake) -> None:
    """The next version is one more, which it is in a fresh lake."""
    prepared = lake
    story_made(prepared)
    prepared.sql("CREATE BRANCH b")
    seen = prepared.head("b")
    prepared.sql("DELETE FROM d.t WHERE id IN (SELECT id FROM d.seen)", "b")
    assert reads(prepared) == [("b", seen)]
    prepared.sql("UPDATE d.t SET v = (SELECT max(note) FROM d.s) WHERE id = 1", "b")
    assert reads(prepared) == [("b", seen), ("b", seen + 1)]
    prepared.sql("INSERT INTO d.s VALUES (4, 'go')")
    notes = [note["code"] for note in prepared.dry_run("b")["notes"]]
    assert notes.count("STALE_READ") == 1


def test_subqueries_read_the_same_branch(prepared: Lake) -> None:
    prepared.sql("CREATE BRANCH b")
    prepared.sql("INSERT INTO d.s VALUES (3, 'go')", "b")
    prepared.sql("DELETE FROM d.t WHERE id IN (SELECT id FROM d.`s@main` WHERE note = 'go')", "b")
    assert prepared.rows("d.t", "b", "id") == [(1,), (3,), (4,)]
    prepared.sql("DELETE FROM d.t WHERE id IN (SELECT id FROM d.s WHERE note = 'go')", "b")
    assert prepared.rows("d.t", "b", "id") == [(1,), (4,)]
    assert prepared.rows("d.t", "main", "id") == [(1,), (2,), (3,), (4,)]


def test_a_subquery_sees_what_its_transaction_wrote(prepared: Lake) -> None:
    opened = prepared.sql("BEGIN").extra["transaction"]
    prepared.sql("INSERT INTO d.s VALUES (4, 'go')", transaction=opened)
    prepared.sql("DELETE FROM d.t WHERE id IN (SELECT id FROM d.s WHERE note = 'go')", transaction=opened)
    assert prepared.rows("d.t", columns="id") == [(1,), (2,), (3,), (4,)]
    prepared.sql("COMMIT", transaction=opened)
    assert prepared.rows("d.t", columns="id") == [(1,), (3,)]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM d.t WHERE id IN (SELECT id FROM {other}.d.s)",
        "UPDATE d.t SET v = (SELECT max(note) FROM {other}.d.s)",
        "WITH o AS (SELECT id FROM {other}.d.s) DELETE FROM d.t WHERE id IN (SELECT id FROM o)",
    ],
)
def test_subquery_on_table_without_access_is_refused(prepared: Lake, statement: str) -> None:
    other = Lake()
    other.sql("CREATE DATABASE d")
    other.sql("CREATE TABLE d.s (id INT, note STRING)")
    person = User.objects.create_user(f"writer-{prepared.catalog}")
    join(person, prepared.catalog, Role.CONTRIBUTOR)
    text = statement.format(other=other.catalog)
    with pytest.raises(NotFound) as caught:
        execute(text, Session(prepared.catalog, "main", person))
    assert caught.value.details["kind"] == "catalog"
    prepared.sql(text)


@pytest.mark.parametrize(
    ("error", "statement"),
    [
        (NotSupported, "DELETE FROM d.t WHERE id IN (SELECT id FROM d.s LIMIT 1)"),
        (NotSupported, "DELETE FROM d.t WHERE id IN (SELECT id FROM d.s TABLESAMPLE (10 PERCENT))"),
        (ForbiddenStatement, "DELETE FROM d.t WHERE id IN (SELECT id FROM d.s WHERE rand() < 0.5)"),
        (ForbiddenStatement, "DELETE FROM d.t WHERE id IN (SELECT id FROM parquet.`/etc/passwd`)"),
        (ForbiddenStatement, "WITH p AS (SELECT reflect('a', 'b')) DELETE FROM d.t WHERE id IN (SELECT 1 FROM p)"),
        (NotSupported, "OPTIMIZE d.t WHERE id IN (SELECT id FROM d.s)"),
        (NotSupported, "INSERT INTO d.t REPLACE WHERE id IN (1) AND EXISTS (SELECT 1 FROM d.s) VALUES (1, 'a')"),
        (NotSupported, "INSERT OVERWRITE d.t REPLACE WHERE id = 1 VALUES (1, 'a')"),
        (NotSupported, "INSERT INTO d.t REPLACE USING (id) VALUES (1, 'a')"),
        (NotSupported, "MERGE INTO d.t USING d.s ON t.id IN (SELECT 1) WHEN MATCHED THEN DELETE"),
        (InvalidValue, "INSERT INTO d.t REPLACE WHERE id > 2 VALUES (3, 'x'), (1, 'y')"),
        (InvalidValue, "INSERT INTO d.t REPLACE WHERE id > 2 VALUES (NULL, 'x')"),
    ],
)  # fmt: skip
def test_refused_by_name(prepared: Lake, error: type[Exception], statement: str) -> None:
    before, head = prepared.rows("d.t"), prepared.head()
    with pytest.raises(error):
        prepared.sql(statement)
    assert (prepared.rows("d.t"), prepared.head()) == (before, head)


def test_limit_is_allowed_where_rows_do_not_matter(prepared: Lake) -> None:
    prepared.sql("DELETE FROM d.t WHERE EXISTS (SELECT 1 FROM d.s WHERE s.id = t.id LIMIT 1)")
    prepared.sql("DELETE FROM d.t WHERE id IN (SELECT id FROM d.t ORDER BY id DESC LIMIT 1)")
    assert prepared.rows("d.t") == [(3, "c")]


def test_replaced_rows_free_their_keys_and_no_others(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT, v STRING, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.k VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.k REPLACE WHERE v = 'b' SELECT 2, 'b'")
    with pytest.raises(DuplicateKey):
        lake.sql("INSERT INTO d.k REPLACE WHERE v = 'b' SELECT 1, 'b'")
    assert lake.rows("d.k") == [(1, "a"), (2, "b")]


def test_replace_where_is_one_version_that_merges(prepared: Lake) -> None:
    prepared.sql("CREATE BRANCH b")
    before = prepared.head("b")
    prepared.sql("INSERT INTO d.t REPLACE WHERE id >= 3 VALUES (7, 'g')", "b")
    assert prepared.sql("SHOW HISTORY LIMIT 1", "b").rows[0][0] > before
    assert len(prepared.sql("SHOW HISTORY", "b").rows) == len(prepared.sql("SHOW HISTORY").rows) + 1
    prepared.merge("b")
    assert prepared.rows("d.t") == [(1, "a"), (2, "b"), (7, "g")]


def test_replace_where_keeps_rows_of_other_branches(prepared: Lake) -> None:
    prepared.sql("CREATE BRANCH b")
    for branch in ("main", "b"):
        prepared.sql("INSERT INTO d.t REPLACE WHERE id >= 70 VALUES (70, 'g')", branch)
    assert prepared.codes("b") == prepared.codes("main", "b") == {"PREDICATE_DML_VS_INSERT"}
    prepared.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t RUN AGAIN)")
    assert [row for row in prepared.rows("d.t") if row[0] == 70] == [(70, "g")]
    assert prepared.breaches() == []


def test_merge_does_not_rerun_statement_with_subqueries(prepared: Lake) -> None:
    prepared.sql("CREATE BRANCH b")
    prepared.sql("UPDATE d.t SET v = 'x' WHERE id IN (SELECT id FROM d.s)", "b")
    prepared.sql("INSERT INTO d.t VALUES (2, 'late')")
    with pytest.raises(NotSupported, match="reads other rows in its subqueries"):
        prepared.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t RUN AGAIN)")
