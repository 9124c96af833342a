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


def test_a_key_changed_alike_on_both_sides_is_one_row(lake: Lake) -> None:
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


def test_a_changed_key_takes_the_old_key_that_the_other_side_deleted_and_restored(lake: Lake) -> None:
    before = lake.branches["main"]
    lake.commit("main", delete("T1", lambda r: True))
    lake.commit("main", restore(before))
    lake.commit("b", change_key("T1", 1, 7))
    lake.merge("b", "main")
    assert keys(lake, "main") == [7]


def test_a_declared_partition_is_merged_without_rows(lake: Lake) -> None:
    for b in ("b", "main"):
        lake.commit(b, add_partition("T1", "e"))
    lake.merge("b", "main")
    assert lake.branches["main"].has_partition("T1", "e")
    assert lake.branches["main"].in_scope("T1", "e") == []


def test_a_renamed_declared_partition_takes_the_rows_of_the_other_side_along(lake: Lake) -> None:
    lake.commit("main", add_partition("T1", "e"))
    lake.merge("main", "b")
    lake.commit("b", rename_partition("T1", "e", "f"))
    lake.commit("main", insert("T1", [NewRow(2, {}, "e")]))
    lake.merge("b", "main")
    assert not lake.branches["main"].has_partition("T1", "e")
    assert lake.branches["main"].in_scope("T1", "f") == [2]


def test_a_dropped_declared_partition_is_gone_with_the_rows_of_the_other_side(lake: Lake) -> None:
    lake.commit("main", add_partition("T1", "e"))
    lake.merge("main", "b")
    lake.commit("b", overwrite("T1", "e", kind="drop partition"))
    lake.commit("main", insert("T1", [NewRow(2, {}, "e")]))
    lake.merge("b", "main")
    assert not lake.branches["main"].has_partition("T1", "e")


def test_a_declared_partition_that_is_restored_away_is_no_news(lake: Lake) -> None:
    before = lake.branches["b"]
    lake.commit("b", add_partition("T1", "e"))
    lake.commit("b", restore(before))
    lake.merge("b", "main")
    assert not lake.branches["main"].has_partition("T1", "e")
