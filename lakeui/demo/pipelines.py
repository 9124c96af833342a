"""A pipeline for each strategy, on the flights. They are there to be looked at and run; loading runs none."""

from __future__ import annotations

from collections.abc import Collection

from catalog_app.domain.roles import CatalogScope, Scope
from catalog_app.models import Catalog
from merge_app.pipelines.services import pipeline_create

PIPELINES: dict[str, tuple[str, str]] = {
    "delays_by_day": (
        "description: How late flights left, by airport and day.\n",
        """SELECT origin, make_date(year, month, day) AS day, count(*) AS flights, avg(dep_delay) AS mean_delay
FROM {{ source('flights', 'flights') }}
GROUP BY origin, year, month, day
""",
    ),
    "longest_delays": (
        "merge_strategy: append_only\ndescription: A count at every run, none ever overwritten.\n",
        """SELECT month, count(*) AS flights, max(dep_delay) AS longest, current_timestamp() AS counted_at
FROM {{ source('flights', 'flights') }}
WHERE dep_delay > 300
GROUP BY month
""",
    ),
    "last_seen": (
        "merge_strategy: incremental\nunique_key: tailnum\nwatermark_column: time_hour\ntie_break: flight\n",
        """-- @description: Where each plane was seen last.
SELECT tailnum, time_hour, flight, carrier, origin, dest
FROM {{ source('flights', 'flights') }}
WHERE tailnum IS NOT NULL
{% if is_incremental() %}AND time_hour >= {{ watermark_value }}{% endif %}
""",
    ),
    "routes": (
        "merge_strategy: delete_insert\nunique_key: origin\ndescription: All routes of an airport, replaced at once.\n",
        """SELECT origin, dest, count(*) AS flights
FROM {{ source('flights', 'flights') }}
GROUP BY origin, dest
""",
    ),
    "planes_history": (
        "merge_strategy: scd2\nunique_key: tailnum\nhard_deletes: invalidate\ndescription: Planes as they were.\n",
        """SELECT tailnum, year AS built, manufacturer, model, seats
FROM {{ source('flights', 'planes') }}
""",
    ),
    "delays_by_month": (
        """merge_strategy: snapshot
partition_column: month
publish: checked
checks: [month BETWEEN 1 AND 12, flights > 0]
description: How late carriers were, each month replaced as a whole once its checks have passed.
""",
        """SELECT month, carrier, count(*) AS flights, avg(arr_delay) AS mean_delay
FROM {{ source('flights', 'flights') }}
GROUP BY month, carrier
""",
    ),
}
"""By name, which is also the table's: ``config.yaml`` and source."""


def pipelines_load(
    catalog: Catalog, database: str, *, owner_id: int | None, scopes: Collection[Scope | CatalogScope] | None
) -> None:
    """Make them, without a schedule."""
    for name, (config, source) in PIPELINES.items():
        values = {"name": name, "layer": "demo", "database": database, "table": name, "branch": "main"}
        texts = {"source": source, "config": config, "schedule": ""}
        pipeline_create(catalog=catalog, values={**values, **texts}, owner_id=owner_id, scopes=scopes)
