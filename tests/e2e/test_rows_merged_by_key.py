"""Rows of tables with a primary key on Spark: what files hold is judged as the model says, in both physical modes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence

import pytest

from catalog_app.domain.row_merge import RowChoice, RowMerge, Take
from catalog_app.engine import row_merging
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.frontdoor import compute
from merge_app.execution.row_merges import compared_rows_load
from tests.e2e.lake import Lake
from tests.e2e.row_grids import rows_are_few_up_to
from tests.soak import IS_SOAK
from tests.stateful.row_model import Merged, Row, row_merged

MODES = ("merge-on-read", "copy-on-write")
SHAPES = (None, (1, None), (1, 1), (1, 2), (2, 1))
"""What a row holds besides its key; None where it is not there."""
STATES = list(itertools.product(SHAPES, repeat=3))
"""Base, source and destination of each row: every way in which they can differ. The key is the place."""
CHOICES = (
    (),
    (RowChoice(Take.SOURCE),),
    (RowChoice(Take.DESTINATION),),
    (RowChoice(Take.LARGER),),
    (RowChoice(Take.NEWEST, value="n"),),
    (
        *(RowChoice(Take.EDITED, f'{{"id":{key}}}', value='{"v": 9}') for key in range(0, len(STATES), 3)),
        *(RowChoice(Take.EDITED, f'{{"id":{key}}}', 3, "8") for key in range(0, len(STATES), 2)),
        *(RowChoice(Take.SOURCE, f'{{"id":{key}}}') for key in range(1, len(STATES), 3)),
    ),
)

A_FEW = ((), CHOICES[4], (*CHOICES[3], *CHOICES[5], RowChoice(Take.DESTINATION, '{"id":2}')))
"""Every way to decide, in as few questions to Spark as there can be: of a rule the rows that nobody decided."""
COMPARED = (CHOICES[0], CHOICES[3], CHOICES[5], A_FEW[2])

ALL_WAYS = list(itertools.product(MODES, (0, row_merging.FEW_ROWS)))


def rows_of(side: int) -> str:
    """All rows of a sight as VALUES."""
    found = [(key, *shapes[side]) for key, shapes in enumerate(STATES) if shapes[side] is not None]
    return ", ".join(f"({key}, {v}, {'NULL' if n is None else n})" for key, v, n in found)


@pytest.fixture
def keyed(lake: Lake, request: pytest.FixtureRequest) -> Lake:
    """Table d.k with the base's rows in two files; branch b has the source's rows and main the destination's."""
    properties = f"'write.merge.mode' = '{request.param}'"
    lake.sql(f"CREATE TABLE d.k (id INT PRIMARY KEY, v INT, n INT) TBLPROPERTIES ({properties})")
    lake.sql(f"INSERT INTO d.k SELECT * FROM VALUES {rows_of(0)} AS s(id, v, n) WHERE id % 2 = 0")
    lake.sql(f"INSERT INTO d.k SELECT * FROM VALUES {rows_of(0)} AS s(id, v, n) WHERE id % 2 = 1")
    lake.sql("CREATE BRANCH b")
    for side, branch in ((1, "b"), (2, "main")):
        lake.sql(
            f"MERGE INTO d.k USING (SELECT * FROM VALUES {rows_of(side)} AS s(id, v, n)) AS s ON k.id = s.id "
            "WHEN MATCHED AND NOT (k.v <=> s.v AND k.n <=> s.n) THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE THEN DELETE",
            branch,
        )
    return lake


def task_of(lake: Lake, choices: tuple[RowChoice, ...] = ()) -> RowMerge:
    catalog = catalog_get(lake.catalog)
    table = lake.sql("SHOW TABLES IN d").rows
    (table_id,) = [int(row[2]) for row in table if row[1] == "k"]
    found = compared_rows_load(branch_get(catalog, "b"), branch_get(catalog, "main"), table_id)
    return RowMerge(found.table_id, found.schema, found.base, found.source, found.destination, choices)


