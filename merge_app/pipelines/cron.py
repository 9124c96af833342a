"""Cron expressions, in UTC. Celery's crontab knows what they mean."""

from __future__ import annotations

from datetime import UTC, datetime

from celery.schedules import ParseException, crontab

from lakeui.common.errors import InvalidValue

LONGEST = 200


def next_time(expression: str, after: datetime) -> datetime:
    """The first time after ``after`` that the expression names. Raises InvalidValue."""
    try:
        minute, hour, day, month, weekday = expression[:LONGEST].split()
        schedule = crontab(minute, hour, day_of_week=weekday, day_of_month=day, month_of_year=month)
        moment: datetime = after.astimezone(UTC)
        # Without app and clock of its own it would ask Celery's configuration which time zone is meant.
        schedule.tz, schedule.nowfun = UTC, lambda: moment
        begun, remaining, _ = schedule.remaining_delta(moment, tz=UTC)
        found: datetime = begun + remaining
        return found.astimezone(UTC)
    except (ParseException, ValueError, RuntimeError, OverflowError, TypeError) as error:
        raise InvalidValue(
            f"{expression[:LONGEST]!r} is no schedule: {str(error).rstrip('.')}.",
            remedy="Write minute, hour, day of month, month and day of week, like 0 6 * * mon-fri.",
            field="schedule",
        ) from None
