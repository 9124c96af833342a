"""Merges of databases that come and go around their tables, which random histories found wrong, told as stories."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake


@pytest.mark.parametrize("change", ["ALTER TABLE d.t RENAME TO d.u", "UPDATE d.t SET v = 's'"])
def test_a_moved_table_goes_with_its_database(lake: Lake, change: str) -> None:
    lake.sql("CREATE DATABASE e")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t RENAME TO e.t")
    lake.sql("DROP DATABASE e", "b")
    lake.sql(change, "b")
    result = lake.merge("b")
    assert lake.sql("SHOW TABLES").rows == []
    assert "DROPS_DEST_CHANGES" in {note["code"] for note in result["notes"]}


@pytest.fixture
def dropped_by_b(lake: Lake) -> str:
    """Branch b, which never had d.u, dropped d, and branch c, which has it, merged that. Which merge it was."""
    lake.sql("CREATE DATABASE e")
    lake.merge("main", "b")
    lake.sql("CREATE TABLE d.u (id INT)")
    lake.sql("INSERT INTO d.u VALUES (1)")
    lake.sql("CREATE BRANCH c")
    lake.sql("DROP DATABASE d CASCADE", "b")
    return str(lake.merge("b", "c")["merge_id"])


@pytest.mark.parametrize("undrop", ["RESTORE MERGE '{}'", "UNDROP DATABASE d"])
@pytest.mark.parametrize("change", ["SELECT * FROM d.u", "ALTER TABLE d.u SET TBLPROPERTIES ('p' = '2')"])
def test_a_table_returns_with_its_database(lake: Lake, dropped_by_b: str, undrop: str, change: str) -> None:
    lake.merge("b")
    lake.sql(undrop.format(dropped_by_b), "c")
    lake.sql(change, "c")
    lake.merge("c")
    assert (lake.rows("d.t"), lake.rows("d.u")) == ([(1, "a")], [(1,)])


@pytest.mark.parametrize("undrop", ["RESTORE MERGE '{}'", "UNDROP DATABASE d"])
@pytest.mark.parametrize("change", ["SELECT * FROM d.u", "ALTER TABLE d.u SET TBLPROPERTIES ('p' = '2')"])
def test_a_table_dropped_alone_stays_dropped(lake: Lake, dropped_by_b: str, undrop: str, change: str) -> None:
    """The undrop brings the tables that the drop of the database took (lineage R4). A change of the other is R5."""
    lake.sql("DROP TABLE d.u")
    lake.merge("b")
    lake.sql(undrop.format(dropped_by_b), "c")
    lake.sql(change, "c")
    if change.startswith("ALTER"):
        assert lake.codes("c") == {"OBJECT_DROPPED_ON_DEST"}
        return
    lake.merge("c")
    assert lake.rows("d.t") == [(1, "a")]
    assert "u" not in {cell for row in lake.sql("SHOW TABLES IN d").rows for cell in row}


@pytest.mark.usefixtures("dropped_by_b")
def test_a_merged_database_drop_spares_moved_tables(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.u RENAME TO e.u")
    lake.merge("b")
    lake.sql("CREATE DATABASE f", "c")
    lake.merge("c")
    assert lake.rows("e.u") == [(1,)]
