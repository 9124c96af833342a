"""Files that the source wrote and that meet no other file: one step for all of a table, whatever their number."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from merge_app.lineage.facts import Ints
from merge_app.lineage.segments import Gone
from merge_app.lineage.steps import CarryWritten

WRITTEN = "written"
"""Stands for the side in the row that has all these files of a table."""

_COLUMNS = {
    "file_id": "bigint",
    "id": "bigint",
    "stamp": "bigint",
    "kind": "text",
    "brings_stamp": "bigint",
    "brings_kind": "text",
    "undoes_stamp": "bigint",
    "partition": "jsonb",
    "partition_stamp": "bigint",
    "partition_kind": "text",
    "partition_brings": "bigint",
    "partition_undoes": "bigint",
    "deletes": "jsonb",
    "stamped": "jsonb",
    "rows": "bigint",
    "smallest": "bigint",
    "largest": "bigint",
    "oldest": "bigint",
    "newest": "bigint",
}
"""Of a differing file, besides its side and table."""

ROWS_AT = list(_COLUMNS).index("rows")

_NAMES = ", ".join(_COLUMNS)
_RANGE_ALONE = ", ".join(
    name if name in ("smallest", "largest") else f"NULL::{kind} AS {name}" for name, kind in _COLUMNS.items()
)
_SUMMED = ", ".join("sum(rows)::bigint" if name == "rows" else f"NULL::{kind}" for name, kind in _COLUMNS.items())

LOOKED_AT = f"""acting AS MATERIALIZED (
    SELECT DISTINCT o.object_id FROM ranges r JOIN catalog_app_commitoperation o
      ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
    WHERE o.object_kind = 'table' AND o.kind IN ('overwrite', 'partition', 'update', 'delete')
), swept AS (
    SELECT i.*, max(i.largest) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached,
           lead(i.smallest) OVER w AS following
    FROM (
        SELECT side, table_id, {_NAMES} FROM differing
        UNION ALL
        SELECT 'gone', table_id, {_RANGE_ALONE} FROM unnest(
            %(gone_tables)s::bigint[], %(gone_smallest)s::bigint[], %(gone_largest)s::bigint[]
        ) AS g(table_id, smallest, largest)
    ) i
    WINDOW w AS (PARTITION BY i.table_id ORDER BY i.smallest)
), sorted AS MATERIALIZED (
    SELECT side, table_id, {_NAMES}, CASE
        WHEN NOT table_id = ANY(%(whole)s) OR reached >= smallest OR following <= largest THEN 'meets'
        WHEN side = 'target' AND table_id NOT IN (SELECT object_id FROM acting) THEN 'stays'
        WHEN side = 'source' AND kind IN ('insert', 'overwrite') AND stamp = ANY(%(news)s::bigint[])
             AND deletes = '[]' AND stamped = '[]' THEN 'comes'
        ELSE 'meets' END AS way
    FROM swept WHERE side <> 'gone'
)
SELECT side, table_id, {_NAMES}, NULL AS segments, NULL AS files FROM sorted WHERE way = 'meets'
UNION ALL
SELECT '{WRITTEN}', table_id, {_SUMMED},
       string_agg(id::text, ' ' ORDER BY file_id), string_agg(file_id::text, ' ' ORDER BY file_id)
FROM sorted WHERE way = 'comes' GROUP BY table_id
"""
"""The differing files, but for those of tables ``whole`` that meet nothing of either side. Those that the source wrote
are put together; those of the target stay, unless the source has a scope that may act on them. ``ranges`` and ``news``
are those of the source.
"""


def looked_at_parameters(
    whole: Collection[int], news: Ints, gone: Sequence[Mapping[int, Sequence[Gone]]]
) -> dict[str, Any]:
    """``gone``: what each side took away; files that hold the same rows meet it."""
    ranges = [(t, item.smallest, item.largest) for side in gone for t in whole for item in side.get(t, ())]
    return {
        "whole": list(whole),
        "news": news.tolist(),
        "gone_tables": [item[0] for item in ranges],
        "gone_smallest": [item[1] for item in ranges],
        "gone_largest": [item[2] for item in ranges],
    }


def written_of(segments: str, files: str, rows: int) -> CarryWritten:
    """The step of one table. ``segments``, ``files``: ids with spaces between."""
    ids = [np.array(text.split(), dtype=np.int64) for text in (segments, files)]
    return CarryWritten.of(ids[0], ids[1], rows)
