"""A conflict is decided and merged, and both branches go on with the same rows: the target is merged into the source,
then back. Nothing is lost or doubled, and the old decision decides nothing of the new changes.
"""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.support.lake import Lake

KEYS = {"keyed": "PRIMARY KEY", "plain": ""}
ANEW = {"keyed": {"PRIMARY_KEY_CLASH"}, "plain": {"PREDICATE_DML_VS_INSERT", "SAME_FILE_UPDATE_UPDATE"}}
BEFORE = "LEFT_OUT_BEFORE"


def _begin(lake: Lake, key: str) -> None:
    """Both branches changed row 1; each has a row of its own, and w changed row 3 beside."""
    lake.sql(f"CREATE TABLE d.x (id INT {KEYS[key]}, v STRING)")
    lake.sql("INSERT INTO d.x VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.x VALUES (3, 'c')")
    lake.sql("CREATE BRANCH w")
    for branch in ("w", "main"):
        lake.sql(f"UPDATE d.x SET v = '{branch}' WHERE id = 1", branch)
    lake.sql("INSERT INTO d.x VALUES (20, 'w')", "w")
    lake.sql("UPDATE d.x SET v = 'w' WHERE id = 3", "w")
    lake.sql("INSERT INTO d.x VALUES (21, 'main')")


def _decide(lake: Lake, decision: str, source: str = "w", destination: str = "main") -> None:
    lake.sql(f"MERGE BRANCH {source} TO {destination} RESOLVE (TABLE d.x {decision})")


def _rows(lake: Lake, branch: str = "main") -> dict[int, str]:
    found = lake.rows("d.x", branch)
    assert len({row[0] for row in found}) == len(found)
    return dict(found)


def _codes(lake: Lake, source: str, destination: str) -> set[str]:
    """Those of a refusal; none of a merge."""
    try:
        lake.merge(source, destination)
    except MergeConflict as refusal:
        return {item["code"] for item in refusal.details["conflicts"]}
    return set()


DECIDED = [
    (key, decision)
    for key in KEYS
    for decision in ("TAKE SOURCE", "TAKE DESTINATION", "ROWS TAKE SOURCE", "ROWS TAKE DESTINATION")
    if key == "keyed" or not decision.startswith("ROWS")
]


@pytest.mark.parametrize(("key", "decision"), DECIDED)
def test_what_both_changed_again_is_in_conflict_again(lake: Lake, key: str, decision: str) -> None:
    _begin(lake, key)
    _decide(lake, decision)
    for branch in ("w", "main"):
        lake.sql(f"UPDATE d.x SET v = '{branch} again' WHERE id = 1", branch)
        lake.sql(f"INSERT INTO d.x VALUES ({30 if branch == 'w' else 31}, '{branch}')", branch)
    before = _rows(lake), _rows(lake, "w")
    for source, destination in (("main", "w"), ("w", "main")):
        found = _codes(lake, source, destination)
        assert found
        assert found <= {BEFORE, *ANEW[key]}
        assert (_rows(lake), _rows(lake, "w")) == before
    assert {before[0].get(1), before[1].get(1)} == {"main again", "w again"}


@pytest.mark.parametrize("key", KEYS)
def test_a_branch_whose_table_was_taken_keeps_what_it_did_since(lake: Lake, key: str) -> None:
    _begin(lake, key)
    _decide(lake, "TAKE SOURCE")
    assert _rows(lake) == _rows(lake, "w") == {1: "w", 2: "b", 3: "w", 20: "w"}
    lake.sql("UPDATE d.x SET v = 'w again' WHERE id = 1", "w")
    lake.sql("INSERT INTO d.x VALUES (30, 'w')", "w")
    lake.sql("INSERT INTO d.x VALUES (31, 'main')")
    if key == "plain":
        # The update that the decision left out stays in main's history: it never saw row 30 (R9).
        assert lake.codes("main", "w") == {"PREDICATE_DML_VS_INSERT"}
        lake.sql("MERGE BRANCH main TO w RESOLVE (TABLE d.x KEEP BOTH)")
    else:
        lake.merge("main", "w")
    lake.merge("w")
    assert _rows(lake) == _rows(lake, "w") == {1: "w again", 2: "b", 3: "w", 20: "w", 30: "w", 31: "main"}


@pytest.mark.parametrize("decision", ["ROWS TAKE SOURCE", "ROWS TAKE DESTINATION"])
def test_decided_rows_come_back_with_all_that_was_not_decided(lake: Lake, decision: str) -> None:
    _begin(lake, "keyed")
    _decide(lake, decision)
    lake.sql("INSERT INTO d.x VALUES (30, 'w')", "w")
    lake.sql("UPDATE d.x SET v = 'main again' WHERE id = 2")
    lake.merge("main", "w")
    lake.merge("w")
    one = "w" if decision == "ROWS TAKE SOURCE" else "main"
    assert _rows(lake) == {1: one, 2: "main again", 3: "w", 20: "w", 21: "main", 30: "w"} == _rows(lake, "w")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("decision", ["TAKE DESTINATION", "SKIP"])
