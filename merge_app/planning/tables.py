"""The source's changes of tables applied to the target's: attributes, schema, partitions and files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.rules.codes import VerdictCode
from catalog_app.rules.loader import Rules
from merge_app.planning.change_sets import change_sets_of, table_merged
from merge_app.planning.conditions import problems
from merge_app.planning.data import data_staged
from merge_app.planning.databases import done_already
from merge_app.planning.findings import Pair, Problem, judge, problem_finding
from merge_app.planning.left_out import left_value_notes
from merge_app.planning.lineage_findings import lineage_notes, row_verdicts
from merge_app.planning.merge_plan import (
    Action,
    DataPlan,
    Finding,
    ObjectPlan,
    PlanInput,
    RecordedStatement,
    RerunStatements,
    TableFacts,
)
from merge_app.planning.notes import attribute_notes, row_notes
from merge_app.planning.resolutions import keeps_both, statements_of

_ALLOWED_BY_BOTH = frozenset({VerdictCode.PREDICATE_DML_VS_INSERT.value})


_NO_FACTS = TableFacts()


def table_plan(given: PlanInput, table_id: int, rules: Rules) -> tuple[ObjectPlan, list[Finding]]:
    """What becomes of one table that the source changed. A table that the target does not know is new. Rules of rows
    with a primary key judge a table whose rows are merged by key.
    """
    key, change_sets = (ObjectKind.TABLE, table_id), change_sets_of(given)
    source, destination = change_sets.source_of(*key), change_sets.destination_of(*key)
    before, state = given.tables.get(table_id), given.source_tables.get(table_id)
    facts = given.facts.get(table_id, _NO_FACTS)
    pair = Pair(
        rules.tables["table" if facts.rows is None else "keyed"],
        _full_name(given, before or state, table_id),
        source,
        destination,
        _homes(given, before, state),
        Schema() if state is None else state.schema,
        facts=facts,
        findings=change_sets.findings_of(*key),
    )
    if before is None:
        return _new_table(pair, state)
    merged = table_merged(given, table_id)
    pair = replace(pair, target_schema=before.schema, schema=merged.schema, properties=merged.properties)
    found = [] if destination.dropped else problems(pair)
    allowed = _ALLOWED_BY_BOTH if keeps_both(given.resolutions, table_id) else frozenset()
    if facts.rows_plan is not None:
        found += [item for item in row_verdicts(pair, facts.rows_plan) if item.code.value not in allowed]
        allowed = _ALLOWED_BY_BOTH
    findings = judge(pair, found, allowed=allowed)
    findings += [problem_finding(pair, note) for note in _notes(pair)]
    if source.dropped:
        return _dropped(pair, before, merged), findings
    return _altered(pair, before, merged, statements_of(given.resolutions, table_id)), findings


def _full_name(given: PlanInput, shown: TableState | None, table_id: int) -> str:
    if shown is None:
        return str(table_id)
    database = _database(given, shown.database_id)
    return f"{database.name}.{shown.name}" if database else shown.name


def _homes(given: PlanInput, *states: TableState | None) -> dict[int, str]:
    """By id, the names of the databases in which a table lies on either side."""
    homes = [_database(given, state.database_id) for state in states if state is not None]
    return {home.database_id: home.name for home in homes if home is not None}


def _database(given: PlanInput, database_id: int) -> DatabaseState | None:
    return given.databases.get(database_id) or given.source_databases.get(database_id)


def _notes(pair: Pair) -> Iterator[Problem]:
    # Columns that only one side changed are not even read.
    names = _names(pair.target_schema) if pair.source.columns and pair.destination.columns else {}
    yield from attribute_notes(pair, names)
    if pair.source.dropped:
        return
    yield from left_value_notes(pair, pair.facts.left_values)
    if pair.facts.rows is not None:
        yield from row_notes(pair, pair.facts.rows)
    if pair.facts.rows_plan is not None:
        yield from lineage_notes(pair, pair.facts.rows_plan)


def _names(schema: Schema) -> dict[int, str]:
    return {identifier: column.name for column in schema.columns for identifier in column.ids}


def _data(facts: TableFacts, operations: tuple[Operation, ...]) -> DataPlan | None:
    """Rows as they merge by lineage, else as the statement staged them."""
    return data_staged(operations) if facts.rows_plan is None else DataPlan(facts.rows_plan.steps)


def _new_table(pair: Pair, state: TableState | None) -> tuple[ObjectPlan, list[Finding]]:
    """A table whose making and dropping the target merged together has nothing to apply anything to."""
    if state is None:
        raise ValueError(f"the input lacks the source's state of table {pair.source.object_id}")
    if pair.destination.dropped:
        return _plan(pair, Action.UNTOUCHED, None, state), judge(pair, [])
    operations = pair.source.operations
    return _plan(pair, Action.CREATE, None, state, operations, _data(pair.facts, operations)), []


def _dropped(pair: Pair, before: TableState, merged: TableState) -> ObjectPlan:
    """What is merged below a drop is there after the undrop (R4)."""
    data = _data(pair.facts, pair.source.operations)
    after = replace(merged, is_dropped=True)
    if not (before.is_dropped or pair.destination.dropped):
        return _plan(pair, Action.DROP, before, after, pair.source.operations, data)
    if after == replace(before, is_dropped=True) and not (data and data.changes_files):
        return _plan(pair, Action.UNTOUCHED, before, before)
    return _plan(pair, Action.ALTER, before, after, (), data)


def _altered(
    pair: Pair,
    before: TableState,
    merged: TableState,
    statements: tuple[RecordedStatement, ...],
) -> ObjectPlan:
    """``statements`` are run on the target's rows."""
    after = replace(merged, is_dropped=before.is_dropped and not pair.source.undropped)
    operations = tuple(item for item in pair.source.operations if item.kind is not OperationKind.CREATE)
    data, rows = _data(pair.facts, operations), pair.facts.rows_plan
    if statements and data is not None and rows is not None:
        data = replace(data, row_work=(RerunStatements(merged.schema, statements, rows.inserted),))
    if after == before and not (data and data.changes_files):
        return _plan(pair, Action.UNTOUCHED, before, before, done_already(operations))
    return _plan(pair, Action.ALTER, before, after, operations, data)


def _plan(
    pair: Pair,
    action: Action,
    before: TableState | None,
    after: TableState,
    operations: tuple[Operation, ...] = (),
    data: DataPlan | None = None,
) -> ObjectPlan:
    return ObjectPlan(ObjectKind.TABLE, pair.source.object_id, pair.name, action, before, after, operations, data)
