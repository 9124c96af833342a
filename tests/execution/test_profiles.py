"""Profiles of changed rows, against counts by hand on rows made by chance."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from typing import Any

import pytest

from merge_app.comparison.profiles import ChangedRow, ProfiledColumn, rows_profiled

COLUMNS = (
    ProfiledColumn(1, "id", "bigint", is_key=True),
    ProfiledColumn(2, "tier", "string"),
    ProfiledColumn(3, "credit", "decimal(10,2)"),
    ProfiledColumn(4, "score", "double"),
    ProfiledColumn(5, "tags", "array<string>"),
)


def chance_row(chance: random.Random, number: int) -> list[Any]:
    return [
        number,
        chance.choice([None, "", "gold", "silver"]),
        chance.choice([None, "0.10", "-2.50", "10.00", "9.00"]),
        chance.choice([None, 0.5, -0.0, 0.0, 1e300, "NaN"]),
        chance.choice([None, [], ["a"], ["a", "b"]]),
    ]


def is_number(number: Any) -> bool:
    return not (isinstance(number, float) and math.isnan(number))


def by_hand(values: list[Any], column: int) -> dict[str, Any]:
    """The counts, the plain way."""
    held = [value for value in values if value is not None]
    if column == 4:
        return {"nulls": len(values) - len(held), "distinct": len({str(value) for value in held}), "least": None}
    if column == 2:
        numbers: list[Any] = [Decimal(value) for value in held]
    elif column == 3:
        numbers = [float(value) for value in held]
    else:
        numbers = held
    distinct = len({str(number + 0.0) if column == 3 else number for number in numbers})
    ordered = sorted(number for number in numbers if is_number(number))
    return {
        "nulls": len(values) - len(held),
        "distinct": distinct,
        "least": ordered[0] if ordered else None,
        "largest": ordered[-1] if ordered else None,
        "mean": float(sum(ordered)) / len(ordered) if ordered and column in (0, 2) else None,
    }


def of_state(rows: list[ChangedRow], state: str) -> list[Any]:
    return [getattr(row, state) for row in rows if getattr(row, state) is not None]


@pytest.mark.parametrize("seed", range(60))
def test_the_counts_are_those_by_hand(seed: int) -> None:
    chance = random.Random(seed)
    rows = []
    for number in range(chance.randrange(0, 40)):
        before, after, merged = (chance_row(chance, number) if chance.random() < 0.8 else None for _ in range(3))
        if before is not None or after is not None:
            rows.append(ChangedRow(before, after, merged))
    found = rows_profiled(COLUMNS, rows)
    assert found.inserted == sum(row.before is None for row in rows)
    assert found.deleted == sum(row.after is None for row in rows)
    both = [row for row in rows if row.before is not None and row.after is not None]
    for place, profile in enumerate(found.columns):
        assert profile.updated == found.updated == len(both)
        pairs = [(row.before or (), row.after or ()) for row in both]
        assert profile.changed == sum(before[place] != after[place] for before, after in pairs)
        for state in ("before", "after", "merged"):
            values = [values[place] for values in of_state(rows, state)]
            counts, wanted = getattr(profile, state), by_hand(values, place)
            assert counts.rows == len(values)
            assert (counts.nulls, counts.distinct) == (wanted["nulls"], wanted["distinct"])
            if place == 4:
                assert (counts.least, counts.largest, counts.mean) == (None, None, None)
                continue
            as_number = Decimal if place == 2 else (lambda value: value)
            assert wanted["least"] == (None if counts.least is None else as_number(counts.least))
            assert wanted["largest"] == (None if counts.largest is None else as_number(counts.largest))
            if wanted["mean"] is not None:
                assert counts.mean == pytest.approx(wanted["mean"])


def test_an_open_row_has_no_merged_value() -> None:
    row = [1, "gold", "1.00", 1.0, None]
    found = rows_profiled(COLUMNS, [ChangedRow(row, row, None, is_open=True), ChangedRow(row, None, None)])
    assert (found.open, found.deleted, found.columns[0].merged.rows) == (1, 1, 0)


def test_what_is_risky_comes_first() -> None:
    before = [[number, f"t{number}", "1.00", 1.0, None] for number in range(10)]
    after = [[number, "t", None if number < 8 else "1.00", None if number < 2 else 1.0, None] for number in range(10)]
    rows = [ChangedRow(one, other, other) for one, other in zip(before, after, strict=True)]
    found = rows_profiled(COLUMNS, [*rows, ChangedRow(before[0], None, None)])
    assert [(risk.code, risk.column) for risk in found.risks] == [
        ("ROWS_LOST", ""),
        ("NULLS_RISEN", "credit"),
        ("NULLS_RISEN", "score"),
        ("ONE_VALUE", "tier"),
    ]
    assert found.risks[0].message == "1 row is deleted."
    assert found.risks[1].message == "NULL rises from 0% to 80% of the changed rows."


def test_small_rises_and_inserted_rows_are_no_risk() -> None:
    row = [1, "gold", "1.00", 1.0, None]
    rows = [ChangedRow(row, row, row)] * 99 + [ChangedRow(row, [1, None, "1.00", 1.0, None], row)]
    assert rows_profiled(COLUMNS, rows).risks == ()
    assert rows_profiled(COLUMNS, [ChangedRow(None, [1, None, None, None, None], None)]).risks == ()


def test_sums_are_exact() -> None:
    large = [[2**63 - 1, None, "0.10", 1e16, None], [1, None, "0.20", 1.0, None], [-(2**63), None, "0.30", -1e16, None]]
    found = rows_profiled(COLUMNS, [ChangedRow(row, row, row) for row in large])
    assert found.columns[0].after.mean == 0.0
    assert found.columns[2].after.mean == 0.2
    assert found.columns[3].after.mean == pytest.approx(1 / 3)


def test_the_most_frequent_values_come_first() -> None:
    tiers = ["a", *"bbb", *"cc", "d", "e", "f", None]
    rows = [[number, tier, None, None, ["x"]] for number, tier in enumerate(tiers)]
    found = rows_profiled(COLUMNS, [ChangedRow(None, row, row) for row in rows])
    assert [(top.value, top.count) for top in found.columns[1].after.top] == [("b", 3), ("c", 2)]
    assert [(top.value, top.count) for top in found.columns[4].after.top] == [(["x"], 10)]
    assert found.columns[1].before.top == found.columns[0].after.top == ()


def test_all_states_share_the_intervals() -> None:
    scores = [[0, None, None, score, None] for score in (0.0, 0.0, 50.0, "NaN", "Infinity", None)]
    later = [[0, None, None, 200.0, None]]
    rows = [*(ChangedRow(row, None, None) for row in scores), *(ChangedRow(None, row, row) for row in later)]
    score = rows_profiled(COLUMNS, rows).columns[3]
    assert [(found.at, found.count) for found in score.before.histogram] == [(5.0, 2), (55.0, 1)]
    assert [(found.at, found.count) for found in score.after.histogram] == [(195.0, 1)]


def test_only_numbers_have_a_histogram() -> None:
    row = [7, "7", "7.00", None, None]
    found = rows_profiled(COLUMNS, [ChangedRow(row, row, row)])
    assert [[(bin_.at, bin_.count) for bin_ in column.after.histogram] for column in found.columns] == [
        [(7.0, 1)], [], [(7.0, 1)], [], [],
    ]  # fmt: skip