def expected(task: RowMerge) -> Iterator[tuple[int, tuple[Row, Row, Row], Merged]]:
    ids = [column.id for column in task.schema.columns]
    for key, shapes in enumerate(STATES):
        sights = tuple(None if shape is None else dict(zip(ids, (key, *shape), strict=True)) for shape in shapes)
        assert len(sights) == 3
        yield (
            key,
            sights,
            row_merged(task.schema.columns, json.dumps({"id": key}, separators=(",", ":")), sights, task.choices),
        )


def judged_as_the_model_says(keyed: Lake, chosen: Sequence[tuple[RowChoice, ...]]) -> None:
    for choices in chosen:
        task = task_of(keyed, choices)
        found = compute.engine().rows_judge(task)
        merged = list(expected(task))
        assert sum(item.rows for item in found.conflicts) == sum(bool(m.conflicting) for _, _, m in merged)
        assert sum(item.left for item in found.conflicts) == sum(bool(m.left) for _, _, m in merged)
        changed = [m for _, (_, _, destination), m in merged if not m.left and m.row != destination]
        assert sum(found.changes.values()) == len(changed)
        if choices not in COMPARED:
            continue
        page = compute.engine().rows_compare(task, limit=len(STATES), behind=None, only_conflicts=True)
        clashing = {key: m for key, _, m in merged if m.conflicting}
        assert {json.loads(row[0])["id"] for row in page.rows} == set(clashing)
        for row in page.rows:
            made = clashing[json.loads(row[0])["id"]]
            wanted = None if made.left or made.row is None else list(made.row.values())
            assert (row[-len(task.schema.columns) :] if row[8] else None) == wanted


@pytest.mark.parametrize(("keyed", "few"), ALL_WAYS if IS_SOAK else ALL_WAYS[1:3], indirect=["keyed"])
def test_every_way_in_which_rows_differ_is_judged_and_merged_as_the_model_says(
    keyed: Lake, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where rows are too many for this process: Spark counts them, and writes them from a staging folder."""
    # How files were written changes no judgement; each choice is judged once.
    judged_as_the_model_says(keyed, CHOICES if IS_SOAK else A_FEW if few else ())
    rows_are_few_up_to(few, monkeypatch)
    conflicting = [key for key, _, merged in expected(task_of(keyed)) if merged.conflicting]
    for conflict in keyed.refused("b"):
        assert conflict["code"] == "PRIMARY_KEY_CLASH"
    # What both sides took away conflicts no more.
    keys = ", ".join(map(str, conflicting))
    keyed.sql(f"DELETE FROM d.k WHERE id IN ({keys})", "b")
    keyed.sql(f"DELETE FROM d.k WHERE id IN ({keys})")
    wanted = [
        (key, *(value for identifier, value in merged.row.items() if identifier != 1))
        for key, _, merged in expected(task_of(keyed))
        if merged.row is not None and not merged.conflicting
    ]
    keyed.merge("b")
    assert keyed.rows("d.k") == sorted(wanted, key=repr)
    assert keyed.breaches() == []
    if IS_SOAK or few:
        keyed.merge("main", "b")
        assert keyed.rows("d.k", "b") == keyed.rows("d.k")


def test_what_the_plan_judged_is_what_the_merge_writes(lake: Lake) -> None:
    """Also where the target changed a row between the dry run and the merge."""
    lake.sql("CREATE TABLE d.w (id INT PRIMARY KEY, v INT NOT NULL, n INT)")
    lake.sql("INSERT INTO d.w VALUES (1, 1, 1), (2, 2, 2)")
    lake.sql("CREATE BRANCH e")
    lake.sql("UPDATE d.w SET v = 10 WHERE id < 3", "e")
    lake.sql("UPDATE d.w SET n = 20 WHERE id = 1")
    lake.merge("e")
    assert lake.rows("d.w") == [(1, 10, 20), (2, 10, 2)]
    lake.sql("UPDATE d.w SET v = 11 WHERE id = 1", "e")
    lake.sql("UPDATE d.w SET n = 21 WHERE id = 1")
    lake.dry_run("e")
    lake.sql("UPDATE d.w SET n = 22 WHERE id = 2")
    lake.merge("e")
    assert lake.rows("d.w") == [(1, 11, 21), (2, 10, 22)]
