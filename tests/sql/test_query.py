"""Tables out of queries: placeholders, aliases, columns, time travel, and the terms that prune files."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog_app.pruning.constants import Constant
from catalog_app.pruning.predicates import ANYTHING, AllOf, AnyOf, Beginning, NullTest, Predicate
from lakeui.common.errors import InvalidValue
from lakeui.sql import mentions
from lakeui.sql.dialect import read_query, write
from lakeui.sql.parse import parse
from lakeui.sql.query import build_query
from lakeui.sql.statements import TableName
from tests.sql.terms import term

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
        "with x as (select 1 a) select (with x as (select 2 a) select a from x), a from x",
        "WITH `x` AS (SELECT 1 AS `a`) SELECT (WITH `x` AS (SELECT 2 AS `a`) SELECT `a` FROM `x`), `a` FROM `x`",
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


def test_common_table_is_visible_only_after_its_definition() -> None:
    with pytest.raises(InvalidValue, match="b is named without"):
        build_query("with a as (select * from b), b as (select 1) select * from a")
    with pytest.raises(InvalidValue, match="a is named without"):
        build_query("select * from a, (with a as (select 1) select * from a) x")
    assert build_query("with recursive a as (select 1 as n union all select n from a) select * from a").tables == ()


def moment(value: int) -> Constant:
    return Constant.of("timestamp", value)


DAY = 86_400_000_000
NEW_YEAR = 20_454 * DAY
A_IS_1, B_IS_2 = term("a", "=", 1), term("b", "=", 2)
PREDICATES: list[tuple[str, Predicate]] = [
    ("a = 1", A_IS_1),
    ("1 < a", term("a", ">", 1)),
    ("-1.5 >= t.a", term("a", "<=", Decimal("-1.5"))),
    (
        "a <=> 'x' and (b > 2 and (c < 1e3))",
        AllOf((term("a", "=", "x"), term("b", ">", 2), term("c", "<", 1000.0))),
    ),
    ("a between -1 and 5", AllOf((term("a", ">=", -1, is_between=True), term("a", "<=", 5, is_between=True)))),
    ("a not between 1 and 2", AnyOf((term("a", "<", 1, is_between=True), term("a", ">", 2, is_between=True)))),
    ("a in (1, 2, -3)", term("a", "in", 1, 2, -3)),
    ("a not in (1, 2)", term("a", "not in", 1, 2)),
    ("a in (1, null)", term("a", "in", 1)),
    ("a is null", NullTest("a", True)),
    ("a <=> null", NullTest("a", True)),
    ("a is not null and not (b is null)", AllOf((NullTest("a", False), NullTest("b", False)))),
    ("a = date '2026-01-01'", term("a", "=", Constant.of("date", NEW_YEAR))),
    ("a = date '2026-1-1'", term("a", "=", Constant.of("date", NEW_YEAR))),
    ("a >= timestamp '2026-01-01 10:00:00'", term("a", ">=", Constant.of("timestamp", NEW_YEAR + 36_000_000_000))),
    ("a = 5L and b = true", AllOf((term("a", "=", Constant.of("bigint", 5)), term("b", "=", True)))),
    ("a = -128Y", term("a", "=", Constant.of("tinyint", -128))),
    ("a = 1.50BD", term("a", "=", Constant.of("decimal(3,2)", Decimal("1.50")))),
    ("a = cast('5' as int)", term("a", "=", Constant.of("int", 5))),
    ("a = 1 or b = 2", AnyOf((A_IS_1, B_IS_2))),
    ("a = 1 or abs(b) = 2", ANYTHING),
    ("not a = 1", term("a", "<>", 1)),
    ("not (a > 1 and b is null)", AnyOf((term("a", "<=", 1), NullTest("b", False)))),
    ("a <> 1", term("a", "<>", 1)),
    ("a is distinct from 1", AnyOf((NullTest("a", True), term("a", "<>", 1)))),
    ("a > current_date - 7", term("a", ">", Constant("date", -7 * DAY, -7 * DAY, is_from_now=True))),
    (
        "a > dateadd(month, -1, now())",
        term("a", ">", Constant("timestamp", -31 * DAY, -28 * DAY, is_from_now=True)),
    ),
    ("a like 'xy%z_'", Beginning("a", "xy")),
    ("startswith(a, 'x%')", Beginning("a", "x%")),
    ("cast(a as date) >= date '2026-01-01'", term("a", ">=", moment(NEW_YEAR))),
    ("a::date > '2026-01-01'", term("a", ">=", moment(NEW_YEAR + DAY))),
    ("date '2026-01-01' > date(a)", term("a", "<", moment(NEW_YEAR))),
    (
        "to_date(a) = date '2026-01-01'",
        AllOf((term("a", ">=", moment(NEW_YEAR)), term("a", "<", moment(NEW_YEAR + DAY)))),
    ),
    ("a = b", ANYTHING),
    ("a = null", ANYTHING),
    ("a not in (1, null)", ANYTHING),
    ("a in (1, b)", ANYTHING),
    ("a + 1 = 2", ANYTHING),
    ("abs(a) = 2", ANYTHING),
    ("cast(a as int) = 2", AllOf((term("a", ">=", 1), term("a", "<=", 3)))),
    ("cast(a as int) <> 2", ANYTHING),
    ("cast(a as float) = 2", ANYTHING),
    ("cast(a as decimal(5, 2)) = 2", ANYTHING),
    ("month(a) = 2", ANYTHING),
    ("year(a) <> 2024", ANYTHING),
    ("a.b = 2", ANYTHING),
    ("a[0] = 2", ANYTHING),
    ("a = cast(1.5 as int)", ANYTHING),
    ("a = date '2026-02-30'", ANYTHING),
    ("a = to_date('2026-01-01')", ANYTHING),
    ("a like '%x'", ANYTHING),
    ("a not like 'x%'", ANYTHING),
    ("not a like 'x%'", ANYTHING),
    ("a ilike 'x%'", ANYTHING),
    ("a like 'x/%' escape '/'", ANYTHING),
    ("a like any ('x%', 'y%')", ANYTHING),
    ("cast(a as date) <> date '2026-01-01'", ANYTHING),
    ("cast(a as date) > timestamp '2026-01-01 10:00:00'", ANYTHING),
    ("try_cast(a as date) > date '2026-01-01'", ANYTHING),
    ("to_date(a, 'yyyy') > date '2026-01-01'", ANYTHING),
    ("u.a = 1", ANYTHING),
    ("case when a = 1 then true end", ANYTHING),
]


@pytest.mark.parametrize(("condition", "predicate"), PREDICATES)
def test_predicates(condition: str, predicate: Predicate) -> None:
    query = build_query(f"select * from db.t where {condition}")
    assert query.where.get("__lake_0", ANYTHING) == predicate


SCOPES = [
    ("select * from db.t x where x.a = 1 and t.b = 2", {"__lake_0": A_IS_1}),
    ("select * from db.t where db.t.a = 1", {"__lake_0": A_IS_1}),
    ("select * from db.t join db.u where a = 1 and t.b = 2", {"__lake_0": B_IS_2}),
    ("select * from db.u left join db.t on true where t.a is null and t.b > 1", {"__lake_1": term("b", ">", 1)}),
    (
        "select * from db.u left join db.t on true where (t.a is null or t.b > 1) and t.b < 9",
        {"__lake_1": term("b", "<", 9)},
    ),
    ("select * from db.t lateral view explode(b) e as a where a = 1", {}),
    ("select * from db.t as x(a, b) where a = 1", {}),
    ("select * from db.t tablesample (10 rows) where a = 1", {}),
    ("select * from (select * from db.t) x where a = 1", {}),
    ("select count(*) from db.t having max(a) = 1", {}),
    ("select * from db.u where exists (select 1 from db.t where a = 1)", {"__lake_1": A_IS_1}),
    ("select * from db.t where a = 1 union all select * from db.t", {"__lake_0": A_IS_1}),
]


@pytest.mark.parametrize(("text", "expected"), SCOPES)
def test_predicates_belong_to_mention_whose_rows_they_filter(text: str, expected: dict[str, Predicate]) -> None:
    query = build_query(text)
    assert query.where == expected


@pytest.mark.parametrize("name", ["0x1F", "0X1f", "0b101"])
def test_digits_after_0x_are_name_as_in_spark(name: str) -> None:
    assert write(read_query(f"SELECT {name}")) == f"SELECT `{name}`"
    assert write(read_query("SELECT X'1F'")) == "SELECT X'1F'"


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE d.t SET a = extract(YEAR FROM b)",
        "UPDATE d.t SET a = b IS DISTINCT FROM c WHERE a IN (SELECT a FROM d.u)",
    ],
)
def test_from_inside_a_value_is_no_other_table(text: str) -> None:
    assert parse(text)


def test_each_of_many_tables_is_visited_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[TableName] = []
    folded = mentions._folded
    monkeypatch.setattr(mentions, "_folded", lambda name: looked.append(name) or folded(name))
    build_query("select * from db.t " + "join db.u using (a) " * 200)
    assert len(looked) <= 2 * 201
