"""Cron lines mean what they mean to cron, in the time zone of the pipeline."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lakeui.common.errors import InvalidValue
from merge_app.pipelines.cron import next_time, next_times

AFTER = datetime(2026, 1, 31, 23, 59, 30, tzinfo=UTC)


def times(expression: str, zone: str, after: str, count: int = 3) -> list[str]:
    begun = datetime.fromisoformat(after).replace(tzinfo=UTC)
    return [found.strftime("%Y-%m-%dT%H:%M") for found in next_times(expression, zone, begun, count)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("* * * * *", "2026-02-01T00:00"),
        ("0 6 * * mon-fri", "2026-02-02T06:00"),
        ("*/20 * * * *", "2026-02-01T00:00"),
        ("0 0 29 2 *", "2028-02-29T00:00"),
        ("30 12 1 1 *", "2027-01-01T12:30"),
        ("0 0 * * mon#1", "2026-02-02T00:00"),
        ("0 0 * * mon#2", "2026-02-09T00:00"),
        ("0 0 * * 5L", "2026-02-27T00:00"),
        ("0 0 L * *", "2026-02-28T00:00"),
        ("0 0 LW * *", "2026-02-27T00:00"),
        ("0 0 13 * fri", "2026-02-06T00:00"),
        ("0 0 1 */3 *", "2026-04-01T00:00"),
        ("0 0 * * 7", "2026-02-01T00:00"),
    ],
)
def test_the_next_time_is_the_first_after(expression: str, expected: str) -> None:
    found = next_time(expression, "UTC", AFTER)
    assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)
    assert next_time(expression, "UTC", found) > found


def test_the_first_monday_comes_once_a_month() -> None:
    assert times("0 0 * * mon#1", "UTC", "2026-01-01T00:00") == [
        "2026-01-05T00:00", "2026-02-02T00:00", "2026-03-02T00:00",
    ]  # fmt: skip


class TestWhereTheClockChanges:
    """In Berlin on 29 March 2026 from 02:00 to 03:00, and on 25 October back from 03:00 to 02:00."""

    def test_an_hour_stays_that_of_the_clock(self) -> None:
        assert times("0 6 * * *", "Europe/Berlin", "2026-03-27T12:00") == [
            "2026-03-28T05:00", "2026-03-29T04:00", "2026-03-30T04:00",
        ]  # fmt: skip

    def test_a_skipped_time_comes_after_the_gap(self) -> None:
        assert times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", 2) == ["2026-03-29T01:00", "2026-03-30T00:30"]

    def test_a_time_that_comes_twice_counts_once(self) -> None:
        assert times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", 2) == ["2026-10-25T00:30", "2026-10-26T01:30"]

    def test_every_hour_is_every_hour(self) -> None:
        assert times("0 * * * *", "Europe/Berlin", "2026-10-24T23:30") == [
            "2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("often", "has 1 fields and takes five"),
        ("0 6", "has 2 fields and takes five"),
        ("0 0 6 * * *", "has 6 fields and takes five"),
        ("0 25 * * *", "25 is no hour"),
        ("61 * * * *", "61 is no minute"),
        ("0 0 0 * *", "0 is no day of month"),
        ("0 0 * * moon", "moon is no day of week"),
        ("0 0 * * mon#6", "mon#6 is no day of week"),
        ("0 0 31 2 *", "31 is no day of month"),
        ("0 0 * 2 *\x00", "is no"),
    ],
)
def test_invalid_cron_lines_are_refused_with_an_example(expression: str, words: str) -> None:
    with pytest.raises(InvalidValue, match=words) as refusal:
        next_time(expression, "UTC", AFTER)
    assert "five fields. Minute: 0-59" in refusal.value.remedy
    assert refusal.value.details["field"] == "schedule"


@pytest.mark.parametrize(
    ("zone", "remedy"),
    [("europe/berlin", "Europe/Berlin"), ("Berlin", "Europe/Berlin"), ("../etc", "Name one"), ("", "Name one")],
)
def test_an_unknown_time_zone_is_refused(zone: str, remedy: str) -> None:
    with pytest.raises(InvalidValue, match="no time zone") as refusal:
        next_time("0 6 * * *", zone, AFTER)
    assert remedy in refusal.value.remedy
