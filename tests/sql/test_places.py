"""Where a name stands in a statement."""

from __future__ import annotations

import pytest

from lakeui.sql.positions import name_position

STATEMENT = """UPDATE d.t SET v = f(x.v), `odd name` = v
WHERE v > 'v' -- v
AND a.b.v IS NULL"""


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (["v"], (1, STATEMENT.index("= v\n") + 3)),
        (["x", "v"], (1, 22)),
        (["A", "b", "V"], (3, 5)),
        (["b", "v"], None),
        (["odd name"], None),
        (["nowhere"], None),
    ],
)
def test_name_is_found_whole_and_not_where_assigned(name: list[str], place: tuple[int, int] | None) -> None:
    assert name_position(STATEMENT, name) == place


def test_only_asked_part_of_statement_is_looked_at() -> None:
    start = STATEMENT.index("WHERE")
    assert name_position(STATEMENT, ["v"], start=start) == (2, 7)
    assert name_position(STATEMENT, ["x", "v"], start=start) is None
    assert name_position(STATEMENT, ["a", "b", "v"], end=start) is None
