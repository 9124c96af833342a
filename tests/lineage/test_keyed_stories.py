"""Tables with a primary key by lineage: what is written, decided, merged further and left unread (R10, R14)."""

from __future__ import annotations

import pytest

from catalog_app.models import Segment
from lakeui.common.errors import MergeConflict
from lakeui.frontdoor import compute
from tests.support.lake import Lake
from tests.support.rows import row_ids

KEY = "'{\"id\":1}'"


@pytest.fixture
def keyed(services: None) -> Lake:
    """Table d.t with keys 1, 2 and 30 in two files, on main, on b and on third."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING, w STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'v', 'w'), (2, 'v', 'w')")
    lake.sql("INSERT INTO d.t VALUES (30, 'v', 'w')")
    for branch in ("b", "third"):
        lake.sql(f"CREATE BRANCH {branch}")
    return lake


def test_a_merged_row_has_the_merges_stamp(keyed: Lake) -> None:
    before = row_ids(keyed)
    keyed.sql("UPDATE d.t SET v = 'b' WHERE id < 9", "b")
    keyed.sql("UPDATE d.t SET w = 'm' WHERE id = 1")
    version = keyed.merge("b")["version"]
    assert keyed.rows("d.t") == [(1, "b", "m"), (2, "b", "w"), (30, "v", "w")]
    assert row_ids(keyed) == before
    made = Segment.objects.filter(branch__catalog__name=keyed.catalog, stamp=version)
    (segment,) = made.select_related("file")
    assert (segment.file.rows, segment.kind, segment.file.stores_row_ids) == (1, "update", True)
    assert keyed.breaches() == []


@pytest.mark.parametrize(
    ("decision", "row"),
    [
        ("ROWS TAKE SOURCE", (1, "b", "w")),
        (f"ROW {KEY} TAKE TARGET", (1, "m", "w")),
        (f"CELL v OF {KEY} SET '\"by hand\"'", (1, "by hand", "w")),
    ],
)
def test_decisions_of_rows_reach_third_branches(keyed: Lake, decision: str, row: tuple[int, str, str]) -> None:
    for branch in ("b", "main"):
        keyed.sql(f"UPDATE d.t SET v = '{branch[0]}' WHERE id = 1", branch)
    with pytest.raises(MergeConflict):
        keyed.merge("b")
    dry = keyed.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t {decision}) DRY RUN").extra
    done = keyed.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t {decision})").extra
    assert done["fingerprint"] == dry["fingerprint"]
    keyed.merge("b", "third")
    for branch in ("b", "third"):
        keyed.merge("main", branch)
        assert keyed.rows("d.t WHERE id = 1", branch) == keyed.rows("d.t WHERE id = 1") == [row]
        keyed.merge(branch)
    assert keyed.breaches() == []


@pytest.mark.parametrize("kept", ["SOURCE", "TARGET"])
@pytest.mark.parametrize(("source", "target"), [("b", "main"), ("main", "b")])
def test_row_deleted_by_one_side_is_decided(keyed: Lake, source: str, target: str, kept: str) -> None:
    keyed.sql("UPDATE d.t SET v = 'b' WHERE id = 1", "b")
    keyed.sql("DELETE FROM d.t WHERE id = 1")
    assert keyed.codes(source, target) == {"PRIMARY_KEY_CLASH"}
    keyed.sql(f"MERGE BRANCH {source} TO {target} RESOLVE (TABLE d.t ROW {KEY} TAKE {kept})", target)
    is_updated = (source if kept == "SOURCE" else target) == "b"
    assert keyed.rows("d.t WHERE id = 1", target) == ([(1, "b", "w")] if is_updated else [])
    keyed.merge(target, source)
    assert keyed.rows("d.t", source) == keyed.rows("d.t", target)
    assert keyed.breaches() == []


def test_row_changed_and_changed_back_is_no_change(keyed: Lake) -> None:
    keyed.sql("UPDATE d.t SET v = 'x' WHERE id = 1", "b")
    keyed.sql("UPDATE d.t SET v = 'v' WHERE id = 1", "b")
    keyed.sql("DELETE FROM d.t WHERE id = 1")
    keyed.merge("b")
    assert keyed.rows("d.t WHERE id = 1") == []


def test_key_inserted_and_deleted_again_meets_nothing(keyed: Lake) -> None:
    keyed.sql("INSERT INTO d.t VALUES (5, 'b', 'b')", "b")
    keyed.sql("DELETE FROM d.t WHERE id = 5", "b")
    keyed.sql("INSERT INTO d.t VALUES (5, 'm', 'm')")
    keyed.merge("b")
    assert keyed.rows("d.t WHERE id = 5") == [(5, "m", "m")]


@pytest.mark.parametrize("change", ["SET id = 8", "SET v = 'm'"])
def test_a_changed_key_clashes_in_both_directions(keyed: Lake, change: str) -> None:
    keyed.sql("UPDATE d.t SET id = 7 WHERE id = 1", "b")
    keyed.sql(f"UPDATE d.t {change} WHERE id = 1")
    assert keyed.codes("b") == keyed.codes("main", "b") == {"PRIMARY_KEY_CLASH"}


def test_equal_rows_of_one_key_are_one_everywhere(keyed: Lake) -> None:
    """A third branch has the row of the one; the other has it from files with other row ids."""
    keyed.sql("INSERT INTO d.t VALUES (5, 'e', 'e')")
    keyed.merge("main", "third")
    keyed.sql("INSERT INTO d.t VALUES (5, 'e', 'e')", "b")
    keyed.merge("b")
    for source, target in (("main", "third"), ("main", "b"), ("third", "b"), ("b", "third")):
        keyed.merge(source, target)
        assert keyed.rows("d.t", target) == keyed.rows("d.t")
    assert keyed.breaches() == []


def test_keys_are_not_read_where_statistics_separate_them(keyed: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(*_: object, **__: object) -> None:
        raise AssertionError("keys were read")

    keyed.sql("INSERT INTO d.t VALUES (100, 'b', 'b')", "b")
    keyed.sql("UPDATE d.t SET v = 'b' WHERE id = 30", "b")
    keyed.sql("INSERT INTO d.t VALUES (200, 'm', 'm')")
    keyed.sql("UPDATE d.t SET v = 'm' WHERE id = 1")
    monkeypatch.setattr(type(compute.engine()), "cells_read", unwanted)
    keyed.merge("b")
    assert [row[0] for row in keyed.rows("d.t")] == [1, 100, 2, 200, 30]


def test_transaction_inserts_no_key_inserted_elsewhere_since(keyed: Lake) -> None:
    begun = keyed.sql("BEGIN").extra["transaction"]
    keyed.sql("INSERT INTO d.t VALUES (5, 'e', 'e')", transaction=begun)
    keyed.sql("INSERT INTO d.t VALUES (5, 'm', 'm')")
    with pytest.raises(MergeConflict):
        keyed.sql("COMMIT", transaction=begun)
    assert keyed.rows("d.t WHERE id = 5") == [(5, "m", "m")]


def test_a_renamed_partition_takes_merged_rows_along(services: None) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING, w STRING, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'v', 'w', 'a'), (2, 'v', 'w', 'a')")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'c')", "b")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET w = 'm' WHERE id = 1")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "b", "m", "c"), (2, "v", "w", "c")]
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t")
    assert lake.breaches() == []
