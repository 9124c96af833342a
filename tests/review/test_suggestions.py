"""Suggested values: a comment on a cell carries one, and whoever may write the source applies it as a commit."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from catalog_app.models import Branch, Commit
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.runner import task_run
from merge_app.review.models import MergeRequest
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.support.lake_memory_engine import LakeMemoryEngine

pytestmark = pytest.mark.usefixtures("no_worker", "engine")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    made = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: made)


class Talk:
    """A request from branch ``s``, which has the keyed table d.k, and what people suggest on it."""

    def __init__(self, lake: ReviewLake) -> None:
        self.lake = lake
        lake.write("CREATE BRANCH s", "alice")
        lake.write("CREATE TABLE d.k (id INT NOT NULL PRIMARY KEY, name STRING, n BIGINT)", "alice", "s")
        lake.write("INSERT INTO d.k VALUES (1, 'a', 15), (2, 'b', NULL), (3, 'c', 3)", "alice", "s")
        lake.write("CREATE TABLE d.free (id INT, name STRING)", "alice", "s")
        lake.write("INSERT INTO d.free VALUES (1, 'a'), (1, 'a')", "alice", "s")
        self.request: MergeRequest = lake.open(source="s")
        self.at = f"{self.request.number}/"

    @property
    def source(self) -> Branch:
        return self.lake.branch("s")

    def place(self, key: str, column: str, table: str = "k") -> dict[str, Any]:
        found = self.lake.read(f"branches/s/databases/d/tables/{table}/")
        (state,) = tables_load(branch_snapshot(self.source), [found["table_id"]]).values()
        (column_id,) = (item.id for item in state.schema.columns if item.name == column)
        return {"object_kind": "table", "object_id": found["table_id"], "row_key": key, "column_id": column_id}

    def suggest(self, key: int, column: str, was: Any, value: Any, by: str = "bob", **more: Any) -> Any:
        place = self.place(f'{{"id":{key}}}', column)
        body = {"body": "Rather this.", **place, "suggestion": {"was": was, "value": value}, **more}
        return self.lake.post(by, f"{self.at}comments/", body)

    def suggested(self, *args: Any, **more: Any) -> int:
        made = self.suggest(*args, **more)
        assert made.status_code == 201, made.content
        return int(made.json()["id"])

    def apply(self, *comments: int, by: str = "alice", **headers: str) -> Any:
        given = {"Prefer": "respond-async", **headers}
        return self.lake.post(by, f"{self.at}suggestions/", {"comments": list(comments)}, **given)

    def applied(self, *comments: int, by: str = "alice") -> Task:
        """The task that applied them, or was refused."""
        answer = self.apply(*comments, by=by)
        assert answer.status_code == 202, answer.content
        task_run(task_id=UUID(answer.json()["id"]), worker="here")
        return Task.objects.get(pk=answer.json()["id"])

    def standing(self, comment: int) -> Any:
        found = self.lake.read(f"merge-requests/{self.at}comments/")["results"]
        return next(entry["suggestion"] for entry in found if entry["id"] == comment)

    def rows(self) -> list[list[Any]]:
        rows: list[list[Any]] = self.lake.write("SELECT * FROM d.k ORDER BY id", "alice", "s").rows
        return rows


@pytest.fixture
def talk(lake: ReviewLake) -> Talk:
    return Talk(lake)


def test_suggestion_becomes_commit_that_names_who_made_it(talk: Talk) -> None:
    comment = talk.suggested(1, "name", "a", "x")
    standing = talk.standing(comment)
    assert standing == {"was": "a", "value": "x", "state": "open", "version": None, "applied_by": None, "task": None}
    before = talk.source.head_version
    task = talk.applied(comment)
    assert (task.state, task.error) == (TaskState.SUCCEEDED, None)
    assert talk.rows() == [[1, "x", 15], [2, "b", None], [3, "c", 3]]
    commit = Commit.objects.get(task_id=task.pk)
    assert (commit.version, commit.operation, commit.author_name) == (before + 1, "UPDATE", "alice")
    assert commit.statement.endswith(f"-- merge request #{talk.request.number}: suggested by bob")
    standing = talk.standing(comment)
    assert (standing["state"], standing["version"], standing["applied_by"]) == ("applied", commit.version, "alice")
    assert standing["task"] == str(task.pk)
    problem(talk.apply(comment), 409, "WRONG_STATE")


def test_several_are_one_commit(talk: Talk) -> None:
    first = talk.suggested(1, "name", "a", None)
    second = talk.suggested(1, "n", 15, 72, by="carol")
    third = talk.suggested(2, "n", None, 10)
    before = talk.source.head_version
    task = talk.applied(first, second, third)
    assert (task.state, task.error) == (TaskState.SUCCEEDED, None)
    assert talk.rows() == [[1, None, 72], [2, "b", 10], [3, "c", 3]]
    assert talk.source.head_version == before + 1
    assert Commit.objects.get(task_id=task.pk).statement.endswith("suggested by bob, carol")


def test_no_suggestion_applies_where_one_cell_changed(talk: Talk) -> None:
    moved, other = talk.suggested(1, "name", "a", "x"), talk.suggested(2, "name", "b", "y")
    talk.lake.write("UPDATE d.k SET name = 'late' WHERE id = 1", "alice", "s")
    before = (talk.rows(), talk.source.head_version)
    for chosen in ([moved], [moved, other]):
        task = talk.applied(*chosen)
        assert (task.state, task.error and task.error["code"]) == (TaskState.FAILED, "SUGGESTION_OUTDATED")
        assert (talk.rows(), talk.source.head_version) == before
    assert talk.standing(moved)["state"] == "outdated"
    assert talk.applied(other).state == TaskState.SUCCEEDED
    assert [row[1] for row in talk.rows()] == ["late", "y", "c"]


def test_a_cell_that_is_gone_is_outdated(talk: Talk) -> None:
    row, column = talk.suggested(1, "name", "a", "x"), talk.suggested(2, "n", None, 1)
    talk.lake.write("DELETE FROM d.k WHERE id = 1", "alice", "s")
    assert talk.applied(row).state == TaskState.FAILED
    talk.lake.write("ALTER TABLE d.k DROP COLUMN n", "alice", "s")
    problem(talk.apply(column), 409, "SUGGESTION_OUTDATED")
    other = talk.suggested(2, "name", "b", "y")
    talk.lake.write("DROP TABLE d.k", "alice", "s")
    problem(talk.apply(other), 409, "SUGGESTION_OUTDATED")


def test_who_may_not_write_source_suggests_without_applying(talk: Talk) -> None:
    comment = talk.suggested(1, "name", "a", "x", by="victor")
    problem(talk.apply(comment, by="victor"), 403, "PERMISSION_DENIED")
    problem(talk.apply(comment, by="mallory"), 404, "NOT_FOUND")
    talk.lake.protect("s", refuse_direct_writes=True)
    problem(talk.apply(comment), 403, "PERMISSION_DENIED")
    assert talk.standing(comment)["task"] is None
    assert Task.objects.filter(kind="suggestions").count() == 0


def test_right_lost_while_the_task_waits_is_missing(talk: Talk) -> None:
    comment = talk.suggested(1, "name", "a", "x")
    waits = talk.apply(comment).json()["id"]
    assert talk.standing(comment)["state"] == "applying"
    problem(talk.apply(comment, by="bob"), 409, "WRONG_STATE")
    talk.lake.protect("s", refuse_direct_writes=True)
    task_run(task_id=UUID(waits), worker="here")
    assert Task.objects.get(pk=waits).error["code"] == "PERMISSION_DENIED"  # type: ignore[index]
    # It was not the fault of the suggestion.
    assert talk.standing(comment)["state"] == "open"


def test_key_applies_once_though_worker_died_after_commit(talk: Talk) -> None:
    comment = talk.suggested(1, "name", "a", "x")
    first = talk.apply(comment, Idempotency_Key="k").json()["id"]
    assert talk.apply(comment, Idempotency_Key="k").json()["id"] == first
    task_run(task_id=UUID(first), worker="here")
    head = talk.source.head_version
    assert talk.apply(comment, Idempotency_Key="k").status_code == 200
    Task.objects.filter(pk=first).update(state=TaskState.QUEUED, result=None, finished_at=None, claim=None, attempts=1)
    task_run(task_id=UUID(first), worker="another")
    assert Task.objects.get(pk=first).state == TaskState.SUCCEEDED
    assert (talk.source.head_version, talk.standing(comment)["state"]) == (head, "applied")


def test_what_cannot_be_suggested_is_refused_by_name(talk: Talk) -> None:
    table = talk.place('{"id":1}', "name")
    suggestion = {"was": "a", "value": "x"}

    def refused(body: dict[str, Any], status: int = 400, code: str = "INVALID_VALUE") -> Any:
        return problem(talk.lake.post("bob", f"{talk.at}comments/", {"body": "x", **body}), status, code)

    refused({"suggestion": suggestion})
    refused({**table, "column_id": None, "suggestion": suggestion})
    refused({**table, "row_key": "no key", "suggestion": suggestion})
    refused({**talk.place('{"id":1}', "name", "free"), "suggestion": suggestion}, 409, "SUGGESTION_OUTDATED")
    refused({**talk.place("no id", "name", "free"), "suggestion": suggestion})
    refused({**talk.place("-1", "name", "free"), "suggestion": suggestion})
    refused({**table, "suggestion": {"was": "a", "value": "a"}})
    refused({**table, "suggestion": {"was": "a", "value": 5}})
    refused({**table, "suggestion": {"was": "a", "value": ["x"]}})
    refused({**table, "suggestion": {"was": "a"}})
    refused({**table, "row_key": '{"other":1}', "suggestion": suggestion}, 409, "SUGGESTION_OUTDATED")
    found = talk.lake.read(f"merge-requests/{talk.at}comments/")["results"]
    assert found == []


def test_row_id_names_row_without_key(talk: Talk) -> None:
    (first, second) = (row[0] for row in talk.lake.write("SELECT _row_id FROM d.free", "alice", "s").rows)

    def suggested(row: int, column: str, was: Any, value: Any) -> int:
        body = {"body": "x", **talk.place(str(row), column, "free"), "suggestion": {"was": was, "value": value}}
        made = talk.lake.post("bob", f"{talk.at}comments/", body)
        assert made.status_code == 201, made.content
        return int(made.json()["id"])

    name, number = suggested(second, "name", "a", "x"), suggested(second, "id", 1, 2)
    other = suggested(first, "name", "a", "y")
    problem(talk.apply(name, number, other), 400, "INVALID_VALUE")
    # The rows are alike, and one of them changes.
    assert talk.applied(name, number).state == TaskState.SUCCEEDED
    rows = talk.lake.write("SELECT _row_id, * FROM d.free ORDER BY 1", "alice", "s").rows
    assert rows == [[first, 1, "a"], [second, 2, "x"]]
    talk.lake.write("UPDATE d.free SET name = 'late'", "alice", "s")
    task = talk.applied(other)
    assert (task.state, task.error and task.error["code"]) == (TaskState.FAILED, "SUGGESTION_OUTDATED")


def test_what_cannot_apply_together_is_refused_by_name(talk: Talk) -> None:
    first, again = talk.suggested(1, "name", "a", "x"), talk.suggested(1, "name", "a", "y")
    plain = talk.lake.post("bob", f"{talk.at}comments/", {"body": "Why?"}).json()["id"]
    problem(talk.apply(first, again), 400, "INVALID_VALUE")
    problem(talk.apply(plain), 400, "INVALID_VALUE")
    problem(talk.apply(10**9), 400, "INVALID_VALUE")
    problem(talk.apply(), 400, "INVALID_VALUE")
    caller = talk.lake.people["bob"]
    caller.client.delete(f"{talk.lake.requests}{talk.at}comments/{first}/", headers=caller.headers)
    problem(talk.apply(first), 400, "INVALID_VALUE")
    talk.lake.patch("alice", talk.at, {"state": "closed"})
    problem(talk.apply(again), 409, "WRONG_STATE")


def test_the_timeline_says_who_applied_what(talk: Talk) -> None:
    comment = talk.suggested(1, "name", "a", "x")
    task = talk.applied(comment)
    (entry,) = (
        item
        for item in talk.lake.read(f"merge-requests/{talk.at}timeline/")["results"]
        if item["kind"] == "commented" and item["details"]["what"] == "applied"
    )
    assert (entry["actor"], entry["details"]["task"], entry["details"]["column"]) == ("alice", str(task.pk), "name")
