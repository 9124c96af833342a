"""Every type beside literals of every type, under every operator: a file that is left out holds no matching row.

Statistics are those of real files; rows are judged one by one by a model of Spark that knows nothing of bounds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog_app.domain.files import Statistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.predicates import Pruner
from catalog_app.storage.footers import read_facts
from catalog_app.storage.warehouse import Warehouse
from lakeui.sql.query import build_condition
from lakeui.sql.statements import TableName
from tests.pruning.spark_model import SIGNS, TIME, Unknown, Written, cast, is_number, truth
from tests.pruning.values import COLUMNS, DAY, LITERALS, arrow_array
from tests.support.soak import IS_SOAK

Truth = bool | None
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Condition:
    """SQL over the columns ``a`` and ``b``, and what it says of a row."""

    sql: str
    judge: Callable[[Row], Truth]


def negated(value: Truth) -> Truth:
    return None if value is None else not value


def both(one: Truth, other: Truth) -> Truth:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def either(one: Truth, other: Truth) -> Truth:
    return negated(both(negated(one), negated(other)))


def _double(value: Any) -> Any:
    return None if value is None else cast(value, "decimal(38,0)" if isinstance(value, Decimal) else "bigint", "double")


def _whole(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise Unknown
    return None if value is None else int(value)


def _period(unit: str) -> Callable[[Any], Any]:
    """A time in microseconds, moved to the begin of its year or month."""

    def begin(value: Any) -> Any:
        if value is None:
            return None
        return int(np.datetime64(value, "us").astype(f"datetime64[{unit}]").astype("datetime64[us]").astype(int))

    return begin


def _year(value: Any) -> Any:
    return None if value is None else int(np.datetime64(value, "us").astype("datetime64[Y]").astype(int)) + 1970


_OF_NUMBERS = (("CAST({} AS DOUBLE)", "double", _double), ("CAST({} AS BIGINT)", "bigint", _whole))
_OF_TIMES = (
    ("year({})", "int", _year),
    ("date_trunc('MONTH', {})", "timestamp", _period("M")),
    ("date_trunc('YEAR', {})", "timestamp", _period("Y")),
)
CALLS: dict[str, Sequence[tuple[str, str, Callable[[Any], Any]]]] = {
    kind: _OF_TIMES if kind in TIME else _OF_NUMBERS for kind in COLUMNS if is_number(kind) or kind in TIME
}
"""By type of column functions that keep its order, the types that they give, and what they make of a value."""


def comparisons(place: int, kind: str) -> st.SearchStrategy[Condition]:
    name = "ab"[place]

    def compared(sign: str, literal: Written) -> Condition:
        return Condition(f"{name} {sign} {literal.sql}", lambda row: truth(kind, row[place], sign, literal))

    def flipped(sign: str, literal: Written) -> Condition:
        opposite = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign)
        return Condition(f"{literal.sql} {opposite} {name}", lambda row: truth(kind, row[place], sign, literal))

    def same(literal: Written) -> Condition:
        return Condition(f"{name} <=> {literal.sql}", lambda row: truth(kind, row[place], "=", literal) or False)

    def between(low: Written, high: Written) -> Condition:
        def judge(row: Row) -> Truth:
            ends = ((">=", low), ("<=", high))
            return both(*(truth(kind, row[place], sign, end, is_between=True) for sign, end in ends))

        return Condition(f"{name} BETWEEN {low.sql} AND {high.sql}", judge)

    def among(literals: list[Written]) -> Condition:
        def judge(row: Row) -> Truth:
            found: Truth = False
            for literal in literals:
                found = either(found, truth(kind, row[place], "=", literal))
            return found

        return Condition(f"{name} IN ({', '.join(item.sql for item in literals)})", judge)

    def of_call(sign: str, literal: Written) -> Condition:
        call, of, value_of = CALLS[kind][len(literal.sql) % len(CALLS[kind])]
        return Condition(
            f"{call.format(name)} {sign} {literal.sql}", lambda r: truth(of, value_of(r[place]), sign, literal)
        )

    nulls = Condition(f"{name} IS NULL", lambda row: row[place] is None)
    alike = LITERALS.flatmap(lambda one: st.lists(LITERALS.filter(lambda two: two.type == one.type), max_size=2).map(
        lambda more: [one, *more]))  # fmt: skip
    return st.one_of(
        st.builds(compared, st.sampled_from(sorted(SIGNS)), LITERALS),
        st.builds(flipped, st.sampled_from(sorted(SIGNS)), LITERALS),
        st.builds(same, LITERALS),
        st.builds(between, LITERALS, LITERALS),
        st.builds(among, alike),
        st.just(nulls),
        *([st.builds(of_call, st.sampled_from(sorted(SIGNS)), LITERALS)] if kind in CALLS else []),
    )


@functools.cache
def conditions(kinds: tuple[str, str]) -> st.SearchStrategy[Condition]:
    def nested(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        return st.one_of(
            inner.map(lambda c: Condition(f"NOT ({c.sql})", lambda row: negated(c.judge(row)))),
            st.tuples(inner, inner).map(
                lambda p: Condition(f"({p[0].sql}) AND ({p[1].sql})", lambda r: both(p[0].judge(r), p[1].judge(r)))
            ),
            st.tuples(inner, inner).map(
                lambda p: Condition(f"({p[0].sql}) OR ({p[1].sql})", lambda r: either(p[0].judge(r), p[1].judge(r)))
            ),
        )

    leaves = comparisons(0, kinds[0]) | comparisons(0, kinds[0]) | comparisons(1, kinds[1])
    return st.recursive(leaves, nested, max_leaves=4)


def statistics_of(folder: Path, *columns: pa.Array) -> Statistics:
    """What lakeui knows of a file with these columns."""
    fields = [
        pa.field("ab"[place], column.type, metadata={"PARQUET:field_id": str(place + 1)})
        for place, column in enumerate(columns)
    ]
    pq.write_table(pa.table(list(columns), schema=pa.schema(fields)), folder / "file.parquet", store_schema=False)
    return read_facts(Warehouse(str(folder)), "file.parquet").statistics


def columns_of(kinds: tuple[str, str], rows: list[Row]) -> list[pa.Array]:
    return [arrow_array(kind, [row[place] for row in rows]) for place, kind in enumerate(kinds)]


def may_match(kinds: tuple[str, str], sql: str, statistics: Statistics, rows: int) -> bool:
    where = build_condition(sql, TableName("t", "d"), None)
    columns = [Column(place + 1, "ab"[place], kind) for place, kind in enumerate(kinds)]
    return Pruner(where.predicate, columns, now=0).may_match(statistics, rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@settings(max_examples=300 if IS_SOAK else 100, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_file_left_out_holds_no_matching_row(folder: Path, data: st.DataObject) -> None:
    kinds = (data.draw(st.sampled_from(sorted(COLUMNS))), data.draw(st.sampled_from(sorted(COLUMNS))))
    row = st.tuples(st.none() | COLUMNS[kinds[0]], st.none() | COLUMNS[kinds[1]])
    rows = data.draw(st.lists(row, min_size=1, max_size=4))
    condition = data.draw(conditions(kinds))
    if may_match(kinds, condition.sql, statistics_of(folder, *columns_of(kinds, rows)), len(rows)):
        return
    for row_ in rows:
        try:
            assert condition.judge(row_) is not True, (kinds, condition.sql, row_)
        except Unknown:
            # Spark refuses the statement, whatever the files hold.
            return


@pytest.mark.parametrize("kind", sorted(COLUMNS))
def test_files_are_left_out_at_all(folder: Path, kind: str) -> None:
    """The least that is asked for: another value of the column's own type."""
    samples = {
        "boolean": (False, "true"), "tinyint": (5, "6"), "smallint": (5, "'6'"), "int": (5, "6.5"), "bigint": (5, "6L"),
        "float": (1.5, "2.5e0"), "double": (1.5, "'2.5'"), "string": ("x", "'y'"), "char(3)": ("x  ", "'y'"),
        "date": (0, "'1970-01-02'"), "timestamp": (0, "TIMESTAMP '1970-01-01 00:00:00.000001'"),
        "timestamp_ntz": (0, "DATE '1970-01-02'"),
    }  # fmt: skip
    value, literal = samples.get(kind, (None, "6"))
    if value is None:
        value = arrow_array("decimal(5,2)", [5])[0].as_py()
    statistics = statistics_of(folder, *columns_of((kind, "int"), [(value, 1)]))
    assert not may_match((kind, "int"), f"a = {literal}", statistics, 1)
    assert not may_match((kind, "int"), f"a IN ({literal}, {literal})", statistics, 1)


