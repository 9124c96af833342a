"""Whether a batch is later than all that is stored is known from statistics, or not said."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from catalog_app.domain.files import ColumnStatistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.keys import all_above

NOON, ONE = datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 1, 13, tzinfo=UTC)


def is_above(kind: str, values: pa.Array, *maxima: Any) -> bool:
    column = Column(id=1, name="at", type=kind)
    files = [{1: ColumnStatistics(None, maximum, 0)} for maximum in maxima]
    return all_above(column, kind, pa.chunked_array([values]), files)


@pytest.mark.parametrize(
    ("kind", "values", "below", "equal"),
    [
        ("int", pa.array([7, 5]), 4, 5),
        ("string", pa.array(["b", "c"]), "a", "b"),
        ("date", pa.array([date(2026, 1, 2)]), "2026-01-01", "2026-01-02"),
        ("decimal(9, 2)", pa.array([Decimal("1.50")]), "1.49", "1.50"),
        ("timestamp", pa.array([ONE]), NOON.isoformat(), ONE.isoformat()),
    ],
)
def test_it_is_later_if_every_file_ends_before(kind: str, values: pa.Array, below: Any, equal: Any) -> None:
    assert is_above(kind, values)
    assert is_above(kind, values, below, below)
    assert not is_above(kind, values, below, equal)


def test_unknown_bounds_or_values_make_no_later_batch() -> None:
    assert not is_above("int", pa.array([5]), None)
    assert not is_above("int", pa.array([5, None]), 4)
    assert not is_above("int", pa.array([], pa.int32()), 4)
    assert not all_above(Column(id=1, name="at", type="int"), "int", pa.chunked_array([pa.array([5])]), [{}])


def test_types_with_unbounded_values_make_no_later_batch() -> None:
    assert not is_above("double", pa.array([5.0]), 4.0)
    assert not is_above("double", pa.array([5]), 4.0)
