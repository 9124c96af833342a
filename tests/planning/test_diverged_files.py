"""Files that an earlier merge left behind stand for those that hold their rows on the destination."""

from __future__ import annotations

from merge_app.planning.values import DataPlan, DivergedFile, FilterImages, FollowDeletes, TableFacts
from tests.planning.build import TABLE, added, codes, compaction, delete, insert, merged, overwrite, table_of, update

LEFT_BEHIND = {"facts": {TABLE: TableFacts(diverged=(DivergedFile(added(5), (added(1), added(2))),))}}


def test_deletes_in_a_diverged_file_are_followed_to_its_holders() -> None:
    data = table_of(merged([delete((11, 5))], **LEFT_BEHIND)).data
    assert data == DataPlan(attach_operations=(100,), row_work=(FollowDeletes((11,), 5, (1, 2)),))


def test_a_compaction_of_a_diverged_file_is_skipped_and_only_that_one_is_noted() -> None:
    result = merged([insert(6), compaction(7, inputs=[5, 6])], **LEFT_BEHIND)
    assert table_of(result).data == DataPlan(bring_operations=(100,), bring_files=(6,))
    assert codes(result.notes) == ["COMPACTION_SKIPPED"]
    assert codes(merged([delete((11, 5))], **LEFT_BEHIND).notes) == []


def test_what_the_source_did_to_a_holder_that_it_has_too_is_redone() -> None:
    data = table_of(merged([delete((11, 5)), update(12, removed=[1])], **LEFT_BEHIND)).data
    assert data is not None
    assert data.remove_files == (1,)


def test_a1_and_a3_compare_the_holders() -> None:
    source = [update(12, deletes=[(11, 5)])]
    assert codes(merged(source, [delete((31, 1))], **LEFT_BEHIND).conflicts) == ["SAME_FILE_UPDATE_DELETE"]
    assert codes(merged(source, [delete((31, 3))], **LEFT_BEHIND).conflicts) == []


def test_images_of_rows_that_an_overwrite_took_from_a_holder_are_filtered() -> None:
    theirs = [overwrite(31, removed=[1], partitions=(("x",),))]
    data = table_of(merged([update(12, deletes=[(11, 5)])], theirs, **LEFT_BEHIND)).data
    assert data is not None
    assert FilterImages(12, (1,)) in data.row_work
    assert data.bring_except == {12}
