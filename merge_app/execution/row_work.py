"""A plan's row work, done by the engine before the transaction: what it stages is registered, not yet visible."""

from __future__ import annotations

from collections.abc import Mapping

from catalog_app.domain.state import TableState
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.definitions import definitions_load
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.applying import rows_write, steps_stage
from merge_app.execution.rerunning import statements_rerun
from merge_app.execution.staged import RowWorkResult, StagedDefinition
from merge_app.planning.merge_plan import DataPlan, MergePlan, ObjectPlan


def row_work_run(
    planned: MergePlan,
    destination: Snapshot,
    engine: EngineSource,
    definitions: Mapping[int, StagedDefinition] | None = None,
) -> dict[int, RowWorkResult]:
    """Table id → what was staged for it. Nothing to do costs nothing. ``definitions``: what a statement's own staged
    files, which no segment shows yet, were written under.
    """
    staged = definitions or {}
    found = {}
    for item in planned.objects:
        if item.data is not None and item.data.needs_engine:
            under = staged.get(item.object_id)
            found[item.object_id] = _table_work(item, item.data, destination, engine(), under)
    return found


def _table_work(
    item: ObjectPlan,
    data: DataPlan,
    destination: Snapshot,
    engine: RowEngine,
    staged_under: StagedDefinition | None,
) -> RowWorkResult:
    schemas = definitions_load({staged_under.definition_id}) if staged_under else {}
    staged = steps_stage(item.object_id, data.steps, engine, next(iter(schemas.values()), None))
    assert isinstance(item.after, TableState)
    written = rows_write(item.object_id, data.steps, engine, item.after.schema)
    for again in data.row_work:
        written += statements_rerun(item.object_id, again, destination, engine, item.after, item.name)
    return RowWorkResult(staged, written)
