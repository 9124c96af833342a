"""Tests of dbt as checks: which are read as what, and why others are not."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.entries.dbt_tests import DbtCheck, DbtTests, dbt_tests_read

FILE = """
version: 2
models:
  - name: orders
    config: {alias: orders_v1}
    data_tests:
      - dbt_utils.unique_combination_of_columns: {combination_of_columns: [id, day]}
      - dbt_utils.expression_is_true: {expression: "total >= 0"}
    columns:
      - name: id
        tests: [unique, not_null]
      - name: status
        tests:
          - accepted_values: {values: [placed, 7], config: {severity: warn}}
          - relationships: {to: "{{ ref('states') }}", field: code, name: known states}
          - not_null: {where: "day > '2020-01-01'"}
          - accepted_values: {arguments: {values: [1, 2], quote: true}, name: quoted}
sources:
  - name: raw
    schema: landing
    freshness: {warn_after: {count: 12, period: hour}, error_after: {count: 1, period: day}}
    loaded_at_field: loaded_at
    tables:
      - name: files
        identifier: files_v2
        columns: [{name: a, tests: [{relationships: {to: "source('raw', 'b')", field: k}}]}]
"""


def test_each_test_is_a_check_of_its_template() -> None:
    found = dbt_tests_read(FILE, "shop")
    assert found.not_read == []
    of = "shop.orders_v1"
    assert [(check.name, check.template, check.parameters) for check in found.checks] == [
        (f"unique_combination_of_columns: {of}", "unique", {"table": of, "columns": ["id", "day"]}),
        (f"expression_is_true: {of}", "bad_share", {"table": of, "condition": "NOT (`total` >= 0)"}),
        (f"unique: {of}.id", "unique", {"table": of, "columns": ["id"]}),
        (f"not_null: {of}.id", "not_null", {"table": of, "column": "id"}),
        (
            f"accepted_values: {of}.status",
            "accepted_values",
            {"table": of, "column": "status", "values": ["placed", 7]},
        ),
        (
            "known states",
            "relationships",
            {"table": of, "column": "status", "to_table": "shop.states", "to_column": "code"},
        ),
        (
            f"not_null: {of}.status",
            "bad_share",
            {"table": of, "condition": "(`day` > '2020-01-01') AND (`status` IS NULL)"},
        ),
        ("quoted", "accepted_values", {"table": of, "column": "status", "values": ["1", "2"]}),
        (
            "relationships: landing.files_v2.a",
            "relationships",
            {"table": "landing.files_v2", "column": "a", "to_table": "landing.b", "to_column": "k"},
        ),
        (
            "freshness: landing.files_v2",
            "freshness",
            {"table": "landing.files_v2", "column": "loaded_at", "at_most": "1 day"},
        ),
    ]
    assert [check.name for check in found.checks if not check.is_error] == [f"accepted_values: {of}.status"]
    assert [check.name for check in found.checks if check.note] == [f"unique_combination_of_columns: {of}"]


def read_of(test: str) -> DbtTests:
    return dbt_tests_read(
        f"models:\n  - name: t\n    columns:\n      - name: c\n        tests:\n          - {test}\n", "d"
    )


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("own_package.odd", "lakeui knows not_null"),
        ("not_null: {error_if: '> 5'}", "error_if is not read"),
        ("not_null: {config: {fail_calc: 'sum(n)'}}", "fail_calc is not read"),
        ("not_null: {config: {enabled: false}}", "not enabled"),
        ("not_null: {config: {enabled: \"{{ var('on') }}\"}}", "a template says"),
        ("not_null: {severity: loud}", "neither error nor warn"),
        ("unique: {where: a > 1}", "`where` of unique"),
        ("not_null: {where: \"{{ var('x') }}\"}", ""),
        ("accepted_values", "no list"),
        ("accepted_values: {values: [[1]]}", "One value is expected"),
        ("relationships: {to: ref('a')}", "needs `to` and `field`"),
        ("relationships: {to: a.b, field: c}", "neither ref"),
        ("not_null: {name: a/b}", "no name of a check"),
    ],
)
def test_what_is_not_read_has_line_and_reason(test: str, reason: str) -> None:
    found = read_of(test)
    assert found.checks == []
    (one,) = found.not_read
    assert one.line == 6
    assert reason in one.reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: [{name: t, config: {schema: other}, columns: [{name: c, tests: [unique]}]}]", "schema is not read."),
        ("models: [{name: t, versions: [{v: 1}], columns: [{name: c, tests: [unique]}]}]", "versions is not read."),
        ("sources: [{name: s, database: other, tables: [{name: t}]}]", "database is not read."),
        ("unit_tests: [{name: u}]", "Unit tests are not read."),
    ],
)
def test_what_lies_elsewhere_is_left_out_and_named(text: str, said: str) -> None:
    found = dbt_tests_read(text, "d")
    assert ([check.name for check in found.checks], [one.reason for one in found.not_read]) == ([], [said])


def test_a_second_test_of_equal_name_needs_another() -> None:
    found = dbt_tests_read("models: [{name: t, columns: [{name: c, tests: [unique, unique]}]}]", "d")
    assert [type(check) for check in found.checks] == [DbtCheck]
    assert "Two tests are called unique: d.t.c" in found.not_read[0].reason


@pytest.mark.parametrize("text", ["", "- a", "a: [", "models: [{columns: []}]", "models: 7", "a: 1\na: 2"])
def test_text_that_is_no_such_file_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        dbt_tests_read(text, "d")
