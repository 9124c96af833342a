"""Spark itself finds the rows: a file of one or two of them is not left out where the condition is true of one."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from catalog_app.domain.schema import Column
from catalog_app.engine.session import SparkSessions
from catalog_app.pruning.predicates import Pruner
from lakeui.sql.query import build_condition
from lakeui.sql.statements import TableName
from tests.pruning.test_no_row_is_lost import statistics_of
from tests.pruning.values import ARROW

# Numbers beyond every BIGINT are left to the model: Spark 4.3 finds NULL to be less than one of them.
NUMBERS = ["0", "-0.0D", "1Y", "9S", "5", "9.5", "9.50BD", "1e1", "9007199254740993L", "9007199254740992D", "1.5F",
           "'9'", "'10'", "0.1", "-128Y"]  # fmt: skip
TIMES = ["DATE '2024-01-05'", "TIMESTAMP '2024-01-05 00:00:00'", "TIMESTAMP_NTZ '2024-01-05 00:00:00.000001'",
         "TIMESTAMP '2024-01-05 02:00:00+02:00'", "'2024-1-5'", "'2024-01-05'", "DATE '0001-01-01'",
         "DATE '9999-12-31'", "DATE '2024-01-04' + 1", "DATE '2024-01-06' - INTERVAL 1 DAY",
         "dateadd(DAY, 1, DATE '2024-01-04')", "TIMESTAMP '2024-01-04 00:00:00' + INTERVAL 24 HOURS"]  # fmt: skip
LONG = "a" * 64
TEXTS = [
    "''",
    "'9'",
    "'x'",
    "'x  '",
    "'x      '",
    "'xyzz'",
    "'é'",
    "'\U0001f600'",
    f"'{LONG}'",
    f"'{LONG}b'",
    "'\ue000'",
]
WHOLE_TEXTS = [literal for literal in NUMBERS if literal not in ("'9.5'",)]
CASES: dict[str, tuple[list[str], list[str]]] = {
    "boolean": (["true", "false"], ["true", "false"]),
    "tinyint": (["-128Y", "0Y", "5Y", "9Y", "10Y", "127Y"], WHOLE_TEXTS),
    "bigint": (
        ["-9223372036854775808L", "0L", "5L", "9L", "10L", "9007199254740993L", "9007199254740992L"],
        WHOLE_TEXTS,
    ),
    "decimal(5,2)": (["0.00", "9.00", "9.50", "10.00", "-9.5"], [*NUMBERS, "'9.5'"]),
    "decimal(38,10)": (["9.5", "9007199254740993", "0.1", "1234567890123456789012345678"], [*NUMBERS, "'9.5'"]),
    "float": (
        ["0.1F", "1.5F", "-0.0F", "CAST('NaN' AS FLOAT)", "CAST('Infinity' AS FLOAT)", "10F"],
        [*NUMBERS, "'0.1'"],
    ),
    "double": (["0.1D", "9007199254740992D", "-0.0D", "0.0D", "CAST('NaN' AS DOUBLE)", "1.5D"], [*NUMBERS, "'0.1'"]),
    "string": (
        ["''", "'9'", "'10'", "'x'", "'x  '", "'é'", "'\U0001f600'", f"'{LONG}b'", f"'{LONG}c'", "'\ue000'"],
        TEXTS,
    ),
    "char(3)": (["'x  '", "'xyz'", "'é  '", "'y  '"], TEXTS),
    "date": (["DATE '2024-01-05'", "DATE '2024-01-04'", "DATE '0001-01-01'", "DATE '9999-12-31'"], TIMES),
    "timestamp": (
        [
            "TIMESTAMP '2024-01-05 00:00:00'",
            "TIMESTAMP '2024-01-05 00:00:00.000001'",
            "TIMESTAMP '1969-12-31 23:59:59'",
        ],
        TIMES,
    ),
    "timestamp_ntz": (["TIMESTAMP_NTZ '2024-01-05 00:00:00'", "TIMESTAMP_NTZ '2024-01-05 00:00:00.000001'"], TIMES),
}
SIGNS = ("=", "<=>", "<>", "<", "<=", ">", ">=")


@pytest.fixture(scope="module")
def sessions(spark_remote: str) -> SparkSessions:
    return SparkSessions(spark_remote)


def conditions(literals: list[str]) -> list[str]:
    single = [f"a {sign} {literal}" for literal in literals for sign in SIGNS]
    single += [f"NOT {literal} < a" for literal in literals] + [f"a IN ({literal})" for literal in literals]
    pairs = list(itertools.pairwise(literals))
    both = [f"a BETWEEN {low} AND {high}" for low, high in pairs] + [f"a NOT IN ({low})" for low, _ in pairs]
    return single + both + ["a IS NULL", "a IS NOT NULL", "a <=> NULL"]


def of_beginnings(literals: list[str]) -> list[str]:
    """LIKE and startswith of texts, also with wildcards and escapes inside."""
    patterns = [f"{literal[:-1]}{rest}'" for literal in literals for rest in ("%", "", "_%", "\\\\%", "%x")]
    likes = [f"a LIKE {pattern}" for pattern in patterns] + [f"NOT a LIKE {pattern}" for pattern in patterns]
    likes += [f"a NOT LIKE {pattern}" for pattern in patterns] + [f"NOT a NOT LIKE {pattern}" for pattern in patterns]
    return likes + [f"startswith(a, {literal})" for literal in literals] + ["a LIKE 'x/%' ESCAPE '/'", "a ILIKE 'X%'"]


def of_days(literals: list[str]) -> list[str]:
    """Comparisons of the day of a time."""
    days = [literal for literal in literals if literal.startswith(("DATE", "dateadd", "'"))]
    calls = ("CAST(a AS DATE)", "date(a)", "to_date(a)", "a::DATE")
    found = [f"{call} {sign} {day}" for call in calls[:2] for day in days for sign in SIGNS]
    found += [f"NOT {day} < {call}" for call in calls for day in days] + [
        f"{day} >= {call}" for call in calls for day in days
    ]
    found += [f"{call} IN ({', '.join(days)})" for call in calls] + [f"{call} NOT IN ({days[0]})" for call in calls]
    return found + [f"{call} BETWEEN {low} AND {high}" for call in calls for low, high in itertools.pairwise(days)]


def of_casts(literals: list[str], has_whole: bool) -> list[str]:
    """Comparisons of a number as one of another type."""
    calls = ("CAST(a AS DOUBLE)", "double(a)", *(("CAST(a AS BIGINT)", "a::BIGINT") if has_whole else ()))
    plain = [literal for literal in literals if not literal.startswith("'")]
    found = [f"{call} {sign} {one}" for call in calls for one in plain for sign in SIGNS]
    found += [f"{call} IS DISTINCT FROM {plain[1]}" for call in calls]
    found += [f"NOT {one} < {call}" for call in calls for one in plain]
    return found + [f"{call} IN ({', '.join(plain[2:5])})" for call in calls]


def of_periods(literals: list[str]) -> list[str]:
    """Comparisons of the year of a time, and of the begin of its month, week and hour."""
    years = [f"{call} {sign} {year}" for call in YEARS for year in (1, 2023, 2024, 2025, "9999L") for sign in SIGNS]
    found = [f"{call} {sign} {one}" for call in BEGINS for one in literals for sign in SIGNS]
    return years + found + [f"NOT {literals[0]} >= {call}" for call in BEGINS] + ["year(a) BETWEEN 2023 AND 2024"]


YEARS = ("year(a)", "extract(YEAR FROM a)", "date_part('YEAR', a)")
BEGINS = (
    "date_trunc('MONTH', a)",
    "date_trunc('week', a)",
    "date_trunc('QUARTER', a)",
    "date_trunc('HOUR', a)",
    "trunc(a, 'MM')",
)


def judged(
    sessions: SparkSessions, kind: str, values: list[str], wanted: list[str]
) -> tuple[pa.ChunkedArray, list[list[Any]]]:
    """The values, and of each what Spark says of every condition."""
    stored = f"CAST(v AS {'string' if kind.startswith('char') else kind})"
    rows = ", ".join(f"({place}, {value})" for place, value in enumerate([*values, "NULL"]))
    checks = ", ".join(wanted)

    def work(spark: Any) -> tuple[pa.ChunkedArray, list[list[Any]]]:
        table = spark.sql(f"SELECT place, {stored} AS a FROM VALUES {rows} t(place, v) ORDER BY place")
        if kind.startswith("char"):
            table = table.withMetadata("a", {"__CHAR_VARCHAR_TYPE_STRING": kind})
        found = spark.sql(f"SELECT place, array({checks}) AS said FROM {{t}} ORDER BY place", t=table)
        return table.toArrow().column("a"), found.toArrow().column("said").to_pylist()

    return sessions.run(work)


@pytest.mark.parametrize("kind", sorted(CASES))
def test_files_with_rows_spark_finds_are_kept(sessions: SparkSessions, tmp_path: Path, kind: str) -> None:
    values, literals = CASES[kind]
    wanted = conditions(literals)
    if literals is TEXTS:
        wanted += of_beginnings(literals)
    if literals is TIMES:
        wanted += of_days(literals) + of_periods(literals)
    if literals[0] in NUMBERS:
        # A NaN and what is too long are no BIGINT.
        wanted += of_casts(literals, has_whole=kind in ("tinyint", "bigint", "decimal(5,2)"))
    column, said = judged(sessions, kind, values, wanted)
    pruners = [
        Pruner(build_condition(text, TableName("t", "d"), None).predicate, [Column(1, "a", kind)], now=0)
        for text in wanted
    ]
    left_out = 0
    for one, other in itertools.combinations_with_replacement(range(len(column)), 2):
        array = column.combine_chunks().take([one, other]).cast(ARROW[kind])
        statistics = statistics_of(tmp_path, array)
        for text, pruner, in_one, in_other in zip(wanted, pruners, said[one], said[other], strict=True):
            kept = pruner.may_match(statistics, 2)
            assert kept or not (in_one or in_other), (text, array)
            left_out += not kept
    assert left_out
