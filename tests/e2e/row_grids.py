"""A table with one row for each combination of what a row may be on every branch, and Spark beside the model on it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import RowMerge
from catalog_app.engine import joining, marks, row_merging
from lakeui.frontdoor import compute
from tests.e2e.lake import Lake
from tests.soak import IS_SOAK
from tests.stateful.row_model import Merged, Place, Sights, row_merged, swept_sights

Shape = tuple[int, int] | None
"""A cell and the partition of a row; None where it is not there."""
SHAPES: tuple[Shape, ...] = (None, (1, 1), (2, 1), (1, 2))


def grid_create(shapes: Sequence[Shape]) -> Lake:
    """A lake whose table d.k has these rows on main, each with its place among them as its key."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v INT, p INT) PARTITIONED BY (p)")
    lake.sql(f"INSERT INTO d.k SELECT * FROM VALUES {_values(shapes)} AS s(id, v, p)")
    return lake


def grid_fill(lake: Lake, branch: str, shapes: Sequence[Shape]) -> None:
    """Make the rows of a branch these, under the ids that they have."""
    lake.sql(
        f"MERGE INTO d.k USING (SELECT * FROM VALUES {_values(shapes)} AS s(id, v, p)) AS s ON k.id = s.id "
        "WHEN MATCHED AND NOT (k.v <=> s.v AND k.p <=> s.p) THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
        branch,
    )


def _values(shapes: Sequence[Shape]) -> str:
    found = [(key, *shape) for key, shape in enumerate(shapes) if shape is not None]
    return ", ".join(f"({key}, {v}, {p})" for key, v, p in found)


def grid_table_id(lake: Lake) -> int:
    (table_id,) = [int(row[2]) for row in lake.sql("SHOW TABLES IN d").rows if row[1] == "k"]
    return table_id


def place(identity: str, key: int, shape: Shape) -> Place | None:
    """Where the row of a key lies; ``identity`` tells rows of one key apart that were inserted on their own."""
    return None if shape is None else Place(identity, (str(shape[1]),), {1: key, 2: shape[0], 3: shape[1]})


def outcome(task: RowMerge, key: int, places: tuple[Place | None, Place | None, Place | None]) -> tuple[Sights, Merged]:
    """What the model makes of a row in base, source and destination."""
    sights, is_discarded = swept_sights(task.sweeps, places)
    merged = row_merged(task.schema.columns, json.dumps({"id": key}, separators=(",", ":")), sights)
    return sights, replace(merged, is_discarded=is_discarded)


def rows_are_few_up_to(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many rows pass through this process; with 0 Spark also divides rows for joins, and looks deleted ones up."""
    monkeypatch.setattr(row_merging, "FEW_ROWS", few)
    if few == 0:
        monkeypatch.setattr(joining, "FEW_TOGETHER", 0)
        monkeypatch.setattr(marks, "FEW_MARKS", 0)


def judged_and_written(
    task: RowMerge, outcomes: Iterable[tuple[Sights, Merged]], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark counts and writes what the model says; from ``few`` rows on they are too many for this process."""
    if task.further and not IS_SOAK:
        monkeypatch.setattr(row_merging, "FEW_ROWS", few)
    else:
        rows_are_few_up_to(few, monkeypatch)
    found = compute.engine().rows_judge(task)
    changes: Counter[OperationKind] = Counter()
    discarded: Counter[OperationKind] = Counter()
    conflicts = 0
    for (_, source, destination), merged in outcomes:
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
