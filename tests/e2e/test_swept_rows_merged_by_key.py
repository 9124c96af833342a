"""Rows merged by primary key on Spark where sides overwrote or dropped partitions: judged as the model says."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import RowMerge, Sweep, Sweeps
from catalog_app.engine import row_merging
from catalog_app.selectors.lineage import branch_get, catalog_get
from lakeui.frontdoor import compute
from merge_app.execution.row_merges import compared_rows_load
from tests.e2e.lake import Lake
from tests.stateful.row_model import Merged, Place, Sights, row_merged, swept_sights

SHAPES = (None, (1, 1), (2, 1), (1, 2))
"""A cell and the partition of a row; None where it is not there."""
STATES = [
    (*shapes, is_fresh)
    for shapes in itertools.product(SHAPES, repeat=3)
    for is_fresh in ((False, True) if shapes[0] and shapes[2] else (False,))
]
"""Base, source and destination of each row, and whether the destination has it as a new row. The key is the place."""
ONE, OTHER = frozenset({("1",)}), frozenset({("2",)})
SWEEPS = [
    Sweeps(Sweep(ONE)),
    Sweeps(destination=Sweep(ONE)),
    Sweeps(destination=Sweep(None)),
    Sweeps(destination=Sweep(None, puts_back=True)),
    Sweeps(Sweep(ONE), Sweep(OTHER)),
]


def rows_of(side: int) -> str:
    """All rows of a sight as VALUES."""
    found = [(key, *shapes[side]) for key, shapes in enumerate(STATES) if shapes[side]]
    return ", ".join(f"({key}, {v}, {p})" for key, v, p in found)


@pytest.fixture(scope="module")
def swept(services: None) -> Lake:
    """Table d.k: branch b has the source's rows and main the destination's. Nothing is merged in it."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v INT, p INT) PARTITIONED BY (p)")
    lake.sql(f"INSERT INTO d.k SELECT * FROM VALUES {rows_of(0)} AS s(id, v, p)")
    lake.sql("CREATE BRANCH b")
    fresh = [key for key, shapes in enumerate(STATES) if shapes[3]]
    lake.sql(f"DELETE FROM d.k WHERE id IN ({', '.join(map(str, fresh))})")
    for side, branch in ((1, "b"), (2, "main")):
        lake.sql(
            f"MERGE INTO d.k USING (SELECT * FROM VALUES {rows_of(side)} AS s(id, v, p)) AS s ON k.id = s.id "
            "WHEN MATCHED AND NOT (k.v <=> s.v AND k.p <=> s.p) THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE THEN DELETE",
            branch,
        )
    return lake


def task_of(lake: Lake, sweeps: Sweeps) -> RowMerge:
    catalog = catalog_get(lake.catalog)
    (table_id,) = [int(row[2]) for row in lake.sql("SHOW TABLES IN d").rows if row[1] == "k"]
    found = compared_rows_load(branch_get(catalog, "b"), branch_get(catalog, "main"), table_id)
    return replace(found, sweeps=sweeps)


def expected(task: RowMerge) -> Iterator[tuple[Sights, Merged]]:
    for key, (*shapes, is_fresh) in enumerate(STATES):
        ids = ("base", "base" if shapes[0] else "source", "base" if shapes[0] and not is_fresh else "destination")
        places = [
            None if shape is None else Place(identity, (str(shape[1]),), {1: key, 2: shape[0], 3: shape[1]})
            for identity, shape in zip(ids, shapes, strict=True)
        ]
        sights, is_discarded = swept_sights(task.sweeps, (places[0], places[1], places[2]))
        merged = row_merged(task.schema.columns, json.dumps({"id": key}, separators=(",", ":")), sights)
        yield sights, replace(merged, is_discarded=is_discarded)


@pytest.mark.parametrize(("sweeps", "few"), [*((sweeps, row_merging.FEW_ROWS) for sweeps in SWEEPS), (SWEEPS[-1], 0)])
def test_rows_are_judged_and_written_as_the_model_says(
    swept: Lake, sweeps: Sweeps, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where rows are too many for this process, and Spark counts them."""
    monkeypatch.setattr(row_merging, "FEW_ROWS", few)
    task = task_of(swept, sweeps)
    found = compute.engine().rows_judge(task)
    changes: Counter[OperationKind] = Counter()
    discarded: Counter[OperationKind] = Counter()
    conflicts = 0
    for (_, source, destination), merged in expected(task):
        conflicts += bool(merged.conflicting)
        if merged.is_discarded:
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
