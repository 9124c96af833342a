"""Rows that an earlier merge left out by a decision, where its result meets the branch that has them.

What was left out counts as merged, so the source knows of it and does not show it. Its files and its keys do not say
that: the target's rows would go in silence, or stay beside the rows that took their place.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog_app.domain.operations import ObjectKind
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.change_sets import ChangeSets
from merge_app.planning.findings import outside_finding
from merge_app.planning.merge_plan import Finding, PlanInput

_ON_ROWS = ("insert", "update", "delete", "overwrite", "partition")


def left_out_judge(given: PlanInput, change_sets: ChangeSets) -> Iterator[Finding]:
    """LEFT_OUT_BEFORE for each table whose rows the source changed, or left out since, unless either side replaced or
    dropped it after that.
    """
    for left in given.left_out_before:
        source = change_sets.source_of(ObjectKind.TABLE, left.table_id)
        target = change_sets.destination_of(ObjectKind.TABLE, left.table_id)
        table = given.tables.get(left.table_id)
        if table is None or table.is_dropped:
            continue
        if any(side.dropped or side.overwrites_all for side in (source, target)):
            continue
        database = given.databases.get(table.database_id)
        name = f"{database.name}.{table.name}" if database is not None else table.name
        operation = source.first_of(_ON_ROWS, "")
        yield outside_finding(
            (ObjectKind.TABLE, left.table_id),
            name,
            VerdictCode.LEFT_OUT_BEFORE,
            f"The merge at version {left.version} of branch {left.branch} left out, by a decision, changes of rows of"
            f" {name} that the target has.{' The source changed rows beside them.' if operation else ''}",
            operations=(operation, ""),
            changes=(source, None),
            details={"version": left.version, "branch": left.branch},
        )
