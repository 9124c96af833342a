"""Names in merges: identity is the id, a name is unique among valid objects of the final state only (semantics P3)."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def two_tables_fill(lake: Lake) -> None:
    for name in ("x", "y"):
        lake.sql(f"CREATE TABLE d.{name} (v STRING)")
        lake.sql(f"INSERT INTO d.{name} VALUES ('{name}')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two_tables(begun: Begun) -> Lake:
    """Tables d.x and d.y that hold their own names, and branch b."""
    return begun(two_tables_fill)


def run(lake: Lake, branch: str, *statements: str) -> None:
    for statement in statements:
        lake.sql(statement, branch)


def tables(lake: Lake, database: str = "d") -> dict[str, str]:
    """Table ids by name."""
    return {row[1]: row[2] for row in lake.sql(f"SHOW TABLES IN {database}").rows}


def swap(kind: str, one: str, other: str, between: str) -> list[str]:
    return [f"ALTER {kind} {a} RENAME TO {b}" for a, b in ((one, between), (other, one), (between, other))]


@pytest.mark.parametrize("identical", [True, False])
def test_a_taken_table_name_refuses_the_whole_merge(two_tables: Lake, identical: bool) -> None:
    run(two_tables, "b", "CREATE TABLE d.n (id INT)", "INSERT INTO d.x VALUES ('more')")
    run(two_tables, "main", "CREATE TABLE d.n (id INT)" if identical else "CREATE TABLE d.N (other STRING)")
    (conflict,) = two_tables.refused("b")
    assert (conflict["code"], conflict["kind"], conflict["object"]) == ("NAME_EXISTS", "table", "d.n")
    assert two_tables.rows("d.x") == [("x",)]


def test_a_new_database_with_taken_name_is_refused(two_tables: Lake) -> None:
    run(two_tables, "b", "CREATE DATABASE n")
    run(two_tables, "main", "CREATE DATABASE n")
    (conflict,) = two_tables.refused("b")
    assert (conflict["code"], conflict["kind"]) == ("NAME_EXISTS", "database")


def test_renames_onto_names_the_target_gave_are_refused(two_tables: Lake) -> None:
    run(two_tables, "b", "ALTER TABLE d.x RENAME TO d.n")
    run(two_tables, "main", "ALTER TABLE d.y RENAME TO d.n")
    assert two_tables.codes("b") == {"NAME_EXISTS"}


def test_a_name_both_sides_together_double_is_refused(two_tables: Lake) -> None:
    """One renames the table, the other moves it."""
    run(two_tables, "b", "ALTER TABLE d.x RENAME TO d.n")
    run(two_tables, "main", "CREATE DATABASE e", "ALTER TABLE d.x RENAME TO e.x", "CREATE TABLE e.n (id INT)")
    assert two_tables.codes("b") == {"NAME_EXISTS"}


@pytest.mark.parametrize(
    ("rename", "drop", "create", "undrop"),
    [
        ("TABLE d.x RENAME TO d.n", "TABLE d.x", "TABLE d.n (id INT)", "TABLE d.x"),
        ("DATABASE d RENAME TO n", "DATABASE d CASCADE", "DATABASE n", "DATABASE d"),
    ],
    ids=["table", "database"],
)
def test_an_undropped_object_needs_a_free_name(
    two_tables: Lake, rename: str, drop: str, create: str, undrop: str
) -> None:
    run(two_tables, "main", f"ALTER {rename}")
    run(two_tables, "b", f"DROP {drop}")
    two_tables.merge("b")
    run(two_tables, "main", f"CREATE {create}")
    run(two_tables, "b", f"UNDROP {undrop}")
    assert two_tables.codes("b") == {"NAME_EXISTS"}


def test_a_name_that_the_target_freed_is_available(two_tables: Lake) -> None:
    run(two_tables, "b", "ALTER TABLE d.x RENAME TO d.old", "CREATE TABLE d.x (id INT)")
    run(two_tables, "main", "ALTER TABLE d.y RENAME TO d.z")
    run(two_tables, "b", "DROP TABLE d.y", "CREATE TABLE d.y (id INT)")
    before = tables(two_tables)
    two_tables.merge("b")
    after = tables(two_tables)
    assert set(after) == {"old", "x", "y"}
    assert after["old"] == before["x"]
    assert before["z"] not in after.values()


def test_both_sides_gave_one_table_one_name(two_tables: Lake) -> None:
    for branch in ("b", "main"):
        run(two_tables, branch, "ALTER TABLE d.x RENAME TO d.same")
    before = tables(two_tables)
    two_tables.merge("b")
    assert tables(two_tables) == before


def test_tables_swap_names_while_the_target_writes(two_tables: Lake) -> None:
    run(two_tables, "b", *swap("TABLE", "d.x", "d.y", "d.tmp"))
    run(two_tables, "main", "INSERT INTO d.x VALUES ('written to x')")
    before = tables(two_tables)
    two_tables.merge("b")
    assert tables(two_tables) == {"x": before["y"], "y": before["x"]}
    assert two_tables.rows("d.y") == [("written to x",), ("x",)]
    assert two_tables.rows("d.x") == [("y",)]


def test_three_tables_rotate_their_names(two_tables: Lake) -> None:
    run(two_tables, "main", "CREATE TABLE d.z (v STRING)", "INSERT INTO d.z VALUES ('z')", "CREATE BRANCH c")
    for before, after in (("x", "tmp"), ("z", "x"), ("y", "z"), ("tmp", "y")):
        run(two_tables, "c", f"ALTER TABLE d.{before} RENAME TO d.{after}")
    two_tables.merge("c")
    assert [two_tables.rows(f"d.{name}") for name in "xyz"] == [[("z",)], [("x",)], [("y",)]]


def test_databases_swap_names(two_tables: Lake) -> None:
    run(two_tables, "main", "CREATE DATABASE e", "CREATE TABLE e.only (id INT)", "CREATE BRANCH c")
    run(two_tables, "c", *swap("DATABASE", "d", "e", "tmp"))
    two_tables.merge("c")
    assert set(tables(two_tables, "e")) == {"x", "y"}
    assert set(tables(two_tables, "d")) == {"only"}


def test_a_table_moves_to_another_database(two_tables: Lake) -> None:
    run(two_tables, "main", "CREATE DATABASE e", "CREATE BRANCH c")
    run(two_tables, "c", "ALTER TABLE d.x RENAME TO e.x")
    run(two_tables, "main", "INSERT INTO d.x VALUES ('more')")
    two_tables.merge("c")
    assert (set(tables(two_tables)), set(tables(two_tables, "e"))) == ({"y"}, {"x"})
    assert two_tables.rows("e.x") == [("more",), ("x",)]


def test_names_dropped_and_recreated_end_as_the_last(two_tables: Lake) -> None:
    for number in range(3):
        run(two_tables, "b", "DROP TABLE d.x", f"CREATE TABLE d.x (c{number} INT)")
    run(two_tables, "b", "INSERT INTO d.x VALUES (7)")
    result = two_tables.merge("b")
    assert [row[0] for row in two_tables.sql("DESCRIBE TABLE d.x").rows] == ["c2"]
    assert two_tables.rows("d.x") == [(7,)]
    assert {item["action"] for item in result["merged"]} == {"drop", "create"}


def test_a_dropped_database_is_replaced_by_its_namesake(two_tables: Lake) -> None:
    run(two_tables, "b", "DROP DATABASE d CASCADE", "CREATE DATABASE d", "CREATE TABLE d.x (fresh INT)")
    run(two_tables, "main", "INSERT INTO d.x VALUES ('late')")
    result = two_tables.merge("b")
    assert set(tables(two_tables)) == {"x"}
    assert [row[0] for row in two_tables.sql("DESCRIBE TABLE d.x").rows] == ["fresh"]
    assert "DROPS_DEST_CHANGES" in {note["code"] for note in result["notes"]}


def test_new_tables_in_a_dropped_database_are_refused(two_tables: Lake) -> None:
    run(two_tables, "b", "CREATE TABLE d.n (id INT)")
    run(two_tables, "main", "DROP DATABASE d CASCADE")
    assert two_tables.codes("b") == {"OBJECT_DROPPED_ON_DEST"}


def test_a_name_that_looks_like_another_warns(lake: Lake) -> None:
    """Whichever of the two has a letter of another script. Two names of ASCII letters alone do not count."""
    other = "p\u0430y"
    lake.sql("CREATE BRANCH v1")
    assert "notices" not in lake.sql("CREATE BRANCH vl").extra
    assert "notices" not in lake.sql("CREATE BRANCH pay").extra
    assert lake.sql(f"CREATE TAG `{other}`").extra["notices"] == [f"{other} looks like pay, and is another name."]
    lake.sql("DROP BRANCH pay")
    assert lake.sql("CREATE BRANCH pay").extra["notices"] == [f"pay looks like {other}, and is another name."]
    lake.sql("DROP BRANCH pay")
    lake.sql(f"DROP TAG `{other}`")
    lake.sql(f"CREATE BRANCH `{other}`")
    assert lake.sql("CREATE TAG pay").extra["notices"] == [f"pay looks like {other}, and is another name."]
