"""A merge looks at what changed alone: not one by one at files that meet no other, nor at rows without news."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.frontdoor import compute
from merge_app.comparison.compare import comparison_load
from merge_app.comparison.compare_object import object_comparison_load
from merge_app.execution.lineage import sides
from merge_app.execution.lineage.readers import Reader
from tests.support.lake import Lake
from tests.support.rows import rows, run

ROWS = 40
STATEMENTS = 49
"""Of a merge, the statement's own look-ups and its audit record among them."""


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The files that merges look at one by one."""
    found: list[Any] = []
    one_file = sides._file

    def noted(*given: Any) -> Any:
        found.append(one_file(*given))
        return found[-1]

    monkeypatch.setattr(sides, "_file", noted)
    return found


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows of the files that merges read whole."""
    found: list[int] = []
    whole = Reader.file

    def noted(reader: Reader, file_id: int) -> Any:
        is_known = file_id in reader._files
        row_ids, stored = whole(reader, file_id)
        found.extend([] if is_known else [len(row_ids)])
        return row_ids, stored

    monkeypatch.setattr(Reader, "file", noted)
    return found


def _inserted(lake: Lake, branch: str, first: int, count: int) -> None:
    lake.sql(f"CREATE BRANCH {branch}")
    run(lake, branch, *(f"INSERT INTO d.t VALUES ({number}, 'n')" for number in range(first, first + count)))


def _statements_of_a_merge(lake: Lake, branch: str) -> int:
    counted: list[str] = []

    def count(execute: Any, query: str, *rest: Any) -> Any:
        counted.append(query)
        return execute(query, *rest)

    with connection.execute_wrapper(count):
        lake.merge(branch)
    return len(counted)


def test_new_files_of_the_source_come_together(lake: Lake, looked_at: list[Any]) -> None:
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (1, 'o')")
    _inserted(lake, "few", 10, 2)
    _inserted(lake, "many", 20, 9)
    _inserted(lake, "first", 3, 1)
    run(lake, "main", "INSERT INTO d.t VALUES (2, 'o')")
    # The first record of an audit has none before it, so it takes fewer statements.
    lake.merge("first")
    few, many = _statements_of_a_merge(lake, "few"), _statements_of_a_merge(lake, "many")
    assert (looked_at, few) == ([], many)
    assert rows(lake).split() == ["1o", "2o", "3n", "10n", "11n", *(f"{number}n" for number in range(20, 29))]
    assert lake.breaches() == []


def test_a_merge_asks_nothing_twice(lake: Lake) -> None:
    """An update beside a delete of another file: the number may only fall."""
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (1, 'o')")
    run(lake, "main", "INSERT INTO d.t VALUES (2, 'o'), (3, 'o')")
    _inserted(lake, "first", 9, 1)
    lake.merge("first")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", "UPDATE d.t SET v = 'b' WHERE id = 1")
    run(lake, "main", "DELETE FROM d.t WHERE id = 2")
    assert _statements_of_a_merge(lake, "b") <= STATEMENTS
    assert rows(lake) == "1b 3o 9n"


def _deleted_and_renamed(lake: Lake, branch: str, count: int) -> None:
    """On a branch of a partition of its own: rows of one file are deleted one by one, then the partition is renamed."""
    values = ", ".join(f"({number}, 'o', '{branch}')" for number in range(ROWS))
    run(lake, "main", f"INSERT INTO d.t VALUES {values}")
    lake.sql(f"CREATE BRANCH {branch}")
    deletes = (f"DELETE FROM d.t WHERE p = '{branch}' AND id = {number}" for number in range(count))
    run(lake, branch, *deletes, f"ALTER TABLE d.t PARTITION (p = '{branch}') RENAME TO PARTITION (p = '{branch}s')")
    run(lake, "main", f"UPDATE d.t SET v = 'm' WHERE p = '{branch}' AND id = {ROWS - 1}")


def test_deletes_before_a_rename_are_looked_up_once(lake: Lake) -> None:
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    run(lake, "main", "ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = 'row')")
    counted = []
    for branch, count in (("first", 1), ("few", 2), ("many", 9)):
        _deleted_and_renamed(lake, branch, count)
        counted.append(_statements_of_a_merge(lake, branch))
    assert counted[1] == counted[2]


def test_a_new_file_with_deletes_is_looked_at(lake: Lake, looked_at: list[Any]) -> None:
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (1, 'o')")
    _inserted(lake, "b", 10, 2)
    run(lake, "b", "INSERT INTO d.t VALUES (20, 'n'), (21, 'n')", "DELETE FROM d.t WHERE id = 21")
    lake.merge("b")
    assert [len(file.deletes) for file in looked_at] == [1]
    assert rows(lake).split() == ["1o", "10n", "11n", "20n"]
    assert lake.breaches() == []


