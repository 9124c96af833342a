"""Files: A1 to A5, partitions and compaction, file by file (semantics §3). Files 1 and 2 were there at base."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from catalog_app.domain.operations import FileEffects, Operation
from merge_app.planning.files import effects_of
from merge_app.planning.plan import plan
from merge_app.planning.surviving import RESTORED_VERSION
from merge_app.planning.values import (
    Action,
    CountKeptRows,
    DataPlan,
    FilterImages,
    FollowDeletes,
    RepartitionFile,
    ReplaceImages,
    TableFacts,
    Verdict,
)
from tests.planning.build import (
    TABLE,
    added,
    cells,
    codes,
    compaction,
    delete,
    insert,
    merge_input,
    merged,
    overwrite,
    partition,
    table_of,
    update,
)


def _data(source, destination=(), **facts) -> DataPlan | None:  # type: ignore[no-untyped-def]
    result = merged(source, destination, facts={TABLE: TableFacts(**facts)})
    assert codes(result.conflicts) == []
    return table_of(result).data


def test_an_insert_comes_over_by_operation() -> None:
    assert _data([insert(11)], [delete((31, 1))]) == DataPlan(bring_operations=(100,))


def test_an_insert_whose_files_nobody_looked_at_comes_over_just_the_same() -> None:
    assert _data([replace(insert(11), effects=None)]) == DataPlan(bring_operations=(100,))


def test_a_staged_statement_lists_its_files() -> None:
    statement = update(11, deletes=[(12, 1)], removed=[2])
    given = merge_input([statement])
    staged = replace(given.source[0], operation_id=None, version=0)
    (planned,) = plan(replace(given, source=(staged,))).objects
    assert planned.data == DataPlan(bring_files=(11,), remove_files=(2,), attach=((12, 1),))


def test_deletes_and_updates_of_untouched_files_are_attached() -> None:
    assert _data([update(11, deletes=[(12, 1)]), delete((13, 11), removed=[2])]) == DataPlan(
        bring_operations=(100,), remove_files=(2,), attach_operations=(100, 101)
    )


# A1, A2, A3


def test_a1_and_a3_conflict_only_on_one_file() -> None:
    mine = update(11, deletes=[(12, 1)])
    assert codes(merged([mine], [delete((31, 1))]).conflicts) == ["SAME_FILE_UPDATE_DELETE"]
    assert codes(merged([mine], [delete(removed=[1])]).conflicts) == ["SAME_FILE_UPDATE_DELETE"]
    assert codes(merged([mine], [update(32, deletes=[(31, 1)])]).conflicts) == ["SAME_FILE_UPDATE_UPDATE"]
    assert merged([mine], [delete((31, 2))]).conflicts == ()
    assert merged([mine], [update(32, deletes=[(31, 2)])]).conflicts == ()


def test_updates_of_images_and_compacted_files_count_as_of_the_base_file() -> None:
    source = [update(11, deletes=[(12, 1)]), compaction(13, inputs=[1, 11]), update(14, deletes=[(15, 13)])]
    result = merged(source, [delete((31, 1))])
    assert cells(result, Verdict.CONFLICT) == [("update", "delete")]
    assert result.conflicts[0].details == {"files": [1]}
    theirs = [compaction(41, inputs=[1, 2]), delete((42, 41))]
    assert codes(merged([update(11, deletes=[(12, 2)])], theirs).conflicts) == ["SAME_FILE_UPDATE_DELETE"]


def test_updates_that_came_back_to_what_had_rewritten_their_files_count_as_of_those() -> None:
    mine = update(21, deletes=[(31, 2)])
    theirs = update(22, deletes=[(32, 1)])
    back = _with_effects(theirs, met_by_replays=frozenset({2}))
    assert codes(merged([mine], [theirs]).conflicts) == []
    assert codes(merged([mine], [back]).conflicts) == ["SAME_FILE_UPDATE_UPDATE"]
    assert codes(merged([compaction(11, inputs=[2])], [back]).notes) == ["COMPACTION_SKIPPED"]


def test_an_update_of_several_files_touches_base_files_by_what_its_images_may_hold() -> None:
    """Images 21 and 22 are of base file 1 and of file 11, which the destination had inserted: 22 only of the latter."""
    both = update(21, 22, deletes=[(31, 1), (32, 11)])
    told_apart = _with_effects(both, inputs={21: frozenset({1}), 22: frozenset({11})})
    later = delete((33, 22))
    mine = update(41, deletes=[(34, 1)])
    for updated, found in ((both, 2), (told_apart, 1)):
        conflicts = merged([mine], [insert(11), updated, later]).conflicts
        assert len([item for item in conflicts if item.code.startswith("SAME_FILE")]) == found


def test_an_update_of_several_files_goes_where_the_destination_renamed_the_partition_of_its_image() -> None:
    """Image 21 may hold rows of 1, which lay in the partition that was renamed, and of 2, which did not."""
    images = update(21, removed=[1, 2], partition=X)
    known = _with_effects(images, inputs={21: frozenset({1, 2})}, partition_of={1: X, 2: ("z",)})
    renamed = partition(X, Y, new=[12], removed=[1])
    assert _data([images], [renamed]) == DataPlan(
        bring_operations=(100,), remove_files=(2,), row_work=(FollowDeletes((), 1, (12,)),)
    )
    assert _data([known], [renamed]) == DataPlan(
        bring_operations=(100,),
        bring_except=frozenset({21}),
        remove_files=(2,),
        row_work=(FollowDeletes((), 1, (12,)), RepartitionFile(21, Y)),
    )


def _with_effects(operation: Operation, **known: Any) -> Operation:
    return replace(operation, effects=replace(operation.effects or FileEffects(), **known))


def test_an_update_of_rows_that_the_side_inserted_touches_no_base_file() -> None:
    source = [insert(11), update(12, deletes=[(13, 11)])]
    assert merged(source, [update(32, deletes=[(31, 1)])]).conflicts == ()


def test_delete_against_delete_and_update_is_attached_as_it_is() -> None:
    attached = DataPlan(attach_operations=(100,))
    assert _data([delete((11, 1))], [delete((31, 1))]) == attached
    kept = CountKeptRows((11,), (), images=(32,), holders=(32,))
    assert _data([delete((11, 1))], [update(32, deletes=[(31, 1)])]) == replace(attached, row_work=(kept,))
    assert _data([delete((11, 1))], [update(32, deletes=[(31, 2)])]) == attached


def test_rows_of_emptied_files_are_counted_where_the_destination_updated_them() -> None:
    result = table_of(merged([delete(removed=[1])], [update(32, removed=[1])]))
    assert result.data == DataPlan(row_work=(CountKeptRows((), (1,), images=(32,), holders=(32,)),))
    assert (result.action, result.operations) == (Action.UNTOUCHED, ())
    assert _data([delete(removed=[1])], [update(32, removed=[1]), delete(removed=[32])]) is None


# A4, A5


def test_a5_deletes_of_overwritten_rows_are_discarded_and_of_new_rows_come_over() -> None:
    result = merged([insert(11), delete((12, 1), (13, 11))], [overwrite(31, removed=[1, 2])])
    assert table_of(result).data == DataPlan(bring_operations=(100,), attach_operations=(101,))
    (note,) = result.notes
    assert (note.code, note.note, note.details) == (
        "DISCARDED_DELETE",
        "A5",
        {"files": [1], "rows": 3, "emptied_files": 0},
    )


def test_a_plan_whose_effects_are_all_discarded_leaves_the_table_alone() -> None:
    result = merged([delete((12, 1))], [overwrite(31, removed=[1, 2])])
    planned = table_of(result)
    assert (planned.action, planned.operations, planned.data) == (Action.UNTOUCHED, (), None)


def test_a4_images_of_overwritten_rows_are_discarded_of_new_rows_kept_and_mixed_ones_filtered() -> None:
    source = [
        insert(11),
        update(12, deletes=[(13, 1)]),
        update(14, deletes=[(15, 11)]),
        update(16, deletes=[(17, 2), (18, 11)]),
    ]
    result = merged(source, [overwrite(31, removed=[1, 2])])
    data = table_of(result).data
    assert data == DataPlan(
        bring_operations=(100, 102, 103),
        bring_except=frozenset({16}),
        attach_operations=(102, 103),
        row_work=(FilterImages(16, (2,)),),
    )
    assert [operation.version for operation in table_of(result).operations] == [100, 102, 103]
    assert codes(result.notes) == ["DISCARDED_UPDATE"]
    assert result.notes[0].details == {"files": [1, 2], "rows": 6, "emptied_files": 0}


def test_what_the_destination_did_before_its_full_overwrite_leaves_nothing_to_update_or_follow() -> None:
    for before, there in ((delete(removed=[1]), 2), (compaction(33, inputs=[1]), 33)):
        result = merged([update(12, deletes=[(13, 1)])], [before, overwrite(31, removed=[there])])
        assert result.conflicts == ()
        assert (table_of(result).action, codes(result.notes)) == (Action.UNTOUCHED, ["DISCARDED_UPDATE"])


def test_a_partition_overwrite_leaves_the_operations_of_other_partitions_alive() -> None:
    result = merged([delete((12, 1), (13, 2))], [overwrite(31, removed=[1], partitions=(("x",),))])
    assert table_of(result).data == DataPlan(attach_operations=(100,))
    assert codes(result.notes) == ["DISCARDED_DELETE"]


def _with_images(operation: Operation, file_id: int, of: int) -> Operation:
    """The operation with a file that it adds as one that holds rows of another."""
    effects, rows = operation.effects or FileEffects(), added(of)
    ids = {"smallest_row_id": rows.smallest_row_id, "largest_row_id": rows.largest_row_id}
    files = (replace(f, stores_row_ids=True, **ids) if f.file_id == file_id else f for f in effects.added)
    return replace(operation, effects=replace(effects, added=tuple(files)))


def _restore(of: int) -> Operation:
    """It puts back file 32 with images of rows of a base file, which is there again without these."""
    metrics = {RESTORED_VERSION: 200}
    return _with_images(overwrite(1, 2, 32, removed=[33], deletes=[(31, of)], metrics=metrics), 32, of)


def test_images_that_a_restore_put_back_are_replaced_by_those_that_the_source_still_has() -> None:
    theirs = [overwrite(33, removed=[1, 2]), _restore(of=1)]
    mine = _with_images(update(11, deletes=[(12, 1)]), 11, of=1)
    replaced = _data([mine, _with_images(update(13, deletes=[(14, 11)]), 13, of=1)], theirs)
    assert replaced is not None
    assert replaced.row_work == (ReplaceImages(11, (11,), (32,)), ReplaceImages(13, (13,), (32,)))
    assert _data([mine, delete(removed=[11])], theirs) == DataPlan(bring_operations=(100,), attach_operations=(100,))
    unchanged = [overwrite(33, removed=[1, 2]), _restore(of=2)]
    assert _data([mine], unchanged) == DataPlan(bring_operations=(100,), attach_operations=(100,))


def test_images_of_rows_that_masks_had_taken_out_of_overwritten_files_are_told_apart() -> None:
    facts = {TABLE: TableFacts(masks={2: (9,), 3: (8,)})}
    source = [insert(11), update(16, deletes=[(17, 2), (18, 11)])]
    data = table_of(merged(source, [overwrite(31, removed=[1, 2])], facts=facts)).data
    assert data is not None
    assert data.row_work == (FilterImages(16, (2,), masks=((9, 2),)),)


def test_masks_that_a_restore_left_as_they_were_spare_no_rows() -> None:
    """A row that they mark lies in another file, for both sides."""
    mine = [compaction(11, inputs=[1, 2]), delete((12, 11))]
    for kept, spared in ((frozenset({31}), ()), (frozenset(), (31,))):
        restore = overwrite(1, 2, removed=[1, 2, 3], deletes=[(31, 1)], metrics={RESTORED_VERSION: 100})
        restore = replace(restore, effects=replace(effects_of(restore), kept=kept))
        data = _data(mine, [insert(3), restore, compaction(34, inputs=[1, 2])])
        assert data is not None
        assert data.row_work == (FollowDeletes((12,), 11, (34,), spared),)


def test_images_that_a_restore_put_back_stand_for_the_rows_that_it_left_out_of_their_file() -> None:
    mine, theirs = update(11, deletes=[(12, 1)]), [overwrite(33, removed=[1, 2]), _restore(of=1)]
    assert codes(merged([mine], [*theirs, delete(removed=[32])]).conflicts) == ["SAME_FILE_UPDATE_DELETE"]
    assert codes(merged([mine], [*theirs, update(34, removed=[32])]).conflicts) == ["SAME_FILE_UPDATE_UPDATE"]
    assert merged([update(11, deletes=[(12, 2)])], [*theirs, delete(removed=[32])]).conflicts == ()
    compacted = _data([delete((12, 1))], [*theirs, compaction(34, inputs=[1, 2, 32])])
    assert compacted is not None
    assert compacted.row_work == (FollowDeletes((12,), 1, (34,), (31,)),)


def test_images_of_rows_that_the_destination_had_deleted_when_it_restored_the_table_are_filtered() -> None:
    theirs = [
        delete((31, 1)),
        insert(32),
        overwrite(1, removed=[32], deletes=[(31, 1)], metrics={RESTORED_VERSION: 200}),
    ]
    data = _data([update(11, deletes=[(12, 1)])], theirs)
    assert data is not None
    assert data.row_work == (FilterImages(11, (1,), live_in=(1,)),)
    data = _data([update(11, deletes=[(12, 2)])], theirs)
    assert data is not None
    assert data.row_work == ()


# Overwrites of the source


def test_a_full_overwrite_removes_all_and_brings_what_came_since() -> None:
    source = [insert(11), delete((12, 1)), overwrite(13, removed=[1, 2, 11]), insert(14), delete((15, 14))]
    assert merged(source, [insert(31)]).conflicts != ()
    assert _data(source, [update(32, deletes=[(33, 1)])]) == DataPlan(
        remove_all=True, bring_operations=(102, 103), attach_operations=(104,)
    )


def test_a_partition_overwrite_removes_the_partitions() -> None:
    source = [overwrite(13, removed=[1], partitions=(("x",),))]
    assert _data(source, [insert(31, partition=("x",))]) == DataPlan(
        bring_operations=(100,), remove_partitions=(("x",),), remove_files=(1,)
    )


# Compaction


def test_a_compaction_of_unchanged_files_is_redone() -> None:
    assert _data([compaction(13, inputs=[1, 2])], [insert(31)]) == DataPlan(
        bring_operations=(100,), remove_files=(1, 2)
    )


def test_a_compaction_of_changed_files_is_skipped_and_its_new_inputs_brought() -> None:
    source = [insert(11), delete((12, 1)), compaction(13, inputs=[1, 11]), delete((14, 13))]
    result = merged(source, [update(32, deletes=[(31, 1)])])
    assert result.conflicts == ()
    data = table_of(result).data
    assert data == DataPlan(
        bring_operations=(100,),
        bring_files=(11,),
        attach_operations=(101, 103),
        row_work=(FollowDeletes((14,), 13, (1, 11)), CountKeptRows((12, 14), (), images=(32,), holders=(32,))),
    )
    assert codes(result.notes) == ["COMPACTION_SKIPPED"]
    assert [operation.version for operation in table_of(result).operations] == [100, 101, 103]


def test_a_file_emptied_after_a_skipped_compaction_is_followed_whole() -> None:
    source = [compaction(13, inputs=[1, 2]), delete(removed=[13])]
    data = table_of(merged(source, [delete((31, 1))])).data
    assert data == DataPlan(row_work=(FollowDeletes((), 13, (1, 2)),))


def test_overlapping_compactions_skip_the_sources() -> None:
    result = merged([compaction(13, inputs=[1, 2])], [compaction(33, inputs=[2, 3])])
    assert (table_of(result).action, codes(result.notes)) == (Action.UNTOUCHED, ["COMPACTION_SKIPPED"])


def test_rows_are_followed_into_files_that_the_destination_compacted() -> None:
    theirs = [compaction(33, inputs=[1, 2]), compaction(34, inputs=[33])]
    data = _data([update(11, deletes=[(12, 1)]), delete((13, 1), removed=[2])], theirs)
    assert data == DataPlan(
        bring_operations=(100,),
        attach_operations=(100, 101),
        row_work=(FollowDeletes((12,), 1, (34,)), FollowDeletes((13,), 1, (34,)), FollowDeletes((), 2, (34,))),
    )


def test_what_an_update_and_then_a_delete_took_of_one_file_is_followed_by_operation() -> None:
    """A branch that has learned of the one does that alone to rows that it has elsewhere."""
    theirs = [compaction(33, inputs=[1, 2])]
    data = _data([update(11, deletes=[(12, 1)]), delete(removed=[1])], theirs)
    assert data is not None
    assert data.row_work == (FollowDeletes((12,), 1, (33,)), FollowDeletes((), 1, (33,), spared_deletes=(12,)))


def test_a_row_that_the_destination_updated_and_compacted_keeps_its_image() -> None:
    theirs = [update(32, deletes=[(31, 1)]), compaction(33, inputs=[1, 32])]
    data = _data([delete((13, 1))], theirs)
    assert data is not None
    assert data.row_work == (
        FollowDeletes((13,), 1, (33,), spared_deletes=(31,)),
        CountKeptRows((13,), (), images=(32,), holders=(33,)),
    )


def test_rows_compacted_and_then_overwritten_on_the_destination_are_gone() -> None:
    result = merged([delete((13, 1))], [compaction(33, inputs=[1]), overwrite(34, removed=[33], partitions=(("x",),))])
    assert (table_of(result).action, codes(result.notes)) == (Action.UNTOUCHED, ["DISCARDED_DELETE"])


# Partitions

X, Y = ("x",), ("y",)


def test_a_dropped_partition_goes_with_what_the_destination_wrote_there() -> None:
    result = merged([partition(X, None, removed=[1])], [insert(31, partition=X)])
    assert table_of(result).data == DataPlan(remove_partitions=(X,), remove_files=(1,))
    assert codes(result.notes) == ["DROPS_DEST_CHANGES"]


def test_source_rows_for_a_partition_that_the_destination_dropped() -> None:
    result = merged([insert(11, partition=X)], [partition(X, None, removed=[1])])
    assert table_of(result).data == DataPlan(bring_operations=(100,))
    result = merged([update(11, deletes=[(12, 1)])], [partition(X, None, removed=[1])])
    assert (table_of(result).action, codes(result.notes)) == (Action.UNTOUCHED, ["DISCARDED_UPDATE"])
    assert result.notes[0].note == "P"


def test_both_add_one_partition() -> None:
    result = merged([partition(None, X)], [partition(None, X)])
    assert result.conflicts == ()
    assert table_of(result).after.declared_partitions == {X}  # type: ignore[union-attr]


def test_a_renamed_partition_is_a_conflict_when_dropped_or_its_new_value_filled() -> None:
    renamed = partition(X, Y, new=[11], removed=[1])
    assert codes(merged([renamed], [partition(X, None, removed=[1])]).conflicts) == ["PARTITION_DROPPED_ON_DEST"]
    result = merged([renamed], [insert(31, partition=Y)])
    assert (codes(result.conflicts), cells(result, Verdict.CONFLICT)) == (
        ["PARTITION_EXISTS"],
        [("partition", "insert")],
    )
    assert codes(merged([renamed], [partition(None, Y)]).conflicts) == ["PARTITION_EXISTS"]
    assert merged([renamed], [insert(31, partition=("z",))]).conflicts == ()
    freed = [partition(Y, None, removed=[2]), renamed]
    assert merged(freed, [insert(31, partition=Y)]).conflicts == ()


def test_a_renamed_partition_takes_along_what_the_destination_wrote_there() -> None:
    renamed = partition(X, Y, new=[11], removed=[1])
    assert _data([renamed]) == DataPlan(bring_operations=(100,), remove_files=(1,))
    assert _data([renamed], [insert(31, partition=X)], partition_of={1: X}) == DataPlan(
        bring_operations=(100,),
        bring_except=frozenset({11}),
        remove_files=(1, 31),
        row_work=(RepartitionFile(1, Y), RepartitionFile(31, Y)),
    )
