"""MERGE INTO beside other writers of the branch: judged by the rule tables, and never a new key twice (rows §2)."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import DuplicateKey, MergeConflict, NotFound
from lakeui.frontdoor import compute
from merge_app.execution import merge
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_concurrent_statements import between_staging_and_commit
from tests.support.lake import Lake

ON = "ON t.id = s.id"


def inserting(*numbers: int, value: str) -> str:
    source = ", ".join(f"({number}, '{value}')" for number in numbers)
    return f"MERGE INTO d.t USING (VALUES {source}) s(id, v) {ON} WHEN NOT MATCHED THEN INSERT *"


def numbers_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    for first in (1, 3):
        lake.sql(f"INSERT INTO d.t VALUES ({first}, 'o'), ({first + 1}, 'o')")


@pytest.fixture
def numbers(begun: Begun) -> Lake:
    """Table d.t with rows 1 to 4 in two files."""
    return begun(numbers_fill)


def test_two_merges_do_not_insert_one_key_twice(numbers: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with between_staging_and_commit(monkeypatch, "merge", lambda: numbers.sql(inserting(5, 6, value="theirs"))):
        result = numbers.sql(inserting(4, 5, 7, value="mine"))
    assert numbers.rows("d.t")[4:] == [(5, "theirs"), (6, "theirs"), (7, "mine")]
    assert result.metrics["rows_inserted"] == 1


def test_merges_look_again_only_for_possible_new_keys(numbers: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    staged: list[int] = []
    used = type(compute.engine())
    original = used.merge

    def counting(self: Any, *given: Any) -> Any:
        staged.append(1)
        return original(self, *given)

    monkeypatch.setattr(used, "merge", counting)
    for of_target, of_source, times in ((100, 5, 1), (6, 7, 2)):
        staged.clear()
        insert = f"INSERT INTO d.t VALUES ({of_target}, 'theirs'), ({of_target + 2}, 'theirs')"
        with between_staging_and_commit(monkeypatch, "merge", lambda insert=insert: numbers.sql(insert)):
            numbers.sql(inserting(of_source, value="mine"))
        assert len(staged) == times
    assert [row[0] for row in numbers.rows("d.t")] == [1, 100, 102, 2, 3, 4, 5, 6, 7, 8]


def test_updates_follow_their_rows_into_files_compacted_meanwhile(
    numbers: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    with between_staging_and_commit(monkeypatch, "merge", lambda: numbers.sql("OPTIMIZE d.t")):
        numbers.sql(
            f"""MERGE INTO d.t USING (VALUES (2, 'm'), (3, 'gone')) s(id, v) {ON}
            WHEN MATCHED AND s.v = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET *"""
        )
    assert numbers.rows("d.t") == [(1, "o"), (2, "m"), (4, "o")]


def test_an_update_of_anothers_updated_file_is_refused(numbers: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "UPDATE d.t SET v = 'theirs' WHERE id = 1"
    with (
        between_staging_and_commit(monkeypatch, "merge", lambda: numbers.sql(other)),
        pytest.raises(MergeConflict) as refusal,
    ):
        numbers.sql(f"MERGE INTO d.t USING (VALUES (2, 'm')) s(id, v) {ON} WHEN MATCHED THEN UPDATE SET *")
    assert [conflict["code"] for conflict in refusal.value.details["conflicts"]] == ["SAME_FILE_UPDATE_UPDATE"]
    assert numbers.rows("d.t") == [(1, "theirs"), (2, "o"), (3, "o"), (4, "o")]


@pytest.mark.parametrize(
    ("source", "clauses"),
    [
        ("(VALUES (5, 'a'), (5, 'b')) s(id, v)", "WHEN NOT MATCHED THEN INSERT *"),
        ("(VALUES (9, 'a')) s(id, v)", "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (1, s.v)"),
        ("(VALUES (2, 'a')) s(id, v)", "WHEN MATCHED THEN UPDATE SET id = 1"),
    ],
)
def test_a_merge_never_leaves_a_primary_key_twice(lake: Lake, source: str, clauses: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o')")
    with pytest.raises(DuplicateKey):
        lake.sql(f"MERGE INTO d.t USING {source} {ON} {clauses}")
    assert lake.rows("d.t") == [(1, "o"), (2, "o")]


def test_a_merge_by_primary_key_may_move_keys(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o')")
    lake.sql(
        f"""MERGE INTO d.t USING (VALUES (1, 'x'), (3, 'y')) s(id, v) {ON}
        WHEN MATCHED THEN UPDATE SET id = t.id + 9, v = s.v WHEN NOT MATCHED THEN INSERT *"""
    )
    assert lake.rows("d.t") == [(10, "x"), (2, "o"), (3, "y")]


def test_a_branch_dropped_before_commit_is_not_merged(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (7)", "b")
    work = merge.row_work_run

    def dropping(*given: Any) -> Any:
        monkeypatch.setattr(merge, "row_work_run", work)
        lake.sql("DROP BRANCH b")
        return work(*given)

    monkeypatch.setattr(merge, "row_work_run", dropping)
    with pytest.raises(NotFound):
        lake.sql("MERGE BRANCH b TO main")
    assert lake.rows("d.t") == []
    assert lake.breaches() == []
