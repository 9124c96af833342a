"""Cron lines with a time zone, read as Debian's cron reads them, also where the clock changes."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from lakeui.common.errors import InvalidValue
from merge_app.pipelines.definition.mistakes import nearest_of

LONGEST = 200
FIELDS = ("minute", "hour", "day of month", "month", "day of week")
_REMEDY = (
    "A cron line has five fields. Minute: 0-59. Hour: 0-23. Day of month: 1-31; L is the last, LW the last from Monday"
    " to Friday. Month: 1-12 or jan-dec. Day of week: 0-7 or sun-sat; mon#1 is the first Monday, 5L the last Friday."
    " Each takes *, lists (1,2), ranges (1-5) and steps (*/15). 0 6 * * mon-fri is 06:00 on working days."
)
DEFAULT_ZONE = "UTC"


def next_time(expression: str, zone: str, after: datetime) -> datetime:
    """The first time after ``after`` that the expression names in the time zone; in UTC. Raises InvalidValue."""
    times = next_times(expression, zone, after, 1)
    if not times:
        raise _no_schedule(expression, "it names no day that comes")
    return times[0]


def next_times(expression: str, zone: str, after: datetime, count: int) -> list[datetime]:
    """So many times, in UTC; fewer where none follow in 50 years. A time that a change of the clock leaves out comes
    right after the gap. One that comes twice counts once, unless the line names every hour or minute.

    Raises InvalidValue for a line that is none, and for a time zone that is not known.
    """
    begun = after.astimezone(zone_named(zone))
    fields = expression[:LONGEST].split()
    if len(fields) != len(FIELDS):
        # The library takes a sixth field, for seconds; runs are looked for every few seconds.
        raise _no_schedule(expression, f"it has {len(fields)} fields and takes five")
    try:
        return [found.astimezone(UTC) for found in islice(CronSim(" ".join(fields), begun), count)]
    except CronSimError as error:
        name = str(error).removeprefix("Bad ").replace("-", " ")
        value = fields[FIELDS.index(name)] if name in FIELDS else expression
        raise _no_schedule(expression, f"{value} is no {name}") from None


@cache
def zone_named(name: str) -> ZoneInfo:
    """The time zone of that name in the IANA database. Raises InvalidValue."""
    known = available_timezones()
    if name not in known:
        near = nearest_of(name, known)
        raise InvalidValue(
            f"There is no time zone {name[:LONGEST] or 'without a name'}.",
            remedy=f"Did you mean {near}?" if near else "Name one as Europe/Berlin, or UTC.",
            field="schedule_timezone",
        )
    return ZoneInfo(name)


def _no_schedule(expression: str, why: str) -> InvalidValue:
    return InvalidValue(f"{expression[:LONGEST]!r} is no cron line: {why}.", remedy=_REMEDY, field="schedule")