def test_an_overwrite_takes_new_files_of_the_target(lake: Lake) -> None:
    """They meet no file of the source, whose scope acts on them all the same."""
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (1, 'o')", "CREATE BRANCH b")
    run(lake, "b", "INSERT OVERWRITE d.t VALUES (5, 'w')")
    run(lake, "main", "INSERT INTO d.t VALUES (2, 'o')")
    lake.merge("b")
    assert rows(lake) == "5w"
    assert lake.breaches() == []


def test_rows_without_news_are_not_read(lake: Lake, read: list[int]) -> None:
    values = ", ".join(f"({number}, 'o')" for number in range(ROWS))
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", f"INSERT INTO d.t VALUES {values}")
    run(lake, "main", "ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = 'row')", "CREATE BRANCH b")
    run(lake, "main", "UPDATE d.t SET v = 'm' WHERE id = 1", "OPTIMIZE d.t")
    run(lake, "b", "UPDATE d.t SET v = 'b' WHERE id = 7")
    read.clear()
    lake.merge("main", "b")
    # The compacted file stores a stamp that is news; of the others only images of b are.
    assert sum(read) <= ROWS + 1
    read.clear()
    lake.merge("b")
    assert sum(read) <= ROWS + 1
    assert rows(lake) == rows(lake, "b")
    assert {"1m", "7b"} <= set(rows(lake).split())
    assert lake.breaches() == []


def test_a_compacted_files_unchanged_rows_are_not_read(lake: Lake, read: list[int]) -> None:
    values = ", ".join(f"({number}, 'o')" for number in range(ROWS))
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", f"INSERT INTO d.t VALUES {values}")
    run(lake, "main", "DELETE FROM d.t WHERE id = 0", "CREATE BRANCH b", "OPTIMIZE d.t")
    run(lake, "b", "UPDATE d.t SET v = 'b' WHERE id = 7")
    read.clear()
    lake.merge("b")
    assert sum(read) == 1
    assert len(rows(lake).split()) == ROWS - 1
    assert "7b" in rows(lake).split()
    assert lake.breaches() == []


def test_keyed_merges_read_changed_rows_and_cells_once(
    lake: Lake, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    values = ", ".join(f"({number}, 'o', 'o')" for number in range(ROWS))
    run(lake, "main", "CREATE TABLE d.t (id INT PRIMARY KEY, v STRING, w STRING)", f"INSERT INTO d.t VALUES {values}")
    lake.sql("CREATE BRANCH b")
    run(lake, "main", "UPDATE d.t SET v = 'm' WHERE id IN (1, 2)")
    run(lake, "b", "UPDATE d.t SET w = 'b' WHERE id IN (2, 3)")
    engine = type(compute.engine())
    asked, cells_read = [], engine.cells_read

    def counted(self: Any, scan: Any, addresses: Any, **options: Any) -> Any:
        asked.append(len(addresses))
        return cells_read(self, scan, addresses, **options)

    monkeypatch.setattr(engine, "cells_read", counted)
    read.clear()
    lake.merge("b")
    # Of either side the two rows that it wrote; keys of their images before and after; of row 2 three images.
    assert sum(read) <= 4
    assert asked == [7, 1, 1, 1]
    assert [row for row in lake.rows("d.t") if row[1:] != ("o", "o")] == [(1, "m", "o"), (2, "m", "b"), (3, "o", "b")]
    assert lake.breaches() == []


def test_an_object_is_compared_alone(lake: Lake, looked_at: list[Any]) -> None:
    tables = ("d.t", "d.k")
    for table, key in zip(tables, ("", " PRIMARY KEY"), strict=True):
        run(
            lake,
            "main",
            f"CREATE TABLE {table} (id INT{key}, v STRING)",
            f"INSERT INTO {table} VALUES (1, 'o'), (2, 'o')",
        )
    lake.sql("CREATE BRANCH b")
    for table in tables:
        run(lake, "b", f"UPDATE {table} SET v = 'b' WHERE id = 1")
        run(lake, "main", f"UPDATE {table} SET v = 'm' WHERE id = 1")
    source, target = (branch_get(catalog_get(lake.catalog), name) for name in ("b", "main"))
    objects = comparison_load(source, target, compute.engine).objects
    seen: list[set[int]] = []
    for item in objects:
        looked_at.clear()
        found = object_comparison_load(source, target, item.key, compute.engine)
        assert [commit.version for commit in found.source_commits]
        seen.append({file.file_id for file in looked_at})
    assert len(seen) == len(tables)
    assert all(seen)
    assert not set.intersection(*seen)
