"""Tables out of queries: placeholders, aliases, columns, time travel, and the terms that prune files."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lakeui.common.errors import InvalidValue
from lakeui.sql.predicates import Term
from lakeui.sql.query import build_query
from lakeui.sql.statements import TableName

REWRITES = [
    ("select flights.delay from db.flights", "SELECT `flights`.`delay` FROM `__lake_0` AS `flights`"),
    ("select db.t.a, c.db.t.b from db.t", "SELECT `t`.`a`, `t`.`b` FROM `__lake_0` AS `t`"),
    ("select db.t.a.b, db.t.* from c.db.t", "SELECT `t`.`a`.`b`, `t`.* FROM `__lake_0` AS `t`"),
    ("select c.db.t.a.b from c.db.t", "SELECT `t`.`a`.`b` FROM `__lake_0` AS `t`"),
    ("select x.a from db.t x", "SELECT `x`.`a` FROM `__lake_0` AS `x`"),
    ("select db.t.a from db.t x", "SELECT `db`.`t`.`a` FROM `__lake_0` AS `x`"),
    ("select t.a from db.t as x(a, b)", "SELECT `t`.`a` FROM `__lake_0` AS `x`(`a`, `b`)"),
    (
        "select d1.t.a, d2.t.b from d1.t join d2.t on d1.t.a = d2.t.a",
        "SELECT `__lake_0_t`.`a`, `__lake_1_t`.`b` FROM `__lake_0` AS `__lake_0_t` JOIN `__lake_1` AS `__lake_1_t` "
        "ON `__lake_0_t`.`a` = `__lake_1_t`.`a`",
    ),
    (
        "select a from d1.t where exists (select 1 from d2.t where d2.t.a = d1.t.a)",
        "SELECT `a` FROM `__lake_0` AS `t` WHERE EXISTS(SELECT 1 FROM `__lake_1` AS `t` WHERE `t`.`a` = `t`.`a`)",
    ),
    (
        "with t as (select * from db.t) select * from t",
        "WITH `t` AS (SELECT * FROM `__lake_0` AS `t`) SELECT * FROM `t`",
    ),
    (
        "with T as (select 1) select (select max(a) from t), b from db.t",
        "WITH `T` AS (SELECT 1) SELECT (SELECT max(`a`) FROM `t`), `b` FROM `__lake_0` AS `t`",
    ),
    (
        "select * from (db.t join db.u using (a))",
        "SELECT * FROM (`__lake_0` AS `t` JOIN `__lake_1` AS `u` USING (`a`))",
    ),
    ("select * from db.t; ", "SELECT * FROM `__lake_0` AS `t`"),
]


@pytest.mark.parametrize(("text", "expected"), REWRITES)
def test_rewrites(text: str, expected: str) -> None:
    assert build_query(text.rstrip("; ")).text == expected


NAMES = [
    ("db.t", TableName("t", "db")),
    ("`d b`.`t.u`", TableName("t.u", "d b")),
    ("c.db.t", TableName("t", "db", "c")),
    ("db.`t@dev`", TableName("t", "db", at="dev")),
    ("db.`t@feature/x`", TableName("t", "db", at="feature/x")),
    ("db.t version as of 12", TableName("t", "db", version=12)),
    ("db.t for version as of 12 as x", TableName("t", "db", version=12)),
    ("db.t for system_version as of 12 x", TableName("t", "db", version=12)),
    ("db.t timestamp as of '2026-01-31'", TableName("t", "db", timestamp="2026-01-31")),
    ("db.t timestamp as of date '2026-01-31'", TableName("t", "db", timestamp="2026-01-31")),
    ("c.db.`t@dev` for system_time as of '2026-01-31' x", TableName("t", "db", "c", "dev", timestamp="2026-01-31")),
]


@pytest.mark.parametrize(("written", "name"), NAMES)
def test_names(written: str, name: TableName) -> None:
    query = build_query(f"select * from {written}")
    assert [reference.name for reference in query.tables] == [name]
    assert "AS OF" not in query.text


def test_a_common_table_is_seen_only_behind_its_definition() -> None:
    with pytest.raises(InvalidValue, match="b is named without"):
        build_query("with a as (select * from b), b as (select 1) select * from a")
    with pytest.raises(InvalidValue, match="a is named without"):
        build_query("select * from a, (with a as (select 1) select * from a) x")
    assert build_query("with recursive a as (select 1 as n union all select n from a) select * from a").tables == ()


TERMS = [
    ("a = 1", [Term("a", "=", (1,))]),
    ("1 < a", [Term("a", ">", (1,))]),
    ("-1.5 >= t.a", [Term("a", "<=", (Decimal("-1.5"),))]),
    ("a <=> 'x' and (b > 2 and (c < 1e3))", [Term("a", "=", ("x",)), Term("b", ">", (2,)), Term("c", "<", (1000.0,))]),
    ("a between -1 and 5", [Term("a", ">=", (-1,)), Term("a", "<=", (5,))]),
    ("a in (1, 2, -3)", [Term("a", "in", (1, 2, -3))]),
    ("a is null", [Term("a", "isnull")]),
    ("a is not null and not (b is null)", [Term("a", "isnotnull"), Term("b", "isnotnull")]),
    ("a = date '2026-01-01'", [Term("a", "=", ("2026-01-01",))]),
    ("a >= timestamp '2026-01-01 10:00:00'", [Term("a", ">=", ("2026-01-01 10:00:00",))]),
    ("a = 5L and b = true", [Term("a", "=", (5,)), Term("b", "=", (True,))]),
    ("a = 1 or b = 2", []),
    ("not a = 1", []),
    ("not (a > 1 and b is null)", []),
    ("a <> 1", []),
    ("a = b", []),
    ("a = null", []),
    ("a in (1, null)", []),
    ("a in (1, b)", []),
    ("a not in (1)", []),
    ("a not between 1 and 2", []),
    ("a + 1 = 2", []),
    ("abs(a) = 2", []),
    ("cast(a as int) = 2", []),
    ("a.b = 2", []),
    ("a[0] = 2", []),
    ("a = date '2026-1-1'", []),
    ("a = cast('5' as int)", []),
    ("a like 'x%'", []),
    ("u.a = 1", []),
    ("case when a = 1 then true end", []),
]


@pytest.mark.parametrize(("condition", "terms"), TERMS)
def test_terms(condition: str, terms: list[Term]) -> None:
    query = build_query(f"select * from db.t where {condition}")
    assert query.where_terms == ({"__lake_0": tuple(terms)} if terms else {})


SCOPES = [
    ("select * from db.t x where x.a = 1 and t.b = 2", {"__lake_0": (Term("a", "=", (1,)),)}),
    ("select * from db.t where db.t.a = 1", {"__lake_0": (Term("a", "=", (1,)),)}),
    ("select * from db.t join db.u where a = 1 and t.b = 2", {"__lake_0": (Term("b", "=", (2,)),)}),
    ("select * from db.u left join db.t on true where t.a is null and t.b > 1", {"__lake_1": (Term("b", ">", (1,)),)}),
    ("select * from db.t lateral view explode(b) e as a where a = 1", {}),
    ("select * from db.t as x(a, b) where a = 1", {}),
    ("select * from db.t tablesample (10 rows) where a = 1", {}),
    ("select * from (select * from db.t) x where a = 1", {}),
    ("select count(*) from db.t having max(a) = 1", {}),
    ("select * from db.u where exists (select 1 from db.t where a = 1)", {"__lake_1": (Term("a", "=", (1,)),)}),
    ("select * from db.t where a = 1 union all select * from db.t", {"__lake_0": (Term("a", "=", (1,)),)}),
]


@pytest.mark.parametrize(("text", "expected"), SCOPES)
def test_terms_belong_to_the_mention_whose_rows_they_filter(text: str, expected: dict[str, tuple[Term, ...]]) -> None:
    query = build_query(text)
    assert query.where_terms == expected
