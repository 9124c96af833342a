"""The source's changes of tables applied to the target's: attributes, schema, partitions and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.row_merge import RowChoice
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.rules.codes import VerdictCode
from catalog_app.rules.loader import RuleTable
from lakeui.common.records import record
from merge_app.lineage.outcomes import Finding as CoreFinding
from merge_app.planning.column_findings import Columns, column_problems
from merge_app.planning.conditions import Case, problems
from merge_app.planning.data import data_staged
from merge_app.planning.databases import done_already
from merge_app.planning.findings import Pair, judge, problem_finding
from merge_app.planning.left_out import left_value_notes
from merge_app.planning.lineage_findings import lineage_notes, row_verdicts
from merge_app.planning.merge_plan import (
    Action,
    DataPlan,
    Finding,
    ObjectPlan,
    RecordedStatement,
    RerunStatements,
    TableFacts,
)
from merge_app.planning.net_changes import ObjectChanges
from merge_app.planning.notes import attribute_notes, row_notes

_ALLOWED_BY_BOTH = frozenset({VerdictCode.PREDICATE_DML_VS_INSERT.value})


@record(frozen=True, slots=True)
class TableCase:
    """One table that the source changed. ``name`` is its full name for people. ``key_rules`` judge rows that are
    merged by primary key, ``choices`` are what was decided of them. ``keeps_both``: rows that the target inserted
    stay beside what the source deleted and updated, by a decision. ``statements`` are run on the target's rows.
    ``merged``: what the merge leaves of a table that the target has; ``column_findings``: what facts say of its
    columns. ``homes``: names of the databases that it lies in, by id.
    """

    source: ObjectChanges
    destination: ObjectChanges
    name: str
    before: TableState | None
    source_state: TableState | None
    facts: TableFacts
    rules: RuleTable
    key_rules: RuleTable
    choices: tuple[RowChoice, ...] = ()
    keeps_both: bool = False
    statements: tuple[RecordedStatement, ...] = ()
    merged: TableState | None = None
    column_findings: tuple[CoreFinding, ...] = ()
    homes: Mapping[int, str] = field(default_factory=dict)


def table_plan(case: TableCase) -> tuple[ObjectPlan, list[Finding]]:
    """What becomes of one table that the source changed. A table that the target does not know is new."""
    source, before = case.source, case.before
    rules = case.rules if case.facts.rows is None else case.key_rules
    pair = Pair(rules, case.name, source, case.destination, case.homes)
    if before is None:
        return (_absent_table(case), judge(pair, [])) if case.destination.dropped else (_new_table(case), [])
    merged = case.merged or before
    of_source = Schema() if case.source_state is None else case.source_state.schema
    columns = Columns(of_source, before.schema, merged.schema, source, case.destination)
    found_of_columns = tuple(column_problems(columns, case.column_findings))
    # Columns that only one side changed are not even read.
    names = _names(before.schema) if source.columns and case.destination.columns else {}
    judged = Case(source, case.destination, merged.schema, found_of_columns, case.facts, merged.properties)
    found = [] if case.destination.dropped else problems(rules, judged)
    allowed = _ALLOWED_BY_BOTH if case.keeps_both else frozenset()
    if case.facts.rows_plan is not None:
        rows = row_verdicts(pair, case.facts.rows_plan)
        found += [item for item in rows if item.code.value not in allowed]
        allowed = _ALLOWED_BY_BOTH
    findings = judge(pair, found, allowed=allowed)
    findings += [problem_finding(pair, note) for note in attribute_notes(pair, names)]
    if source.dropped:
        return _dropped(case, before), findings
    findings += [problem_finding(pair, note) for note in left_value_notes(pair, case.facts.left_values)]
    if case.facts.rows is not None:
        findings += [problem_finding(pair, note) for note in row_notes(pair, case.facts.rows)]
    if case.facts.rows_plan is not None:
        findings += [problem_finding(pair, note) for note in lineage_notes(pair, case.facts.rows_plan)]
    return _altered(case, before, merged), findings


def _names(schema: Schema) -> dict[int, str]:
    return {identifier: column.name for column in schema.columns for identifier in column.ids}


def _data(case: TableCase, operations: tuple[Operation, ...]) -> DataPlan | None:
    """Rows as they merge by lineage, else as the statement staged them."""
    merged = case.facts.rows_plan
    return data_staged(operations) if merged is None else DataPlan(merged.steps)


def _new_table(case: TableCase) -> ObjectPlan:
    operations = case.source.operations
    return _plan(case, Action.CREATE, _source_state(case), operations, _data(case, operations))


def _absent_table(case: TableCase) -> ObjectPlan:
    """A table whose making and dropping the target merged together: it has nothing to apply anything to."""
    return _plan(case, Action.UNTOUCHED, _source_state(case))


def _source_state(case: TableCase) -> TableState:
    if case.source_state is None:
        raise ValueError(f"the input lacks the source's state of table {case.source.object_id}")
    return case.source_state


def _dropped(case: TableCase, before: TableState) -> ObjectPlan:
    """What is merged below a drop is there after the undrop (R4)."""
    data = _data(case, case.source.operations)
    is_gone = before.is_dropped or case.destination.dropped
    after = replace(case.merged or before, is_dropped=True)
    if not is_gone:
        return _plan(case, Action.DROP, after, case.source.operations, data)
    if after == replace(before, is_dropped=True) and not (data and data.changes_files):
        return _plan(case, Action.UNTOUCHED, before)
    return _plan(case, Action.ALTER, after, (), data)


def _altered(case: TableCase, before: TableState, merged: TableState) -> ObjectPlan:
    after = replace(merged, is_dropped=before.is_dropped and not case.source.undropped)
    operations = tuple(item for item in case.source.operations if item.kind is not OperationKind.CREATE)
    data, rows = _data(case, operations), case.facts.rows_plan
    if case.statements and data is not None and rows is not None:
        data = replace(data, row_work=(RerunStatements(merged.schema, case.statements, rows.inserted),))
    if after == before and not (data and data.changes_files):
        return _plan(case, Action.UNTOUCHED, before, done_already(operations))
    return _plan(case, Action.ALTER, after, operations, data)


def _plan(
    case: TableCase,
    action: Action,
    after: TableState,
    operations: tuple[Operation, ...] = (),
    data: DataPlan | None = None,
) -> ObjectPlan:
    return ObjectPlan(ObjectKind.TABLE, case.source.object_id, case.name, action, case.before, after, operations, data)
