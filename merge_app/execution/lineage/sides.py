"""What each side of a merge shows otherwise, and what it took away since: metadata only, a query each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.lineage.ranges import RANGES, versions_load
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.lineage.staged_files import overlay, touched_files
from merge_app.execution.lineage.superseded import FACT_KINDS, MASKS, superseded_leave_out
from merge_app.execution.lineage.vectors import CommitsReached
from merge_app.execution.lineage.written import LOOKED_AT, ROWS_AT, WRITTEN, looked_at_parameters, written_of
from merge_app.execution.version_vectors import Ranges
from merge_app.lineage.facts import News
from merge_app.lineage.segments import DOT, FileSide, Gone, Marked, ShownFile, Stamp
from merge_app.lineage.steps import CarryWritten

_BOUNDS = """f.smallest_stamp AS oldest,
    CASE f.smallest_stamp WHEN 0 THEN greatest(f.largest_stamp, x.stamp) ELSE f.largest_stamp END AS newest"""
"""Of the stamps of a file that stores some; rows without have that of the segment."""


_MARKS = (
    ("deletes", "catalog_app_segmentdelete", "delete_file_id", "attached_version"),
    ("stamped", "catalog_app_segmentstamp", "rows_file_id", "stamped_version"),
)
"""By column of what is shown, where it lies: a table, and the columns of the file and of the version."""


def _marks(side: str) -> str:
    """What marks rows of segments."""
    return ", ".join(
        f"""{side}_{name} AS MATERIALIZED (
    SELECT d.segment_id, jsonb_agg(jsonb_build_array(
        d.{file}, d.stamp, d.kind, d.brings_stamp, d.brings_kind, d.undoes_stamp) ORDER BY d.{file}) AS events
    FROM {side}_added s JOIN {table} d ON d.segment_id = s.id
    JOIN {side}_line l ON d.branch_id = l.branch_id AND d.{at} <= l.max_version
    GROUP BY d.segment_id
)"""
        for name, table, file, at in _MARKS
    )


_TOUCHED = "\n".join(
    f"""    UNION SELECT s.file_id FROM own o JOIN {table} d
      ON d.table_id = ANY(%(tables)s) AND d.branch_id = o.branch_id AND d.{at} > o.after AND d.{at} <= o.upto
    JOIN catalog_app_segment s ON s.id = d.segment_id"""
    for table, at in (
        ("catalog_app_segmentremoval", "removed_version"),
        *((table, at) for _, table, _, at in _MARKS),
    )
)

_CANDIDATES = f"""
own AS MATERIALIZED (
    SELECT * FROM unnest(%(own_ids)s::bigint[], %(own_after)s::bigint[], %(own_upto)s::bigint[])
        AS o(branch_id, after, upto)
), candidates AS MATERIALIZED (
    SELECT unnest(%(touched)s::bigint[]) AS file_id
    UNION SELECT s.file_id FROM own o JOIN catalog_app_segment s
      ON s.table_id = ANY(%(tables)s) AND s.branch_id = o.branch_id
     AND s.added_version > o.after AND s.added_version <= o.upto
{_TOUCHED}
)"""
"""Files that commits touched which one of the chains alone sees. All others both sides show alike."""


_SHOWN_COLUMNS = """
    s.table_id, s.file_id, s.id, s.stamp, s.kind, coalesce(s.brings_stamp, 0) AS brings_stamp, s.brings_kind,
    coalesce(s.undoes_stamp, 0) AS undoes_stamp, s.partition, s.partition_stamp, s.partition_kind,
    coalesce(s.partition_brings, 0) AS partition_brings, coalesce(s.partition_undoes, 0) AS partition_undoes,
    coalesce(d.events, '[]'::jsonb) AS deletes, coalesce(p.events, '[]'::jsonb) AS stamped"""


def _shown(side: str) -> str:
    """What a chain shows of candidates: what it costs follows the change. Up to ``shared`` both chains have the branch.
    After it every segment is of a candidate. Before it a branch is asked for files between its first and its last one,
    each by the index: a join would read all segments of the chain.
    """
    return f"""
{side}_line AS MATERIALIZED (
    SELECT l.branch_id, l.max_version, least(o.after, l.max_version) AS shared, files.smallest, files.largest
    FROM unnest(%({side}_ids)s::bigint[], %({side}_limits)s::bigint[]) AS l(branch_id, max_version)
    LEFT JOIN own o ON o.branch_id = l.branch_id
    CROSS JOIN LATERAL (
        SELECT min(s.file_id) AS smallest, max(s.file_id) AS largest
        FROM catalog_app_segment s WHERE s.branch_id = l.branch_id
    ) files
), {side}_added AS MATERIALIZED (
    SELECT s.* FROM (
        SELECT s.* FROM {side}_line l JOIN catalog_app_segment s
          ON s.table_id = ANY(%(tables)s) AND s.branch_id = l.branch_id
         AND s.added_version > l.shared AND s.added_version <= l.max_version
        UNION ALL
        SELECT s.* FROM candidates c JOIN {side}_line l
          ON l.shared > 0 AND c.file_id BETWEEN l.smallest AND l.largest
        CROSS JOIN LATERAL (
            SELECT s.* FROM catalog_app_segment s
            WHERE s.branch_id = l.branch_id AND s.file_id = c.file_id AND s.added_version <= l.shared
              AND s.table_id = ANY(%(tables)s)
            OFFSET 0
        ) s
    ) s
    WHERE NOT EXISTS (
        SELECT 1 FROM catalog_app_segmentremoval r JOIN {side}_line m
          ON r.branch_id = m.branch_id AND r.removed_version <= m.max_version WHERE r.segment_id = s.id)
), {_marks(side)}, {side} AS MATERIALIZED (
    SELECT {_SHOWN_COLUMNS}
    FROM {side}_added s
    LEFT JOIN {side}_deletes d ON d.segment_id = s.id LEFT JOIN {side}_stamped p ON p.segment_id = s.id
)"""


def _differing(side: str, other: str) -> str:
    return f"""
