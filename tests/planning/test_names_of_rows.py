"""What a row without a primary key is called: by the first columns that tell it from the others."""

from __future__ import annotations

import json

from catalog_app.domain.row_counts import told_apart

FLIGHTS = [
    {"year": 2014, "month": 1, "day": 1, "dep": 517, "carrier": "UA", "origin": "EWR"},
    {"year": 2014, "month": 1, "day": 1, "dep": None, "carrier": "B6", "origin": "JFK"},
    {"year": 2014, "month": 1, "day": 1, "dep": None, "carrier": "AA", "origin": "JFK"},
]


def _named(rows: list[dict[str, object]], *, always: tuple[str, ...] = ()) -> list[dict[str, object]]:
    return [json.loads(name) for name in told_apart([json.dumps(row) for row in rows], always=always)]


def test_columns_with_one_value_name_no_rows() -> None:
    assert _named(FLIGHTS) == [
        {"dep": 517, "carrier": "UA"},
        {"dep": None, "carrier": "B6"},
        {"dep": None, "carrier": "AA"},
    ]


def test_single_and_equal_rows_have_their_first_columns() -> None:
    assert _named(FLIGHTS[:1]) == [{"year": 2014, "month": 1}]
    assert _named([FLIGHTS[0], FLIGHTS[0]]) == [{"year": 2014, "month": 1}] * 2
    assert _named([]) == []


def test_a_naming_column_has_another_beside_it() -> None:
    assert _named(FLIGHTS[:2], always=("origin",)) == [
        {"year": 2014, "dep": 517, "origin": "EWR"},
        {"year": 2014, "dep": None, "origin": "JFK"},
    ]
