"""``manage.py sql``: what a person reads. The front door is a fake here."""

from __future__ import annotations

import json
import threading
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from lakeui import frontdoor
from lakeui.api.http.text_table import text_table
from lakeui.api.management.commands import sql as sql_command
from lakeui.common.errors import MergeConflict, NotFound
from lakeui.sql.parameters import Parameter, Parameters
from merge_app.jobs.models import Task
from tests.api.conftest import Caller, FakeDoor

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, err = StringIO(), StringIO()
    try:
        call_command("sql", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_rows_are_aligned_and_counted(door: FakeDoor) -> None:
    door.work = lambda *_: frontdoor.StatementResult(
        columns=[("carrier", "string"), ("flights", "bigint"), ("share", "decimal(5,2)")],
        rows=[["UA", 58665, "17.42"], ["日本", None, "0.10"]],
        row_count=2,
        truncated=False,
        version=12,
        metrics={"files_scanned": 3},
        extra={},
    )
    status, out, _ = run("-c", "demo", "SELECT 1")
    assert status == 0
    assert out.splitlines() == [
        "carrier  flights  share",
        "-------  -------  -----",
        "UA         58665  17.42",
        "日本        NULL   0.10",
        "(2 rows, version 12, files scanned 3)",
    ]
    assert (door.calls[0][1].catalog, door.calls[0][1].branch) == ("demo", "main")


def test_parameters_are_json(door: FakeDoor) -> None:
    assert run("-p", '{"x": 5}', "SELECT :x")[0] == 0
    assert door.calls[0][1].parameters == Parameters(named={"x": Parameter(5)})
    with pytest.raises(CommandError, match="no JSON"):
        run("-p", "x=5", "SELECT :x")
    status, _, err = run("-p", "[[1]]", "SELECT ?")
    assert (status, "Parameter 1" in err) == (1, True)


@pytest.mark.usefixtures("local_worker")
def test_a_task_is_waited_for(door: FakeDoor, alice: Caller) -> None:
    status, out, _ = run("-c", "demo", "-b", "dev", "--user", "alice", "TASK x")
    assert status == 0
    assert "(1 row, version 7, rows inserted 1)" in out
    task = Task.objects.get()
    assert (task.parameters["branch"], task.created_by) == ("dev", alice.user)


@pytest.mark.usefixtures("local_worker")
@pytest.mark.parametrize("statement", ["X", "TASK X"])
def test_an_error_names_itself_and_its_remedy(door: FakeDoor, statement: str) -> None:
    door.fail(NotFound("table", "a.flihgts", nearest="a.flights"))
    assert run(statement) == (1, "", "NOT_FOUND: There is no table a.flihgts.\nDid you mean a.flights?\n")


CONFLICTS = [
    {"code": "A", "message": "first", "remedy": "Way 1."},
    {"code": "B", "message": "second", "remedy": "Way 2."},
]


def test_every_conflict_is_listed(door: FakeDoor) -> None:
    door.fail(MergeConflict("2 conflicts.", conflicts=CONFLICTS, remedy=CONFLICTS[0]["remedy"]))
    status, _, err = run("X")
    assert (status, err) == (1, "MERGE_CONFLICT: 2 conflicts.\n  - [A] first\n    Way 1.\n  - [B] second\n    Way 2.\n")


def test_json_is_the_body_of_the_http_interface(door: FakeDoor, alice: Caller) -> None:
    printed = json.loads(run("-c", "demo", "--json", "SELECT 1")[1])
    assert printed["rows"] == [[1]]
    assert printed.keys() == alice.sql("SELECT 1").json().keys()


def test_the_statement_may_come_from_standard_input(door: FakeDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("SELECT 2"))
    assert run("-")[0] == 0
    assert door.calls[0][0] == "SELECT 2"


def test_an_unknown_user_is_refused(door: FakeDoor) -> None:
    with pytest.raises(CommandError, match="no active user nobody"):
        run("--user", "nobody", "X")
    assert door.calls == []


@pytest.mark.usefixtures("local_worker")
def test_ctrl_c_cancels_the_task(door: FakeDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    running = threading.Event()

    def work(text: str, session: Any, context: Any) -> Any:
        stopped = threading.Event()
        context.on_cancel(stopped.set)
        running.set()
        assert stopped.wait(10)
        context.check_cancelled()

    door.work = work
    interrupts = iter([True])

    def wait(task_id: Any, *, seconds: float) -> Task:
        if next(interrupts, False):
            assert running.wait(10)
            raise KeyboardInterrupt
        return original(task_id, seconds=seconds)

    original = sql_command.task_wait
    monkeypatch.setattr(sql_command, "task_wait", wait)
    status, _, err = run("TASK x")
    assert status == 1
    assert "TASK_CANCELLED" in err
    assert Task.objects.get().state == "cancelled"


def test_control_characters_do_not_reach_the_terminal() -> None:
    table = text_table([{"name": "a", "type": "string"}], [["\x1b[31mred\nnext"], ["x" * 200]])
    assert "\x1b" not in table
    assert "\\x1b[31mred\\nnext" in table
    assert max(map(len, table.splitlines())) == 80


def test_nested_values_are_shown_as_json() -> None:
    table = text_table([{"name": "a", "type": "array<int>"}], [[[1, {"k": None}]], [True]])
    assert table.splitlines()[2:] == ['[1, {"k": null}]', "true"]


def test_csv_separates_null_from_an_empty_text(door: FakeDoor) -> None:
    door.work = lambda *_: frontdoor.StatementResult(
        columns=[("a", "string"), ("n", "bigint"), ("l", "array<int>")],
        rows=[['say "x"', 1, [1, 2]], ["", None, None]],
        row_count=2,
    )
    status, out, err = run("-c", "demo", "--format", "csv", "SELECT 1")
    assert (status, err) == (0, "")
    assert out.splitlines() == ['"a","n","l"', '"say ""x""",1,"[1, 2]"', '"",,']


def test_the_database_of_the_session_is_sent_along(door: FakeDoor) -> None:
    assert run("-c", "demo", "-d", "d", "SELECT * FROM t")[0] == 0
    assert door.calls[0][1].parameters.database == "d"
