"""Rows merged by primary key on Spark where the sides met last in two places: judged as the model says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from catalog_app.domain.row_merge import NO_SWEEPS, RowMerge, Sweep, Sweeps
from catalog_app.engine import row_merging
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from merge_app.execution.row_merges import three_snapshots_load
from merge_app.planning.values import MergeRows
from tests.e2e.lake import Lake
from tests.e2e.row_grids import SHAPES, grid_create, grid_fill, grid_table_id, judged_and_written, outcome, place
from tests.stateful.row_model import Merged, Sights

STATES = list(itertools.product(SHAPES, repeat=5))
"""A row on main, from which all branches come, and on each of them."""
BRANCHES = ("newest", "other", "source", "destination")
ONE, OTHER = frozenset({("1",)}), frozenset({("2",)})


@pytest.fixture(scope="module")
def spread(services: None) -> Lake:
    """Table d.k with the rows of each branch on it."""
    on_main, *on_branches = zip(*STATES, strict=True)
    lake = grid_create(on_main)
    for branch, shapes in zip(BRANCHES, on_branches, strict=True):
        lake.sql(f"CREATE BRANCH {branch}")
        grid_fill(lake, branch, shapes)
    return lake


def task_of(lake: Lake, sweeps: Sweeps) -> RowMerge:
    """Source merged into destination as if they had met last on newest and on other, and these on main."""
    catalog = catalog_get(lake.catalog)
    before, newest, other, source, destination = (
        branch_snapshot(branch_get(catalog, name)) for name in ("main", *BRANCHES)
    )
    table_id = grid_table_id(lake)
    work = MergeRows(tables_load(newest, [table_id])[table_id].schema, (), sweeps)
    beside = three_snapshots_load(table_id, work, before, other, newest)
    merge = three_snapshots_load(table_id, work, newest, source, destination)
    return RowMerge(table_id, work.schema, merge.base, merge.source, merge.destination, (), sweeps, (beside,))


def outcomes(task: RowMerge) -> Iterator[tuple[Sights, Merged]]:
    """The base is what newest has, or what other made of it where newest changed nothing."""
    for key, shapes in enumerate(STATES):
        newest, other, source, destination = (
            place("main" if shapes[0] else branch, key, shape)
            for branch, shape in zip(BRANCHES, shapes[1:], strict=True)
        )
        if newest or source or destination:
            yield outcome(task, key, (other if shapes[1] == shapes[0] else newest, source, destination))


@pytest.mark.parametrize(("sweeps", "few"), [(NO_SWEEPS, row_merging.FEW_ROWS), (Sweeps(Sweep(ONE), Sweep(OTHER)), 0)])
def test_rows_are_judged_and_written_as_the_model_says(
    spread: Lake, sweeps: Sweeps, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(spread, sweeps)
    judged_and_written(task, outcomes(task), few, monkeypatch)
