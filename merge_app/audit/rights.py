"""Who gave whom which right, when: changes of accounts and groups, and of roles in catalogs, in one list."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog_app.selectors.rows import fetch_all

_RECORDS = """
SELECT recorded_at, place, actor_name, subject, name, catalog, before, after FROM (
    SELECT recorded_at, 'account-' || number AS place, actor_name, subject, name, NULL AS catalog, before, after
    FROM merge_app_accountrecord
    UNION ALL
    SELECT a.recorded_at, 'record-' || a.merge_id, a.actor_name,
           CASE a.body->>'setting' WHEN 'member' THEN 'role' ELSE 'role of a group' END,
           a.body->>'name', c.name, nullif(a.body->'before', 'null'), nullif(a.body->'after', 'null')
    FROM merge_app_mergeattempt a JOIN catalog_app_catalog c ON c.id = a.catalog_id
    WHERE a.kind = 'settings' AND a.body->>'setting' IN ('member', 'group')
      AND (%(catalogs)s::bigint[] IS NULL OR a.catalog_id = ANY(%(catalogs)s::bigint[]))
) r
WHERE (%(name)s = '' OR name = %(name)s)
  AND (%(time)s::timestamptz IS NULL OR (recorded_at, place) < (%(time)s::timestamptz, %(place)s))
ORDER BY recorded_at DESC, place DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class RightsRecord:
    """``place`` tells records of one time apart. ``catalog`` is None where the change is of the server."""

    recorded_at: datetime
    place: str
    actor: str
    subject: str
    name: str
    catalog: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def rights_records(
    *, catalogs: list[int] | None, name: str = "", after: tuple[str, str] | None = None, limit: int
) -> list[RightsRecord]:
    """Newest first, behind the key ``after``; of roles those in ``catalogs``, None for all. ``name``: of this person
    or group.
    """
    time, place = after or (None, "")
    asked = {"catalogs": catalogs, "name": name, "time": time, "place": place, "limit": limit}
    return [RightsRecord(*row[:6], *map(_read, row[6:])) for row in fetch_all(_RECORDS, asked)]


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else dict(json.loads(text))
