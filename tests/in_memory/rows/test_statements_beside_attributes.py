"""A statement finds that others altered its table or database since it looked: their attributes merge by facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from catalog_app.selectors.objects import databases_list, tables_list
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.common.errors import MergeConflict
from lakeui.frontdoor.rows import committing
from tests.in_memory.rows.test_concurrent_statements import elsewhere
from tests.support.lake import Lake

Beside = Callable[..., Any]
ADD_COLUMN = "ALTER TABLE d.t ADD COLUMN c int DEFAULT 7"
MOVE = "ALTER TABLE d.t RENAME TO e.t"
SET = "ALTER TABLE d.t SET TBLPROPERTIES (q = '1')"


@pytest.fixture
def beside(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """A statement, with others just before its commit."""
    lake.sql("CREATE TABLE d.t (id int, name string)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES (p = '1')")
    lake.sql("CREATE BRANCH b")
    commit = committing.statement_commit

    def run(statement: str, *others: str) -> Any:
        left = list(others)

        def commit_late(*args: Any, **kwargs: Any) -> Any:
            mine = left.copy()
            left.clear()
            for other in mine:
                elsewhere(partial(lake.sql, other))
            return commit(*args, **kwargs)

        monkeypatch.setattr(committing, "statement_commit", commit_late)
        try:
            return lake.sql(statement)
        finally:
            monkeypatch.setattr(committing, "statement_commit", commit)

    return run


def shown(lake: Lake, table: str = "d.t") -> tuple[list[str], dict[str, str], list[Any]]:
    """Columns, properties and rows; a branch that merges main has them too."""
    found = _state(lake, "main", table)
    assert lake.breaches() == []
    lake.merge("main", "b")
    assert _state(lake, "b", table) == found
    return found


def _state(lake: Lake, branch: str, table: str) -> tuple[list[str], dict[str, str], list[Any]]:
    snapshot = branch_snapshot(lake.branch(branch))
    (state,) = tables_list(snapshot, {item.database_id for item in databases_list(snapshot)})
    return [column.name for column in state.schema.columns], dict(state.properties), lake.rows(table, branch)


@pytest.mark.parametrize(
    ("statement", "others", "columns", "properties"),
    [
        (SET, [ADD_COLUMN], ["id", "name", "c"], {"p": "1", "q": "1"}),
        ("ALTER TABLE d.t RENAME COLUMN name TO label", [SET], ["id", "label"], {"p": "1", "q": "1"}),
        ("ALTER TABLE d.t DROP COLUMN name", [SET], ["id"], {"p": "1", "q": "1"}),
        ("ALTER TABLE d.t ADD COLUMN c int FIRST", [SET], ["c", "id", "name"], {"p": "1", "q": "1"}),
        ("ALTER TABLE d.t RENAME COLUMN name TO label", [ADD_COLUMN], ["id", "label", "c"], {"p": "1"}),
        ("INSERT INTO d.t VALUES (3, 'c')", [ADD_COLUMN, SET], ["id", "name", "c"], {"p": "1", "q": "1"}),
        ("UPDATE d.t SET name = 'x' WHERE id = 1", [ADD_COLUMN], ["id", "name", "c"], {"p": "1"}),
        (
            "INSERT INTO d.t VALUES (3, 'c')",
            ["ALTER TABLE d.t SET TBLPROPERTIES (p = '2')", "ALTER TABLE d.t SET TBLPROPERTIES (p = '1')"],
            ["id", "name"],
            {"p": "1"},
        ),
    ],
)
def test_what_both_set_of_a_table_stays(
    lake: Lake, beside: Beside, statement: str, others: list[str], columns: list[str], properties: dict[str, str]
) -> None:
    beside(statement, *others)
    found = shown(lake)
    assert found[:2] == (columns, properties)


def test_a_table_renamed_meanwhile_keeps_both(lake: Lake, beside: Beside) -> None:
    beside(SET, "ALTER TABLE d.t RENAME TO d.u")
    assert shown(lake, "d.u")[1] == {"p": "1", "q": "1"}


@pytest.mark.parametrize(("statement", "other"), [(MOVE, ADD_COLUMN), (ADD_COLUMN, MOVE), (SET, MOVE)])
def test_a_table_moves_with_what_both_set(lake: Lake, beside: Beside, statement: str, other: str) -> None:
    lake.sql("CREATE DATABASE e")
    beside(statement, other)
    assert {"c", "q"} & {*shown(lake, "e.t")[0], *shown(lake, "e.t")[1]}


def test_a_rename_keeps_what_came_meanwhile(lake: Lake, beside: Beside) -> None:
    beside("ALTER TABLE d.t RENAME TO d.u", ADD_COLUMN, SET, "INSERT INTO d.t VALUES (3, 'c', 8)")
    columns, properties, rows = shown(lake, "d.u")
    assert (columns, properties, rows) == (
        ["id", "name", "c"],
        {"p": "1", "q": "1"},
        [(1, "a", 7), (2, "b", 7), (3, "c", 8)],
    )


def test_rows_keep_values_of_a_column_that_came(lake: Lake, beside: Beside) -> None:
    beside("INSERT INTO d.t VALUES (3, 'c')", ADD_COLUMN, "UPDATE d.t SET c = 5 WHERE id = 1")
    assert shown(lake)[2] == [(1, "a", 5), (2, "b", 7), (3, "c", 7)]


def test_a_change_of_a_dropped_table_is_refused(lake: Lake, beside: Beside) -> None:
    with pytest.raises(MergeConflict) as refusal:
        beside(SET, "DROP TABLE d.t")
    assert [item["code"] for item in refusal.value.details["conflicts"]] == ["OBJECT_DROPPED_ON_DEST"]


def test_databases_keep_what_both_set(lake: Lake, beside: Beside) -> None:
    beside("ALTER DATABASE d SET DBPROPERTIES (p = '1')", "ALTER DATABASE d RENAME TO e")
    (database,) = databases_list(branch_snapshot(lake.branch()))
    assert (database.name, database.properties) == ("e", {"p": "1"})
    assert lake.breaches() == []
