"""Which commit made a table what a branch sees of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot


@dataclass(frozen=True, slots=True)
class TableChange:
    """The commit ``version`` of a branch, made at ``at``."""

    branch_id: int
    version: int
    at: datetime


def _newest(table: str, version: str) -> str:
    return (
        f"(SELECT max(x.{version}) FROM catalog_app_{table} x WHERE x.table_id = %(table)s"
        f" AND x.branch_id = l.branch_id AND x.{version} <= l.max_version)"
    )


_NEWEST = f"""
WITH {SNAPSHOT}, newest AS (
    SELECT l.branch_id, greatest(
        {_newest("segment", "added_version")},
        {_newest("segmentremoval", "removed_version")},
        {_newest("segmentdelete", "attached_version")},
        {_newest("tablerecord", "version")},
        {_newest("tableschemahistory", "version")}) AS version
    FROM snapshot l
)
SELECT n.branch_id, n.version, c.committed_at
FROM (SELECT * FROM newest WHERE version IS NOT NULL ORDER BY version DESC LIMIT 1) n
JOIN catalog_app_commit c ON c.branch_id = n.branch_id AND c.version = n.version
"""


def table_change(snapshot: Snapshot, table_id: int) -> TableChange:
    """The newest commit on the chain that changed rows, columns or attributes of the table."""
    ((branch_id, version, at),) = fetch_all(_NEWEST, {**snapshot.parameters, "table": table_id}, prepared=True)
    return TableChange(branch_id, version, at)


def table_changes(snapshot: Snapshot, table_id: int, *, most: int) -> list[TableChange]:
    """The newest commits on the chain that changed the table, the newest first. A query each, which an index answers: a
    commit may have very many segments, and one query for all would read them.
    """
    found: list[TableChange] = []
    while len(found) < most:
        then = snapshot.at(found[-1].version - 1) if found else snapshot
        rows = fetch_all(_NEWEST, {**then.parameters, "table": table_id}, prepared=True)
        if not rows:
            break
        found.append(TableChange(*rows[0]))
    return found
