"""A6.2 on live rows only: what a side added or updated and still has, against columns that the other side required."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connections

from lakeui.common.errors import MergeConflict
from lakeui.frontdoor import Session, execute
from merge_app.jobs.context import Context
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

TIGHTEN = "ALTER TABLE d.t ALTER COLUMN v SET NOT NULL"
STRICT = "ALTER TABLE d.t ADD COLUMN strict INT NOT NULL"


def empty_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def empty(begun: Begun) -> Lake:
    """Table d.t (id, v) without rows, and branch b."""
    return begun(empty_fill)


def filled_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, NULL), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c'), (4, NULL)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def filled(begun: Begun) -> Lake:
    """Table d.t with (1, NULL), (2, 'b') in one file and (3, 'c'), (4, NULL) in another, and branch b."""
    return begun(filled_fill)


def run(lake: Lake, branch: str, *statements: str) -> None:
    for statement in statements:
        lake.sql(statement, branch)


def lacking(lake: Lake) -> int:
    """How many rows the only conflict of merging b says lack a value."""
    (conflict,) = lake.refused("b")
    assert (conflict["code"], conflict["note"]) == ("NOT_NULL_WITHOUT_VALUE", "A6.2")
    return int(conflict["details"]["rows"])


@pytest.mark.parametrize("strict_side", ["main", "b"])
def test_deleted_rows_with_nulls_do_not_count(empty: Lake, strict_side: str) -> None:
    other = "b" if strict_side == "main" else "main"
    run(empty, other, "INSERT INTO d.t VALUES (5, NULL), (6, 'x')", "DELETE FROM d.t WHERE id = 5")
    run(empty, strict_side, TIGHTEN)
    empty.merge("b")
    assert empty.rows("d.t") == [(6, "x")]


def test_rows_with_nulls_that_stay_count_each(empty: Lake) -> None:
    run(empty, "b", "INSERT INTO d.t VALUES (5, NULL), (6, 'x'), (7, NULL), (8, NULL)", "DELETE FROM d.t WHERE id = 5")
    run(empty, "main", TIGHTEN)
    assert lacking(empty) == 2


def test_a_row_deleted_twice_hides_no_live_one(empty: Lake) -> None:
    run(empty, "b", "INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    empty.sql("CREATE BRANCH c FROM b")
    for branch in ("b", "c"):
        run(empty, branch, "DELETE FROM d.t WHERE id = 1")
    empty.merge("c", "b")
    run(empty, "main", STRICT)
    assert lacking(empty) == 1


def test_nulls_filled_by_the_strict_side_never_conflict(filled: Lake) -> None:
    run(filled, "b", "UPDATE d.t SET v = 'B' WHERE id = 1", "DELETE FROM d.t WHERE id = 4", TIGHTEN)
    run(filled, "main", "OPTIMIZE d.t")
    filled.merge("b")
    assert filled.rows("d.t") == [(1, "B"), (2, "b"), (3, "c")]


def test_nulls_filled_by_the_strict_source_stay_filled(filled: Lake) -> None:
    run(filled, "main", "DELETE FROM d.t WHERE id = 4")
    filled.merge("main", "b")
    run(filled, "b", "UPDATE d.t SET v = 'B' WHERE id = 1", TIGHTEN)
    run(filled, "main", "UPDATE d.t SET v = 'M' WHERE id = 3")
    filled.merge("b")
    assert filled.rows("d.t") == [(1, "B"), (2, "b"), (3, "M")]


def test_a_compaction_brings_no_rows(filled: Lake) -> None:
    run(filled, "main", "UPDATE d.t SET v = 'M' WHERE v IS NULL", TIGHTEN)
    run(filled, "b", "INSERT INTO d.t VALUES (5, 'e')", "OPTIMIZE d.t")
    filled.merge("b")
    assert filled.rows("d.t") == [(1, "M"), (2, "b"), (3, "c"), (4, "M"), (5, "e")]


def test_rows_that_were_inserted_and_compacted_count(filled: Lake) -> None:
    run(filled, "main", "UPDATE d.t SET v = 'M' WHERE v IS NULL", TIGHTEN)
    run(
        filled,
        "b",
        "INSERT INTO d.t VALUES (5, NULL), (6, NULL), (7, 'g')",
        "OPTIMIZE d.t",
        "DELETE FROM d.t WHERE id = 5",
        "OPTIMIZE d.t",
    )
    assert lacking(filled) == 1


def test_a_statement_beside_a_tightened_column_is_judged(empty: Lake) -> None:
    class Meanwhile(Context):
        """Has somebody else commit just before the statement does."""

        def step(self, name: str, detail: str = "") -> None:
            if name == "commit":
                other = threading.Thread(target=tighten)
                other.start()
                other.join()

    def tighten() -> None:
        empty.sql(TIGHTEN)
        connections.close_all()

    session: Any = Session(catalog=empty.catalog)
    with pytest.raises(MergeConflict) as refusal:
        execute("INSERT INTO d.t VALUES (5, NULL)", session, Meanwhile())
    assert refusal.value.details["conflicts"][0]["code"] == "NOT_NULL_WITHOUT_VALUE"
    assert empty.rows("d.t") == []
