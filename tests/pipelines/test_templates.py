"""Templates: helpers, the sandbox, its bounds, and the line of what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.mistakes import InvalidConfig
from merge_app.pipelines.definition.templates import HELPERS as TEMPLATE_HELPERS
from merge_app.pipelines.definition.templates import Surroundings, TableAddress, template_check, template_render
from merge_app.pipelines.rendering import bounded_render

TARGET = TableAddress("gold", "delays")
FLIGHTS = {"Flights": TableAddress("silver", "fl`ights")}


def surroundings(strategy: Strategy = Strategy.INCREMENTAL, **more: Any) -> Surroundings:
    return Surroundings(strategy, TARGET, references=FLIGHTS, **more)


HELPERS = ["is_incremental", "is_append_only", "is_delete_insert", "is_scd2", "is_snapshot"]


@pytest.mark.parametrize("strategy", list(Strategy))
def test_only_the_strategys_own_helper_is_true(strategy: Strategy) -> None:
    source = ",".join(f"{{{{ {name}() }}}}" for name in HELPERS)
    found = template_render(source, surroundings(strategy, continues=True))
    assert found.split(",") == [str(name == f"is_{strategy}") for name in HELPERS]


def test_a_first_run_is_not_incremental() -> None:
    source = "SELECT 1{% if is_incremental() %} WHERE t > '{{ watermark_value }}'{% endif %}"
    assert template_render(source, surroundings()) == "SELECT 1"
    later = surroundings(continues=True, watermark="it's \\ late")
    assert template_render(source, later) == r"SELECT 1 WHERE t > 'it\'s \\ late'"


def test_tables_are_named_in_backticks() -> None:
    source = "{{ this }} {{ ref('FLIGHTS') }} {{ source('raw', 'air ports') }}"
    assert template_render(source, surroundings()) == "`gold`.`delays` `silver`.`fl``ights` `raw`.`air ports`"


def test_lines_stay_where_they_are() -> None:
    assert template_render("a\n\n{# b #}\nc\n", surroundings()) == "a\n\n\nc\n"


REFUSED = [
    ("a\n{{ watermrk_value }}", 2, "watermark_value"),
    ("a\n\n{% if %}", 3, "Mend"),
    ("{{ ref('flight') }}", 1, "flights"),
    ("\n{{ is_scd2 }}", 2, "parentheses"),
    ("\n{{ watermark_value }}", 2, "{% if watermark_value %}"),
    ("\n\n{{ 1 / 0 }}", 3, "Mend"),
    ("{{ ''.__class__.__mro__ }}", 1, "Mend"),
    ("{{ ref.__globals__ }}", 1, "Mend"),
    ("{{ ref.__code__.co_filename }}", 1, "Mend"),
    ("{{ '{0.__class__}'.format(1) }}", 1, "Mend"),
    ("{% include '/etc/passwd' %}", 1, "Mend"),
    ("{% import 'os' as os %}", 1, "Mend"),
    ("{{ range(10000000) }}", 1, "Mend"),
    ("{{ lipsum() }}", 1, "of"),
]


@pytest.mark.parametrize(("source", "line", "advice"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_is_wrong_has_its_line(source: str, line: int, advice: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        template_render(source, surroundings())
    (error,) = caught.value.details["errors"]
    assert (error["file"], error["line"]) == ("source", line)
    assert advice in error["remedy"]


WATERMARKS = [
    ("int", "5", "5"),
    ("bigint", "-5", "(-5)"),
    ("decimal(20,0)", "12345678901234567891", "12345678901234567891"),
    ("decimal(10,2)", "-0.50", "(-0.50)"),
    ("double", "NaN", "CAST('NaN' AS double)"),
    ("float", "1.0E10", "CAST('1.0E10' AS float)"),
    ("boolean", "true", "CAST('true' AS boolean)"),
    ("date", "2026-01-31", "DATE '2026-01-31'"),
    ("timestamp", "2026-01-31 10:00:00.5", "TIMESTAMP '2026-01-31 10:00:00.5'"),
    ("timestamp_ntz", "2026-01-31 10:00:00", "TIMESTAMP_NTZ '2026-01-31 10:00:00'"),
    ("string", "it's", r"'it\'s'"),
    ("varchar(3)", "a", "'a'"),
    ("binary", "00FF", "X'00FF'"),
]


@pytest.mark.parametrize(("kind", "text", "literal"), WATERMARKS)
def test_watermarks_quoted_or_not_are_typed_literals(kind: str, text: str, literal: str) -> None:
    there = surroundings(continues=True, watermark=text, watermark_type=kind)
    for quote in ("", "'", '"'):
        source = f"SELECT 1 WHERE t > {quote}{{{{ watermark_value }}}}{quote}"
        assert template_render(source, there) == f"SELECT 1 WHERE t > {literal}"
        # What the other process gets of it.
        assert template_render(source, Surroundings.from_json(json.loads(json.dumps(there.as_json())))) == (
            f"SELECT 1 WHERE t > {literal}"
        )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("TIMESTAMP '{{ watermark_value }}'", "TIMESTAMP '2026-01-31'"),
        ("date'{{ watermark_value }}'", "date'2026-01-31'"),
        ("'on {{ watermark_value }}'", "'on 2026-01-31'"),
        ("-- since {{ watermark_value }}\n1", "-- since 2026-01-31\n1"),
        ("`{{ watermark_value }}`", "`2026-01-31`"),
        ("'{{ watermark_value[:4] }}'", "'2026'"),
        ("'{{ watermark_value ~ '' }}'", "'2026-01-31'"),
        ("{% set w = watermark_value %}{{ w }}, '{{ w }}'", "DATE '2026-01-31', DATE '2026-01-31'"),
        ("{% macro m(x) %}t > {{ x }}{% endmacro %}{{ m(watermark_value) }}", "t > DATE '2026-01-31'"),
        ("'it''s', '{{ watermark_value }}'", "'it''s', DATE '2026-01-31'"),
    ],
)
def test_elsewhere_it_is_its_text(source: str, expected: str) -> None:
    there = surroundings(continues=True, watermark="2026-01-31", watermark_type="date")
    assert template_render(source, there) == expected


def test_a_template_knows_the_time_of_the_run() -> None:
    there = surroundings(started_at="2026-01-31 10:00:00.000000+00:00")
    source = "SELECT {{ run_started_at }} AS at, '{{ run_started_at[:10] }}' AS day"
    expected = "SELECT TIMESTAMP '2026-01-31 10:00:00.000000+00:00' AS at, '2026-01-31' AS day"
    assert template_render(source, there) == expected


UNKNOWN = [
    ("a\n{{ nonsense('a') }}", 2, "knows no nonsense", "It is one of this"),
    ("{{ run_startd_at }}", 1, "knows no run_startd_at", "run_started_at"),
    ("\n\n{% if is_incrementl() %}1{% endif %}", 3, "knows no is_incrementl", "is_incremental"),
    ("{% set first = 1 %}{{ frst }}", 1, "knows no frst", "first"),
    ("\n{{ this | uper }}", 2, "no filter uper", "upper"),
    ("{{ 1 is od }}", 1, "no test od", "odd"),
    ("\n{% include 'x' %}", 2, "no other template", "Mend"),
]


@pytest.mark.parametrize(("source", "line", "words", "advice"), UNKNOWN, ids=[case[0] for case in UNKNOWN])
def test_names_a_template_lacks_are_found_without_rendering(source: str, line: int, words: str, advice: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        template_check(source)
    (error,) = caught.value.details["errors"]
    assert (error["file"], error["line"]) == ("source", line)
    assert words in str(error["message"])
    assert advice in str(error["remedy"])


def test_everything_that_is_unknown_is_named_at_once() -> None:
    with pytest.raises(InvalidConfig) as caught:
        template_check("{{ a }}\n{{ b | c }}")
    assert [error["line"] for error in caught.value.details["errors"]] == [1, 2, 2]


def test_what_a_template_itself_gives_is_known() -> None:
    source = "{% set a = 1 %}{% for b in range(2) %}{{ a + b + loop.index }}{% endfor %}"
    source += "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(1) }}{% if this %}{% set c = 1 %}{% endif %}{{ c }}"
    # Constants are not computed: this one would fill the memory.
    source += "{{ 'a' * 10 ** 12 }}"
    template_check(source + "".join(f"{{{{ {name} }}}}" for name in TEMPLATE_HELPERS))
    with pytest.raises(InvalidConfig, match="line 2"):
        template_check("\n{% for %}")


class TestInAProcessOfItsOwn:
    def test_the_same_comes_out(self) -> None:
        source = "SELECT '{{ watermark_value }}' FROM {{ ref('flights') }}"
        there = surroundings(watermark="ä'")
        assert bounded_render(source, there) == template_render(source, there)

    def test_and_the_same_is_wrong(self) -> None:
        with pytest.raises(InvalidConfig) as caught:
            bounded_render("\n{{ watermrk_value }}", surroundings())
        (error,) = caught.value.details["errors"]
        assert (error["line"], error["remedy"]) == (2, "Did you mean watermark_value?")

    @pytest.mark.parametrize(
        "source",
        [
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            "{% set a = 'aaaaaaaaaa' %}" + "{% set a = a ~ a %}" * 40,
            "{{ 'a' * 10 ** 10 }}",
            "{{ 'a' | center(10 ** 10) }}",
        ],
        ids=["time", "doubled text", "long text", "filter"],
    )
    def test_what_takes_too_much_is_stopped(self, source: str) -> None:
        with pytest.raises(InvalidConfig):
            bounded_render(source, surroundings())
