"""Files that a condition on row ids leaves out, by the ids that they store and the addresses that they own."""

from __future__ import annotations

import pytest

from catalog_app.domain.files import ColumnStatistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.constants import whole_constant
from catalog_app.pruning.predicates import Compared, Predicate, all_of, any_of
from catalog_app.selectors.segments import SegmentState
from lakeui.frontdoor.expressions.pruning import pruned

COLUMNS = [Column(1, "id", "int")]


def segment(base: int, stored: tuple[int, int] | None = None) -> SegmentState:
    """Of ten rows, whose column ``id`` has the values 1 to 10."""
    return SegmentState(
        segment_id=base,
        file_id=base,
        path=f"base={base}/f.parquet",
        base=base,
        rows=10,
        bytes=1,
        partition=(),
        statistics={1: ColumnStatistics(1, 10, 0)},
        stores_row_ids=stored is not None,
        definition_id=1,
        schema_version=1,
        is_visible=True,
        added_version=1,
        delete_paths=(),
        deleted_rows=0,
        row_ids=stored or (base, base + 9),
    )


FILES = [segment(0), segment(10), segment(20, stored=(3, 5))]


def row_id(operator: str, *values: int) -> Predicate:
    return Compared("_Row_Id", operator, tuple(map(whole_constant, values)))


@pytest.mark.parametrize(
    ("predicate", "kept"),
    [
        (row_id("=", 4), [0, 20]),
        (row_id("=", 9), [0]),
        (row_id("in", 12, 100), [10]),
        (row_id("=", 30), []),
        (row_id("<", 3), [0]),
        (row_id(">", 15), [10, 20]),
        (all_of([row_id("=", 4), Compared("id", ">", (whole_constant(10),))]), []),
        (any_of([row_id("=", 12), Compared("id", "=", (whole_constant(3),))]), [0, 10, 20]),
    ],
)
def test_ranges_of_ids_choose_files(predicate: Predicate, kept: list[int]) -> None:
    assert [found.base for found in pruned(FILES, COLUMNS, predicate)] == kept


def test_rows_without_stored_ids_are_kept() -> None:
    """A file may store ids of some rows alone: the others have their addresses."""
    assert [found.base for found in pruned(FILES, COLUMNS, row_id("=", 27))] == [20]


def test_an_own_column_of_the_name_counts() -> None:
    own = [*COLUMNS, Column(2, "_ROW_ID", "int")]
    assert pruned(FILES, own, row_id("=", 30)) == FILES
