"""A field of a struct that comes back after its drop: files that were written since lack it."""

from __future__ import annotations

import pytest

from lakeui.common.errors import NotSupported
from tests.support.lake import Lake

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [(1, 7, 1, "x"), (2, 8, 2, "y")]


@pytest.fixture
def lake(services: None) -> Lake:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, n INT, s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<a: INT, b: STRING>>)")
    lake.sql("INSERT INTO d.t VALUES (1, 7, named_struct('a', 1, 'b', 'x'), array(named_struct('a', 1, 'b', 'p')))")
    lake.sql("INSERT INTO d.t VALUES (2, 8, named_struct('a', 2, 'b', 'y'), array(named_struct('a', 2, 'b', 'q')))")
    lake.sql("CREATE BRANCH b")
    return lake


def shown(lake: Lake, branch: str = "main") -> list[tuple[object, ...]]:
    return lake.rows("d.t", branch, "id, n, s.a, s.b")


@pytest.mark.parametrize("update", ["", "UPDATE d.t SET n = 9 WHERE id = 1"], ids=["optimized", "updated"])
@pytest.mark.parametrize("field", ["s.b", "l.element.b"])
def test_restored_tables_show_dropped_fields(lake: Lake, field: str, update: str) -> None:
    head, rows = lake.head(), lake.rows("d.t")
    for statement in (f"ALTER TABLE d.t DROP COLUMN {field}", update, "OPTIMIZE d.t"):
        if statement:
            lake.sql(statement)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {head}")
    assert lake.rows("d.t") == rows
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == rows
    assert not lake.breaches()


def dropped_and_restored(lake: Lake, field: str, *statements: str) -> None:
    """Branch b drops the field, which main gets and takes back; then b makes changes, and merges main."""
    head = lake.head()
    lake.sql(f"ALTER TABLE d.t DROP COLUMN {field}", "b")
    lake.merge("b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {head}")
    for statement in statements:
        lake.sql(statement, "b")
    lake.merge("main", "b")


def test_rows_written_without_a_field_get_it(lake: Lake) -> None:
    insert = "INSERT INTO d.t (id, n, s) VALUES (3, 30, named_struct('a', 3))"
    dropped_and_restored(lake, "s.b", "UPDATE d.t SET n = 11 WHERE id = 1", insert)
    assert shown(lake, "b") == [(1, 11, 1, "x"), (2, 8, 2, "y"), (3, 30, 3, None)]
    lake.merge("b")
    assert shown(lake) == shown(lake, "b")
    assert not lake.breaches()


def test_structs_that_are_null_stay_so(lake: Lake) -> None:
    dropped_and_restored(lake, "s.b", "UPDATE d.t SET s = NULL WHERE id = 1")
    assert shown(lake, "b") == [(1, 7, None, None), (2, 8, 2, "y")]


def test_fields_of_elements_are_not_put_back(lake: Lake) -> None:
    with pytest.raises(NotSupported, match="does not put it back into elements of arrays"):
        dropped_and_restored(lake, "l.element.b", "UPDATE d.t SET n = 11 WHERE id = 1")
    assert shown(lake, "b") == [(1, 11, 1, "x"), (2, 8, 2, "y")]


def test_values_of_a_dropped_field_are_noted(lake: Lake) -> None:
    for field in ("s.b", "l.element.b"):
        lake.sql(f"ALTER TABLE d.t DROP COLUMN {field}")
    changed = "s = named_struct('a', 1, 'b', 'new'), l = array(named_struct('a', 1, 'b', 'other'))"
    lake.sql(f"UPDATE d.t SET {changed} WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET s = named_struct('a', 9, 'b', 'y') WHERE id = 2", "b")
    foreseen = lake.dry_run("b")["notes"]
    notes = lake.merge("b")["notes"]
    found = [(note["code"], note["details"]["column"], note["details"]["rows"]) for note in notes]
    assert found == [("DISCARDED_VALUE", "s.b", 1), ("DISCARDED_VALUE", "l.element.b", 1)]
    assert [note["message"] for note in foreseen] == [note["message"] for note in notes]
    left = "1 changed value of field s.b is left out: b wrote it, and the merged table has no such field: id 1"
    assert left in notes[0]["message"]
