"""Branches whose rows MERGE INTO, UPDATE, DELETE and OPTIMIZE changed, merged row by row (rows §2)."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.rows import OPTIMIZE, delete, remove, row_ids, rows, run, set_v, three_files_create, upsert

REFUSED = [
    ([upsert("B", 1)], [remove(2)], "SAME_FILE_UPDATE_DELETE"),
    ([upsert("B", 1)], [upsert("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
    ([upsert("B", 1), OPTIMIZE], [OPTIMIZE, set_v("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
    ([set_v("B", 1)], [OPTIMIZE, upsert("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
    ([upsert("B", 1)], ["INSERT INTO d.t VALUES (9, 'm')"], "PREDICATE_DML_VS_INSERT"),
]
"""What the source did, what the target did, and the code of the conflict."""
MERGED = [
    ([upsert("B", 1)], [remove(3)], "1B 2o 4o 5o 6o"),
    ([upsert("B", 1, 7)], [upsert("M", 3)], "1B 2o 3M 4o 5o 6o 7B"),
    ([remove(1, 2, 5)], [upsert("M", 2, 3)], "2M 3M 4o 6o"),
    ([remove(1)], [remove(1, 2), OPTIMIZE], "3o 4o 5o 6o"),
    ([upsert("B", 1), upsert("C", 1, 2)], [OPTIMIZE], "1C 2C 3o 4o 5o 6o"),
    ([remove(1), upsert("B", 2, 3), OPTIMIZE], [delete(5)], "2B 3B 4o 6o"),
]
"""What the source did, what the target did, and the rows of both after merges there and back."""


def three_files_fill(lake: Lake) -> None:
    three_files_create(lake)


@pytest.fixture
def three_files(begun: Begun) -> Lake:
    return begun(three_files_fill)


@pytest.mark.parametrize(("source", "destination", "code"), REFUSED)
def test_merges_of_branches_are_judged_by_base_files(
    three_files: Lake, source: list[str], destination: list[str], code: str
) -> None:
    run(three_files, "b", *source)
    run(three_files, "main", *destination)
    assert code in three_files.codes("b")


@pytest.mark.parametrize(("source", "destination", "left"), MERGED)
def test_changes_of_both_branches_merge_by_row(
    three_files: Lake, source: list[str], destination: list[str], left: str
) -> None:
    before = row_ids(three_files)
    run(three_files, "b", *source)
    run(three_files, "main", *destination)
    three_files.merge("b")
    assert rows(three_files) == left
    after = row_ids(three_files)
    assert {number: after[number] for number in after if number in before}.items() <= before.items()
    three_files.merge("main", "b")
    assert rows(three_files, "b") == left


def overwritten_merge(lake: Lake) -> None:
    run(lake, "b", upsert("B", 3, 7, 8, 9), remove(4, 8), upsert("C", 3, 7, 9))
    run(lake, "main", upsert("M", 1), "INSERT OVERWRITE d.t VALUES (0, 'over')")
    result = lake.merge("b")
    assert rows(lake) == "0over 7C 9C"
    assert {"DISCARDED_UPDATE", "DISCARDED_DELETE"} <= {note["code"] for note in result["notes"]}


def test_a4_a5_new_rows_survive_an_overwrite(three_files: Lake) -> None:
    overwritten_merge(three_files)


def test_a_merge_inside_a_transaction_is_judged_alike(three_files: Lake) -> None:
    run(three_files, "b", set_v("B", 2))
    opened = three_files.sql("BEGIN").extra["transaction"]
    three_files.sql(upsert("M", 1, 9), transaction=opened)
    three_files.sql("COMMIT", transaction=opened)
    assert rows(three_files) == "1M 2o 3o 4o 5o 6o 9M"
    assert "SAME_FILE_UPDATE_UPDATE" in three_files.codes("b")


def test_another_catalog_meets_no_update_that_nobody_made(lake: Lake) -> None:
    """Its versions are its own: a number of one catalog says nothing of the other."""
    other = Lake()
    other.sql("CREATE DATABASE e")
    other.sql("CREATE TABLE e.t (id INT, v INT)")
    other.sql("INSERT INTO e.t VALUES (1, 0), (2, 0), (3, 0)")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    other.sql("UPDATE e.t SET v = 1 WHERE id = 2")
    other.sql("DELETE FROM e.t WHERE id = 1")
    lake.sql("CREATE DATABASE f")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    assert lake.rows("e.t") == [(2, 1), (3, 0)]
    lake.sql("INSERT INTO e.t VALUES (5, 0)")
    other.sql("UPDATE e.t SET v = 2 WHERE id = 3")
    assert lake.codes(f"{other.catalog}.main") == {"PREDICATE_DML_VS_INSERT"}
