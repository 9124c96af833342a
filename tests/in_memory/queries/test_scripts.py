"""Scripts over HTTP: each statement once, in its order, until one fails; or all of them as one commit."""

from __future__ import annotations

import json
import uuid
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError

from catalog_app.domain.roles import Role
from lakeui.api.management.commands.sql import Command
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor import compute
from lakeui.tasks import scripts
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from tests.rights.paths import Person
from tests.support.lake import Lake
from tests.support.members import join


@pytest.fixture
def made(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Lake:
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    return lake


@pytest.fixture
def owner(made: Lake) -> Person:
    person = Person(f"person-{uuid.uuid4().hex[:8]}", made.catalog)
    person.become("owner")
    return person


def send(person: Person, script: str, **more: Any) -> Any:
    """The answer to the request."""
    key = more.pop("key", None)
    body = {"script": script, "catalog": person.catalog, **more}
    return person.send("post", "/api/v1/sql/script/", body, **({"Idempotency-Key": key} if key else {}))


def run(person: Person, script: str, **more: Any) -> Task:
    """The task of the script, at its end."""
    response = send(person, script, **more)
    assert response.status_code == 202, response.content
    return work(response.json()["id"])


def work(identity: Any) -> Task:
    task_run(task_id=Task.objects.get(pk=identity).pk, worker="test")
    return Task.objects.get(pk=identity)


def commits(lake: Lake) -> int:
    return len(lake.sql("SHOW HISTORY").rows)


def refusal(task: Task) -> dict[str, Any]:
    assert task.state == "failed"
    assert task.error is not None
    return task.error


def test_each_statement_sees_earlier_ones_and_has_result(made: Lake, owner: Person) -> None:
    head = made.head()
    task = run(
        owner,
        """-- two rows; then a branch
        INSERT INTO d.t VALUES (1, ';'), (:id, :v);
        CREATE BRANCH dev;
        USE BRANCH dev;
        DELETE FROM d.t WHERE id = :id;
        SELECT id, v FROM d.t;""",
        parameters={"id": 2, "v": "'; DROP TABLE d.t"},
    )
    assert task.result is not None, task.error
    results = task.result["results"]
    assert [(found["number"], found["line"]) for found in results] == [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
    assert results[0]["metrics"]["rows_inserted"] == 2
    assert results[4]["rows"] == [[1, ";"]]
    assert made.rows("d.t") == [(1, ";"), (2, "'; DROP TABLE d.t")]
    assert made.head() == head + 1


def test_first_error_ends_it_and_says_what_stands(made: Lake, owner: Person) -> None:
    task = run(owner, "INSERT INTO d.t VALUES (1, 'a');\nSELECT 1 AS one;\nDELETE FROM d.none;\nDROP TABLE d.t")
    error = refusal(task)
    assert error["code"] == "NOT_FOUND"
    assert error["detail"].startswith("Statement 3 of 4 (line 3): ")
    assert error["detail"].endswith("Statements 1 to 2 stand.")
    found = error["script"]
    assert (found["number"], found["line"], found["standing"]) == (3, 3, [1, 2])
    assert found["results"][1]["rows"] == [[1]]
    assert made.rows("d.t") == [(1, "a")]


def test_one_transaction_is_one_commit_or_none(made: Lake, owner: Person) -> None:
    before = commits(made)
    script = "INSERT INTO d.t VALUES (1, 'a'); UPDATE d.t SET v = 'b' WHERE id = 1; SELECT v FROM d.t;"
    task = run(owner, script, one_transaction=True)
    assert task.result is not None, task.error
    assert [found["number"] for found in task.result["results"]] == [1, 2, 3]
    assert task.result["results"][2]["rows"] == [["b"]]
    assert (task.result["state"], task.result["version"]) == ("committed", made.head())
    error = refusal(run(owner, "DELETE FROM d.t; SELECT * FROM d.none", one_transaction=True))
    assert error["detail"].endswith("Nothing of the script stands.")
    assert error["script"]["standing"] == []
    assert (made.rows("d.t"), commits(made)) == ([(1, "b")], before + 1)


def test_transaction_inside_script_is_rolled_back_by_error(made: Lake, owner: Person) -> None:
    error = refusal(run(owner, "INSERT INTO d.t VALUES (1, 'a'); BEGIN; DELETE FROM d.t; SELECT * FROM d.none; COMMIT"))
    assert error["script"]["standing"] == [1]
    assert error["detail"].endswith("Its transaction is rolled back. Statement 1 stands.")
    assert made.rows("d.t") == [(1, "a")]
    task = run(owner, "BEGIN; DELETE FROM d.t; COMMIT; INSERT INTO d.t VALUES (2, 'b')")
    assert task.state == "succeeded"
    assert made.rows("d.t") == [(2, "b")]


def test_a_dry_run_does_all_and_leaves_nothing(made: Lake, owner: Person) -> None:
    head = made.head()
    task = run(owner, "INSERT INTO d.t VALUES (1, 'a'); SELECT * FROM d.t", one_transaction=True, dry_run=True)
    assert task.result is not None, task.error
    assert task.result["results"][1]["rows"] == [[1, "a"]]
    assert task.result["state"] == "rolled back"
    assert (made.rows("d.t"), made.head()) == ([], head)


@pytest.mark.parametrize("one_transaction", [False, True])
@pytest.mark.parametrize("lost", [1, 2, 3])
def test_another_attempt_does_nothing_twice(
    made: Lake, owner: Person, monkeypatch: pytest.MonkeyPatch, one_transaction: bool, lost: int
) -> None:
    """The database fails after a statement did its work and before that is kept with the task."""
    before = commits(made)
    keep, calls = scripts.task_part_keep, []

    def failing(**given: Any) -> None:
        calls.append(given)
        if len(calls) == lost + one_transaction:
            raise OperationalError("gone")
        keep(**given)

    monkeypatch.setattr(scripts, "task_part_keep", failing)
    script = "INSERT INTO d.t VALUES (1, 'a'); CREATE DATABASE e; INSERT INTO d.t SELECT id + 1, v FROM d.t"
    task = run(owner, script, one_transaction=one_transaction)
    assert task.state == "queued"
    task = work(task.pk)
    assert task.state == "succeeded", task.error
    assert made.rows("d.t") == [(1, "a"), (2, "a")]
    assert commits(made) == before + (1 if one_transaction else 3)
    assert task.result is not None
    assert [found["number"] for found in task.result["results"]] == [1, 2, 3]


def test_retry_does_not_repeat_what_stands(made: Lake, owner: Person) -> None:
    task = run(owner, "INSERT INTO d.t VALUES (1, 'a'); SELECT * FROM d.later")
    again = owner.send("post", f"/api/v1/tasks/{task.pk}/retry/")
    assert (again.status_code, again.json()["code"]) == (409, "TASK_FINISHED")
    assert Task.objects.filter(retry_of=task.pk).count() == 0
    task = run(owner, "INSERT INTO d.t VALUES (2, 'b'); INSERT INTO d.t SELECT * FROM d.later", one_transaction=True)
    made.sql("CREATE TABLE d.later AS SELECT 3 AS id, 'c' AS v")
    again = owner.send("post", f"/api/v1/tasks/{task.pk}/retry/")
    assert again.status_code == 202
    assert work(again.json()["id"]).state == "succeeded"
    assert made.rows("d.t") == [(1, "a"), (2, "b"), (3, "c")]


def test_the_same_key_is_done_once(made: Lake, owner: Person) -> None:
    first = send(owner, "INSERT INTO d.t VALUES (1, 'a')", key="k")
    work(first.json()["id"])
    second = send(owner, "INSERT INTO d.t VALUES (1, 'a')", key="k")
    assert (second.status_code, second["Location"]) == (200, first["Location"])
    assert send(owner, "INSERT INTO d.t VALUES (2, 'a')", key="k").status_code == 422
    assert made.rows("d.t") == [(1, "a")]


def test_rights_are_those_of_each_statement(made: Lake, owner: Person) -> None:
    reader = Person(f"reader-{uuid.uuid4().hex[:8]}", made.catalog)
    assert send(reader, "SELECT 1 FROM d.t; SELECT 1").status_code == 404
    join(reader.user, made.catalog, Role.VIEWER)
    assert send(reader, "INSERT INTO d.t VALUES (1, 'a'); SELECT 1").status_code == 403
    error = refusal(run(reader, "SELECT 1; INSERT INTO d.t VALUES (1, 'a')"))
    assert (error["code"], error["script"]["number"]) == ("PERMISSION_DENIED", 2)
    assert made.rows("d.t") == []


def test_catalog_members_do_not_see_script_naming_another(made: Lake, owner: Person) -> None:
    other = f"other_{uuid.uuid4().hex[:8]}"
    alone = run(owner, "SELECT 1; SELECT 2")
    several = run(owner, f"SELECT 1; CREATE CATALOG {other}; USE CATALOG {other}; CREATE DATABASE x; SHOW DATABASES")
    assert several.result is not None, several.error
    assert several.result["results"][4]["rows"][0][0] == "x"
    assert (alone.catalog_id is None, several.catalog_id) == (False, None)


def test_unreadable_script_does_not_begin(made: Lake, owner: Person) -> None:
    response = send(owner, "INSERT INTO d.t VALUES (1, 'a');\nSELEKT 1")
    assert response.status_code == 400
    assert response.json()["script"] == {"number": 2, "line": 2}
    assert response.json()["line"] == 2
    assert not Task.objects.filter(created_by=owner.user).exists()


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("SELECT 1;\n  UPDATE d.t SET v = nam", 2, 22),
        ("SELECT 1; SELECT 2; UPDATE d.t SET v =\n   nam", 2, 4),
        ("/* a\nb */ SELECT 1 AS b; UPDATE d.t SET v = nam", 2, 40),
        ("-- ä\nSELECT 'x\ny'; UPDATE d.t SET v = nam\nWHERE id = 1;", 3, 24),
        ("UPDATE d.t SET v = nam", 1, 20),
    ],
)
def test_error_of_statement_is_placed_in_whole_script(
    made: Lake, owner: Person, monkeypatch: pytest.MonkeyPatch, text: str, line: int, column: int
) -> None:
    def analyse(*_: Any) -> list[str]:
        # The engine in memory knows no types. This is what the analysis of Spark raises.
        raise InvalidValue("There is no column nam.", remedy="Name another.", name="nam")

    monkeypatch.setattr(type(compute.engine()), "analyse", analyse)
    error = refusal(run(owner, text))
    assert (error["line"], error["column"]) == (line, column)
    assert f"(line {line}, column {column})" in error["detail"]


