"""Columns changed on the two sides: types (A6.1), names by id, missing ones, attributes. SQL in, rows out."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import NotSupported, TypeNarrowing
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def table_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def table(begun: Begun) -> Lake:
    """Table d.t (id, v) with rows 1 and 2, and branch b."""
    return begun(table_fill)


def columns(lake: Lake, branch: str = "main") -> list[str]:
    return [row[0] for row in lake.sql("DESCRIBE TABLE d.t", branch).rows]


def test_a6_1_a_wider_target_type_always_conflicts(lake: Lake) -> None:
    wider = [("TINYINT", "SMALLINT", "INT"), ("SMALLINT", "INT", "BIGINT"), ("VARCHAR(3)", "VARCHAR(5)", "STRING")]
    wider += [("DECIMAL(5,2)", "DECIMAL(6,2)", "DECIMAL(7,2)"), ("VARCHAR(3)", "VARCHAR(5)", "VARCHAR(6)")]
    wider += [("TINYINT", "INT", "BIGINT")]
    for number, (old, _, _) in enumerate(wider):
        lake.sql(f"CREATE TABLE d.t{number} (c {old})")
    lake.sql("CREATE BRANCH b")
    for number, (_, source, destination) in enumerate(wider):
        lake.sql(f"ALTER TABLE d.t{number} ALTER COLUMN c TYPE {source}", "b")
        lake.sql(f"ALTER TABLE d.t{number} ALTER COLUMN c TYPE {destination}")
    found = lake.refused("b")
    assert {(item["object"], item["code"]) for item in found} == {
        (f"d.t{number}", "COLUMN_TYPE_NARROWING") for number in range(len(wider))
    }
    assert {(item["source_op"], item["dest_op"], item["note"]) for item in found} == {("column", "column", "A6.1")}


def test_a6_1_equal_types_and_wider_sources_merge(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (same INT, wider TINYINT, theirs INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 2, 3)")
    lake.sql("CREATE BRANCH b")
    for column, kind, branch in (
        ("same", "BIGINT", "b"),
        ("same", "BIGINT", "main"),
        ("wider", "INT", "b"),
        ("wider", "SMALLINT", "main"),
        ("theirs", "BIGINT", "main"),
    ):
        lake.sql(f"ALTER TABLE d.t ALTER COLUMN {column} TYPE {kind}", branch)
    lake.sql("INSERT INTO d.t VALUES (4, 70000, 6)", "b")
    lake.merge("b")
    assert [row[1] for row in lake.sql("DESCRIBE TABLE d.t").rows] == ["bigint", "int", "bigint"]
    assert lake.rows("d.t") == [(1, 2, 3), (4, 70000, 6)]


@pytest.mark.parametrize("new", ["SMALLINT", "DOUBLE", "STRING"])
def test_a_type_not_wider_is_refused_at_once(table: Lake, new: str) -> None:
    head = table.head()
    # A double holds each int, but a change to it is not supported.
    with pytest.raises(NotSupported if new == "DOUBLE" else TypeNarrowing):
        table.sql(f"ALTER TABLE d.t ALTER COLUMN id TYPE {new}")
    assert table.head() == head


@pytest.mark.parametrize(
    ("source", "destination", "merged"),
    [("INT", "INT", "int"), ("BIGINT", "INT", "bigint"), ("INT", "BIGINT", None), ("STRING", "INT", None)],
)
def test_a6_1_holds_for_columns_both_sides_added(
    table: Lake, source: str, destination: str, merged: str | None
) -> None:
    table.sql(f"ALTER TABLE d.t ADD COLUMN n {source}", "b")
    table.sql(f"ALTER TABLE d.t ADD COLUMN N {destination}")
    table.sql("INSERT INTO d.t VALUES (3, 'c', 30)", "b")
    table.sql("INSERT INTO d.t VALUES (4, 'd', 40)")
    if merged is None:
        assert table.codes("b") == {"COLUMN_TYPE_NARROWING"}
        return
    table.merge("b")
    assert [(row[0].lower(), row[1]) for row in table.sql("DESCRIBE TABLE d.t").rows][2:] == [("n", merged)]
    assert table.rows("d.t", columns="id, n") == [(1, None), (2, None), (3, 30), (4, 40)]


def test_column_renamed_on_both_takes_the_sources_name(table: Lake) -> None:
    table.sql("ALTER TABLE d.t RENAME COLUMN v TO theirs", "b")
    table.sql("ALTER TABLE d.t RENAME COLUMN v TO ours")
    table.sql("INSERT INTO d.t VALUES (3, 'm')")
    result = table.merge("b")
    assert columns(table) == ["id", "theirs"]
    assert table.rows("d.t") == [(1, "a"), (2, "b"), (3, "m")]
    assert "OVERRIDDEN_BY_SOURCE" in {note["code"] for note in result["notes"]}


def test_column_names_swap_and_rows_follow_their_ids(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (x INT, y INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 2)")
    lake.sql("CREATE BRANCH b")
    for old, new in (("x", "spare"), ("y", "x"), ("spare", "y")):
        lake.sql(f"ALTER TABLE d.t RENAME COLUMN {old} TO {new}", "b")
    lake.sql("INSERT INTO d.t VALUES (3, 4)")
    lake.merge("b")
    assert lake.rows("d.t", columns="x, y") == [(2, 1), (4, 3)]


def test_an_added_column_conflicts_with_a_renamed_name(table: Lake) -> None:
    table.sql("ALTER TABLE d.t ADD COLUMN w INT", "b")
    table.sql("ALTER TABLE d.t RENAME COLUMN v TO W")
    assert table.codes("b") == {"COLUMN_NAME_TAKEN"}


def test_a_column_dropped_on_both_sides_is_dropped(table: Lake) -> None:
    for branch in ("b", "main"):
        table.sql("ALTER TABLE d.t DROP COLUMN v", branch)
    table.sql("INSERT INTO d.t VALUES (3)", "b")
    table.merge("b")
    assert table.rows("d.t") == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    "change", ["RENAME COLUMN v TO w", "ALTER COLUMN v COMMENT 'x'", "ALTER COLUMN v SET DEFAULT 'x'"]
)
def test_a_change_finds_a_readded_column_missing(table: Lake, change: str) -> None:
    table.sql(f"ALTER TABLE d.t {change}", "b")
    table.sql("ALTER TABLE d.t DROP COLUMN v")
    table.sql("ALTER TABLE d.t ADD COLUMN v STRING")
    assert table.codes("b") == {"COLUMN_MISSING"}


def test_a_column_readded_by_the_source_is_empty(table: Lake) -> None:
    table.sql("ALTER TABLE d.t DROP COLUMN v", "b")
    table.sql("ALTER TABLE d.t ADD COLUMN v STRING", "b")
    table.sql("INSERT INTO d.t VALUES (3, 'new')", "b")
    table.sql("INSERT INTO d.t VALUES (4, 'old')")
    table.merge("b")
    assert table.rows("d.t") == [(1, None), (2, None), (3, "new"), (4, None)]


def test_dropping_a_column_renamed_on_the_target_works(table: Lake) -> None:
    table.sql("ALTER TABLE d.t DROP COLUMN v", "b")
    table.sql("ALTER TABLE d.t RENAME COLUMN v TO w")
    table.merge("b")
    assert columns(table) == ["id"]


def test_source_rows_lose_a_column_the_target_dropped(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (3, 'c')", "b")
    table.sql("UPDATE d.t SET v = 'B', id = 20 WHERE id = 2", "b")
    table.sql("ALTER TABLE d.t DROP COLUMN v")
    table.merge("b")
    assert table.rows("d.t") == [(1,), (20,), (3,)]


def test_source_rows_take_names_from_the_target(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (3, 'c')", "b")
    table.sql("UPDATE d.t SET v = 'B' WHERE id = 2", "b")
    table.sql("ALTER TABLE d.t RENAME COLUMN v TO w")
    table.sql("ALTER TABLE d.t ADD COLUMN n INT DEFAULT 7")
    table.merge("b")
    assert table.rows("d.t", columns="id, w, n") == [(1, "a", 7), (2, "B", 7), (3, "c", 7)]


def test_attributes_of_one_column_merge_one_by_one(table: Lake) -> None:
    table.sql("ALTER TABLE d.t ALTER COLUMN v SET DEFAULT 'x'", "b")
    table.sql("ALTER TABLE d.t ALTER COLUMN v FIRST", "b")
    table.sql("ALTER TABLE d.t ALTER COLUMN v COMMENT 'ours'")
    table.sql("ALTER TABLE d.t ALTER COLUMN id COMMENT 'ours too'")
    table.sql("ALTER TABLE d.t ALTER COLUMN id COMMENT 'theirs'", "b")
    table.merge("b")
    described: dict[str, list[Any]] = {row[0]: row[1:] for row in table.sql("DESCRIBE TABLE d.t").rows}
    assert list(described) == ["v", "id"]
    assert described["v"][3] == "ours"
    assert described["id"][3] == "theirs"
    table.sql("INSERT INTO d.t (id) VALUES (3)")
    assert table.rows("d.t WHERE id = 3") == [("x", 3)]


def test_columns_stay_where_either_side_moved_them(table: Lake) -> None:
    table.sql("ALTER TABLE d.t ADD COLUMN w INT FIRST")
    table.merge("main", "b")
    assert columns(table, "b") == ["w", "id", "v"]
    table.sql("ALTER TABLE d.t ALTER COLUMN v FIRST")
    table.sql("ALTER TABLE d.t ALTER COLUMN id COMMENT 'x'", "b")
    table.merge("b")
    assert columns(table) == ["v", "w", "id"]
    table.merge("main", "b")
    table.sql("ALTER TABLE d.t ALTER COLUMN v AFTER id", "b")
    table.sql("ALTER TABLE d.t ALTER COLUMN w AFTER v", "b")
    table.merge("b")
    assert columns(table) == columns(table, "b") == ["id", "v", "w"]
