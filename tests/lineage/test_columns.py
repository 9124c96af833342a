"""One column from two: facts of either id are facts of one column."""

from __future__ import annotations

from typing import Any

from merge_app.lineage.columns import columns_pair
from merge_app.lineage.facts import Fact, Key, Kind

MINE, THEIRS = frozenset({10, 12}), frozenset({11, 13})


def column(number: int, stamp: int, name: str = "n", **of: Any) -> dict[Key, Fact]:
    values = {"exists": (None,), "name": name, "type": "int", **of}
    return {("column", number, key): Fact(value, stamp, Kind.SET) for key, value in values.items()}


def test_same_addition_on_both_sides_has_target_id() -> None:
    pair = columns_pair(column(3, 10), column(4, 11, name="N"), MINE, THEIRS)
    assert pair.source["column", 4, "name"].stamp == 10
    assert pair.joined == {4}
    assert pair.own == {4: 3}
    assert pair.aliases == {4: (3,)}


def test_column_known_to_other_side_is_no_addition() -> None:
    pair = columns_pair(column(3, 10), column(4, 1), MINE, THEIRS)
    assert pair.own == {3: 3}
    assert not pair.joined


def test_a_dropped_column_is_no_addition() -> None:
    pair = columns_pair(column(3, 10), column(4, 11, exists=None), MINE, THEIRS)
    assert pair.own == {3: 3}


def test_branches_with_different_leading_ids_have_one_column() -> None:
    """The source has 3 with the alias 4, the target 4 with the alias 3; each has the facts of both ids."""
    source = {**column(3, 2), **column(4, 5), ("column", 3, "aliases"): Fact((4,), 6, Kind.SET)}
    target = {**column(3, 2), **column(4, 5), ("column", 4, "aliases"): Fact((3,), 7, Kind.SET)}
    source["column", 3, "name"] = Fact("m", 10, Kind.SET)
    pair = columns_pair(source, target, MINE, THEIRS)
    assert pair.own == {4: 3}
    assert pair.source["column", 4, "name"] == Fact("m", 10, Kind.SET)
    assert pair.target["column", 4, "name"].stamp == 5
    assert {key[1] for side in (pair.source, pair.target) for key in side} == {4}


def test_the_shown_column_leads_of_two_ids() -> None:
    """Each branch merged the other's join of the columns."""
    joined: dict[Key, Fact] = {
        **column(3, 2),
        **column(4, 5),
        ("column", 3, "aliases"): Fact((4,), 7, Kind.SET),
        ("column", 4, "aliases"): Fact((3,), 6, Kind.SET),
    }
    for shown, other in ((3, 4), (4, 3)):
        pair = columns_pair(joined, joined, MINE, THEIRS, (frozenset({other}), frozenset({shown})))
        assert pair.own == {shown: other}
        assert pair.aliases == {shown: (other,)}
        assert {key[1] for side in (pair.source, pair.target) for key in side} == {shown}


def test_the_newest_fact_of_either_id_speaks() -> None:
    target = {**column(3, 8, name="later"), **column(4, 5), ("column", 4, "aliases"): Fact((3,), 6, Kind.SET)}
    pair = columns_pair({}, target, MINE, THEIRS)
    assert pair.target["column", 4, "name"].value == "later"


def test_ids_inside_of_values_are_those_of_target() -> None:
    source = {**column(3, 10), ("primary_key",): Fact((3,), 10, Kind.SET)}
    source |= {**column(5, 10, name="o"), ("column", 5, "position"): Fact(3, 10, Kind.SET)}
    pair = columns_pair(source, column(4, 11), MINE, THEIRS)
    assert pair.source["primary_key",].value == (4,)
    assert pair.source["column", 5, "position"].value == 4
