"""Tables with a primary key: no statement leaves a key twice, and no merge does (semantics §3)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import DuplicateKey
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def keyed_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.k VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.k VALUES (10, 'c')")


@pytest.fixture
def keyed(begun: Begun) -> Lake:
    """Table d.k with keys 1 and 2 in one file and 10 in another."""
    return begun(keyed_fill)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE d.k SET id = 2 WHERE id = 1",
        "UPDATE d.k SET ID = 10 WHERE v = 'a'",
        "UPDATE d.k SET id = 5",
        "UPDATE d.k SET v = 'x', id = id + 8 WHERE id = 2",
    ],
)
def test_update_onto_existing_key_is_refused(keyed: Lake, statement: str) -> None:
    head = keyed.head()
    with pytest.raises(DuplicateKey):
        keyed.sql(statement)
    assert keyed.head() == head
    assert keyed.rows("d.k") == [(1, "a"), (10, "c"), (2, "b")]


def test_keys_may_move_onto_keys_same_update_frees(keyed: Lake) -> None:
    keyed.sql("UPDATE d.k SET id = 3 - id WHERE id < 3")
    keyed.sql("UPDATE d.k SET id = id + 8 WHERE id = 1")
    assert keyed.rows("d.k") == [(10, "c"), (2, "a"), (9, "b")]
    keyed.sql("DELETE FROM d.k WHERE id = 10")
    keyed.sql("UPDATE d.k SET id = 10 WHERE id = 2")
    assert keyed.rows("d.k") == [(10, "a"), (9, "b")]


def test_an_update_of_other_columns_leaves_keys_unread(keyed: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(*_: object) -> None:
        raise AssertionError("keys were checked")

    monkeypatch.setattr("lakeui.frontdoor.rows.delete_update.refuse_duplicate_keys", unwanted)
    keyed.sql("UPDATE d.k SET v = 'x' WHERE id = 1")
    assert keyed.rows("d.k WHERE id = 1") == [(1, "x")]


def test_inserts_without_a_key_read_no_file(keyed: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """So what a small write costs does not grow with the files of its table; with a key they are looked at."""

    def unwanted(*_: object) -> None:
        raise AssertionError("files were looked at")

    keyed.sql("CREATE TABLE d.plain (id INT)")
    monkeypatch.setattr("lakeui.frontdoor.call.segments_list", unwanted)
    monkeypatch.setattr("lakeui.frontdoor.expressions.checks.segments_list", unwanted)
    keyed.sql("INSERT INTO d.plain VALUES (1), (1)")
    with pytest.raises(AssertionError, match="files were looked at"):
        keyed.sql("INSERT INTO d.k VALUES (1, 'x')")


def test_a_reused_key_survives_a_compaction(keyed: Lake) -> None:
    keyed.sql("CREATE BRANCH b")
    keyed.sql("DELETE FROM d.k WHERE id = 1", "b")
    keyed.sql("INSERT INTO d.k VALUES (1, 'again')", "b")
    keyed.sql("UPDATE d.k SET v = 'C' WHERE id = 10")
    keyed.sql("OPTIMIZE d.k")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "again"), (10, "C"), (2, "b")]


def test_key_inserted_and_compacted_on_both_is_refused(keyed: Lake) -> None:
    keyed.sql("CREATE BRANCH b")
    for branch in ("b", "main"):
        keyed.sql(f"INSERT INTO d.k VALUES (5, '{branch}')", branch)
        keyed.sql("OPTIMIZE d.k", branch)
    (conflict,) = keyed.refused("b")
    assert (conflict["code"], conflict["details"]["keys"]) == ("PRIMARY_KEY_CLASH", ['{"id":5}'])


def test_key_moved_by_update_clashes_with_inserted_one(keyed: Lake) -> None:
    keyed.sql("CREATE BRANCH b")
    keyed.sql("INSERT INTO d.k VALUES (5, 'b')", "b")
    keyed.sql("UPDATE d.k SET id = 5 WHERE id = 1")
    assert keyed.codes("b") == {"PRIMARY_KEY_CLASH"}


def test_third_branch_gets_result_of_merge_by_key(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.s (id INT PRIMARY KEY, v STRING, n INT)")
    lake.sql("INSERT INTO d.s VALUES (1, 'a', 1), (2, 'b', 2)")
    lake.sql("CREATE BRANCH e")
    lake.sql("CREATE BRANCH f")
    lake.sql("UPDATE d.s SET v = 'E' WHERE id = 1", "e")
    lake.sql("INSERT INTO d.s VALUES (5, 'e', 5)", "e")
    lake.sql("UPDATE d.s SET n = 100 WHERE id = 1")
    lake.merge("e")
    lake.merge("e", "f")
    lake.merge("main", "f")
    assert lake.rows("d.s", "f") == lake.rows("d.s") == [(1, "E", 100), (2, "b", 2), (5, "e", 5)]
    assert lake.breaches() == []
