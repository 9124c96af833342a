"""What a statement does to the files of its table. Files 1 and 2 were there before."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.operations import Operation
from merge_app.lineage.segments import AS_BEFORE, AS_WRITTEN, DOT, Marked, Stamp
from merge_app.lineage.steps import AttachDeletes, CarrySegments, RemoveSegments, Step, TableSteps
from merge_app.planning.data import data_staged, shown_file
from merge_app.planning.merge_plan import DataPlan
from merge_app.planning.plan import plan
from tests.planning.build import (
    TABLE,
    added,
    compaction,
    delete,
    insert,
    merge_input,
    merged,
    overwrite,
    partition,
    set_property,
    table_of,
    update,
)

X, Y = ("x",), ("y",)


def steps(*operations: Operation) -> list[Step]:
    found = data_staged(operations)
    return [] if found is None else [*found.steps.steps]


def comes(file_id: int, kind: str, operation: int = 0, placed: Stamp = AS_WRITTEN) -> CarrySegments:
    return CarrySegments(shown_file(added(file_id), by(kind), placed), operation=operation)


def goes(file_id: int, kind: str, operation: int = 0) -> RemoveSegments:
    return RemoveSegments(file_id, 0, by(kind), operation)


def marks(delete_file: int, file_id: int, kind: str, *, is_leaving: bool = False) -> AttachDeletes:
    return AttachDeletes(file_id, Marked(delete_file, by(kind)), is_leaving, 0)


def by(kind: str) -> Stamp:
    return Stamp(DOT, kind)


def owners(*operations: Operation) -> list[int | None]:
    return [step.operation for step in steps(*operations) if isinstance(step, CarrySegments | RemoveSegments)]


def test_a_statement_lists_its_files() -> None:
    assert steps(update(11, deletes=[(12, 1)], removed=[2])) == [
        goes(2, "update"),
        comes(11, "update", placed=AS_BEFORE),
        marks(12, 1, "update"),
    ]


def test_deletes_in_a_file_that_goes_stay_known() -> None:
    assert steps(delete((12, 1), removed=[1])) == [goes(1, "delete"), marks(12, 1, "delete", is_leaving=True)]
    assert steps(update(deletes=[(12, 1)]), delete(removed=[1])) == [
        goes(1, "delete"),
        marks(12, 1, "update", is_leaving=True),
    ]


def test_all_operations_of_a_statement_count() -> None:
    assert steps(delete((12, 1)), insert(13)) == [marks(12, 1, "delete"), comes(13, "insert")]
    assert owners(delete((12, 1), removed=[2]), insert(13)) == [0, 1]


def test_a_file_written_and_rewritten_comes_and_goes() -> None:
    assert steps(insert(11), compaction(12, inputs=[1, 11])) == [
        goes(1, "compaction"),
        goes(11, "compaction"),
        comes(11, "insert"),
        comes(12, "compaction", placed=AS_BEFORE),
    ]
    assert owners(insert(11), compaction(12, inputs=[1, 11])) == [1, 1, 0, 1]


def test_an_overwrite_removes_what_it_saw() -> None:
    assert steps(overwrite(13, removed=[1])) == [goes(1, "overwrite"), comes(13, "overwrite")]
    assert steps(partition(X, None, removed=[1])) == [goes(1, "overwrite")]


def test_what_changes_no_rows_changes_no_files() -> None:
    assert data_staged([set_property("p", None, "1"), partition(None, Y)]) is None


def test_a_replacement_of_no_rows_is_done() -> None:
    done = data_staged([overwrite()])
    assert done is not None
    assert (done.steps.steps, done.changes_files, done.only_records) == ((), True, False)


def test_recorded_source_operations_are_left_to_its_facts() -> None:
    assert table_of(merged([update(11, deletes=[(12, 1)])], [])).data is None


def test_a_staged_statement_is_planned_with_its_files() -> None:
    given = merge_input([insert(11)])
    statement = replace(given.source[0], operation_id=None, version=0)
    planned = table_of(plan(replace(given, source=(statement,))))
    assert (planned.object_id, planned.data) == (TABLE, DataPlan(TableSteps((comes(11, "insert"),))))
