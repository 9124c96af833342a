"""Pruning by buckets leaves out no file that holds a fitting row, and does leave files out."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from typing import Any

import pytest

from catalog_app.domain.files import ColumnStatistics
from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import LaidBy, Transform, transform_value
from catalog_app.pruning.constants import Constant, microseconds
from catalog_app.pruning.predicates import Compared, Pruner

DAY = 86_400_000_000
VALUES: dict[str, list[tuple[Any, Any]]] = {
    # By type of the column: its value, and the same value as a constant of a statement.
    "int": [(n, Constant.of("int", n)) for n in range(-20, 20)],
    "bigint": [(n, Constant.of("decimal(21,1)", Decimal(n))) for n in range(-20, 20)],
    "string": [(text, Constant.of("string", text)) for text in ("", "a", "abcd", "é", "日本", *map(str, range(30)))],
    "decimal(9,2)": [(f"{n}.50", Constant.of("decimal(3,1)", Decimal(f"{n}.5"))) for n in range(40)],
    "date": [
        (str(datetime.date(1969, 12, 20) + datetime.timedelta(n)), Constant.of("date", (n - 12) * DAY))
        for n in range(40)
    ],
    "timestamp": [
        (
            f"2024-01-01T00:00:{n:02}+00:00",
            Constant.of("timestamp", microseconds(datetime.datetime(2024, 1, 1, 0, 0, n, tzinfo=datetime.UTC))),
        )
        for n in range(40)
    ],
}
OTHERS: dict[str, list[Constant]] = {
    "int": [
        Constant.of("decimal(3,1)", Decimal("0.5")),
        Constant.of("double", 1.0),
        Constant.of("string", "x"),
        Constant.of("string", "3"),
    ],
    "date": [Constant.of("timestamp", 5), Constant("timestamp", 0, DAY)],
    "timestamp": [Constant.of("date", 0), Constant.of("string", "2024-01-01 00:00:07")],
    "decimal(9,2)": [Constant.of("decimal(9,3)", Decimal("1.505")), Constant.of("double", 1.5)],
}


def pruner(column_type: str, operator: str, *constants: Constant) -> Pruner:
    return Pruner(Compared("c", operator, constants), [Column(1, "c", column_type)], now=0)


def file_of(column_type: str, value: Any, count: int, written_as: str) -> dict[int, ColumnStatistics]:
    """Statistics without bounds: only the bucket speaks."""
    one = Transform("bucket", count, 1)
    return {1: ColumnStatistics(None, None, 0, (LaidBy(one, written_as, transform_value(one, written_as, value)),))}


@pytest.mark.parametrize("column_type", VALUES)
@pytest.mark.parametrize("count", [2, 16, 997])
def test_only_the_file_of_a_value_is_read(column_type: str, count: int) -> None:
    left_out = 0
    for _, constant in VALUES[column_type]:
        asked = pruner(column_type, "=", constant)
        for other, its in VALUES[column_type]:
            reads = asked.may_match(file_of(column_type, other, count, column_type), 1)
            assert reads or its != constant, (other, constant)
            left_out += not reads
    assert left_out > len(VALUES[column_type]) ** 2 * (1 - 1 / count) * 0.7


@pytest.mark.parametrize("column_type", VALUES)
def test_a_list_reads_the_files_of_each(column_type: str) -> None:
    chance = random.Random(7)
    for _ in range(50):
        chosen = chance.sample(VALUES[column_type], 3)
        asked = pruner(column_type, "in", *(constant for _, constant in chosen))
        assert all(asked.may_match(file_of(column_type, value, 997, column_type), 1) for value, _ in chosen)


@pytest.mark.parametrize("operator", ["<>", "<", "<=", ">", ">=", "not in"])
def test_other_comparisons_ask_no_bucket(operator: str) -> None:
    assert pruner("int", operator, Constant.of("int", 3)).may_match(file_of("int", 4, 997, "int"), 1)


@pytest.mark.parametrize(
    ("column_type", "constant"), [(kind, constant) for kind, found in OTHERS.items() for constant in found]
)
def test_unknown_values_prune_no_fitting_file(column_type: str, constant: Constant) -> None:
    asked = pruner(column_type, "=", constant)
    for value, its in VALUES[column_type]:
        if constant.low == its.low or constant.type in ("double", "string") or constant.low != constant.high:
            fits = constant.type != "string" or value == "2024-01-01T00:00:07+00:00" or str(value) == constant.low
            assert asked.may_match(file_of(column_type, value, 997, column_type), 1) or not fits


def test_a_bucket_of_days_says_nothing_of_moments() -> None:
    asked = pruner("timestamp_ntz", "=", Constant.of("timestamp_ntz", DAY))
    assert asked.may_match(file_of("date", "1970-01-02", 997, "date"), 1)
    assert not pruner("date", "=", Constant.of("date", DAY)).may_match(file_of("date", "1970-01-03", 997, "date"), 1)


def test_a_bucket_holds_for_a_wider_column() -> None:
    asked = pruner("bigint", "=", Constant.of("bigint", 3))
    assert asked.may_match(file_of("int", 3, 997, "int"), 1)
    assert not asked.may_match(file_of("int", 4, 997, "int"), 1)
