"""A change and RESTORE to before it are nothing to any merge, also of a row that an overwrite wrote."""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.support.lake import Lake

OTHERS = ["DELETE FROM d.t WHERE id = 4", "UPDATE d.t SET v = 'z' WHERE id = 4"]
TRIPS = ["UPDATE d.t SET v = 'r' WHERE id = 4", "DELETE FROM d.t WHERE id = 4"]


def outcome(lake: Lake, source: str, target: str) -> object:
    try:
        lake.merge(source, target)
    except MergeConflict as refused:
        return sorted(item["code"] for item in refused.details["conflicts"])
    return lake.rows("d.t", target)


@pytest.mark.parametrize("trip", TRIPS)
@pytest.mark.parametrize("other", OTHERS)
def test_round_trip_after_overwrite_changes_no_merge(lake: Lake, other: str, trip: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (4, 'o')")
    lake.sql("CREATE BRANCH other")
    lake.sql(other, "other")
    lake.sql("INSERT OVERWRITE d.t VALUES (4, 'y')")
    before = lake.head()
    for name in ("first", "tripped", "back", "forth"):
        lake.sql(f"CREATE BRANCH {name} FROM {'other' if name in ('first', 'tripped') else 'main'}")
    for name in ("main", "forth"):
        lake.sql(trip, name)
    lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {before}")
    lake.sql(f"RESTORE BRANCH forth TO VERSION AS OF {lake.sql('SHOW HISTORY LIMIT 2', 'forth').rows[1][0]}", "forth")
    assert outcome(lake, "main", "tripped") == outcome(lake, "back", "first")
    assert outcome(lake, "other", "forth") == outcome(lake, "other", "back")


@pytest.mark.parametrize("other", ["UPDATE d.t SET v = 'z' WHERE id = 1", "DELETE FROM d.t WHERE id = 1", ""])
@pytest.mark.parametrize("trip", ["INSERT INTO d.t VALUES (1, 'r')", "INSERT OVERWRITE d.t VALUES (1, 'r')"])
def test_deleted_key_inserted_and_reverted_stays_deleted(lake: Lake, trip: str, other: str) -> None:
    """Else the restore would take away what the other branch did to the key."""
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (4, 'o')")
    lake.sql("CREATE BRANCH other")
    if other:
        lake.sql(other, "other")
    lake.sql("DELETE FROM d.t WHERE id = 1")
    before = lake.head()
    for name, parent in (("first", "other"), ("tripped", "other"), ("back", "main")):
        lake.sql(f"CREATE BRANCH {name} FROM {parent}")
    lake.sql(trip)
    lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {before}")
    expected = outcome(lake, "back", "first")
    assert expected == (["PRIMARY_KEY_CLASH"] if "UPDATE" in other else [(4, "o")])
    assert outcome(lake, "main", "tripped") == expected
    assert outcome(lake, "other", "main") == outcome(lake, "other", "back")
    assert lake.breaches() == []
