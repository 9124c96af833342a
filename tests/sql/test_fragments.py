"""Where a statement holds what Spark could not compute."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.expressions.placing import at_its_place
from lakeui.sql.positions import fragment_position

PLACES = [
    ("SELECT id, cast(Name as int) FROM d.o", "CAST(`name` AS INT)", "cast(Name as int)"),
    ("SELECT name :: int FROM d.o", "CAST(`name` AS INT)", "name :: int"),
    ("SELECT id/ -- by what\n0 FROM d.o", "`id` / 0", "id/ -- by what\n0"),
    ("INSERT INTO d.o VALUES (CAST('abc' AS INT))", "CAST(abc AS INT)", "CAST('abc' AS INT)"),
    ("INSERT INTO d.o SELECT CAST(a AS INT) FROM d.p", "CAST(.. AS int)", "CAST(a AS INT)"),
    ("SELECT CAST(a AS INT), CAST(a AS INT)", "CAST(`a` AS INT)", None),
    ("SELECT a FROM d.v", "CAST(`a` AS INT)", None),
    ("SELECT CAST(a AS INT", "CAST(.. AS INT)", None),
]


@pytest.mark.parametrize(("text", "fragment", "near"), PLACES)
def test_a_fragment_has_one_place_or_none(text: str, fragment: str, near: str | None) -> None:
    place = fragment_position(text, fragment)
    assert (text[slice(*place)] if place else None) == near


def _failing(*fragments: str, **details: str) -> InvalidValue:
    error = InvalidValue("'abc' is not a DECIMAL(10,2).", remedy="Correct it.", **details)
    error.fragments = fragments

    def fail() -> None:
        raise error

    with pytest.raises(InvalidValue) as caught:
        at_its_place("SELECT id,\n  amount::DECIMAL(10,2) FROM d.o", fail)
    return caught.value


def test_a_cast_names_column_and_place() -> None:
    found = _failing("CAST(`amount` AS DECIMAL(10, 2))", spark_class="CAST_INVALID_INPUT")
    assert found.message == "amount: 'abc' is not a DECIMAL(10,2) (line 2, column 3)."
    assert found.remedy == "Correct it."
    assert found.details == {
        "spark_class": "CAST_INVALID_INPUT",
        "line": 2,
        "column": 3,
        "near": "amount::DECIMAL(10,2)",
    }


def test_the_narrowest_fragment_that_stands_there_counts() -> None:
    assert _failing("CAST(s1 AS int)", "`id`").details["near"] == "id"


def test_what_stands_elsewhere_stays_as_it_is() -> None:
    found = _failing("CAST(`secret` AS INT)", part="SET")
    assert (found.message, found.details) == ("'abc' is not a DECIMAL(10,2).", {"part": "SET"})
