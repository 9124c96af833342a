"""What people decided about conflicts, worked into the input of a plan: the plan then is as if the sides had done so.

- *Take the target*, or *leave out*: the source's operations on the object, or on one property, column or partition
  of it, are not applied. They count as merged even so: the merge commit reaches them, and no later merge brings them.
- *Take the source*: the object becomes what the source has, rows included, as a RESTORE would make it; what the
  target did to it since is not judged. Of one property: the target's change of it is not judged.
- *Both*: the source's deletes and updates reach the rows that it saw; rows that the target inserted since stay.
- *Rerun*: the same, and the source's statements are run on these new rows too.
- *Rename*: the object comes over under another name.
- *Of rows* of a table with a primary key: what becomes of conflicting cells is the engine's to work out, and among the
  facts; what was decided counts from here on. Without a primary key such a decision merges the table by cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog_app.domain.generated import generated_keys
from catalog_app.domain.operations import (
    Change,
    FileEffects,
    ObjectKind,
    Operation,
    OperationKind,
    PartitionChange,
)
from catalog_app.domain.state import DatabaseState, ObjectState
from catalog_app.domain.state_diff import state_after
from merge_app.lineage.facts import Key
from merge_app.planning.merge_plan import (
    SIDES,
    STATEMENTS,
    WITHOUT_SOURCE,
    Decision,
    Finding,
    PlanInput,
    RecordedStatement,
    Resolution,
    ResolutionPart,
    Verdict,
)
from merge_app.planning.net_changes import ObjectKey
from merge_app.planning.row_merges import BY_ROW_ID, ROW_PARTS

ALLOWED: Mapping[ResolutionPart, frozenset[Decision]] = {
    ResolutionPart.OBJECT: frozenset({Decision.TAKE_SOURCE, *WITHOUT_SOURCE, Decision.RENAME, *STATEMENTS}),
    ResolutionPart.PROPERTY: frozenset({Decision.TAKE_SOURCE, Decision.TAKE_DESTINATION}),
    ResolutionPart.COLUMN: frozenset({Decision.TAKE_DESTINATION}),
    ResolutionPart.PARTITION: frozenset({Decision.TAKE_DESTINATION}),
    ResolutionPart.ROWS: frozenset({*SIDES, Decision.LARGER, Decision.NEWEST, Decision.BOTH}),
    ResolutionPart.ROW: frozenset({*SIDES, Decision.LARGER, Decision.EDITED}),
    ResolutionPart.CELL: frozenset({*SIDES, Decision.LARGER, Decision.EDITED}),
}
"""What may be decided of which part. A column or partition of the source alone cannot be laid over the target's:
its rows were written under the source's own.
"""


def resolve(given: PlanInput) -> PlanInput:
    """The input with every resolution worked in."""
    for resolution in given.resolutions:
        step = _decide_rows if resolution.part in ROW_PARTS else _STEPS[resolution.decision]
        given = step(given, resolution)
    return replace(given, facts={table_id: facts.decided() for table_id, facts in given.facts.items()})


def _decide_rows(given: PlanInput, resolution: Resolution) -> PlanInput:
    facts = given.facts.get(resolution.object_id)
    if facts is None:
        return given
    if facts.rows is None:
        return _with_decided_rows(given, resolution)
    return replace(given, facts={**given.facts, resolution.object_id: replace(facts, rows=facts.rows.decided())})


def decided(conflicts: Iterable[Finding], left: Iterable[Finding], resolutions: Sequence[Resolution]) -> list[Finding]:
    """The conflicts of the unresolved plan that a resolution took away, as findings that say so."""
    remaining = {_cell(finding) for finding in left if finding.verdict is Verdict.CONFLICT}
    by_object: dict[ObjectKey, list[Resolution]] = {}
    for resolution in resolutions:
        by_object.setdefault(resolution.key_of_object, []).append(resolution)
    return [
        replace(
            finding,
            verdict=Verdict.DECIDED,
            remedy="",
            details={**finding.details, "resolutions": [item.as_json() for item in chosen]},
        )
        for finding in conflicts
        if _cell(finding) not in remaining
        and (chosen := by_object.get((finding.object_kind, finding.object_id), list(resolutions)))
    ]


def _cell(finding: Finding) -> tuple[object, ...]:
    return (
        finding.code,
        finding.object_kind,
        finding.object_id,
        finding.rule_table,
        finding.source_operation,
        finding.destination_operation,
        # The message counts rows: those that are left are in the same conflict.
        "" if finding.code in BY_ROW_ID else finding.message,
    )


def _of(operation: Operation, resolution: Resolution) -> bool:
    return (operation.object_kind, operation.object_id) == resolution.key_of_object


def _leave_out(given: PlanInput, resolution: Resolution) -> PlanInput:
    if resolution.part is ResolutionPart.PARTITION:
        without = replace(given, source=_without_partition(given.source, resolution))
        return _with_decided_rows(without, resolution)
    if resolution.part is not ResolutionPart.OBJECT:
        concerns = _concerns_facts(resolution, _column_ids(given, resolution))
        facts = given.attributes and given.attributes.left_out(resolution.key_of_object, concerns)
        return replace(given, attributes=facts)
    facts = given.attributes and given.attributes.left_out(resolution.key_of_object)
    source = tuple(item for item in given.source if not _of(item, resolution))
    before = tuple(item for item in given.left_out_before if ("table", item.table_id) != resolution.key_of_object)
    given = replace(given, source=source, attributes=facts, left_out_before=before)
    left = _with_facts(given, resolution, rows_plan=None, rows=None)
    # Rows below a drop of the target are decided too: an undrop shows them.
    return _with_decided_rows(left, resolution) if _is_known(given, resolution) else left


def _is_known(given: PlanInput, resolution: Resolution) -> bool:
    """Whether the target has the table, or dropped it."""
    return resolution.object_kind is ObjectKind.TABLE and resolution.object_id in given.tables


def _concerns_facts(resolution: Resolution, columns: frozenset[int]) -> Callable[[Key], bool]:
    if resolution.part is ResolutionPart.PROPERTY:
        return lambda key: key == ("property", resolution.part_key)
    of_kind: Mapping[object, frozenset[Any]] = {"column": columns, "property": generated_keys(columns)}
    return lambda key: key[0] in of_kind and key[1] in of_kind[key[0]]


def _with_decided_rows(given: PlanInput, resolution: Resolution) -> PlanInput:
    facts = given.facts.get(resolution.object_id)
    decided = facts.rows_decided if facts is not None else None
    return given if decided is None else _with_facts(given, resolution, rows_plan=decided)


def _with_facts(given: PlanInput, resolution: Resolution, **changed: Any) -> PlanInput:
    if resolution.object_kind is not ObjectKind.TABLE or resolution.object_id not in given.facts:
        return given
    facts = replace(given.facts[resolution.object_id], **changed)
    return replace(given, facts={**given.facts, resolution.object_id: facts})


def _take_source(given: PlanInput, resolution: Resolution) -> PlanInput:
    if resolution.part is not ResolutionPart.OBJECT:
        concerns = _concerns_facts(resolution, frozenset())
        taken = given.attributes and given.attributes.taken(resolution.key_of_object, concerns)
        return replace(given, attributes=taken)
    replacement = given.replacements.get(resolution.key_of_object)
    if replacement is None:
        # New on the target, or dropped by the source: applying that is the source's state already.
        return given
    before, _ = given.states_of(resolution.key_of_object)
    if before is not None:
        after = replace(state_after(before, replacement), is_dropped=False)
        given = _with_source_state(given, resolution.key_of_object, after)
    # Rows of one key are the source's alone then.
    given = _with_facts(_with_decided_rows(given, resolution), resolution, rows=None)
    return replace(
        given,
        source=(*(item for item in given.source if not _of(item, resolution)), *replacement),
        destination=tuple(item for item in given.destination if not _of(item, resolution)),
        attributes=given.attributes and given.attributes.by_operations(resolution.key_of_object),
    )


def _keep_both(given: PlanInput, resolution: Resolution) -> PlanInput:
    """Rows merge as ever; the rule is what does not hold (``keeps_both``)."""
    return given


def _run_again(given: PlanInput, resolution: Resolution) -> PlanInput:
    """Beside the source's operations, one of the merge's own for each kind of statement that is run on new rows."""
    own = [item for item in given.source if _of(item, resolution) and item.is_data]
    if not own:
        return given
    last, kinds = own[-1], dict.fromkeys(item.kind for item in statements_of([resolution], resolution.object_id))
    fresh = (
        Operation(
            kind,
            ObjectKind.TABLE,
            resolution.object_id,
            effects=FileEffects(),
            version=last.version,
            branch=last.branch,
        )
        for kind in kinds
    )
    return replace(given, source=(*given.source, *fresh))


def statements_of(resolutions: Iterable[Resolution], table_id: int) -> tuple[RecordedStatement, ...]:
    """The statements that a decision runs again on the table's rows, in their order; none without such a decision."""
    key = (ObjectKind.TABLE, table_id)
    texts = [item.value for item in resolutions if item.key_of_object == key and item.decision is Decision.RERUN]
    return tuple(
        RecordedStatement(
            item["version"],
            OperationKind(item["kind"]),
            item["alias"],
            item["condition"],
            tuple((name, text) for name, text in item["assignments"]),
        )
        for text in texts
        for item in json.loads(text)
    )


