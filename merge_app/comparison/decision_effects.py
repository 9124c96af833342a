"""What a decision about a conflict keeps and leaves out: counted before it is taken, by what the planner judges.

Counts are of net changes by facts, so an effect holds for the two heads that it was loaded for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import transaction

from catalog_app.domain.checks import condition_shown, is_stored, property_shown
from catalog_app.domain.operations import ColumnAttribute
from catalog_app.domain.row_counts import EXAMPLES_SHOWN, RowCounts
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.comparison.compare_object import object_side
from merge_app.comparison.compared_rows import row_changes
from merge_app.comparison.row_effects import named_row, row_effect, rows_decided, rows_effect
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.looked_at import Lists
from merge_app.execution.lineage.lost_rows import lost_rows
from merge_app.execution.lineage.row_changes import RowChanges
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.load import plan_input_load
from merge_app.execution.rerunning import rows_matched
from merge_app.planning.change_sets import ChangeSets, change_sets_of
from merge_app.planning.conditions import partition_text
from merge_app.planning.effects import effect_of, rerun_effect
from merge_app.planning.merge_plan import Decision, Effect, LeftOut, PlanInput, Resolution, ResolutionPart
from merge_app.planning.net_changes import ObjectChanges, ObjectKey
from merge_app.planning.plan import plan
from merge_app.planning.resolutions import partition_key

_ROW_PARTS = (ResolutionPart.ROW, ResolutionPart.CELL)
_RULES = (Decision.LARGER, Decision.NEWEST)
_DATA = ("insert", "delete", "update", "overwrite")
SOURCE, DESTINATION = "source", "destination"


@dataclass(frozen=True)
class DecisionEffects:
    """The effects of decisions about one object of two branches, each looked at when asked for."""

    source: Branch
    destination: Branch
    key: ObjectKey
    engine: EngineSource
    _counts: dict[str, RowCounts] = field(default_factory=dict, init=False, repr=False, compare=False)

    def of(self, resolution: Resolution) -> Effect:
        """Raises NotFound where the object is on neither branch."""
        with transaction.atomic():
            if resolution.part in _ROW_PARTS:
                return row_effect(self.source, self.destination, resolution, self.engine)
            if resolution.decision in _RULES and resolution.part is ResolutionPart.ROWS:
                return rows_effect(self.source, self.destination, resolution, self.engine)
            if resolution.decision is Decision.RERUN:
                return self._rerun(resolution)
            return effect_of(resolution, tuple(self._left_out(resolution)), self.source.name, self.destination.name)

    # -- what is compared ---------------------------------------------------------------------------------------

    @cached_property
    def _snapshots(self) -> dict[str, Snapshot]:
        return {SOURCE: branch_snapshot(self.source), DESTINATION: branch_snapshot(self.destination)}

    @cached_property
    def _side(self) -> SourceSide:
        return object_side(self._snapshots[SOURCE], self._snapshots[DESTINATION], self.key)

    def _given(self, *resolutions: Resolution) -> PlanInput:
        return plan_input_load(self._side, engine=self.engine, resolutions=resolutions)

    @cached_property
    def _planned(self) -> PlanInput:
        return self._given()

    @cached_property
    def _change_sets(self) -> ChangeSets:
        return change_sets_of(self._planned)

    def _changes(self, side: str) -> ObjectChanges:
        return self._change_sets.source_of(*self.key) if side == SOURCE else self._change_sets.destination_of(*self.key)

    def _state(self, side: str) -> TableState | DatabaseState | None:
        target, source = self._planned.states_of(self.key)
        return source if side == SOURCE else target

    def _rerun(self, resolution: Resolution) -> Effect:
        """What the statements would change of the target's new rows, each as if it were run alone."""
        objects = (
            item.data for item in plan(self._given(resolution)).objects if (item.kind, item.object_id) == self.key
        )
        works = (work for data in objects if data is not None for work in data.row_work)
        again = next(works, None)
        statements = again.statements if again is not None else ()
        target_snapshot = self._snapshots[DESTINATION]
        matched = rows_matched(self.key[1], again, target_snapshot, self.engine()) if again is not None else []
        return rerun_effect(statements, matched, self.source.name, self.destination.name)

    # -- what is left out ---------------------------------------------------------------------------------------

    def _left_out(self, resolution: Resolution) -> Iterator[LeftOut]:
        loser = DESTINATION if resolution.decision is Decision.TAKE_SOURCE else SOURCE
        match resolution.part:
            case ResolutionPart.OBJECT:
                if resolution.decision not in (Decision.RENAME, Decision.BOTH, Decision.RERUN):
                    yield from self._work(loser)
            case ResolutionPart.ROWS:
                if resolution.decision is not Decision.BOTH:
                    yield from self._conflicting_rows(resolution, loser)
            case ResolutionPart.PROPERTY:
                change = self._changes(loser).properties.get(resolution.part_key)
                if change is not None:
                    after = _shown_value(change.key, change.after, self._state(loser))
                    yield LeftOut(loser, "properties", 1, (f"{_property_name(change.key)} = {after}",))
            case ResolutionPart.PARTITION:
                yield from self._partition(resolution, loser)
            case _:
                yield from self._column(resolution)

    def _work(self, side: str) -> Iterator[LeftOut]:
        """Everything that the side did to the object, net, that the other side does not know."""
        changes, state = self._changes(side), self._state(side)
        if changes.dropped:
            yield LeftOut(side, "drop", 1)
            return
        if changes.created and state is not None:
            yield LeftOut(side, self.key[0].value, 1, (state.name,))
        if isinstance(state, TableState) and (changes.has(*_DATA, "partition") or changes.created):
            yield from self._rows(side)
        if changes.rename is not None:
            yield LeftOut(side, "name", 1, (changes.rename.after.name,))
        columns = dict.fromkeys(_column_names(changes, state))
        partitions = [partition_text(item.after or item.before) for item in changes.partitions]
        for what, named in (
            ("properties", [*map(_property_name, changes.properties)]),
            ("columns", columns),
            ("partitions", partitions),
        ):
            if named:
                yield LeftOut(side, what, len(named), tuple(named)[:EXAMPLES_SHOWN])

    def _rows(self, side: str) -> Iterator[LeftOut]:
        counts = self._counts.get(side)
        if counts is None:
            counts = self._counted(side)
            self._counts[side] = counts
        for what, found in (("inserted", counts.inserted), ("updated", counts.updated), ("deleted", counts.deleted)):
            if found.rows:
                yield LeftOut(side, f"rows {what}", found.rows, found.examples)

    def _counted(self, side: str) -> RowCounts:
        changes = self._row_changes
        return RowCounts() if changes is None else lost_rows(changes, of_source=side == SOURCE)

    @cached_property
    def _row_changes(self) -> RowChanges | None:
        return row_changes(self.source, self.destination, self.key[1], (), self.engine, Lists.KNOWN)[1]

    def _conflicting_rows(self, resolution: Resolution, loser: str) -> Iterator[LeftOut]:
        facts = self._planned.facts.get(self.key[1])
        if facts is not None and facts.rows is not None:
            conflicts = facts.rows.conflicts
        else:
            conflicts = rows_decided(self.source, self.destination, resolution, self.engine).conflicts
        keys = sorted(key for item in conflicts for key in item.keys)[:EXAMPLES_SHOWN]
        if facts is None or facts.rows is None:
            keys = list(map(named_row, keys))
        rows = sum(item.rows for item in conflicts)
        if rows:
            yield LeftOut(loser, "rows changed on both", rows, tuple(keys))

    def _partition(self, resolution: Resolution, loser: str) -> Iterator[LeftOut]:
        for change in self._changes(loser).partitions:
            if resolution.part_key in (partition_key(change.before), partition_key(change.after)):
                names = [partition_text(item) for item in (change.before, change.after) if item is not None]
                yield LeftOut(loser, "partitions", 1, (" to ".join(names),))

    def _column(self, resolution: Resolution) -> Iterator[LeftOut]:
        """The source's change of the column, and the values that go with it."""
        names = dict.fromkeys(_column_names(self._changes(SOURCE), self._state(SOURCE), _number(resolution.part_key)))
        yield LeftOut(SOURCE, "columns", 1, tuple(names)[:1])
        facts = self._given(resolution).facts.get(self.key[1])
        asked = _same_column(_number(resolution.part_key), self._state(SOURCE), self._state(DESTINATION))
        for item in facts.left_values if facts is not None else ():
            if item.column_id not in asked:
                continue
            yield LeftOut(item.side, f"values of column {item.column}", item.rows, item.examples)