@pytest.mark.parametrize(
    ("kind", "value", "condition"),
    [
        ("int", 5, "CAST(a AS BIGINT) > 7"),
        ("double", 9.5, "CAST(a AS INT) = 8"),
        ("bigint", 5, "double(a) <> 5 AND double(a) < 5.0"),
        ("date", 0, "year(a) >= 1971"),
        ("timestamp", 0, "year(a) IN (1968, 1969)"),
        ("timestamp_ntz", 0, "date_part('year', a) BETWEEN 1971 AND 1972"),
        ("timestamp", DAY, "date_trunc('MONTH', a) > '1970-01-01'"),
        ("timestamp", 31 * DAY, "date_trunc('month', a) = TIMESTAMP '1970-01-01 00:00:00'"),
        ("timestamp", 0, "date_trunc('HOUR', a) >= TIMESTAMP '1970-01-01 00:00:01'"),
        ("date", 40 * DAY, "trunc(a, 'MM') <= DATE '1970-01-31'"),
        ("timestamp", 4 * DAY, "date_trunc('WEEK', a) < DATE '1970-01-05'"),
    ],
)
def test_functions_that_keep_order_leave_files_out(folder: Path, kind: str, value: Any, condition: str) -> None:
    statistics = statistics_of(folder, *columns_of((kind, "int"), [(value, 1)]))
    assert not may_match((kind, "int"), condition, statistics, 1)
    assert may_match(("string", "int"), condition, statistics_of(folder, *columns_of(("string", "int"), [("x", 1)])), 1)
