"""Metadata of rows in queries that Spark runs: no star has it, and what is hidden stays hidden."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from lakeui.common.errors import InvalidValue, RowsRestricted
from lakeui.frontdoor import Session, execute
from tests.support.lake import Lake
from tests.support.members import join


@pytest.fixture(scope="module")
def lake(services: None) -> Iterator[Lake]:
    """Table d.t with rows 1, 2 and 3 in two files, of which row 2 was updated; d.u with ids 1 and 2."""
    made = Lake()
    made.sql("CREATE DATABASE d")
    made.sql("CREATE TABLE d.t (id INT, v CHAR(2))")
    made.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    made.sql("INSERT INTO d.t VALUES (3, 'c')")
    made.sql("UPDATE d.t SET v = 'x' WHERE id = 2")
    made.sql("CREATE TABLE d.u (id INT)")
    made.sql("INSERT INTO d.u VALUES (1), (2)")
    yield made
    assert made.breaches() == []


QUERIES = [
    ("SELECT _commit_version, _metadata.file_name, * FROM d.t", ["_commit_version", "file_name", "id", "v"]),
    ("SELECT t.*, _metadata AS m FROM d.t ORDER BY _commit_version, t._metadata.file_path", ["id", "v", "m"]),
    ("SELECT max(_commit_version) AS n FROM d.t GROUP BY _metadata.file_path", ["n"]),
    ("FROM d.t |> WHERE _commit_version > 0 |> SELECT *", ["id", "v"]),
    ("SELECT u.*, t._commit_version FROM d.u LEFT JOIN d.t ON t.id = u.id + 100", ["id", "_commit_version"]),
    ("SELECT _row_id, * FROM d.t", ["_row_id", "id", "v"]),
    ("SELECT * FROM d.t WHERE _row_id >= 0 AND v = 'x'", ["id", "v"]),
    ("SELECT * EXCEPT (v), _row_id FROM d.t ORDER BY _row_id", ["id", "_row_id"]),
    ("SELECT * FROM d.t JOIN d.u ON t.id = u.id AND t._row_id >= 0", ["id", "v", "id"]),
    (
        "SELECT a._row_id, b.*, b._row_id AS r FROM d.t a JOIN d.t b ON a._row_id = b._row_id",
        ["_row_id", "id", "v", "r"],
    ),
    ("SELECT id FROM d.u WHERE EXISTS (SELECT 1 FROM d.t WHERE t.id = u.id AND t._row_id >= 0)", ["id"]),
    ("WITH c AS (SELECT _row_id AS r, id FROM d.t) SELECT * FROM c", ["r", "id"]),
    ("SELECT count(*) AS n FROM d.t GROUP BY _row_id", ["n"]),
]


@pytest.mark.parametrize(("text", "columns"), QUERIES, ids=[text for text, _ in QUERIES])
def test_no_star_has_it(lake: Lake, text: str, columns: list[str]) -> None:
    found = lake.sql(text)
    assert [name for name, _ in found.columns] == columns
    assert found.rows


def test_a_row_keeps_its_id_through_an_update(lake: Lake) -> None:
    ids = dict(lake.sql("SELECT id, _row_id FROM d.t").rows)
    was = dict(lake.sql(f"SELECT id, _row_id FROM d.t VERSION AS OF {lake.head() - 3}").rows)
    assert ids == was
    assert len(set(ids.values())) == 3


def versions(lake: Lake, branch: str = "main") -> dict[int, int]:
    return dict(lake.sql("SELECT id, _commit_version FROM d.t", branch).rows)


def test_the_version_is_that_of_the_last_change(lake: Lake) -> None:
    first = versions(lake)
    assert len(set(first.values())) == 3
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 'y' WHERE id = 3", "b")
    assert versions(lake, "b") == {**first, 3: lake.head("b")}
    lake.sql("OPTIMIZE d.t", "b")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    brought = versions(lake, "b")[3]
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {lake.head('b') - 1}", "b")
    assert versions(lake, "b") == {1: lake.head("b"), 2: first[2], 3: brought}
    assert versions(lake) == first


def test_the_file_is_the_one_of_its_segments(lake: Lake) -> None:
    segments = {row[0] for row in lake.sql("SHOW SEGMENTS d.t").rows}
    found = lake.sql("SELECT _metadata.file_path, _metadata.file_name FROM d.t").rows
    assert {path for path, _ in found} == segments
    assert all(path.endswith(f"/{name}") and not path.startswith("/") for path, name in found)
    with pytest.raises(InvalidValue, match="_metadata has no field row_index"):
        lake.sql("SELECT _metadata.row_index FROM d.t")


def test_an_empty_table_has_the_columns_too(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.empty (id INT)")
    found = lake.sql("SELECT *, _row_id, _commit_version, _metadata FROM d.empty")
    types = ["int", "bigint", "bigint", "struct<file_path:string,file_name:string>"]
    assert ([kind for _, kind in found.columns], found.rows) == (types, [])


def test_elsewhere_it_is_refused(lake: Lake) -> None:
    subquery = "id IN (SELECT id FROM d.t WHERE _commit_version = 1)"
    for condition in ("_commit_version = 1", subquery, "_metadata.file_path = ''"):
        with pytest.raises(InvalidValue, match="there is no column _") as refusal:
            lake.sql(f"DELETE FROM d.t WHERE {condition}")
        assert "MERGE INTO t USING (SELECT key FROM t WHERE _row_id = 1)" in str(refusal.value.remedy)
    for column in ("_row_id", "_commit_version", "_metadata.file_name"):
        with pytest.raises(InvalidValue, match=f"There is no column {column} here") as refusal:
            lake.sql(f"CREATE VIEW d.w AS SELECT {column} FROM d.t")
        assert "SELECT t._row_id, t._commit_version" in str(refusal.value.remedy)


def test_conditions_of_writes_name_row_id(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.named AS SELECT * FROM d.t")
    found = dict(lake.sql("SELECT id, _row_id FROM d.named").rows)
    lake.sql(f"UPDATE d.named SET v = 'nn' WHERE named._row_id <=> {found[1]} AND id IN (SELECT id FROM d.t)")
    lake.sql(f"DELETE FROM d.named x WHERE x._row_id = {found[2]}")
    after = lake.sql("SELECT id, v, _row_id FROM d.named ORDER BY id").rows
    assert after[0] == [1, "nn", found[1]]
    assert [row[0] for row in after] == sorted(found.keys() - {2})


def test_a_merge_source_finds_rows_by_it(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.w AS SELECT * FROM d.t")
    lake.sql(
        "MERGE INTO d.w USING (SELECT id FROM d.w WHERE _row_id = (SELECT max(_row_id) FROM d.w)) s ON w.id = s.id"
        " WHEN MATCHED THEN DELETE"
    )
    assert len(lake.rows("d.w")) == 2


def test_hidden_rows_and_masks_stay_hidden(lake: Lake) -> None:
    ids = dict(lake.sql("SELECT id, _row_id FROM d.t").rows)
    lake.sql("ALTER TABLE d.t SET ROW FILTER (id > 1) FOR ROLE viewer")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET MASK ('*') FOR ROLE viewer")
    reader = User.objects.create_user("ids")
    join(reader, lake.catalog, Role.VIEWER)
    found = execute("SELECT _row_id, id, trim(v) FROM d.t ORDER BY id", Session(lake.catalog, user=reader)).rows
    assert found == [[ids[2], 2, "*"], [ids[3], 3, "*"]]
    query = "SELECT id, _commit_version FROM d.t"
    assert {row[0] for row in execute(query, Session(lake.catalog, user=reader)).rows} == {2, 3}
    with pytest.raises(RowsRestricted, match="_metadata cannot be read here"):
        execute("SELECT _metadata.file_path FROM d.t", Session(lake.catalog, user=reader))
    hidden = f"SELECT * FROM d.t WHERE _row_id = {ids[1]}"
    assert execute(hidden, Session(lake.catalog, user=reader)).rows == []
