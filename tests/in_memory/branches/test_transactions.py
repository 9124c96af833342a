"""BEGIN … COMMIT: several statements and tables, one commit, isolated until then (interfaces §1, semantics P8)."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from catalog_app.models import Transaction
from lakeui.common.errors import InvalidValue, MergeConflict, NotFound, NotSupported
from lakeui.frontdoor import Session, StatementResult, execute
from merge_app.jobs.context import Context
from merge_app.jobs.models import Task
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.members import join


class Open:
    """An open transaction of a lake."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.identity = lake.sql("BEGIN").extra["transaction"]

    def sql(self, text: str, context: Context | None = None) -> StatementResult:
        return execute(text, Session(catalog=self.lake.catalog, branch="main", transaction=self.identity), context)

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(row) for row in self.sql(f"SELECT * FROM {table}").rows)


def two_tables_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("CREATE TABLE d.u (a int)")
    lake.sql("INSERT INTO d.t VALUES (1)")


@pytest.fixture
def two_tables(begun: Begun) -> Lake:
    return begun(two_tables_fill)


def test_statements_on_several_tables_become_one_commit(two_tables: Lake) -> None:
    lake, commits = two_tables, len(two_tables.sql("SHOW HISTORY").rows)
    opened = Open(lake)
    opened.sql("INSERT INTO d.t VALUES (2)")
    opened.sql("INSERT INTO d.u SELECT a * 10 FROM d.t")
    opened.sql("ALTER TABLE d.u ADD COLUMN b string")
    opened.sql("CREATE TABLE d.v AS SELECT 7 AS x")
    assert (lake.rows("d.t"), lake.rows("d.u")) == ([(1,)], [])
    assert opened.rows("d.u") == [(10, None), (20, None)]
    result = opened.sql("COMMIT")
    assert result.version == lake.head()
    assert lake.rows("d.t") == [(1,), (2,)]
    assert lake.rows("d.u") == [(10, None), (20, None)]
    assert lake.rows("d.v") == [(7,)]
    history = lake.sql("SHOW HISTORY").rows
    assert len(history) == commits + 1
    assert history[0][2] == "TRANSACTION"
    assert history[0][4]["statement"].startswith("BEGIN; INSERT INTO d.t VALUES (2); ")


def test_a_rollback_leaves_nothing(two_tables: Lake) -> None:
    lake, head = two_tables, two_tables.head()
    opened = Open(lake)
    opened.sql("DELETE FROM d.t")
    opened.sql("DROP TABLE d.u")
    opened.sql("ROLLBACK")
    assert lake.rows("d.t") == [(1,)]
    assert lake.rows("d.u") == []
    assert lake.head() == head
    assert [row[0] for row in lake.sql("SHOW BRANCHES").rows] == ["main"]


def test_others_commits_are_unseen_meanwhile_and_kept(two_tables: Lake) -> None:
    lake = two_tables
    opened = Open(lake)
    opened.sql("INSERT INTO d.t VALUES (2)")
    lake.sql("INSERT INTO d.t VALUES (3)")
    assert opened.rows("d.t") == [(1,), (2,)]
    opened.sql("COMMIT")
    assert lake.rows("d.t") == [(1,), (2,), (3,)]


def test_a_conflicting_transaction_is_refused_and_stays_open(two_tables: Lake) -> None:
    lake = two_tables
    opened = Open(lake)
    opened.sql("UPDATE d.t SET a = a + 100")
    opened.sql("INSERT INTO d.u VALUES (5)")
    lake.sql("INSERT INTO d.t VALUES (3)")
    with pytest.raises(MergeConflict) as refusal:
        opened.sql("COMMIT")
    assert [item["code"] for item in refusal.value.details["conflicts"]] == ["PREDICATE_DML_VS_INSERT"]
    assert lake.rows("d.t") == [(1,), (3,)]
    assert lake.rows("d.u") == []
    assert opened.rows("d.u") == [(5,)]
    opened.sql("ROLLBACK")


