"""Merges of databases that come and go around their tables, which random histories found wrong, told as stories."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake


@pytest.mark.parametrize("change", ["ALTER TABLE d.t RENAME TO d.u", "UPDATE d.t SET v = 's'"])
def test_a_table_that_was_moved_into_a_database_goes_with_it_when_the_other_side_drops_it(
    lake: Lake, change: str
) -> None:
    lake.sql("CREATE DATABASE e")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t RENAME TO e.t")
    lake.sql("DROP DATABASE e", "b")
    lake.sql(change, "b")
    result = lake.merge("b")
    assert lake.sql("SHOW TABLES").rows == []
    assert "DROPS_DEST_CHANGES" in {note["code"] for note in result["notes"]}
