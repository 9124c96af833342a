"""Keys changed by UPDATE (R14), and partitions that exist without rows (R15)."""

from __future__ import annotations

import pytest

from tests.reference.facts import Refused
from tests.reference.lake import Lake
from tests.reference.statements import (
    NewRow,
    Statement,
    add_partition,
    change_key,
    delete,
    insert,
    overwrite,
    put_attributes,
    rename_partition,
    restore,
    update,
)


@pytest.fixture
def lake() -> Lake:
    """Key 1 on main and b."""
    lake = Lake()
    made = {"exists": True, "name": "T1", "keyed": True}
    made |= {"column__v__exists": (None,), "column__v__name": "v", "column__v__type": 1}
    lake.commit("main", put_attributes("T1", **made), insert("T1", [NewRow(1, {"v": ("base", 1)}, "a")]))
    lake.branch("b", lake.branches["main"])
    return lake


def keys(lake: Lake, b: str) -> list[int]:
    return sorted(lake.branches[b].rows("T1"))


def test_a_changed_key_comes_as_one_row(lake: Lake) -> None:
    lake.commit("b", change_key("T1", 1, 7))
    lake.commit("main", insert("T1", [NewRow(2, {}, "a")]))
    lake.merge("b", "main")
    assert keys(lake, "main") == [2, 7]


def test_both_sides_equal_key_changes_make_one_row(lake: Lake) -> None:
    for b in ("b", "main"):
        lake.commit(b, change_key("T1", 1, 7))
    lake.merge("b", "main")
    assert keys(lake, "main") == [7]


@pytest.mark.parametrize(
    "other",
    [
        change_key("T1", 1, 8),
        update("T1", lambda r: r == 1, {"v": ("new", 1)}),
        insert("T1", [NewRow(7, {"v": ("other", 1)}, "a")]),
    ],
    ids=["changed to another key", "updated", "the new key is inserted"],
)
@pytest.mark.parametrize("way", [("b", "main"), ("main", "b")])
def test_a_changed_key_clashes(lake: Lake, other: Statement, way: tuple[str, str]) -> None:
    lake.commit("b", change_key("T1", 1, 7))
    lake.commit("main", other)
    with pytest.raises(Refused, match=r"^PRIMARY_KEY_CLASH$"):
        lake.merge(*way)


def test_a_changed_key_takes_a_restored_key(lake: Lake) -> None:
    before = lake.branches["main"]
    lake.commit("main", delete("T1", lambda r: True))
    lake.commit("main", restore(before))
    lake.commit("b", change_key("T1", 1, 7))
    lake.merge("b", "main")
    assert keys(lake, "main") == [7]


@pytest.mark.parametrize("way", [("b", "main"), ("main", "b")])
def test_overwrite_and_restore_leave_a_moved_key(lake: Lake, way: tuple[str, str]) -> None:
    """Law 6: what the overwrite wrote into the partition again is no change after the RESTORE."""
    before = lake.branches["main"]
    lake.commit("main", overwrite("T1", "a", [NewRow(1, {"v": ("other", 1)}, "a")]))
    lake.commit("main", restore(before))
    lake.commit("b", delete("T1", lambda r: True), insert("T1", [NewRow(1, {"v": ("base", 1)}, "c")]))
    lake.merge(*way)
    assert lake.branches[way[1]].partition("T1", 1) == "c"


def test_a_declared_partition_is_merged_without_rows(lake: Lake) -> None:
    for b in ("b", "main"):
        lake.commit(b, add_partition("T1", "e"))
    lake.merge("b", "main")
    assert lake.branches["main"].has_partition("T1", "e")
    assert lake.branches["main"].in_scope("T1", "e") == []


def test_a_renamed_declared_partition_takes_the_others_rows(lake: Lake) -> None:
    lake.commit("main", add_partition("T1", "e"))
    lake.merge("main", "b")
    lake.commit("b", rename_partition("T1", "e", "f"))
    lake.commit("main", insert("T1", [NewRow(2, {}, "e")]))
    lake.merge("b", "main")
    assert not lake.branches["main"].has_partition("T1", "e")
    assert lake.branches["main"].in_scope("T1", "f") == [2]


def test_a_dropped_partition_takes_the_others_rows(lake: Lake) -> None:
    lake.commit("main", add_partition("T1", "e"))
    lake.merge("main", "b")
    lake.commit("b", overwrite("T1", "e", kind="drop partition"))
    lake.commit("main", insert("T1", [NewRow(2, {}, "e")]))
    lake.merge("b", "main")
    assert not lake.branches["main"].has_partition("T1", "e")


