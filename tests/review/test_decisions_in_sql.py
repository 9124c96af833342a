"""``MERGE BRANCH .. RESOLVE (..)``: the decisions of merge requests, in one statement."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import MergeConflict, NoOpenConflict, NotFound, SyntaxProblem
from lakeui.sql.parse import parse
from lakeui.sql.statements import ConflictDecision
from merge_app.audit.selectors import audit_get
from merge_app.review.models import MergeRequest
from tests.review.conftest import ReviewLake
from tests.review.test_resolutions import clash, conflict, key, lake, rows

__all__ = ["clash", "conflict", "lake"]
pytestmark = pytest.mark.usefixtures("local_worker")


@pytest.mark.parametrize(
    ("action", "result", "notes"),
    [
        ("KEEP BOTH", [(1, "source"), (2, "main")], []),
        ("RUN AGAIN", [(1, "source"), (2, "main")], []),
        ("TAKE SOURCE", [(1, "source")], ["DISCARDED_BY_DECISION"]),
        ("TAKE TARGET", [(1, "base"), (2, "main")], ["DISCARDED_BY_DECISION"]),
        ("SKIP", [(1, "base"), (2, "main")], ["DISCARDED_BY_DECISION"]),
    ],
)
def test_a_table_is_decided_in_the_statement(
    lake: ReviewLake, conflict: MergeRequest, action: str, result: list[tuple[Any, ...]], notes: list[str]
) -> None:
    dry = lake.write(f"MERGE BRANCH c RESOLVE (TABLE d.r {action}) DRY RUN", "alice").extra
    assert (dry["mergeable"], [item["code"] for item in dry["notes"]]) == (True, notes)
    made = lake.write(f"MERGE BRANCH c TO main RESOLVE (TABLE d.r {action})", "alice").extra
    assert made["fingerprint"] == dry["fingerprint"]
    assert rows(lake) == result
    record = audit_get(made["merge_id"])
    (decided,) = record["resolutions"]
    assert (decided["object"], decided["author"]) == ("d.r", "alice")
    assert decided["effect"]


def test_rows_and_cells_are_decided_in_the_statement(lake: ReviewLake, clash: MergeRequest) -> None:
    lake.write(
        f"MERGE BRANCH c RESOLVE (TABLE d.k ROWS TAKE LARGER, TABLE d.k ROW '{key(4)}' TAKE SOURCE,"
        f" TABLE d.k CELL v OF '{key(2)}' SET '\"by hand\"')",
        "alice",
    )
    assert rows(lake, table="d.k") == [(1, "source", 101), (2, "by hand", 102), (3, "source", 103)]


def test_decisions_answering_nothing_or_leaving_conflicts_are_refused(lake: ReviewLake, conflict: MergeRequest) -> None:
    with pytest.raises(NoOpenConflict, match=r"answers no open conflict of table d\.t\."):
        lake.write("MERGE BRANCH c RESOLVE (TABLE d.t TAKE SOURCE)", "alice")
    with pytest.raises(NoOpenConflict, match=r"RENAME TO x answers no open conflict of table d\.r\."):
        lake.write("MERGE BRANCH c RESOLVE (TABLE d.r RENAME TO x)", "alice")
    with pytest.raises(NotFound, match=r"no column vv of d\.r"):
        lake.write("MERGE BRANCH c RESOLVE (TABLE d.r COLUMN vv TAKE SOURCE)", "alice")
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "c")
    lake.write("DROP TABLE d.t", "dora")
    with pytest.raises(MergeConflict):
        lake.write("MERGE BRANCH c RESOLVE (TABLE d.r KEEP BOTH)", "alice")
    assert rows(lake) == [(1, "base"), (2, "main")]


def test_the_grammar_names_every_part() -> None:
    statement = parse(
        "MERGE BRANCH s TO t RESOLVE (DATABASE d RENAME TO e, TABLE d.t COLUMN c TAKE DESTINATION,"
        " TABLE d.t PROPERTY 'k' TAKE SOURCE, TABLE d.t PARTITION ('2013', NULL) TAKE TARGET,"
        " TABLE d.t ROWS TAKE NEWEST BY at) DRY RUN"
    )
    assert statement.dry_run
    assert statement.decisions == (
        ConflictDecision("database", "d", "rename", new_name="e"),
        ConflictDecision("table", "d.t", "destination", "column", column="c"),
        ConflictDecision("table", "d.t", "source", "property", "k"),
        ConflictDecision("table", "d.t", "destination", "partition", '["2013",null]'),
        ConflictDecision("table", "d.t", "newest", "rows", value="at"),
    )
    for wrong in ("RESOLVE ()", "RESOLVE (TABLE d.t)", "RESOLVE (TABLE d.t KEEP NOTHING)", "RESOLVE (VIEW d.t SKIP)"):
        with pytest.raises(SyntaxProblem):
            parse(f"MERGE BRANCH s {wrong}")