def test_rows_that_were_left_out_are_not_lost_where_they_came_from(lake: Lake, key: str, decision: str) -> None:
    _begin(lake, key)
    _decide(lake, decision)
    assert _rows(lake) == {1: "main", 2: "b", 3: "c", 21: "main"}
    (found,) = [item for item in lake.refused("main", "w") if item["code"] == BEFORE]
    assert (found["object"], found["details"]) == ("d.x", {"version": lake.head(), "branch": "main"})
    assert _rows(lake, "w") == {1: "w", 2: "b", 3: "w", 20: "w"}
    lake.sql("INSERT INTO d.x VALUES (30, 'w')", "w")
    lake.merge("w")
    assert _rows(lake) == {1: "main", 2: "b", 3: "c", 21: "main", 30: "w"}


@pytest.mark.parametrize("key", KEYS)
def test_what_was_left_out_goes_where_the_other_table_is_taken(lake: Lake, key: str) -> None:
    _begin(lake, key)
    _decide(lake, "TAKE DESTINATION")
    _decide(lake, "TAKE SOURCE", "main", "w")
    assert _rows(lake) == _rows(lake, "w")
    lake.sql("UPDATE d.x SET v = 'main again' WHERE id = 1")
    lake.sql("UPDATE d.x SET v = 'w again' WHERE id = 3", "w")
    lake.merge("main", "w")
    lake.merge("w")
    assert _rows(lake) == _rows(lake, "w") == {1: "main again", 2: "b", 3: "w again", 21: "main"}


@pytest.mark.parametrize("key", KEYS)
def test_tables_that_both_left_out_stay_apart_until_one_is_taken(lake: Lake, key: str) -> None:
    _begin(lake, key)
    _decide(lake, "TAKE DESTINATION")
    _decide(lake, "TAKE DESTINATION", "main", "w")
    lake.sql("INSERT INTO d.x VALUES (30, 'w')", "w")
    lake.sql("INSERT INTO d.x VALUES (31, 'main')")
    for source, destination in (("main", "w"), ("w", "main")):
        assert BEFORE in _codes(lake, source, destination)
    assert set(_rows(lake)) == {1, 2, 3, 21, 31}
    assert set(_rows(lake, "w")) == {1, 2, 3, 20, 30}


def test_branches_without_the_rows_that_were_left_out_merge_on(lake: Lake) -> None:
    lake.sql("CREATE BRANCH other")
    _begin(lake, "plain")
    _decide(lake, "TAKE DESTINATION")
    lake.merge("main", "other")
    lake.sql("INSERT INTO d.x VALUES (40, 'other')", "other")
    lake.merge("other")
    assert _rows(lake) == _rows(lake, "other")


@pytest.mark.parametrize("passed_on", [False, True])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("decision", ["TAKE DESTINATION", "SKIP"])
def test_rows_that_were_left_out_are_not_lost_on_a_third_branch(
    lake: Lake, key: str, decision: str, passed_on: bool
) -> None:
    """A merge by key writes them anew there: `third` changed a row beside one that w changed, in one file."""
    lake.sql(f"CREATE TABLE d.x (id INT {KEYS[key]}, v STRING)")
    lake.sql("INSERT INTO d.x VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    for branch in ("w", "third", "fourth"):
        lake.sql(f"CREATE BRANCH {branch}")
    lake.sql("UPDATE d.x SET v = 'w' WHERE id = 1", "w")
    lake.sql("INSERT INTO d.x VALUES (20, 'w')", "w")
    lake.sql("UPDATE d.x SET v = 'main' WHERE id = 1")
    lake.sql("INSERT INTO d.x VALUES (21, 'main')")
    if key == "keyed":
        lake.sql("UPDATE d.x SET v = 'third' WHERE id = 2", "third")
    lake.merge("w", "third")
    if passed_on:
        lake.merge("third", "fourth")
    there = "fourth" if passed_on else "third"
    _decide(lake, decision)
    before = _rows(lake, there)
    assert (before[1], before[20]) == ("w", "w")
    assert lake.codes("main", there) == {BEFORE}
    lake.merge(there)
    assert lake.codes("main", there) == {BEFORE}
    assert _rows(lake, there) == before
    assert {1: "main", 21: "main"}.items() <= _rows(lake).items()
    assert 20 not in _rows(lake)
    _decide(lake, "TAKE SOURCE", "main", there)
    assert _rows(lake, there) == _rows(lake)