def test_a_declared_partition_restored_away_is_not_merged(lake: Lake) -> None:
    before = lake.branches["b"]
    lake.commit("b", add_partition("T1", "e"))
    lake.commit("b", restore(before))
    lake.merge("b", "main")
    assert not lake.branches["main"].has_partition("T1", "e")


def row_of(key: int, v: str, part: str = "a") -> NewRow:
    return NewRow(key, {"v": (v, 1)}, part)


def change(v: str, part: str | None = None) -> Statement:
    return update("T1", lambda r: r == 1, {"v": (v, 1)}, part)


def text(lake: Lake, b: str, key: int) -> str | None:
    image = lake.branches[b].value("T1", "row", key)
    return None if image is None else dict(image)["v"][0]


@pytest.mark.parametrize("partition", [None, "a"])
@pytest.mark.parametrize("written", ["new", "base"])
@pytest.mark.parametrize(
    "other", [change("theirs"), delete("T1", lambda r: True), overwrite("T1", None, [row_of(1, "theirs")])]
)
def test_a_source_overwrite_wins_within_its_scope(
    lake: Lake, partition: str | None, written: str, other: Statement
) -> None:
    lake.commit("b", overwrite("T1", partition, [row_of(1, written)]))
    lake.commit("main", other)
    lake.merge("b", "main")
    assert text(lake, "main", 1) == written
    lake.merge("main", "b")
    assert lake.branches["b"].seen() == lake.branches["main"].seen()


@pytest.mark.parametrize(("later", "left"), [(change("later"), "later"), (delete("T1", lambda r: True), None)])
def test_what_the_source_did_after_its_overwrite_stands(lake: Lake, later: Statement, left: str | None) -> None:
    lake.commit("b", overwrite("T1", None, [row_of(1, "new")]))
    lake.commit("b", later)
    lake.commit("main", change("theirs"))
    lake.merge("b", "main")
    assert text(lake, "main", 1) == left


def test_keys_the_target_moved_out_of_scope_clash(lake: Lake) -> None:
    lake.commit("b", overwrite("T1", "a", [row_of(1, "new")]))
    lake.commit("main", change("theirs", "c"))
    with pytest.raises(Refused, match=r"^PRIMARY_KEY_CLASH$"):
        lake.merge("b", "main")


@pytest.mark.parametrize(("source", "target"), [("b", "main"), ("main", "b")])
def test_a_row_only_moved_clashes_with_a_delete(lake: Lake, source: str, target: str) -> None:
    lake.commit("b", change("base", "c"))
    lake.commit("main", delete("T1", lambda r: True))
    with pytest.raises(Refused, match=r"^PRIMARY_KEY_CLASH$"):
        lake.merge(source, target)


@pytest.mark.parametrize(("source", "target"), [("b", "main"), ("main", "b")])
def test_a_key_inserted_elsewhere_again_clashes(lake: Lake, source: str, target: str) -> None:
    lake.commit("b", delete("T1", lambda r: True))
    lake.commit("b", insert("T1", [row_of(1, "base", "c")]))
    lake.commit("main", delete("T1", lambda r: True))
    with pytest.raises(Refused, match=r"^PRIMARY_KEY_CLASH$"):
        lake.merge(source, target)


def test_a_moved_row_outlives_the_overwrite(lake: Lake) -> None:
    lake.commit("b", overwrite("T1", "a"))
    lake.commit("main", change("base", "c"))
    lake.merge("b", "main")
    assert keys(lake, "main") == [1]


@pytest.mark.parametrize("written", ["new", "base"])
@pytest.mark.parametrize("other", [change("theirs"), change("theirs", "c"), delete("T1", lambda r: True)])
def test_an_overwrite_of_the_target_stays(lake: Lake, written: str, other: Statement) -> None:
    lake.commit("main", overwrite("T1", None, [row_of(1, written)]))
    lake.commit("b", other)
    lake.merge("b", "main")
    assert (text(lake, "main", 1), lake.branches["main"].partition("T1", 1)) == (written, "a")


def test_new_keys_conflict_with_the_targets_overwrite(lake: Lake) -> None:
    lake.commit("b", insert("T1", [row_of(2, "mine")]))
    lake.commit("main", overwrite("T1", None, [row_of(2, "theirs")]))
    with pytest.raises(Refused, match=r"^PRIMARY_KEY_CLASH$"):
        lake.merge("b", "main")