def _column_names(
    changes: ObjectChanges, state: TableState | DatabaseState | None, only: int | None = None
) -> Iterator[str]:
    """The columns that a side changed, by the names that it has them under."""
    for (column_id, attribute), change in changes.columns.items():
        if only is not None and column_id != only:
            continue
        column = state.schema.column(column_id) if isinstance(state, TableState) else None
        gone: dict[str, Any] = change.before if attribute is ColumnAttribute.EXISTS and change.before else {}
        yield column.name if column is not None else str(gone.get("name", column_id))


def _same_column(column_id: int | None, *states: TableState | DatabaseState | None) -> set[int]:
    """The ids under which either side has the column."""
    tables = (state for state in states if isinstance(state, TableState))
    return {column.id for state in tables for column in state.schema.columns if column_id in (column.id, *column.ids)}


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _property_name(key: str) -> str:
    """What people call it: a constraint by its name, a property by its key."""
    return property_shown(key).removeprefix("the ") if is_stored(key) else key


def _shown_value(key: str, value: str | None, state: TableState | DatabaseState | None) -> str:
    """The value; of what names columns by id, with the names that the side has."""
    if value is None or not is_stored(key) or not isinstance(state, TableState):
        return _value(value)
    return condition_shown(value, state.schema)


def _value(value: str | None) -> str:
    return "unset" if value is None else json.dumps(value, ensure_ascii=False)


def effects_load(
    source: Branch, destination: Branch, key: ObjectKey, wanted: Sequence[Resolution], engine: EngineSource
) -> list[Effect]:
    """The effects of several decisions about one object: rows of a side are counted once."""
    looked_at = DecisionEffects(source, destination, key, engine)
    return [looked_at.of(item) for item in wanted]
