"""When a branch expires, as people write it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from django.utils import timezone

from catalog_app.selectors.snapshots import moment_parse
from lakeui.common.errors import InvalidValue

LONGEST = timedelta(days=3650)
_UNITS = {"minute": "minutes", "hour": "hours", "day": "days", "week": "weeks"}
_LENGTH = re.compile(rf"(\d{{1,7}})\s*({'|'.join(_UNITS)})s?", re.IGNORECASE | re.ASCII)


def expiry_read(text: str, now: datetime | None = None) -> datetime:
    """The time that ``7 days`` or a timestamp names. It is later than ``now``, by ten years at most."""
    now = now or timezone.now()
    length = _LENGTH.fullmatch(text.strip())
    if length is not None:
        after = timedelta(**{_UNITS[length[2].lower()]: int(length[1])})
    elif text.strip()[:1].isdigit() and "-" in text:
        after = moment_parse(text.strip()) - now
    else:
        raise InvalidValue(
            f"{text!r} is no expiry.",
            remedy="Write how long, as '7 days' or '36 hours', or a time, as '2026-01-31 10:00:00' (UTC).",
            field="expires",
        )
    if not timedelta() < after <= LONGEST:
        raise InvalidValue(
            f"A branch cannot expire at {text!r}.",
            remedy=f"Name a time that is to come, at most {LONGEST.days} days from now.",
            field="expires",
        )
    return now + after
