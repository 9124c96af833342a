"""What a statement does to the files of its table. Files 1 and 2 were there before."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.operations import Operation
from merge_app.planning.data import data_staged
from merge_app.planning.merge_plan import DataPlan
from merge_app.planning.plan import plan
from tests.planning.build import (
    TABLE,
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


def staged(*operations: Operation) -> DataPlan | None:
    return data_staged(operations)


def test_a_statement_lists_its_files() -> None:
    assert staged(update(11, deletes=[(12, 1)], removed=[2])) == DataPlan(
        bring_files=(11,), remove_files=(2,), attach=((12, 1),)
    )


def test_all_operations_of_a_statement_count() -> None:
    assert staged(delete((12, 1)), insert(13)) == DataPlan(bring_files=(13,), attach=((12, 1),))
    assert staged(compaction(13, inputs=[1, 2])) == DataPlan(bring_files=(13,), remove_files=(1, 2))


def test_a_file_written_and_rewritten_comes_and_goes() -> None:
    assert staged(insert(11), compaction(12, inputs=[1, 11])) == DataPlan(
        bring_files=(12,), pass_files=(11,), remove_files=(1,)
    )


def test_an_overwrite_removes_the_table_or_its_partitions() -> None:
    assert staged(overwrite(13, removed=[1])) == DataPlan(bring_files=(13,), remove_all=True, remove_files=(1,))
    assert staged(overwrite(13, removed=[1], partitions=(X,))) == DataPlan(
        bring_files=(13,), remove_partitions=(X,), remove_files=(1,)
    )
    assert staged(partition(X, None, removed=[1])) == DataPlan(remove_partitions=(X,), remove_files=(1,))


def test_a_new_table_has_nothing_to_take_away() -> None:
    assert data_staged([overwrite(13)], is_new=True) == DataPlan(bring_files=(13,))


def test_what_changes_no_rows_changes_no_files() -> None:
    assert staged(set_property("p", None, "1"), partition(None, Y)) is None


def test_recorded_source_operations_are_left_to_its_facts() -> None:
    assert table_of(merged([update(11, deletes=[(12, 1)])], [])).data is None


def test_a_staged_statement_is_planned_with_its_files() -> None:
    given = merge_input([insert(11)])
    statement = replace(given.source[0], operation_id=None, version=0)
    planned = table_of(plan(replace(given, source=(statement,))))
    assert (planned.object_id, planned.data) == (TABLE, DataPlan(bring_files=(11,)))
