"""Tables with a primary key: judged row by row where both sides changed rows, decided by resolutions (semantics §3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.row_merge import RowChoice, RowConflicts, RowJudgement, Take
from catalog_app.domain.schema import Schema
from merge_app.planning.needs import needs
from merge_app.planning.row_merges import ROWS_MERGED, sweep_of
from merge_app.planning.surviving import surviving
from merge_app.planning.values import (
    Action,
    Decision,
    FactKind,
    MergePlan,
    MergeRows,
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
    compaction,
    delete,
    insert,
    merge_input,
    merged,
    overwrite,
    partition,
    rename_column,
    set_property,
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


@pytest.mark.parametrize("mine", [insert(5), delete((5, 1)), update(6, deletes=[(5, 1)])])
@pytest.mark.parametrize("theirs", [insert(31), delete((31, 1)), update(32, deletes=[(31, 1)])])
def test_rows_that_both_sides_changed_are_compared_by_key_and_no_file_is(mine: Operation, theirs: Operation) -> None:
    assert needs(merge_input([mine], [theirs], tables={TABLE: KEYED})) == {TABLE: {FactKind.ROWS}}
    result = judged(mine, theirs, RowJudgement({UPDATE: 1}))
    assert result.conflicts == ()
    assert {finding.rule_table for finding in result.findings} == {"keyed"}


@pytest.mark.parametrize("swept", [overwrite(31), partition((), None, removed=[1])])
def test_what_sweeps_rows_away_is_redone_as_without_a_key_where_files_lead_to_rows(swept: Operation) -> None:
    planned = merge_input([update(6, deletes=[(5, 1)])], [swept], tables={TABLE: KEYED})
    assert FactKind.ROWS not in needs(planned)[TABLE]
    assert FactKind.ROWS in needs(planned, {TABLE})[TABLE]
    replaced = merge_input([update(6, deletes=[(5, 1)]), overwrite(31)], [], tables={TABLE: KEYED})
    assert FactKind.ROWS not in needs(replaced, {TABLE}).get(TABLE, set())


@pytest.mark.parametrize("version", [6, 7])
def test_what_was_swept_before_the_merge_base_counts_no_more(version: int) -> None:
    operations = [
        replace(item, version=version) for item in (overwrite(31, partitions=(("x",),)), partition(("y",), None))
    ]
    swept = sweep_of(surviving(operations)[ObjectKind.TABLE, TABLE], 6)
    assert swept.partitions == (frozenset({("x",), ("y",)}) if version > 6 else frozenset())


@pytest.mark.parametrize("theirs", [compaction(31, inputs=[1]), set_property("p", "1", "2")])
def test_rows_of_one_side_alone_come_over_by_file(theirs: Operation) -> None:
    wanted = needs(merge_input([insert(5)], [theirs], tables={TABLE: KEYED}))
    assert FactKind.ROWS not in wanted.get(TABLE, set())


def test_what_a_merge_by_key_made_is_compared_by_key_again() -> None:
    made = replace(insert(5), metrics={ROWS_MERGED: 1})
    assert needs(merge_input([made], [], tables={TABLE: KEYED})) == {TABLE: {FactKind.ROWS}}


def test_each_pair_of_changes_that_clashes_is_one_conflict_with_its_keys() -> None:
    other = RowConflicts(DELETE, UPDATE, 1, 1, ('{"a":9}',), ('{"a":9}',))
    result = judged(update(6, deletes=[(5, 1)]), update(31, deletes=[(32, 1)]), RowJudgement({}, 0, (CLASH, other)))
    assert codes(result.conflicts) == ["PRIMARY_KEY_CLASH"] * 2
    assert cells(result, Verdict.CONFLICT) == [("update", "update"), ("delete", "update")]
    assert [item.details["rows"] for item in result.conflicts] == [3, 1]
    assert result.conflicts[1].details["keys"] == ['{"a":9}']


def test_the_merge_does_what_was_counted_as_operations_of_its_own() -> None:
    changes = {UPDATE: 2, INSERT: 1}
    result = judged(update(6, deletes=[(5, 1)]), insert(31), RowJudgement(changes))
    table = table_of(result)
    assert table.action is Action.ALTER
    assert table.data is not None
    assert table.data.row_work == (MergeRows(KEYED.schema),)
    assert (table.data.bring_operations, table.data.attach_operations) == ((), ())
    assert [(item.kind, item.operation_id) for item in table.operations] == [(UPDATE, None), (INSERT, None)]


def test_where_both_made_the_same_rows_only_that_they_were_merged_is_recorded() -> None:
    table = table_of(judged(update(6, deletes=[(5, 1)]), insert(31), RowJudgement({})))
    assert (table.action, table.data) == (Action.UNTOUCHED, None)
    assert [(item.kind, item.metrics) for item in table.operations] == [(UPDATE, {"rows_updated": 0, ROWS_MERGED: 1})]


def test_rows_that_lie_in_other_files_than_the_source_had_them_from_are_compared() -> None:
    planned = merge_input([update(6, deletes=[(5, 1)])], [], tables={TABLE: KEYED})
    assert FactKind.ROWS not in needs(planned)[TABLE]
    assert needs(planned, {TABLE}) == {TABLE: {FactKind.ROWS}}


@pytest.mark.parametrize("rows", [0, 2])
def test_that_rows_were_merged_before_is_recorded_once(rows: int) -> None:
    """Whoever merges from the source later finds rows of its in other files; not if it changed none itself."""
    facts = {TABLE: TableFacts(rows=RowJudgement({}))}
    said = replace(update(6, deletes=[(5, 1)]), metrics={"rows_updated": rows, ROWS_MERGED: 1})
    table = table_of(merged([said], [], tables={TABLE: KEYED}, facts=facts))
    assert (table.action, table.data) == (Action.UNTOUCHED, None)
    assert len(table.operations) == (1 if rows else 0)


def test_columns_are_redone_beside_rows_and_rows_read_under_them() -> None:
    facts = {TABLE: TableFacts(rows=RowJudgement({UPDATE: 1}))}
    renamed = rename_column(2, "b", "c")
    table = table_of(merged([renamed, update(6, deletes=[(5, 1)])], [insert(31)], tables={TABLE: KEYED}, facts=facts))
    assert table.data is not None
    (work,) = table.data.row_work
    assert isinstance(work, MergeRows)
    assert [column.name for column in work.schema.columns] == ["a", "c"]
    assert [item.kind for item in table.operations] == [OperationKind.COLUMN, UPDATE]


def test_decided_rows_are_no_conflicts_any_more_and_go_into_the_work() -> None:
    decided = RowJudgement({UPDATE: 3}, 3, (replace(CLASH, left=0, left_keys=()),))
    choice = of_rows(Decision.LARGER, ResolutionPart.ROWS)
    result = judged(update(6, deletes=[(5, 1)]), update(31, deletes=[(32, 1)]), decided, choice)
    assert (result.conflicts, codes(result.decided)) == ((), ["PRIMARY_KEY_CLASH"])
    data = table_of(result).data
    assert data is not None
    assert data.row_work == (MergeRows(KEYED.schema, (RowChoice(Take.LARGER),)),)


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
