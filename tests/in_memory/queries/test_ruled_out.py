"""Statistics rule out conditions of tables, and of nothing else."""

from __future__ import annotations

import pytest

from lakeui.common.errors import NotFound
from lakeui.frontdoor import Session
from lakeui.frontdoor.queries.ruled_out import ruled_out
from lakeui.sql.statements import TableName
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def filled(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.s (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.s VALUES (1, 'a', 'x'), (5, NULL, 'x')")
    lake.sql("INSERT INTO d.s VALUES (7, 'b', 'y')")
    lake.sql("CREATE VIEW d.w AS SELECT * FROM d.s")


@pytest.fixture
def made(begun: Begun) -> Lake:
    return begun(filled)


def found(lake: Lake, table: str, *conditions: str) -> list[bool]:
    session = Session(catalog=lake.catalog, branch="main")
    return ruled_out(session, TableName(table, "d"), conditions)


def test_what_no_row_can_meet_is_ruled_out(made: Lake) -> None:
    assert found(made, "s", "id IS NULL", "`id` > 7", "id < 1", "p = 'z'", "id + 1 > 100") == [True] * 4 + [False]


def test_what_a_row_may_meet_is_not(made: Lake) -> None:
    conditions = ["v IS NULL", "id > 6", "id NOT IN (1, 5, 7)", "id > 9 OR v = 'a'"]
    conditions += ["nope IS NULL", "id > 9 AND nope > 3", "id > 9 AND s.v = 1"]
    assert found(made, "s", *conditions) == [False] * 7


def test_unknown_calls_are_left_to_spark(made: Lake) -> None:
    calls = ["nope(v)", "count(*) > 1", "sum(id) OVER () > 1", "v IN (SELECT v FROM d.none)", "EXISTS (SELECT 1)"]
    assert found(made, "s", *(f"id > 9 AND {call}" for call in calls)) == [False] * 5
    assert found(made, "s", "startswith(v, 'z')", "bigint(id) > 9", "id BETWEEN 8 AND 9") == [True] * 3


def test_deleted_rows_count_while_their_file_stays(made: Lake) -> None:
    made.sql("DELETE FROM d.s WHERE id = 5")
    assert found(made, "s", "v IS NULL", "id > 7") == [False, True]
    made.sql("DELETE FROM d.s")
    assert found(made, "s", "v IS NULL", "nope IS NULL") == [True, False]


def test_nothing_of_a_view_is_ruled_out(made: Lake) -> None:
    assert found(made, "w", "id IS NULL", "id > 7") == [False, False]
    with pytest.raises(NotFound):
        found(made, "none", "id IS NULL")
