"""Rows that a statement would set to the values that they have are not written, and are no update (rows §1.5)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog_app.engine import delete_update, merge_into, merge_source
from tests.support.lake import Lake, OwnBranch
from tests.support.soak import IS_SOAK

NESTED = "named_struct('a', double('NaN'), 'b', map('k', array(1, NULL)))"
COLUMNS = "(id INT, v STRING, x DOUBLE, n STRUCT<a: DOUBLE, b: MAP<STRING, ARRAY<INT>>>, c CHAR(4))"
ROWS = (
    f"SELECT 1, 'a', double('NaN'), {NESTED}, 'x'",
    "SELECT 2, NULL, -0.0D, NULL, NULL",
    f"SELECT 3, 'c', 1D, {NESTED}, 'y'",
)
WAYS = [("few", "merge-on-read"), ("many", "copy-on-write"), ("few", "copy-on-write"), ("many", "merge-on-read")]
WRITTEN = pytest.mark.parametrize(("rows_pass", "mode"), WAYS if IS_SOAK else WAYS[:2], indirect=["rows_pass"])
SAME = "MERGE INTO d.t USING d.s AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"


@pytest.fixture(params=["few", "many"])
def rows_pass(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows pass through this process, or not."""
    if request.param == "many":
        monkeypatch.setattr(delete_update, "SMALL_ROWS", 0)
        monkeypatch.setattr(merge_source, "FEW_ROWS", 0)
        monkeypatch.setattr(merge_into, "FEW_ROWS", 0)


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Table d.t with awkward rows in two files, and d.s with the same rows."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(f"CREATE TABLE d.t {COLUMNS}")
    lake.sql(f"INSERT INTO d.t {ROWS[0]}")
    lake.sql(f"INSERT INTO d.t {ROWS[1]} UNION ALL {ROWS[2]}")
    lake.sql(f"CREATE TABLE d.s {COLUMNS}")
    lake.sql(f"INSERT INTO d.s {' UNION ALL '.join(ROWS)}")
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def things(shared: Lake, rows_pass: None) -> Lake:
    return OwnBranch(shared)


EQUAL_UPDATES = (
    "UPDATE d.t SET v = v",
    "UPDATE d.t SET v = 'a', x = double('NaN') WHERE id = 1",
    f"UPDATE d.t SET n = {NESTED}, c = c WHERE id <> 2",
    "UPDATE d.t SET x = 0.0D WHERE id = 2",
)
EQUAL_MERGES = (
    SAME,
    f"{SAME} WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = t.v",
    "MERGE INTO d.t USING d.s AS s ON t.id = s.id AND s.id < 0 WHEN NOT MATCHED BY SOURCE THEN UPDATE SET c = c",
)
CHANGES_NOTHING = {
    "merge-on-read": (*EQUAL_UPDATES, EQUAL_MERGES[0]),
    "copy-on-write": (EQUAL_UPDATES[2], *EQUAL_MERGES[1:]),
}
"""Each statement in one of the modes, one of each kind in both."""


@WRITTEN
def test_equal_values_make_no_version_and_no_file(things: Lake, mode: str) -> None:
    modes = ", ".join(f"'write.{statement}.mode' = '{mode}'" for statement in ("merge", "update"))
    things.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ({modes})")
    head, files = things.head(), things.sql("SHOW SEGMENTS d.t").rows
    for statement in (*EQUAL_UPDATES, *EQUAL_MERGES) if IS_SOAK else CHANGES_NOTHING[mode]:
        result = things.sql(statement)
        assert (result.version, result.metrics["rows_updated"]) == (head, 0), statement
        assert result.metrics["bytes_written"] == 0, statement
    assert (things.head(), things.sql("SHOW SEGMENTS d.t").rows) == (head, files)


@WRITTEN
def test_only_rows_that_change_are_written_and_counted(things: Lake, mode: str) -> None:
    modes = ", ".join(f"'write.{statement}.mode' = '{mode}'" for statement in ("merge", "update"))
    things.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ({modes})")
    before = things.head()
    assert things.sql("UPDATE d.t SET v = 'c'").metrics["rows_updated"] == 2
    things.sql("UPDATE d.s SET c = 'new' WHERE id = 3")
    things.sql("INSERT INTO d.s (id, v) VALUES (4, 'fresh')")
    result = things.sql(f"{SAME} WHEN NOT MATCHED THEN INSERT *")
    assert (result.metrics["rows_updated"], result.metrics["rows_inserted"]) == (3, 1)
    assert things.rows("d.t", columns="id, v, c") == [
        (1, "a", "x   "),
        (2, None, None),
        (3, "c", "new "),
        (4, "fresh", None),
    ]
    found = things.sql(f"SHOW CHANGES d.t FROM VERSION {before} TO VERSION {things.head()}").rows
    assert [row[0] for row in found] == ["update_before", "update_after", "insert"]


def test_nondeterministic_values_are_computed_once(things: Lake) -> None:
    result = things.sql("UPDATE d.t SET v = uuid()")
    assert result.metrics["rows_updated"] == 3
    assert len({row[0] for row in things.rows("d.t", columns="v")}) == 3


def test_values_are_computed_of_live_matching_rows_only(lake: Lake, rows_pass: None) -> None:
    """What would overflow in a row that is gone, or that WHERE leaves out, is nothing to the statement."""
    lake.sql("CREATE TABLE d.n (id INT, n INT)")
    lake.sql("INSERT INTO d.n VALUES (1, 2147483647), (2, 0), (3, 2147483647), (4, 1)")
    lake.sql("DELETE FROM d.n WHERE id = 3")
    assert lake.sql("UPDATE d.n SET n = n + 1 WHERE n < 5").metrics["rows_updated"] == 2
    assert lake.rows("d.n") == [(1, 2147483647), (2, 1), (4, 2)]


@pytest.mark.parametrize("rows_pass", ["few", "many"] if IS_SOAK else ["few"], indirect=True)
def test_branch_merges_see_no_update_where_values_stay(things: Lake) -> None:
    things.sql("CREATE BRANCH dev")
    things.sql("UPDATE d.t SET v = v, x = x", "dev")
    things.sql(SAME, "dev")
    things.sql("INSERT INTO d.t (id) VALUES (9)")
    merged = things.merge("dev")
    assert not merged.get("conflicts")
    assert len(things.rows("d.t")) == 4
