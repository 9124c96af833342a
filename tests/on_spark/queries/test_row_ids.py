"""``_row_id`` of tables in queries that Spark runs: no star has it, and what is hidden stays hidden."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from lakeui.common.errors import InvalidValue
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


def test_an_empty_table_has_the_column_too(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.empty (id INT)")
    found = lake.sql("SELECT *, _row_id FROM d.empty")
    assert (found.columns, found.rows) == ([("id", "int"), ("_row_id", "bigint")], [])


def test_elsewhere_it_is_refused(lake: Lake) -> None:
    with pytest.raises(InvalidValue, match="there is no column _row_id"):
        lake.sql("DELETE FROM d.t WHERE _row_id = 1")
    with pytest.raises(InvalidValue, match="There is no column _row_id here") as refusal:
        lake.sql("CREATE VIEW d.w AS SELECT _row_id FROM d.t")
    assert "SELECT t._row_id FROM t" in str(refusal.value.remedy)


def test_hidden_rows_and_masks_stay_hidden(lake: Lake) -> None:
    ids = dict(lake.sql("SELECT id, _row_id FROM d.t").rows)
    lake.sql("ALTER TABLE d.t SET ROW FILTER (id > 1) FOR ROLE viewer")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET MASK ('*') FOR ROLE viewer")
    reader = User.objects.create_user("ids")
    join(reader, lake.catalog, Role.VIEWER)
    found = execute("SELECT _row_id, id, trim(v) FROM d.t ORDER BY id", Session(lake.catalog, user=reader)).rows
    assert found == [[ids[2], 2, "*"], [ids[3], 3, "*"]]
    hidden = f"SELECT * FROM d.t WHERE _row_id = {ids[1]}"
    assert execute(hidden, Session(lake.catalog, user=reader)).rows == []
