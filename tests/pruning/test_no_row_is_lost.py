"""Every type beside literals of every type, under every operator: a file that is left out holds no matching row.

Statistics are those of real files; rows are judged one by one by a model of Spark that knows nothing of bounds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from tests.pruning.spark_model import SIGNS, Unknown, Written, truth
from tests.pruning.values import COLUMNS, LITERALS, arrow_array
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