def test_a_row_merged_after_an_overwrite_outlives_it(lake: Lake) -> None:
    """§4, added: main has had both, and kept the row."""
    lake.commit("b", insert("T1", [NewRow(2, {}, "a")]))
    lake.commit("main", overwrite("T1", None))
    lake.merge("b", "main")
    lake.commit("b", update("T1", lambda r: r == 2, {"v": ("new", 1)}))
    lake.commit("b", insert("T1", [NewRow(3, {}, "a")]))
    lake.merge("main", "b")
    assert keys(lake, "b") == [2]


REMOVE = delete("T1", lambda r: True)


def test_a_swept_key_came_after_its_removal(lake: Lake) -> None:
    """P7: both know that key 1 is gone. What b did to the old row before it took that in is no change of main's."""
    lake.branch("c", lake.branches["main"])
    lake.commit("main", REMOVE)
    lake.commit("main", overwrite("T1", None))
    lake.merge("main", "c")
    lake.commit("c", insert("T1", [row_of(1, "new")]))
    lake.commit("b", change("theirs"))
    lake.merge("main", "b")
    lake.merge("b", "main")
    lake.merge("c", "main")
    assert text(lake, "main", 1) == "new"


def test_a_restore_came_after_both_equal_removals(lake: Lake) -> None:
    """A4: main took in the removal that c knows, and restored the row since."""
    before = lake.branches["main"]
    lake.commit("b", REMOVE)
    lake.commit("main", REMOVE)
    lake.merge("b", "main")
    lake.branch("c", lake.branches["b"])
    lake.commit("c", insert("T1", [row_of(1, "new")]))
    lake.commit("main", restore(before))
    lake.merge("c", "main")
    assert text(lake, "main", 1) == "base"


def test_an_overwrite_equal_to_cells_stays_one(lake: Lake) -> None:
    """R10: b has the same cells as main already, and takes in the overwrite of main."""
    lake.branch("c", lake.branches["main"])
    lake.commit("main", change("new"))
    lake.merge("main", "c")
    lake.commit("b", change("new"))
    lake.merge("main", "b")
    lake.commit("c", overwrite("T1", None))
    lake.commit("main", overwrite("T1", None, [row_of(1, "written")]))
    lake.merge("main", "b")
    lake.merge("b", "c")
    assert text(lake, "c", 1) == "written"


def test_a_restored_key_follows_a_rename(lake: Lake) -> None:
    """P7: c has key 1 where both know it, whatever it wrote meanwhile."""
    before = lake.branches["main"]
    lake.commit("b", REMOVE)
    lake.branch("c", lake.branches["b"])
    lake.commit("c", insert("T1", [row_of(1, "new")]))
    lake.commit("c", restore(before))
    lake.commit("main", rename_partition("T1", "a", "d"))
    lake.merge("main", "b")
    lake.merge("c", "b")
    assert (text(lake, "b", 1), lake.branches["b"].partition("T1", 1)) == ("base", "d")


@pytest.mark.parametrize("trip", [False, True], ids=["alone", "with a round trip"])
def test_a_round_trip_leaves_a_discarded_rename(lake: Lake, trip: bool) -> None:
    """Law 6: a restore of a renamed partition counts as the rename (§4b), and the target's name stays."""
    lake.commit("main", rename_partition("T1", "a", "m"))
    lake.commit("b", rename_partition("T1", "a", "s"))
    if trip:
        before = lake.branches["b"]
        lake.commit("b", change("base", "a"))
        lake.commit("b", restore(before))
    lake.merge("b", "main")
    assert (text(lake, "main", 1), lake.branches["main"].partition("T1", 1)) == ("base", "m")


@pytest.mark.parametrize(("source", "target"), [("b", "main"), ("main", "b")])
def test_a_restored_name_stands_against_later_rename(lake: Lake, source: str, target: str) -> None:
    """P7: both know the name m, which b took in beside its own, and the restore sets another one."""
    before = lake.branches["b"]
    lake.commit("main", rename_partition("T1", "a", "m"))
    lake.commit("b", rename_partition("T1", "a", "s"))
    lake.merge("main", "b")
    lake.commit("b", restore(before))
    lake.commit("main", rename_partition("T1", "m", "n"))
    lake.merge(source, target)
    assert lake.branches[target].partition("T1", 1) == "a"


def test_the_id_of_a_removed_key_says_nothing(lake: Lake) -> None:
    before = lake.branches["main"]
    lake.commit("main", change("new"))
    lake.merge("main", "b")
    lake.commit("b", overwrite("T1", "a", [row_of(6, "o")]))
    lake.commit("main", restore(before))
    lake.commit("b", insert("T1", [row_of(1, "again")]))
    lake.commit("b", change_key("T1", 1, 4))
    lake.merge("main", "b")
    assert keys(lake, "b") == [1, 4, 6]
