"""Files that both sides loaded into one table by COPY INTO: without a key, the merge has their rows twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import TableState
from catalog_app.rules.codes import CODE_TABLE, VerdictCode
from merge_app.planning.merge_plan import Action, Finding, ObjectPlan, PlanInput, Verdict

MOST_NAMED = 10


def loaded_twice_judge(given: PlanInput, objects: Sequence[ObjectPlan]) -> Iterator[Finding]:
    """LOADED_TWICE for each table that the merge writes. In a table with a primary key a row is there once."""
    planned = {item.object_id: item for item in objects if item.kind is ObjectKind.TABLE}
    for loaded in given.loaded_twice:
        item = planned.get(loaded.table_id)
        if item is None or item.action is Action.UNTOUCHED or item.after.is_dropped:
            continue
        if isinstance(item.after, TableState) and item.after.schema.primary_key:
            continue
        count = len(loaded.files)
        more = f" and {count - 1:,} more" if count > 1 else ""
        yield Finding(
            verdict=Verdict.NOTE,
            code=VerdictCode.LOADED_TWICE.value,
            object_kind=ObjectKind.TABLE,
            object_id=item.object_id,
            object_name=item.name,
            rule_table="",
            source_operation="insert",
            destination_operation="insert",
            note="",
            message=f"On {item.name}: both sides loaded {loaded.files[0]}{more}; the rows of both loads stay.",
            remedy=CODE_TABLE[VerdictCode.LOADED_TWICE].remedy,
            details={"files": list(loaded.files[:MOST_NAMED]), "file_count": count},
        )