def test_rows_of_results_are_bounded_together(made: Lake, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "LONGEST_ROWS", 24)
    task = run(owner, "SELECT 'aaaaaaaa' AS a; SELECT 'bbbbbbbb' AS b; SELECT 1 AS c")
    assert task.result is not None, task.error
    found = [(body["rows"], body["row_count"], body["truncated"]) for body in task.result["results"]]
    assert found == [([["aaaaaaaa"]], 1, False), ([], 1, True), ([[1]], 1, False)]


def test_the_command_line_runs_a_file(
    made: Lake, owner: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Command, "_follow", lambda _self, task_id: work(task_id))
    file = tmp_path / "load.sql"
    options = ["-c", made.catalog, "--user", owner.user.username, "-f", str(file)]

    def command(*more: str) -> tuple[int, str, str]:
        out, err = StringIO(), StringIO()
        try:
            call_command("sql", *options, *more, stdout=out, stderr=err)
        except SystemExit as end:
            return int(end.code or 0), out.getvalue(), err.getvalue()
        return 0, out.getvalue(), err.getvalue()

    file.write_text("INSERT INTO d.t VALUES (1, :v);\nSELECT v FROM d.t;\n")
    status, out, err = command("-p", '{"v": "a"}')
    assert (status, err) == (0, "")
    assert "-- statement 2, line 2\nv\n-\na\n(1 row" in out
    file.write_text("SELECT 1;\nSELEC 2;\nSELECT 3;\n")
    assert "Statement 2 of 3 (line 2): No statement begins like this" in command()[2]
    file.write_text("DELETE FROM d.t;\nSELECT * FROM d.none;\n")
    status, out, err = command("--one-transaction")
    assert (status, out) == (1, "")
    assert "Statement 2 of 2 (line 2): " in err
    assert "Nothing of the script stands." in err
    assert made.rows("d.t") == [(1, "a")]
    status, out, _ = command()
    assert (status, "-- statement 1, line 1" in out) == (1, True)
    assert made.rows("d.t") == []
    file.write_text("SELECT 7 AS n;")
    assert json.loads(command("--json")[1])["results"][0]["rows"] == [[7]]
