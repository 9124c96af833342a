"""What people decided of rows in conflict: a cell counts before its row, a row before the rule for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.domain.row_merge import RowChoice, Take
from catalog_app.domain.schema import Column, Schema
from catalog_app.storage.cells import RowCells
from merge_app.lineage.choices import Choices

SCHEMA = Schema((Column(1, "id", "int"), Column(2, "v", "string"), Column(3, "n", "int")), primary_key=(1,))
KEYS = ('{"id":1}', '{"id":2}')


def cells(*rows: tuple[int, str | None, int | None]) -> RowCells:
    columns = zip(*rows, strict=True)
    return RowCells({identifier: pa.array(values) for identifier, values in enumerate(columns, 1)}, (), KEYS)


SOURCE, TARGET = cells((1, "a", 1), (2, "b", 2)), cells((1, "x", 9), (2, "y", 0))
CLASHES = {2: np.array([True, True]), 3: np.array([True, False])}
"""Both cells of key 1 conflict, and one of key 2."""


@pytest.mark.parametrize(
    ("choices", "rows", "left"),
    [
        ([RowChoice(Take.SOURCE)], [("a", 1), ("b", 0)], [False, False]),
        ([RowChoice(Take.DESTINATION)], [("x", 9), ("y", 0)], [False, False]),
        ([RowChoice(Take.LARGER)], [("x", 9), ("y", 0)], [False, False]),
        ([RowChoice(Take.NEWEST, value="N")], [("x", 9), ("b", 0)], [False, False]),
        ([RowChoice(Take.SOURCE, KEYS[1])], [("x", 9), ("b", 0)], [True, False]),
        ([RowChoice(Take.SOURCE, KEYS[0], 2), RowChoice(Take.DESTINATION)], [("a", 9), ("y", 0)], [False, False]),
        ([RowChoice(Take.EDITED, KEYS[0], None, '{"V":"e","n":5}')], [("e", 5), ("y", 0)], [False, True]),
        ([RowChoice(Take.EDITED, KEYS[0], None, '{"v":"e"}')], [("e", 9), ("y", 0)], [True, True]),
        ([RowChoice(Take.EDITED, KEYS[1], None, '{"v":"e","n":7}')], [("x", 9), ("e", 7)], [True, False]),
        ([RowChoice(Take.EDITED, KEYS[1], None, '{"id":5,"v":"e"}')], [("x", 9), ("e", 0)], [True, False]),
        ([RowChoice(Take.EDITED, KEYS[1], None, '{"v":"e","n":"no"}')], [("x", 9), ("e", 0)], [True, True]),
        ([RowChoice(Take.EDITED, KEYS[0], 3, '"no"'), RowChoice(Take.SOURCE)], [("a", 9), ("b", 0)], [True, False]),
    ],
)  # fmt: skip
def test_choices_count_in_their_order(choices: list[RowChoice], rows: Any, left: list[bool]) -> None:
    columns, is_left = Choices.of(SCHEMA, choices).decide(SOURCE, TARGET, TARGET.columns, CLASHES)
    assert list(zip(columns[2].to_pylist(), columns[3].to_pylist(), strict=True)) == rows
    assert is_left.tolist() == left


def test_values_that_are_missing_or_alike_decide_nothing() -> None:
    of_source, of_target = cells((1, None, 1), (2, "b", 2)), cells((1, "x", 1), (2, "y", None))
    for choice in (RowChoice(Take.LARGER), RowChoice(Take.NEWEST, value="n")):
        clashes = {2: np.array([True, False])}
        assert Choices.of(SCHEMA, [choice]).decide(of_source, of_target, of_target.columns, clashes)[1].tolist() == [
            True,
            False,
        ]


@pytest.mark.parametrize(
    ("choices", "outcome"),
    [
        ([], None),
        ([RowChoice(Take.LARGER)], None),
        ([RowChoice(Take.SOURCE)], Take.SOURCE),
        ([RowChoice(Take.DESTINATION, KEYS[0]), RowChoice(Take.SOURCE)], Take.DESTINATION),
        ([RowChoice(Take.EDITED, KEYS[0], None, '{"n":7}')], {3: 7}),
        ([RowChoice(Take.EDITED, KEYS[0], None, '{"n":"seven"}')], None),
    ],
)
def test_removed_rows_are_decided_by_side_or_edit(choices: Any, outcome: Any) -> None:
    found = Choices.of(SCHEMA, choices).gone(KEYS[0], TARGET)
    assert (found if not isinstance(found, dict) else {c: cell.as_py() for c, cell in found.items()}) == outcome
