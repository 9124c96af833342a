"""``_row_id``, ``_commit_version`` and ``_metadata`` of a table in a query: only where they are named."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue, NotSupported
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def filled_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c')")
    lake.sql("CREATE TABLE d.u (id INT)")
    lake.sql("INSERT INTO d.u VALUES (1), (2)")


@pytest.fixture
def filled(begun: Begun) -> Lake:
    return begun(filled_fill)


def ids(lake: Lake) -> dict[int, int]:
    return dict(lake.sql("SELECT id, _row_id FROM d.t").rows)


def test_each_row_has_an_id_that_it_keeps(filled: Lake) -> None:
    before = ids(filled)
    assert len(set(before.values())) == 3
    filled.sql("UPDATE d.t SET v = 'new' WHERE id = 2")
    filled.sql("OPTIMIZE d.t")
    assert ids(filled) == before


def test_it_is_the_id_that_changes_have(filled: Lake) -> None:
    version = filled.head()
    filled.sql("UPDATE d.t SET v = 'new' WHERE id = 2")
    changed = filled.sql(f"SELECT _row_id FROM table_difference('d.t', {version}, {filled.head()})").rows
    assert {row[0] for row in changed} == {ids(filled)[2]}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("SELECT _commit_version, _metadata.file_name, * FROM d.t", ["_commit_version", "file_name", "id", "v"]),
        ("SELECT x.* FROM d.t x WHERE x._metadata.file_path <> '' AND _row_id >= 0", ["id", "v"]),
        ("SELECT d.t._metadata.file_path AS p, v FROM d.t ORDER BY _commit_version", ["p", "v"]),
        ("SELECT _metadata.file_path AS p, count(*) AS n FROM d.t GROUP BY _metadata.file_path", ["p", "n"]),
        ("SELECT * FROM d.t", ["id", "v"]),
        ("SELECT _row_id, * FROM d.t", ["_row_id", "id", "v"]),
        ("SELECT x.*, x._row_id AS r FROM d.t x", ["id", "v", "r"]),
        ("SELECT * FROM d.t WHERE _row_id >= 0", ["id", "v"]),
        ("SELECT d.t._row_id FROM d.t", ["_row_id"]),
        ("SELECT * FROM d.t JOIN d.u ON t.id = u.id AND t._row_id >= 0", ["id", "v", "id"]),
        ("SELECT * FROM (SELECT _row_id, id FROM d.t) q", ["_row_id", "id"]),
        ("SELECT count(*) AS n, max(_row_id) AS m FROM d.t", ["n", "m"]),
        ("SELECT id FROM d.u WHERE EXISTS (SELECT 1 FROM d.t WHERE t.id = u.id AND t._row_id >= 0)", ["id"]),
    ],
)
def test_no_star_has_it(filled: Lake, text: str, columns: list[str]) -> None:
    found = filled.sql(text)
    assert [name for name, _ in found.columns] == columns
    assert found.rows


@pytest.mark.parametrize("named", ["_row_id", "t._row_id", "_ROW_ID", "d.t.`_row_id`"])
def test_conditions_of_writes_name_it(filled: Lake, named: str) -> None:
    found = ids(filled)
    changed = filled.sql(f"UPDATE d.t SET v = 'new' WHERE {named} = {found[2]} AND v <=> 'b'")
    assert changed.metrics["rows_updated"] == 1
    filled.sql(f"DELETE FROM d.t WHERE {named} = {found[3]} OR {named} IN (SELECT -id FROM d.u)")
    assert filled.sql("SELECT * FROM d.t ORDER BY id").rows == [[1, "a"], [2, "new"]]
    assert ids(filled) == {1: found[1], 2: found[2]}


@pytest.mark.parametrize(
    "happened",
    ["", "UPDATE d.t SET v = 'new' WHERE id = 2", "DELETE FROM d.t WHERE id = 1", "OPTIMIZE d.t"],
)
def test_files_without_the_row_stay_unread(filled: Lake, happened: str) -> None:
    filled.sql("INSERT INTO d.t VALUES (4, 'd'), (5, 'e')")
    found = ids(filled)
    if happened:
        filled.sql(happened)
    files = len(filled.sql("SHOW SEGMENTS d.t").rows)
    changed = filled.sql(f"UPDATE d.t SET v = 'last' WHERE _row_id = {found[4]}").metrics
    assert (changed["rows_updated"], changed["files_scanned"], changed["files_skipped"]) == (1, 1, files - 1)
    deleted = filled.sql(f"DELETE FROM d.t WHERE _row_id IN ({found[5]}, {found[3]}) AND v <> 'x'").metrics
    assert deleted["rows_deleted"] == 2
    unknown = filled.sql("DELETE FROM d.t WHERE _row_id IS NULL OR _row_id < 0").metrics
    assert (unknown["rows_deleted"], unknown["files_scanned"]) == (0, 0)


def test_conditions_on_row_ids_lose_no_row(filled: Lake) -> None:
    filled.sql("INSERT INTO d.t VALUES (4, 'd'), (5, 'e')")
    filled.sql("UPDATE d.t SET v = 'new' WHERE id IN (1, 4)")
    filled.sql("OPTIMIZE d.t")
    filled.sql("INSERT INTO d.t VALUES (6, 'f')")
    filled.sql("UPDATE d.t SET v = 'newer' WHERE id IN (2, 6)")
    found = ids(filled)
    for one in sorted(found.values()):
        for operator, holds in (("=", int.__eq__), ("<>", int.__ne__), ("<", int.__lt__), (">=", int.__ge__)):
            shown = filled.sql(f"SELECT id FROM d.t WHERE _row_id {operator} {one}").rows
            assert {row[0] for row in shown} == {key for key, row_id in found.items() if holds(row_id, one)}


def test_own_column_of_that_name_comes_first(filled: Lake) -> None:
    filled.sql("CREATE TABLE d.own (_row_id INT, v STRING)")
    filled.sql("INSERT INTO d.own VALUES (-7, 'a'), (-8, 'b')")
    filled.sql("DELETE FROM d.own WHERE _row_id = -7")
    assert filled.sql("SELECT * FROM d.own").rows == [[-8, "b"]]


def test_past_versions_and_branches_have_it_too(filled: Lake) -> None:
    before, version = ids(filled), filled.head()
    filled.sql("CREATE BRANCH b")
    filled.sql("DELETE FROM d.t WHERE id = 1")
    assert dict(filled.sql(f"SELECT id, _row_id FROM d.t VERSION AS OF {version}").rows) == before
    assert dict(filled.sql("SELECT id, _row_id FROM d.`t@b`").rows) == before


def test_a_column_of_that_name_comes_first(filled: Lake) -> None:
    filled.sql("CREATE TABLE d.own (_row_id STRING, id INT)")
    filled.sql("INSERT INTO d.own VALUES ('mine', 1)")
    assert filled.sql("SELECT * FROM d.own WHERE _row_id = 'mine'").rows == [["mine", 1]]
    filled.sql("CREATE VIEW d.w AS SELECT * FROM d.own")
    assert filled.sql("SELECT *, _row_id FROM d.w").rows == [["mine", 1, "mine"]]
    with pytest.raises(InvalidValue, match=r"d\.own has a column _row_id of its own"):
        filled.sql("SELECT t._row_id, o._row_id FROM d.t t JOIN d.own o ON t.id = o.id")


def versions(lake: Lake, branch: str = "main", transaction: str | None = None) -> dict[int, int]:
    return dict(lake.sql("SELECT id, _commit_version FROM d.t", branch, transaction=transaction).rows)


def test_the_version_is_that_of_the_last_change(filled: Lake) -> None:
    first = versions(filled)
    filled.sql("UPDATE d.t SET v = 'new' WHERE id = 2")
    changed = filled.head()
    assert versions(filled) == {**first, 2: changed}
    filled.sql("OPTIMIZE d.t")
    assert versions(filled) == {**first, 2: changed}


def test_a_merge_brings_the_version_of_its_source(filled: Lake) -> None:
    filled.sql("CREATE BRANCH b")
    filled.sql("UPDATE d.t SET v = 'new' WHERE id = 2", "b")
    on_branch = versions(filled, "b")
    filled.sql("INSERT INTO d.u VALUES (9)")
    filled.merge("b")
    assert versions(filled) == on_branch
    assert on_branch[2] not in (filled.head(), filled.head() - 1)


def test_a_restore_is_the_last_change(filled: Lake) -> None:
    before = filled.head()
    filled.sql("DELETE FROM d.t WHERE id = 1")
    filled.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert versions(filled)[1] == filled.head()


def test_rows_of_an_open_transaction_have_no_version(filled: Lake) -> None:
    first = versions(filled)
    opened = filled.sql("BEGIN").extra["transaction"]
    filled.sql("UPDATE d.t SET v = 'new' WHERE id = 2", transaction=opened)
    assert versions(filled, transaction=opened) == {**first, 2: None}
    filled.sql("COMMIT", transaction=opened)
    assert versions(filled) == {**first, 2: filled.head()}


def test_the_file_is_the_one_of_its_segments(filled: Lake) -> None:
    filled.sql("DELETE FROM d.t WHERE id = 1")
    segments = {row[0] for row in filled.sql("SHOW SEGMENTS d.t").rows}
    found = filled.sql("SELECT _metadata.file_path, _metadata.file_name FROM d.t").rows
    assert {path for path, _ in found} == segments
    assert all(path.endswith(f"/{name}") and not path.startswith("/") for path, name in found)


def test_it_goes_into_other_tables(filled: Lake) -> None:
    filled.sql("CREATE TABLE d.kept AS SELECT _row_id AS row, v FROM d.t")
    assert sorted(row[0] for row in filled.sql("SELECT row FROM d.kept").rows) == sorted(ids(filled).values())


def test_in_a_hidden_star_it_is_refused(filled: Lake) -> None:
    for text in ("SELECT _row_id, struct(*) FROM d.t", "SELECT t._row_id FROM d.t NATURAL JOIN d.u"):
        with pytest.raises(NotSupported, match="_row_id cannot be named here"):
            filled.sql(text)


def test_a_view_has_columns_of_its_tables_alone(filled: Lake) -> None:
    for text in ("SELECT _row_id FROM d.t", "SELECT t._row_id FROM d.t JOIN d.u ON t.id = u.id"):
        with pytest.raises(Exception, match="_row_id"):
            filled.sql(f"CREATE VIEW d.w AS {text}")
    filled.sql("CREATE TABLE d.own (_row_id STRING)")
    filled.sql("INSERT INTO d.own VALUES ('mine')")
    filled.sql("CREATE VIEW d.w AS SELECT _row_id FROM d.own")
    assert filled.rows("d.w") == [("mine",)]


def test_a_merge_source_has_it_beside_subqueries(filled: Lake) -> None:
    filled.sql(
        "MERGE INTO d.u USING (SELECT *, _row_id AS r FROM d.t) s ON u.id = s.id"
        " WHEN NOT MATCHED THEN INSERT (id) VALUES ((SELECT max(id) FROM d.u) + s.id)"
    )
    assert filled.rows("d.u") == [(1,), (2,), (5,)]
