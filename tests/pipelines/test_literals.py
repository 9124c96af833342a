"""Values of the configuration become values of a column's type, or are refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog_app.pruning.constants import Constant, moment_of
from merge_app.pipelines.definition.literals import NULL_PARTITION, Literal, literal, partition_literal


@pytest.mark.parametrize(
    ("text", "kind", "sql", "value"),
    [
        ("7", "int", "CAST(7 AS int)", 7),
        ("-32768", "smallint", "CAST(-32768 AS smallint)", -32768),
        ("1.50", "decimal(9,2)", "CAST('1.50' AS decimal(9,2))", Decimal("1.50")),
        ("9" * 38, "decimal(38,0)", f"CAST('{'9' * 38}' AS decimal(38,0))", Decimal("9" * 38)),
        ("2.5", "double", "CAST('2.5' AS double)", None),
        ("TRUE", "boolean", "true", None),
        ("9999-12-31", "date", "DATE '9999-12-31'", moment_of("9999-12-31")),
        ("9999-12-31", "timestamp", "TIMESTAMP '9999-12-31T00:00:00+00:00'", moment_of("9999-12-31")),
        (
            "2026-01-01 02:00:00+02:00",
            "timestamp",
            "TIMESTAMP '2026-01-01T02:00:00+02:00'",
            moment_of("2026-01-01"),
        ),
        ("2026-01-01 02:00", "timestamp_ntz", "TIMESTAMP_NTZ '2026-01-01T02:00:00'", moment_of("2026-01-01 02:00")),
        ("it's a \\ ", "string", r"'it\'s a \\ '", "it's a \\ "),
    ],
)
def test_a_text_is_a_value_of_its_column(text: str, kind: str, sql: str, value: int | Decimal | str | None) -> None:
    assert literal(text, kind) == Literal(sql, None if value is None else Constant.of(kind, value))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1.5", "int"),
        ("128", "tinyint"),
        ("2147483648", "int"),
        ("1.555", "decimal(9,2)"),
        ("99999999", "decimal(9,2)"),
        ("9" * 37 + ".9", "decimal(38,0)"),
        ("NaN", "decimal(9,2)"),
        ("x", "double"),
        ("yes", "boolean"),
        ("2026-02-30", "date"),
        ("tomorrow", "timestamp"),
        ("2026-01-01T00:00:00+00:00", "timestamp_ntz"),
        ("1", "array<int>"),
        (NULL_PARTITION, "int"),
    ],
)
def test_a_text_unfit_for_the_type_is_none(text: str, kind: str) -> None:
    assert literal(text, kind) is None


def test_there_is_a_partition_without_a_value() -> None:
    assert partition_literal(NULL_PARTITION, "date") == Literal("CAST(NULL AS date)")
    assert partition_literal("2026-01-31", "date") == Literal(
        "DATE '2026-01-31'", Constant.of("date", moment_of("2026-01-31"))
    )