SELECT '{side}' AS side, x.*, f.rows, f.smallest_row_id AS smallest, f.largest_row_id AS largest, {_BOUNDS}
FROM {side} x JOIN catalog_app_datafile f ON f.id = x.file_id
LEFT JOIN {other} y ON y.file_id = x.file_id AND y.stamp = x.stamp AND y.kind = x.kind
  AND y.partition = x.partition AND y.partition_stamp = x.partition_stamp
  AND y.deletes = x.deletes AND y.stamped = x.stamped
WHERE y.file_id IS NULL OR x.file_id = ANY(%(touched)s)"""


_DIFFERING = f"""
WITH {_CANDIDATES}, {_shown("source")}, {_shown("target")}, differing AS MATERIALIZED (
    {_differing("source", "target")} UNION ALL {_differing("target", "source")}
), {RANGES}, {LOOKED_AT}
"""


_PLACE = "s.partition, s.partition_stamp, s.partition_kind, s.partition_brings, s.partition_undoes"


_GONE = f"""
WITH {RANGES}
SELECT g.place, r.table_id, s.file_id, f.smallest_row_id, f.largest_row_id, NULL::bigint,
       r.stamp, r.kind, r.brings_stamp, r.brings_kind, r.undoes_stamp,
       {MASKS}, {_PLACE}
FROM ranges g JOIN catalog_app_segmentremoval r ON r.table_id = ANY(%(tables)s)
  AND r.branch_id = g.branch_id AND r.removed_version > g.after AND r.removed_version <= g.upto
JOIN catalog_app_branch b ON b.id = r.branch_id
JOIN catalog_app_segment s ON s.id = r.segment_id JOIN catalog_app_datafile f ON f.id = s.file_id
WHERE r.stamp = r.removed_version AND r.kind IN {FACT_KINDS}
UNION ALL
SELECT g.place, d.table_id, f.id, f.smallest_row_id, f.largest_row_id, d.delete_file_id,
       d.stamp, d.kind, d.brings_stamp, d.brings_kind, d.undoes_stamp, NULL, {_PLACE}
FROM ranges g JOIN catalog_app_segmentdelete d ON d.table_id = ANY(%(tables)s)
  AND d.branch_id = g.branch_id AND d.attached_version > g.after AND d.attached_version <= g.upto
