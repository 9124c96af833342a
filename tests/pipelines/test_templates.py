"""Templates: helpers, the sandbox, its bounds, and the line of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.mistakes import InvalidConfig
from merge_app.pipelines.definition.templates import Surroundings, TableAddress, template_check, template_render
from merge_app.pipelines.rendering import bounded_render

TARGET = TableAddress("gold", "delays")
FLIGHTS = {"Flights": TableAddress("silver", "fl`ights")}


def surroundings(strategy: Strategy = Strategy.INCREMENTAL, **more: Any) -> Surroundings:
    return Surroundings(strategy, TARGET, references=FLIGHTS, **more)


HELPERS = ["is_incremental", "is_append_only", "is_delete_insert", "is_scd2", "is_snapshot"]


@pytest.mark.parametrize("strategy", list(Strategy))
def test_the_helper_of_the_strategy_is_true_and_no_other(strategy: Strategy) -> None:
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


def test_a_template_can_be_checked_without_rendering_it() -> None:
    template_check("{{ anything }}")
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
