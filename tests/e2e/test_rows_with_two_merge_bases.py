"""Rows merged by primary key on Spark where the sides met last in two places: judged as the model says."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import pytest

from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import NO_SWEEPS, RowMerge, Sweep, Sweeps
from catalog_app.engine import row_merging
from catalog_app.selectors.lineage import branch_get, branch_lineage, catalog_get
from catalog_app.selectors.objects import tables_load
from lakeui.frontdoor import compute
from merge_app.execution.row_merges import sights_load
from merge_app.planning.values import MergeRows
from tests.e2e.lake import Lake
from tests.stateful.row_model import Place, row_merged, swept_sights

SHAPES = (None, (1, 1), (2, 1), (1, 2))
"""A cell and the partition of a row; None where it is not there."""
STATES = list(itertools.product(SHAPES, repeat=5))
"""A row on main, from which all branches come, and on each of them. The key is the place."""
BRANCHES = ("newest", "other", "source", "destination")
ONE, OTHER = frozenset({("1",)}), frozenset({("2",)})


def rows_of(sight: int) -> str:
    """All rows of a sight as VALUES."""
    found = [(key, *shapes[sight]) for key, shapes in enumerate(STATES) if shapes[sight]]
    return ", ".join(f"({key}, {v}, {p})" for key, v, p in found)


@pytest.fixture(scope="module")
def spread(services: None) -> Lake:
    """Table d.k with the rows of each branch on it."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v INT, p INT) PARTITIONED BY (p)")
    lake.sql(f"INSERT INTO d.k SELECT * FROM VALUES {rows_of(0)} AS s(id, v, p)")
    for sight, branch in enumerate(BRANCHES, start=1):
        lake.sql(f"CREATE BRANCH {branch}")
        lake.sql(
            f"MERGE INTO d.k USING (SELECT * FROM VALUES {rows_of(sight)} AS s(id, v, p)) AS s ON k.id = s.id "
            "WHEN MATCHED AND NOT (k.v <=> s.v AND k.p <=> s.p) THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE THEN DELETE",
            branch,
        )
    return lake


def task_of(lake: Lake, sweeps: Sweeps) -> RowMerge:
    """Source merged into destination as if they had met last on newest and on other, and these on main."""
    catalog = catalog_get(lake.catalog)
    before, newest, other, source, destination = (
        branch_lineage(branch_get(catalog, name)) for name in ("main", *BRANCHES)
    )
    (table_id,) = [int(row[2]) for row in lake.sql("SHOW TABLES IN d").rows if row[1] == "k"]
    work = MergeRows(tables_load(newest, [table_id])[table_id].schema, (), sweeps)
    beside = sights_load(table_id, work, before, other, newest)
    merge = sights_load(table_id, work, newest, source, destination)
    return RowMerge(table_id, work.schema, merge.base, merge.source, merge.destination, (), sweeps, (beside,))


@pytest.mark.parametrize(("sweeps", "few"), [(NO_SWEEPS, row_merging.FEW_ROWS), (Sweeps(Sweep(ONE), Sweep(OTHER)), 0)])
def test_rows_are_judged_and_written_as_the_model_says(
    spread: Lake, sweeps: Sweeps, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where rows are too many for this process, and Spark counts them."""
    monkeypatch.setattr(row_merging, "FEW_ROWS", few)
    task = task_of(spread, sweeps)
    found = compute.engine().rows_judge(task)
    changes: Counter[OperationKind] = Counter()
    discarded: Counter[OperationKind] = Counter()
    conflicts = 0
    for key, shapes in enumerate(STATES):
        newest, other, mine, theirs = (
            None
            if shape is None
            else Place(side if shapes[0] is None else "main", (str(shape[1]),), {1: key, 2: shape[0], 3: shape[1]})
            for side, shape in zip(BRANCHES, shapes[1:], strict=True)
        )
        if not (newest or mine or theirs):
            continue
        base = other if shapes[1] == shapes[0] else newest
        (of_base, source, destination), is_discarded = swept_sights(sweeps, (base, mine, theirs))
        merged = row_merged(task.schema.columns, json.dumps({"id": key}), (of_base, source, destination))
        conflicts += bool(merged.conflicting)
        if is_discarded:
            discarded[OperationKind.UPDATE if source else OperationKind.DELETE] += 1
        if not merged.left and merged.row != destination:
            kind = OperationKind.INSERT if destination is None else OperationKind.UPDATE
            changes[OperationKind.DELETE if merged.row is None else kind] += 1
    assert found.changes == changes
    assert found.discarded == discarded
    assert sum(item.rows for item in found.conflicts) == conflicts
    written = compute.engine().rows_merge(task)
    rows = Counter({kind: 0 for kind, _ in written.files})
    for kind, file in written.files:
        rows[kind] += file.rows
    assert rows == Counter({kind: changes[kind] for kind in (OperationKind.INSERT, OperationKind.UPDATE)})