JOIN catalog_app_segment s ON s.id = d.segment_id
JOIN catalog_app_deletefile x ON x.id = d.delete_file_id JOIN catalog_app_datafile f ON f.id = x.data_file_id
WHERE d.stamp = d.attached_version AND d.kind IN {FACT_KINDS}
"""


def differing_load(
    tables: Collection[int], source: Snapshot, target: Snapshot
) -> tuple[Mapping[int, list[ShownFile]], Mapping[int, list[ShownFile]]]:
    """By table, the files of both snapshots that the other does not show so."""
    shown: tuple[dict[int, list[ShownFile]], dict[int, list[ShownFile]]] = (defaultdict(list), defaultdict(list))
    asked = (
        _asked(tables, source, target) | Ranges().parameters | looked_at_parameters((), np.zeros(0, dtype=np.int64), ())
    )
    for side, table_id, *row, _, _ in fetch_all(_DIFFERING, asked):
        shown[side == "target"][table_id].append(_file(row, frozenset()))
    return shown


@dataclass(frozen=True, slots=True)
class Sides:
    """The files of both sides by table, and what each knows. ``written``: by table, files of the source that meet no
    other and are not among its files.
    """

    source: Mapping[int, FileSide]
    target: Mapping[int, FileSide]
    news: News
    source_news: Ranges
    target_news: Ranges
    written: Mapping[int, CarryWritten]


def sides_load(
    tables: Collection[int],
    side: SourceSide,
    whole: Collection[int],
    commits: CommitsReached,
    *,
    keyed: AbstractSet[int] = frozenset(),
) -> Sides:
    """``whole``: tables of which files that meet no other need not be looked at one by one. ``keyed``: tables with a
    primary key.
    """
    own, staged = side.own_branch, side.staged
    ranges = Ranges.of_news(commits.source, commits.target), Ranges.of_news(commits.target, commits.source)
    loaded = versions_load(*ranges, tables)
    versions, news = [item.all for item in loaded], [item.of_table for item in loaded]
    is_branch = own is None and not staged and not side.restored
    dots = _own_versions(own) if own is not None else frozenset()
    shown: dict[str, dict[int, list[ShownFile]]] = {"source": defaultdict(list), "target": defaultdict(list)}
    gone = gone_load(tables, *ranges, dots=dots)
    for of_side in gone:
        superseded_leave_out(of_side, tables, commits, versions, keyed=keyed)
    restored = (file for item in side.restored.values() for file in item.present)
    touched = [*touched_files(staged), *restored]
    asked = _asked(tables, side.front, side.destination, touched) | ranges[0].parameters
    asked |= looked_at_parameters(whole if is_branch else (), versions[0], gone)
    written: dict[int, CarryWritten] = {}
    for name, table_id, *row, segments, files in fetch_all(_DIFFERING, asked):
        if name == WRITTEN:
            written[table_id] = written_of(segments, files, row[ROWS_AT])
        else:
            shown[name][table_id].append(_file(row, dots))
    if staged:
        overlay(staged, shown["source"], gone[0], side.restored)
    if staged or own is not None:
        versions[0], news[0] = np.array([DOT], dtype=np.int64), {table: {DOT} for table in tables}
    found = [
        {t: FileSide(tuple(shown[name].get(t, ())), tuple(gone[n].get(t, ())), news[n][t]) for t in tables}
        for n, name in enumerate(("source", "target"))
    ]
    return Sides(found[0], found[1], News(versions[0], versions[1]), ranges[0], ranges[1], written)


def _asked(tables: Collection[int], source: Snapshot, target: Snapshot, touched: Sequence[int] = ()) -> dict[str, Any]:
    return {
        "tables": list(tables),
        "source_ids": list(source.branch_ids),
        "source_limits": list(source.limits),
        "target_ids": list(target.branch_ids),
        "target_limits": list(target.limits),
        "touched": list(touched),
        **_own_parts(source, target),
    }


def _own_parts(source: Snapshot, target: Snapshot) -> dict[str, list[int]]:
    """The commits that one of the chains alone sees, as ranges of versions."""
    chains = [dict(zip(item.branch_ids, item.limits, strict=True)) for item in (source, target)]
    found = []
    for branch in dict.fromkeys((*source.branch_ids, *target.branch_ids)):
        limits = [chain.get(branch, 0) for chain in chains]
        if min(limits) < max(limits):
            found.append((branch, min(limits), max(limits)))
    return {name: [row[n] for row in found] for n, name in enumerate(("own_ids", "own_after", "own_upto"))}


def _own_versions(branch_id: int) -> frozenset[int]:
    rows = fetch_all("SELECT version FROM catalog_app_commit WHERE branch_id = %(id)s", {"id": branch_id})
    return frozenset(row[0] for row in rows)


def _stamp(values: Sequence[Any], dots: frozenset[int]) -> Stamp:
    version, kind, brings, brings_kind, undoes = values
    stamps = [DOT if item in dots else item or 0 for item in (version, brings, undoes)]
    return Stamp(stamps[0], kind, stamps[1], brings_kind, stamps[2])


def _marked(events: Any, dots: frozenset[int]) -> tuple[Marked, ...]:
    return tuple(Marked(event[0], _stamp(event[1:], dots)) for event in json_value(events))


def _file(row: Sequence[Any], dots: frozenset[int]) -> ShownFile:
    file_id, segment_id, *stamp = row[:7]
    partition, placed, kind, brings, undoes, deletes, stamped, rows, smallest, largest, oldest, newest = row[7:]
    return ShownFile(
        segment_id,
        file_id,
        rows,
        smallest,
        largest,
        tuple(json_value(partition)),
        _stamp(stamp, dots),
        _marked(deletes, dots),
        _marked(stamped, dots),
        DOT if newest in dots else newest or 0,
        oldest or 0,
        _placed((placed, kind, brings, undoes), dots),
    )


def _placed(values: Sequence[Any], dots: frozenset[int]) -> Stamp:
    version, kind, brings, undoes = values
    return _stamp((version, kind, brings, "move" if brings else "", undoes), dots)


def gone_load(
    tables: Collection[int], *ranges: Ranges, dots: frozenset[int] = frozenset()
) -> list[dict[int, list[Gone]]]:
    """Of each range of commits, at most two, by table the rows that these took away."""
    found: list[dict[int, list[Gone]]] = [defaultdict(list) for _ in ranges]
    every = sum(ranges, Ranges())
    for place, table_id, file_id, smallest, largest, delete, *rest in (
        fetch_all(_GONE, {**every.parameters, "tables": list(tables)}) if every else ()
    ):
        stamp = _stamp(rest[:5], dots)
        masks, partition, *placed = rest[5:]
        where = tuple(json_value(partition)), _placed(placed, dots)
        side = found[place > len(ranges[0])]
        side[table_id].append(Gone(file_id, smallest, largest, stamp, delete, tuple(masks or ()), *where))
    return found
