"""What is said of OPTIMIZE before it runs is what the statement does."""

from __future__ import annotations

import pytest

from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import segments_list
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services.compaction import Compaction, Reason, compaction_of
from tests.support.lake import Lake


def announced(lake: Lake) -> Compaction:
    snapshot = branch_snapshot(lake.branch())
    table = table_get(snapshot, database_get(snapshot, "d"), "t")
    return compaction_of(table, segments_list(snapshot, table.table_id))


@pytest.mark.parametrize(
    ("statement", "reasons", "after"),
    [
        ("INSERT INTO d.t VALUES (3, 'c')", {Reason.SMALL: 3}, 1),
        ("DELETE FROM d.t WHERE id = 1", {Reason.DELETES: 1, Reason.SMALL: 1}, 1),
        ("ALTER TABLE d.t CLUSTER BY (id)", {Reason.LAYOUT: 2}, 1),
    ],
)
def test_the_statement_rewrites_what_was_announced(
    lake: Lake, statement: str, reasons: dict[Reason, int], after: int
) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (4, 'd')")
    lake.sql(statement)
    found = announced(lake)
    assert {reason: found.count(reason) for reason in Reason if found.count(reason)} == reasons
    done = lake.sql("OPTIMIZE d.t").metrics
    assert (
        (done["files_removed"], done["files_added"])
        == (len(found.chosen), found.files_after)
        == (sum(reasons.values()), after)
    )
    assert announced(lake).chosen == ()


def test_file_alone_in_its_partition_stays(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, m INT) PARTITIONED BY (m)")
    lake.sql("INSERT INTO d.t VALUES (1, 1)")
    lake.sql("INSERT INTO d.t VALUES (2, 2)")
    assert announced(lake).chosen == ()
    lake.sql("INSERT INTO d.t VALUES (3, 2)")
    assert len(announced(lake).chosen) == lake.sql("OPTIMIZE d.t").metrics["files_removed"] == 2
