"""Rows merged by primary key on Spark where sides overwrote or dropped partitions: judged as the model says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from catalog_app.domain.row_merge import RowMerge, Sweep, Sweeps
from catalog_app.engine import row_merging
from catalog_app.selectors.snapshots import branch_get, catalog_get
from merge_app.execution.row_merges import compared_rows_load
from tests.e2e.lake import Lake
from tests.e2e.row_grids import SHAPES, grid_create, grid_fill, grid_table_id, judged_and_written, outcome, place
from tests.soak import IS_SOAK
from tests.stateful.row_model import Merged, Sights

STATES = [
    (shapes, is_fresh)
    for shapes in itertools.product(SHAPES, repeat=3)
    for is_fresh in ((False, True) if shapes[0] and shapes[2] else (False,))
]
"""Base, source and destination of each row, and whether the destination has it as a new row."""
ONE, OTHER = frozenset({("1",)}), frozenset({("2",)})
SWEEPS = [
    Sweeps(Sweep(ONE)),
    Sweeps(destination=Sweep(ONE)),
    Sweeps(destination=Sweep(None)),
    Sweeps(destination=Sweep(None, puts_back=True)),
    Sweeps(Sweep(ONE), Sweep(OTHER)),
]


@pytest.fixture(scope="module")
def swept(services: None) -> Lake:
    """Table d.k: branch b has the source's rows and main the destination's. Nothing is merged in it."""
    base, source, destination = zip(*(shapes for shapes, _ in STATES), strict=True)
    lake = grid_create(base)
    lake.sql("CREATE BRANCH b")
    fresh = (str(key) for key, (_, is_fresh) in enumerate(STATES) if is_fresh)
    lake.sql(f"DELETE FROM d.k WHERE id IN ({', '.join(fresh)})")
    grid_fill(lake, "b", source)
    grid_fill(lake, "main", destination)
    return lake


def task_of(lake: Lake, sweeps: Sweeps) -> RowMerge:
    catalog = catalog_get(lake.catalog)
    found = compared_rows_load(branch_get(catalog, "b"), branch_get(catalog, "main"), grid_table_id(lake))
    return replace(found, sweeps=sweeps)


def outcomes(task: RowMerge) -> Iterator[tuple[Sights, Merged]]:
    for key, ((base, source, destination), is_fresh) in enumerate(STATES):
        yield outcome(
            task,
            key,
            (
                place("base", key, base),
                place("base" if base else "source", key, source),
                place("base" if base and not is_fresh else "destination", key, destination),
            ),
        )


TRIED = SWEEPS if IS_SOAK else SWEEPS[2:]
"""The last one holds the first two."""


@pytest.mark.parametrize(("sweeps", "few"), [*((sweeps, row_merging.FEW_ROWS) for sweeps in TRIED), (SWEEPS[-1], 0)])
def test_rows_are_judged_and_written_as_the_model_says(
    swept: Lake, sweeps: Sweeps, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(swept, sweeps)
    judged_and_written(task, outcomes(task), few, monkeypatch)
