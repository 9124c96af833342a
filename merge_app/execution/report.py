"""Plans and findings as the JSON that people and scripts read (interfaces §2)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from catalog_app.domain.state import TableState
from merge_app.planning.decisions import options_of, remedy_of_merge
from merge_app.planning.merge_plan import Finding, MergePlan, ObjectPlan


def finding_as_json(finding: Finding) -> dict[str, Any]:
    return {
        "object": finding.object_name,
        "kind": finding.object_kind.value,
        "object_id": finding.object_id,
        "rule_table": finding.rule_table,
        "source_op": finding.source_operation,
        "dest_op": finding.destination_operation,
        "verdict": finding.verdict.value,
        "code": finding.code,
        "note": finding.note,
        "message": finding.message,
        "remedy": remedy_of_merge(finding),
        "source_versions": list(finding.source_versions),
        "dest_versions": list(finding.destination_versions),
        "details": finding.details,
        "decisions": [option.as_json() for option in options_of(finding)],
    }


def plan_as_json(planned: MergePlan) -> dict[str, Any]:
    """The ``plan`` of a dry run: per object what is done, and its operations by kind."""
    return {"objects": [_object_as_json(item) for item in planned.objects]}


def _object_as_json(item: ObjectPlan) -> dict[str, Any]:
    described: dict[str, Any] = {
        "kind": item.kind.value,
        "object_id": item.object_id,
        "object": item.name,
        "action": item.shown_action.value,
        "operations": dict(Counter(operation.kind.value for operation in item.carried_out)),
        "schema_changes": item.schema_changes,
    }
    if isinstance(item.after, TableState):
        described["columns"] = [column.as_json() for column in item.after.schema.columns]
    return described
