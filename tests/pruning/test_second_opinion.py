"""Iceberg's own evaluator of statistics says of each file what lakeui says, where both sides have one type."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pyiceberg import types
from pyiceberg.conversions import to_bytes
from pyiceberg.expressions import (
    And,
    BooleanExpression,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNull,
    LessThan,
    LessThanOrEqual,
    NotNull,
    Or,
)
from pyiceberg.expressions.literals import literal
from pyiceberg.expressions.visitors import _InclusiveMetricsEvaluator
from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record

from catalog_app.domain.files import ColumnStatistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.constants import Constant, decimal_constant, microseconds
from catalog_app.pruning.predicates import Compared, NullTest, Predicate, Pruner, all_of, any_of

ROWS = 5
KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "bigint": (types.LongType(), st.integers(-9, 9) | st.integers(-(1 << 63), (1 << 63) - 1)),
    "decimal(9,2)": (types.DecimalType(9, 2), st.decimals(-999, 999, places=2)),
    "string": (types.StringType(), st.text("ab\ue000\U0001f600", max_size=3)),
    "date": (types.DateType(), st.dates()),
    "timestamp": (types.TimestamptzType(), st.datetimes(timezones=st.just(datetime.UTC))),
    "timestamp_ntz": (types.TimestampType(), st.datetimes()),
}
SIGNS = {"=": EqualTo, "<": LessThan, "<=": LessThanOrEqual, ">": GreaterThan, ">=": GreaterThanOrEqual}
Pair = tuple[Predicate, BooleanExpression]


def constant(kind: str, value: Any) -> Constant:
    if isinstance(value, Decimal):
        return decimal_constant(value)
    if isinstance(value, datetime.datetime):
        return Constant.of(kind, microseconds(value))
    if isinstance(value, datetime.date):
        return Constant.of(kind, microseconds(datetime.datetime.combine(value, datetime.time())))
    return Constant.of(kind, value)


def stored(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat() + ("Z" if value.tzinfo else "")
    return value if isinstance(value, int | str) else str(value)


def leaves(kind: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Pair]:
    def compared(sign: str, value: Any) -> Pair:
        return Compared("a", sign, (constant(kind, value),)), SIGNS[sign]("a", literal(value))

    def among(some: list[Any]) -> Pair:
        return Compared("a", "in", tuple(constant(kind, value) for value in some)), In("a", set(map(literal, some)))

    nulls: list[Pair] = [(NullTest("a", True), IsNull("a")), (NullTest("a", False), NotNull("a"))]
    return st.one_of(
        st.builds(compared, st.sampled_from(sorted(SIGNS)), values),
        st.lists(values, min_size=2, max_size=3, unique=True).map(among),
        st.sampled_from(nulls),
    )


def trees(kind: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Pair]:
    def nested(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda pair: (all_of([pair[0][0], pair[1][0]]), And(pair[0][1], pair[1][1]))),
            pairs.map(lambda pair: (any_of([pair[0][0], pair[1][0]]), Or(pair[0][1], pair[1][1]))),
        )

    return st.recursive(leaves(kind, values), nested, max_leaves=4)


def data_file(kind: Any, known: list[Any], nulls: int) -> DataFile:
    bounds = [{1: to_bytes(kind, bound)} if known else {} for bound in (min(known, default=0), max(known, default=0))]
    return DataFile.from_args(
        file_path="f",
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=ROWS,
        file_size_in_bytes=1,
        value_counts={1: ROWS},
        null_value_counts={1: nulls},
        lower_bounds=bounds[0],
        upper_bounds=bounds[1],
    )


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_iceberg_says_the_same(name: str, data: st.DataObject) -> None:
    kind, values = KINDS[name]
    known = data.draw(st.lists(values, max_size=ROWS))
    nulls = ROWS - len(known)
    predicate, expression = data.draw(trees(name, values))
    schema = Schema(types.NestedField(1, "a", kind, required=False))
    theirs = _InclusiveMetricsEvaluator(schema, expression).eval(data_file(kind, known, nulls))
    low, high = (stored(pick(known)) if known else None for pick in (min, max))
    pruner = Pruner(predicate, [Column(1, "a", name)], now=0)
    assert pruner.may_match({1: ColumnStatistics(low, high, nulls)}, ROWS) is theirs
