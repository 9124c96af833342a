"""Templates of checks: what their parameters may be, and which query they make."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import InvalidValue, LakeError
from lakeui.sql import statements as sql
from lakeui.sql.check_templates import TEMPLATES, Versions, measure_of, parameters_read, query_shown, scan_query
from lakeui.sql.parse import parse

GIVEN: dict[str, dict[str, Any]] = {
    "not_null": {"table": "d.t", "column": "a b"},
    "unique": {"table": "d.t", "columns": ["id", "day"]},
    "accepted_values": {"table": "d.t", "column": "s", "values": ["it's", 1, 2.5, True]},
    "relationships": {"table": "d.t", "column": "c", "to_table": "d.u", "to_column": "k"},
    "row_count_change": {"table": "d.t", "at_least": 0.9, "at_most": 1.2},
    "freshness": {"table": "d.t", "column": "at", "at_most": "24 hours"},
    "bad_share": {"table": "d.t", "condition": "price < 0 OR price IS NULL", "at_most": 0.01},
}
VERSIONS = Versions(3, 7)


def test_every_template_has_a_case() -> None:
    assert GIVEN.keys() == TEMPLATES.keys()


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_a_template_makes_is_a_query(template: str) -> None:
    read = parameters_read(template, GIVEN[template])
    assert isinstance(parse(query_shown(template, read)), sql.Select)
    measure = measure_of(template, read, VERSIONS)
    assert isinstance(parse(measure.sample), sql.Select)
    assert isinstance(parse(measure.query or scan_query(measure.table, measure.rows, [measure], VERSIONS)), sql.Select)


@pytest.mark.parametrize("template", [name for name, known in TEMPLATES.items() if known.by_changed_rows])
def test_a_check_of_changed_rows_reads_the_difference(template: str) -> None:
    read = parameters_read(template, {**GIVEN[template], "rows": "changed"})
    measure = measure_of(template, read, VERSIONS)
    counted = measure.query or scan_query(measure.table, measure.rows, [measure], VERSIONS)
    for text in (counted, measure.sample):
        assert "table_difference('`d`.`t`', 3, 7)" in text
        assert isinstance(parse(text), sql.Select)
    assert "of the rows that the merge inserts or updates" in query_shown(template, read)


@pytest.mark.parametrize(
    ("template", "changes", "said"),
    [
        ("not_nul", {}, "no template not_nul"),
        ("not_null", {"colum": "a"}, "no parameter colum"),
        ("not_null", {"column": None}, "needs the parameter column"),
        ("not_null", {"column": 7}, "no name of a column"),
        ("not_null", {"table": "t"}, "no name of a table"),
        ("not_null", {"table": "d.t@b"}, "no name of a table"),
        ("not_null", {"table": "c.d.t"}, "no name of a table"),
        ("not_null", {"rows": "new"}, "is 'new'"),
        ("unique", {"columns": []}, "lists no columns"),
        ("accepted_values", {"values": [None]}, "holds None"),
        ("accepted_values", {"values": "a"}, "no list"),
        ("row_count_change", {"rows": "changed"}, "all rows"),
        ("row_count_change", {"at_least": None, "at_most": None}, "needs at_least"),
        ("row_count_change", {"at_least": 2}, "larger than"),
        ("row_count_change", {"at_least": -1}, "no share"),
        ("freshness", {"at_most": "soon"}, "no time span"),
        ("freshness", {"rows": "changed"}, "all rows"),
        ("bad_share", {"at_most": 1}, "all rows are bad"),
        ("bad_share", {"condition": ""}, "no condition"),
    ],
)
def test_what_is_not_understood_is_named(template: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        parameters_read(template, {**GIVEN.get(template, {}), **changes})
    assert said in refused.value.message


@pytest.mark.parametrize("condition", ["a) FROM d.t --", "1; SELECT 2", "a = 1) OR (1 = 1", "SELECT 1"])
def test_a_condition_is_one_expression(condition: str) -> None:
    with pytest.raises(LakeError):
        _made(condition)


def test_condition_calls_nothing_forbidden_to_queries() -> None:
    with pytest.raises(LakeError, match="java_method"):
        _made("java_method('java.lang.System', 'exit') IS NULL")


def _made(condition: str) -> None:
    parse(query_shown("bad_share", parameters_read("bad_share", {"table": "d.t", "condition": condition})))
