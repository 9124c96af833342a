"""Tables with a primary key: judged row by row where both sides changed rows, decided by resolutions (semantics §3)."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.row_merge import RowConflicts, RowJudgement
from catalog_app.domain.schema import Schema
from merge_app.planning.merge_plan import (
    Action,
    Decision,
    MergePlan,
    Resolution,
    ResolutionPart,
    TableFacts,
    Verdict,
)
from tests.planning.build import (
    ORDERS,
    TABLE,
    A,
    B,
    cells,
    codes,
    merged,
    table_of,
    update,
)

KEYED = replace(ORDERS, schema=Schema((A, B), primary_key=(1,)))
UPDATE, DELETE, INSERT = OperationKind.UPDATE, OperationKind.DELETE, OperationKind.INSERT
CLASH = RowConflicts(UPDATE, UPDATE, 3, 3, ('{"a":1}', '{"a":2}', '{"a":3}'), ('{"a":1}', '{"a":2}', '{"a":3}'))


def judged(source: Operation, destination: Operation, rows: RowJudgement, *resolutions: Resolution) -> MergePlan:
    facts = {TABLE: TableFacts(rows=rows)}
    return merged([source], [destination], tables={TABLE: KEYED}, facts=facts, resolutions=resolutions)


def of_rows(decision: Decision, part: ResolutionPart, part_key: str = "", value: str = "") -> Resolution:
    return Resolution(ObjectKind.TABLE, TABLE, decision, part, part_key, value=value)


def test_each_clashing_pair_is_one_conflict_with_keys() -> None:
    other = RowConflicts(DELETE, UPDATE, 1, 1, ('{"a":9}',), ('{"a":9}',))
    result = judged(update(6, deletes=[(5, 1)]), update(31, deletes=[(32, 1)]), RowJudgement({}, 0, (CLASH, other)))
    assert codes(result.conflicts) == ["PRIMARY_KEY_CLASH"] * 2
    assert cells(result, Verdict.CONFLICT) == [("update", "update"), ("delete", "update")]
    assert [item.details["rows"] for item in result.conflicts] == [3, 1]
    assert result.conflicts[1].details["keys"] == ['{"a":9}']


def test_decided_rows_are_no_conflicts_any_more() -> None:
    decided = RowJudgement({UPDATE: 3}, 3, (replace(CLASH, left=0, left_keys=()),))
    choice = of_rows(Decision.LARGER, ResolutionPart.ROWS)
    result = judged(update(6, deletes=[(5, 1)]), update(31, deletes=[(32, 1)]), decided, choice)
    assert (result.conflicts, codes(result.decided)) == ((), ["PRIMARY_KEY_CLASH"])


def test_rows_that_are_left_open_stay_a_conflict() -> None:
    partly = RowJudgement({UPDATE: 2}, 2, (replace(CLASH, left=1, left_keys=('{"a":3}',)),))
    cell = of_rows(Decision.EDITED, ResolutionPart.CELL, '2:{"a":1}', "7")
    result = judged(update(6, deletes=[(5, 1)]), update(31, deletes=[(32, 1)]), partly, cell)
    (left,) = result.conflicts
    assert (left.details["rows"], left.details["keys"]) == (1, ['{"a":3}'])
    assert result.decided == ()


def test_taking_an_object_whole_goes_before_its_rows() -> None:
    taken = Resolution(ObjectKind.TABLE, TABLE, Decision.TAKE_DESTINATION)
    conflicting = RowJudgement({}, 0, (CLASH,))
    result = judged(update(6, deletes=[(5, 1)]), update(31, deletes=[(32, 1)]), conflicting, taken)
    assert (result.conflicts, table_of(result).action) == ((), Action.UNTOUCHED)


def test_a_decision_changes_the_fingerprint() -> None:
    decided = RowJudgement({UPDATE: 3}, 3, (replace(CLASH, left=0, left_keys=()),))
    prints = {
        judged(
            update(6, deletes=[(5, 1)]), update(31, deletes=[(32, 1)]), decided, of_rows(decision, ResolutionPart.ROWS)
        ).fingerprint
        for decision in (Decision.TAKE_SOURCE, Decision.TAKE_DESTINATION, Decision.LARGER)
    }
    assert len(prints) == 3
