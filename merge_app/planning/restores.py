"""Restores that one side of a merge knows in part.

A restore to what its reader knew is nothing to that reader (P7), so nothing of it goes on from there; the restore is
reached from there all the same (P6). Who knows some of what was taken back would keep that for good, and each side
would have rows in files that the other knows nothing of.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog_app.domain.operations import ObjectKind
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.findings import outside_finding
from merge_app.planning.sides import Sides
from merge_app.planning.surviving import ObjectChanges
from merge_app.planning.values import Finding, PlanInput


def restores_judge(given: PlanInput, sides: Sides) -> Iterator[Finding]:
    """RESTORE_KNOWN_IN_PART for each table that either side neither dropped nor overwrote since."""
    for restore in given.known_in_part:
        table = given.tables.get(restore.table_id)
        both = (
            sides.source_of(ObjectKind.TABLE, restore.table_id),
            sides.destination_of(ObjectKind.TABLE, restore.table_id),
        )
        if table is None or table.is_dropped or any(side.dropped or side.overwrites_all for side in both):
            continue
        home = given.databases.get(table.database_id)
        name = f"{home.name}.{table.name}" if home is not None else table.name
        informed = "source" if restore.knows_half == "destination" else "destination"
        yield outside_finding(
            # Nothing that either side did led to it.
            ObjectChanges(ObjectKind.TABLE, restore.table_id),
            name,
            VerdictCode.RESTORE_KNOWN_IN_PART,
            f"Branch {restore.branch} took back by RESTORE (version {restore.version}) what it had done to {name} since"
            f" version {restore.restored_version}. The {informed} knows of both; the {restore.knows_half} knows some of"
            " what was done, and not that it was taken back.",
            source_operation="overwrite" if informed == "source" else "",
            destination_operation="overwrite" if informed == "destination" else "",
            details={
                "restored_branch": restore.branch,
                "version": restore.version,
                "known_in_part_by": restore.knows_half,
            },
        )
