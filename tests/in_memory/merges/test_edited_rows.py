"""Rows that a person edited in a merge. ``tests/stories/decided_rows.toml`` has other decisions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakeui.common.errors import InvalidValue
from tests.support.lake import Lake
from tests.support.rows import run


@pytest.fixture
def clashing(lake: Lake) -> Lake:
    """Both branches set v of row 1; b changed row 2, which main deleted."""
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT NOT NULL, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.k VALUES (1, 'o', 1, 'x'), (2, 'o', 2, 'x')")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", "UPDATE d.k SET v = 'b'")
    run(lake, "main", "UPDATE d.k SET v = 'm' WHERE id = 1", "DELETE FROM d.k WHERE id = 2")
    return lake


def edited(lake: Lake, **given: dict[str, Any]) -> None:
    rows = (f"TABLE d.k ROW '{{\"id\":{key[1:]}}}' SET '{json.dumps(values)}'" for key, values in given.items())
    lake.sql(f"MERGE BRANCH b TO main RESOLVE ({', '.join(rows)})")


def test_an_edited_row_holds_even_without_conflict(clashing: Lake) -> None:
    edited(clashing, r1={"v": "e", "n": 7, "p": "x"}, r2={"N": 8})
    assert clashing.rows("d.k") == [(1, "e", 7, "x"), (2, "b", 8, "x")]
    clashing.merge("main", "b")
    assert clashing.rows("d.k", "b") == clashing.rows("d.k")
    assert clashing.breaches() == []


@pytest.mark.parametrize("given", [{"nope": 1}, {"id": 3}, {"p": "y"}, {"n": None}])
@pytest.mark.parametrize("key", ["r1", "r2"])
def test_what_an_edited_row_cannot_hold_is_refused(clashing: Lake, key: str, given: dict[str, Any]) -> None:
    other = "r2" if key == "r1" else "r1"
    with pytest.raises(InvalidValue, match=next(iter(given))):
        edited(clashing, **{key: {"v": "e", **given}, other: {"v": "e"}})
    assert clashing.rows("d.k") == [(1, "m", 1, "x")]
