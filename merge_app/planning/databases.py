"""The source's changes of databases applied to the target's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.state import DatabaseState
from catalog_app.rules.loader import RuleTable
from merge_app.planning.change_sets import change_sets_of, database_merged
from merge_app.planning.conditions import problems
from merge_app.planning.findings import Pair, judge, problem_finding
from merge_app.planning.merge_plan import Action, Finding, ObjectPlan, PlanInput
from merge_app.planning.net_changes import ObjectChanges
from merge_app.planning.notes import attribute_notes


def database_plan(given: PlanInput, database_id: int, rules: RuleTable) -> tuple[ObjectPlan, list[Finding]]:
    """What becomes of one database that the source changed. A database that the target does not know is new."""
    key, change_sets = (ObjectKind.DATABASE, database_id), change_sets_of(given)
    source, destination = change_sets.source_of(*key), change_sets.destination_of(*key)
    before, state = given.databases.get(database_id), given.source_databases.get(database_id)
    if before is None:
        if state is None:
            raise ValueError(f"the input lacks the source's state of the new database {database_id}")
        action = Action.UNTOUCHED if destination.dropped else Action.CREATE
        return _plan(action, source, None, state), judge(Pair(rules, state.name, source, destination), [])
    pair = Pair(rules, before.name, source, destination)
    findings = judge(pair, problems(pair))
    findings += [problem_finding(pair, note) for note in attribute_notes(pair, {})]
    after = _alive(database_merged(given, database_id), before, source)
    if after == before:
        planned = _plan(Action.UNTOUCHED, source, before, before)
        operations = () if before.is_dropped else done_already(source.operations)
        return replace(planned, operations=operations), findings
    is_drop = source.dropped and not before.is_dropped
    return _plan(Action.DROP if is_drop else Action.ALTER, source, before, after), findings


def done_already(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """Of operations that leave an object as it is, those that the target has to know of. They set attributes, so
    that what it said of these before is overruled wherever it is merged (P6).
    """
    return tuple(replace(operation, effects=None) for operation in operations if operation.changes)


def _alive(merged: DatabaseState, before: DatabaseState, source: ObjectChanges) -> DatabaseState:
    """What is merged below a drop is there after the undrop (R4)."""
    return replace(merged, is_dropped=source.dropped or (before.is_dropped and not source.undropped))


def _plan(action: Action, source: ObjectChanges, before: DatabaseState | None, after: DatabaseState) -> ObjectPlan:
    operations = () if action is Action.UNTOUCHED else source.operations
    if before is not None:
        operations = tuple(operation for operation in operations if operation.kind is not OperationKind.CREATE)
    return ObjectPlan(ObjectKind.DATABASE, source.object_id, after.name, action, before, after, operations)
