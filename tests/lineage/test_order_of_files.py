"""The plan of one merge is the same in each process, in whatever order the database answers."""

from __future__ import annotations

from itertools import permutations

from merge_app.lineage.segments import FileSide, Gone, Group, ShownFile, Stamp, groups


def shown(file_id: int) -> ShownFile:
    """All begin with one row id, as an update that rewrites the first row of a file does."""
    return ShownFile(file_id, file_id, 2, 0, 1, (), Stamp(file_id, "update"))


def test_files_of_one_range_stand_in_one_order() -> None:
    files = [shown(number) for number in (1, 2, 3)]
    gone = [Gone(1, 0, 1, Stamp(2, "update"), delete) for delete in (None, 7, 8)]
    found: list[list[Group]] = [
        groups(FileSide(ordered, taken, frozenset({2, 3})), FileSide(ordered, taken, frozenset()))
        for ordered in permutations(files)
        for taken in permutations(gone)
    ]
    assert all(each == found[0] for each in found)