def keeps_both(resolutions: Iterable[Resolution], table_id: int) -> bool:
    """Whether rows that the target inserted stay beside what the source deleted and updated."""
    key = (ObjectKind.TABLE, table_id)
    return any(
        item.key_of_object == key and item.part is ResolutionPart.OBJECT and item.decision in STATEMENTS
        for item in resolutions
    )


def _rename(given: PlanInput, resolution: Resolution) -> PlanInput:
    """A known object is renamed by a fact of the source's more; a new one comes as its state says."""
    key = resolution.key_of_object
    known, state = given.states_of(key)
    if state is None:
        return given
    given = _with_source_state(given, key, replace(state, name=resolution.name))
    attributes = given.attributes and given.attributes.renamed(key, resolution.name)
    return given if known is None else replace(given, attributes=attributes)


def _with_source_state(given: PlanInput, key: ObjectKey, state: ObjectState) -> PlanInput:
    if isinstance(state, DatabaseState):
        return replace(given, source_databases={**given.source_databases, key[1]: state})
    return replace(given, source_tables={**given.source_tables, key[1]: state})


def _column_ids(given: PlanInput, resolution: Resolution) -> frozenset[int]:
    """Every id of the column that a resolution names, by either side's: both sides may have added it."""
    if resolution.part is not ResolutionPart.COLUMN:
        return frozenset()
    named = int(resolution.part_key)
    found = {named}
    states = [states.get(resolution.object_id) for states in (given.tables, given.source_tables)]
    schemas = [state.schema for state in states if state is not None]
    names = {column.name for schema in schemas if (column := schema.column(named)) is not None}
    for schema in schemas:
        columns = (schema.column(named), *(schema.named(name) for name in names))
        found.update(identifier for column in columns if column is not None for identifier in column.ids)
    return frozenset(found)


def _without_partition(operations: Iterable[Operation], resolution: Resolution) -> tuple[Operation, ...]:
    """The operations without their changes of the partition; what is left of nothing goes."""
    found = []
    for operation in operations:
        named = [item for item in operation.changes if _names_partition(item, resolution.part_key)]
        if not _of(operation, resolution) or not named:
            found.append(operation)
        elif (kept := tuple(item for item in operation.changes if item not in named)) or operation.is_data:
            found.append(replace(operation, changes=kept))
    return tuple(found)


def _names_partition(change: Change, key: str) -> bool:
    return isinstance(change, PartitionChange) and key in (partition_key(change.before), partition_key(change.after))


def partition_key(values: Sequence[str | None] | None) -> str | None:
    """Partition values as the text by which a resolution names them: a JSON array, since a value may hold any sign, and
    an empty one is not NULL.
    """
    return None if values is None else json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))


_STEPS: Mapping[Decision, Callable[[PlanInput, Resolution], PlanInput]] = {
    Decision.TAKE_SOURCE: _take_source,
    **dict.fromkeys(WITHOUT_SOURCE, _leave_out),
    Decision.RENAME: _rename,
    Decision.BOTH: _keep_both,
    Decision.RERUN: _run_again,
}
