"""``TIMESTAMP AS OF`` an expression that no row changes: one time a query, folded as pruning folds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from lakeui.common.errors import NotSupported
from lakeui.sql import statements as s
from lakeui.sql.parse import parse

MIDNIGHT = {"hour": 0, "minute": 0, "second": 0, "microsecond": 0}


def times(text: str) -> list[datetime]:
    statement = parse(text)
    assert isinstance(statement, s.Select)
    return [datetime.fromisoformat(item.name.timestamp) for item in statement.query.tables if item.name.timestamp]


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("current_timestamp()", timedelta()),
        ("current_timestamp() - INTERVAL 1 DAY", timedelta(days=1)),
        ("(now() - INTERVAL '2' HOURS)", timedelta(hours=2)),
        ("dateadd(minute, -5, now())", timedelta(minutes=5)),
    ],
)
def test_a_time_counts_from_that_of_the_statement(text: str, back: timedelta) -> None:
    before = datetime.now(UTC)
    (found,) = times(f"SELECT * FROM d.t TIMESTAMP AS OF {text} AS x WHERE x.a = 1")
    assert before <= found + back <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("current_date()", timedelta()),
        ("date_sub(current_date(), 1)", timedelta(days=1)),
        ("current_date() - 7", timedelta(days=7)),
        ("current_date() - INTERVAL 2 HOURS", timedelta(hours=2)),
    ],
)
def test_a_day_is_its_beginning(text: str, back: timedelta) -> None:
    today = datetime.now(UTC).replace(**MIDNIGHT)
    (found,) = times(f"SELECT * FROM d.t TIMESTAMP AS OF {text}")
    assert found + back in (today, datetime.now(UTC).replace(**MIDNIGHT))


def test_constants_of_their_own_count_from_no_time() -> None:
    day = datetime(2026, 1, 30, tzinfo=UTC)
    assert times("SELECT * FROM d.t TIMESTAMP AS OF DATE '2026-01-31' - INTERVAL 1 DAY") == [day]
    assert times("SELECT * FROM d.t TIMESTAMP AS OF date_add(DATE '2026-01-29', 1)") == [day]


def test_all_times_of_a_query_count_from_one() -> None:
    one, other = times("SELECT * FROM d.t TIMESTAMP AS OF now() a JOIN d.t TIMESTAMP AS OF now() - INTERVAL 1 DAY b")
    assert one - other == timedelta(days=1)


@pytest.mark.parametrize("kind", ["VIEW d.v", "OR REPLACE VIEW d.v", "TEMPORARY VIEW v"])
def test_a_view_keeps_no_time_that_moves(kind: str) -> None:
    with pytest.raises(NotSupported, match="another version"):
        parse(f"CREATE {kind} AS SELECT * FROM d.t TIMESTAMP AS OF now() - INTERVAL 1 DAY")
    parse(f"CREATE {kind} AS SELECT * FROM d.t TIMESTAMP AS OF '2026-01-31'")
