"""Rows that a statement of the source made from a table which the target changed since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from catalog_app.domain.operations import ObjectKind
from catalog_app.rules.codes import CODE_TABLE, VerdictCode
from merge_app.planning.merge_plan import Action, Finding, ObjectPlan, PlanInput, Verdict


def stale_reads_judge(given: PlanInput, objects: Sequence[ObjectPlan]) -> Iterator[Finding]:
    """STALE_READ for each table that the merge writes, with the table that was read for it."""
    planned = {
        item.object_id: item
        for item in objects
        if item.kind is ObjectKind.TABLE and item.action is not Action.UNTOUCHED
    }
    for stale in given.stale_reads:
        item = planned.get(stale.written_id)
        if item is None or item.after.is_dropped:
            continue
        yield Finding(
            verdict=Verdict.NOTE,
            code=VerdictCode.STALE_READ.value,
            object_kind=ObjectKind.TABLE,
            object_id=item.object_id,
            object_name=item.name,
            rule_table="",
            source_operation="read",
            destination_operation=stale.change,
            note="",
            message=f"On {item.name}: the source read {stale.table} at version {stale.version} of {stale.branch};"
            f" the target's is at version {stale.target_version}.",
            remedy=CODE_TABLE[VerdictCode.STALE_READ].remedy,
            destination_versions=(stale.target_version,),
            details={
                "table": stale.table,
                "branch": stale.branch,
                "version_read": stale.version,
                "target_version": stale.target_version,
            },
        )
