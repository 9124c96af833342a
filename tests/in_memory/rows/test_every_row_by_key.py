"""Rows with a primary key: every way in which base, source and target differ, beside the model of one row."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.row_merge import RowChoice, Take
from catalog_app.domain.schema import Column
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.api.compare.comparing import Pair
from lakeui.api.compare.row_comparing import sides_read
from lakeui.api.http.paging import KeysetPage
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from tests.support.lake import Lake
from tests.support.row_model import Merged, Sides, row_merged

COLUMNS = [Column(1, "id", "int"), Column(2, "v", "int"), Column(3, "n", "int")]
SHAPES = (None, (1, None), (1, 1), (1, 2), (2, 1))
"""What a row holds besides its key; None where it is not there."""
STATES = list(itertools.product(SHAPES, repeat=3))
"""Base, source and target of each row. The key is the place."""
CHOICES = {
    "nothing": (),
    "source": (RowChoice(Take.SOURCE),),
    "target": (RowChoice(Take.DESTINATION),),
    "larger": (RowChoice(Take.LARGER),),
    "newest": (RowChoice(Take.NEWEST, value="n"),),
    "edited": (
        *(RowChoice(Take.EDITED, f'{{"id":{key}}}', value='{"v": 9}') for key in range(0, len(STATES), 3)),
        *(RowChoice(Take.EDITED, f'{{"id":{key}}}', 3, "8") for key in range(0, len(STATES), 2)),
        *(RowChoice(Take.SOURCE, f'{{"id":{key}}}') for key in range(1, len(STATES), 3)),
    ),
}
DECISIONS = {
    Take.SOURCE: Decision.TAKE_SOURCE,
    Take.DESTINATION: Decision.TAKE_DESTINATION,
    Take.LARGER: Decision.LARGER,
    Take.NEWEST: Decision.NEWEST,
    Take.EDITED: Decision.EDITED,
}


def values_of(side: int, keys: list[int]) -> str:
    found = [(key, *shape) for key in keys if (shape := STATES[key][side]) is not None]
    return ", ".join(f"({key}, {v}, {'NULL' if n is None else n})" for key, v, n in found)


def fill(lake: Lake, branch: str, side: int) -> None:
    """Give the rows of a branch the shapes of a side."""
    both = [key for key, state in enumerate(STATES) if state[0] is not None and state[side] is not None]
    gone = [key for key, state in enumerate(STATES) if state[0] is not None and state[side] is None]
    come = [key for key, state in enumerate(STATES) if state[0] is None and state[side] is not None]
    for shape in SHAPES:
        keys = [key for key in both if STATES[key][side] == shape != STATES[key][0]]
        if shape is not None and keys:
            v, n = shape
            listed = ", ".join(map(str, keys))
            lake.sql(f"UPDATE d.k SET v = {v}, n = {'NULL' if n is None else n} WHERE id IN ({listed})", branch)
    lake.sql(f"DELETE FROM d.k WHERE id IN ({', '.join(map(str, gone))})", branch)
    lake.sql(f"INSERT INTO d.k VALUES {values_of(side, come)}", branch)


@pytest.fixture
def keyed(lake: Lake) -> Lake:
    """Table d.k with the base's rows in two files; branch k has the source's rows and main the target's."""
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v INT, n INT)")
    every = range(len(STATES))
    for rest in (0, 1):
        lake.sql(f"INSERT INTO d.k VALUES {values_of(0, [key for key in every if key % 2 == rest])}")
    lake.sql("CREATE BRANCH k")
    fill(lake, "k", 1)
    fill(lake, "main", 2)
    return lake


def expected(choices: tuple[RowChoice, ...]) -> dict[str, tuple[Sides, Merged]]:
    """By key of rows that either side changed. A row that both deleted is not listed."""
    found = {}
    for key, state in enumerate(STATES):
        rows = [None if shape is None else dict(zip((1, 2, 3), (key, *shape), strict=True)) for shape in state]
        sides: Sides = (rows[0], rows[1], rows[2])
        name = json.dumps({"id": key}, separators=(",", ":"))
        if not (rows[0] == rows[1] == rows[2] or rows[1] is rows[2] is None):
            found[name] = sides, row_merged(COLUMNS, name, sides, choices)
    return found


def resolutions(choices: tuple[RowChoice, ...], table_id: int) -> tuple[Resolution, ...]:
    found = []
    for choice in choices:
        part, key = (ResolutionPart.ROW, choice.key) if choice.key else (ResolutionPart.ROWS, "")
        if choice.column_id is not None:
            part, key = ResolutionPart.CELL, f"{choice.column_id}:{choice.key}"
        decision = DECISIONS[choice.take]
        found.append(Resolution(ObjectKind.TABLE, table_id, decision, part, key, value=choice.value))
    return tuple(found)


def compared(lake: Lake, choices: tuple[RowChoice, ...]) -> dict[str, dict[str, Any]]:
    catalog = catalog_get(lake.catalog)
    (table_id,) = [int(row[2]) for row in lake.sql("SHOW TABLES IN d").rows if row[1] == "k"]
    pair = Pair(branch_get(catalog, "k"), branch_get(catalog, "main"), resolutions(choices, table_id))
    rows = sides_read(pair, table_id, KeysetPage(len(STATES), None), only_conflicts=False)["rows"]
    return {row["key"]: row for row in rows}


def test_each_row_is_judged_and_merged_as_modelled(keyed: Lake) -> None:
    for name, choices in CHOICES.items():
        shown, wanted = compared(keyed, choices), expected(choices)
        assert shown.keys() == wanted.keys(), name
        for key, (_, merged) in wanted.items():
            row = shown[key]
            image = None if merged.left or merged.row is None else [merged.row[column.id] for column in COLUMNS]
            assert bool(row["is_conflict"]) is bool(merged.conflicting), (name, key)
            assert row["result"] == image, (name, key)


def test_merge_makes_rows_that_model_says(keyed: Lake) -> None:
    choices = CHOICES["source"]
    keyed.sql("MERGE BRANCH k TO main RESOLVE (TABLE d.k ROWS TAKE SOURCE)")
    merged = [item.row for _, item in expected(choices).values() if item.row is not None]
    alike = {key for key, state in enumerate(STATES) if state[0] == state[1] == state[2] is not None}
    rows = {row[0]: row for row in keyed.rows("d.k")}
    assert {row[1]: (row[1], row[2], row[3]) for row in merged} == {
        key: row for key, row in rows.items() if key not in alike
    }
    assert keyed.breaches() == []
