"""What the bulk statements of a commit's segments share: the plan with what was staged for it, and its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.operations import ObjectKind, Operation
from catalog_app.selectors.rows import cursor_open
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.attribution import Attribution
from merge_app.execution.record import Recorded
from merge_app.execution.staged import RowWorkResult, StagedDefinition
from merge_app.lineage.steps import TableSteps
from merge_app.planning.merge_plan import DataPlan, MergePlan, ObjectPlan


@dataclass(frozen=True, slots=True)
class SegmentWork:
    """Everything the bulk statements need. ``snapshot`` is the target before this commit."""

    plan: MergePlan
    branch_id: int
    version: int
    snapshot: Snapshot
    recorded: Recorded
    definitions: Mapping[int, StagedDefinition]
    row_work: Mapping[int, RowWorkResult]
    is_merge: bool = False
    _attributions: dict[int, Attribution] = field(default_factory=dict, init=False, repr=False, compare=False)

    def tables(self) -> Iterator[tuple[ObjectPlan, DataPlan]]:
        for item in self.plan.objects:
            if item.data is not None and item.data.steps is None:
                yield item, item.data

    def stepped(self) -> dict[int, TableSteps]:
        """By table, the steps of a merge by lineage."""
        plans = ((item.object_id, item.data) for item in self.plan.objects if item.data is not None)
        return {table_id: data.steps for table_id, data in plans if data.steps is not None}

    def all_tables(self) -> list[int]:
        return [item.object_id for item in self.plan.objects if item.data is not None]

    def operations(self, table_id: int) -> list[tuple[Operation, int]]:
        return self.recorded.get((ObjectKind.TABLE, table_id), [])

    def attribution(self, table_id: int) -> Attribution:
        if table_id not in self._attributions:
            self._attributions[table_id] = Attribution(self.operations(table_id))
        return self._attributions[table_id]


FEW = 20
"""Rows of a statement up to which PostgreSQL may keep its plan: one that knows no sizes is good for these."""


def segment_sql_run(work: SegmentWork, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """One statement over all the tables of the work, and what it returns. ``parameters`` are arrays, those of one table
    alike in length.
    """
    shared: dict[str, Any] = {
        "branch": work.branch_id,
        "version": work.version,
        "table_ids": work.all_tables(),
        **work.snapshot.parameters,
    }
    is_small = all(len(value) <= FEW for value in parameters.values())
    with cursor_open(prepared=is_small and bool(parameters)) as cursor:
        cursor.execute(query, {**shared, **parameters})
        return list(cursor.fetchall()) if cursor.description else []


def columns_of(rows: Sequence[tuple[int | None, ...]], *names: str) -> dict[str, list[int | None]]:
    """Rows as named array parameters."""
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}