def test_a_commit_that_runs_again_is_refused_alike(two_tables: Lake) -> None:
    """Its worker died behind the record of the refusal."""
    opened, context = Open(two_tables), Context()
    context.task_id = Task.objects.create(kind="sql").pk
    opened.sql("UPDATE d.t SET a = a + 100")
    two_tables.sql("INSERT INTO d.t VALUES (3)")
    refusals = []
    for attempt in (1, 2):
        context.attempt = attempt
        with pytest.raises(MergeConflict) as refused:
            opened.sql("COMMIT", context)
        refusals.append((refused.value.message, refused.value.remedy, refused.value.details))
    assert refusals[0] == refusals[1]
    assert [item["decisions"] for item in refusals[0][2]["conflicts"]] == [[]]


def test_ended_transactions_take_no_statement_or_second_commit(two_tables: Lake) -> None:
    opened = Open(two_tables)
    opened.sql("INSERT INTO d.t VALUES (2)")
    opened.sql("COMMIT")
    with pytest.raises(InvalidValue, match="it was committed"):
        opened.sql("COMMIT")
    with pytest.raises(InvalidValue, match="it was committed"):
        opened.sql("INSERT INTO d.t VALUES (3)")
    with pytest.raises(InvalidValue):
        opened.sql("ROLLBACK")


def test_a_transaction_that_did_nothing_commits_nothing(two_tables: Lake) -> None:
    head = two_tables.head()
    opened = Open(two_tables)
    assert opened.rows("d.t") == [(1,)]
    assert opened.sql("COMMIT").extra["state"] == "committed"
    assert two_tables.head() == head


def test_an_abandoned_transaction_expires(two_tables: Lake) -> None:
    opened = Open(two_tables)
    opened.sql("INSERT INTO d.t VALUES (2)")
    Transaction.objects.filter(pk=opened.identity).update(used_at=timezone.now() - timedelta(hours=2))
    with pytest.raises(InvalidValue, match="expired"):
        opened.sql("COMMIT")
    assert two_tables.rows("d.t") == [(1,)]


def test_only_its_branch_and_person_use_a_transaction(two_tables: Lake, django_user_model: Any) -> None:
    lake = two_tables
    lake.sql("CREATE BRANCH dev")
    opened = Open(lake)
    with pytest.raises(InvalidValue, match="branch main"):
        execute("SELECT 1", Session(catalog=lake.catalog, branch="dev", transaction=opened.identity))
    stranger = django_user_model.objects.create_user(f"charlie-{uuid.uuid4().hex[:8]}")
    join(stranger, lake.catalog)
    with pytest.raises(NotFound):
        execute("SELECT 1", Session(catalog=lake.catalog, user=stranger, transaction=opened.identity))
    with pytest.raises(NotFound):
        execute("COMMIT", Session(catalog=lake.catalog, transaction="no-such-id"))
    with pytest.raises(InvalidValue):
        lake.sql("COMMIT")


@pytest.mark.parametrize("statement", ["BEGIN", "CREATE BRANCH x", "MERGE BRANCH main", "CREATE VIEW d.w AS SELECT 1"])
def test_what_no_transaction_can_contain_is_refused(two_tables: Lake, statement: str) -> None:
    opened = Open(two_tables)
    with pytest.raises((NotSupported, InvalidValue)):
        opened.sql(statement)
    opened.sql("ROLLBACK")


def test_a_committed_transaction_merges_on_like_any_commit(two_tables: Lake) -> None:
    lake = two_tables
    lake.sql("CREATE BRANCH dev")
    opened = Open(lake)
    opened.sql("INSERT INTO d.t VALUES (2)")
    opened.sql("DELETE FROM d.t WHERE a = 1")
    opened.sql("COMMIT")
    lake.merge("main", "dev")
    assert lake.rows("d.t", "dev") == [(2,)]
    assert lake.merge("dev")["version"] is None or lake.rows("d.t") == [(2,)]
