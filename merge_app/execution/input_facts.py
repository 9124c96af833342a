"""Facts of files and rows for a plan's input, only where cells of the rule tables need them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from catalog_app.domain.checks import columns_read, is_stored
from catalog_app.domain.generated import generated_values
from catalog_app.domain.operations import ObjectKind, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.domain.types import widens
from catalog_app.rules.codes import VerdictCode
from catalog_app.selectors.objects import databases_load, tables_load
from catalog_app.selectors.snapshots import Snapshot
from lakeui.common.errors import NotFound, NotSupported
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.granularity import merge_settings
from merge_app.execution.lineage.lacking import Lacking, ResultTable, rows_lacking
from merge_app.execution.lineage.looked_at import Lists
from merge_app.execution.lineage.lost_rows import lost_values
from merge_app.execution.lineage.planning import rows_looked_at, rows_plan
from merge_app.execution.lineage.row_changes import SOURCE, TARGET, RowChanges
from merge_app.execution.lineage.source_side import SourceSide, source_tables_load, tables_written
from merge_app.execution.lineage.staged_files import moves_rows
from merge_app.execution.lineage.table_cases import RowsDecision, TableCase
from merge_app.execution.lineage.violating import Violated, rows_violating
from merge_app.lineage.facts import Aliveness, column_of
from merge_app.lineage.steps import TableSteps
from merge_app.planning.attributes import kept_columns, kept_fields, tables_with_columns_back
from merge_app.planning.change_sets import change_sets_of, is_alive, table_merged
from merge_app.planning.left_out import LeftPart, tables_leaving_values
from merge_app.planning.merge_plan import (
    WITHOUT_SOURCE,
    Decision,
    LeftValues,
    PlanInput,
    Resolution,
    ResolutionPart,
    TableFacts,
)
from merge_app.planning.resolutions import resolve, statements_of
from merge_app.planning.row_merges import ROW_PARTS, choices_of


def with_facts(planned: PlanInput, side: SourceSide, engine: EngineSource, only: AbstractSet[int] | None) -> PlanInput:
    """With the facts of files and rows that cells of the rule tables need. ``only``: of these tables alone."""
    if only is not None and not only:
        return planned
    # A statement's rows lie on no branch that could be compared.
    leaving = tables_leaving_values(planned) if side.snapshot is not None else {}
    looked_into = _taken_whole(planned.resolutions) | tables_with_columns_back(planned)
    planned = _with_tables(planned, side, looked_into)
    resolved = resolve(planned) if planned.resolutions else planned
    stepped = _lineage_tables(planned, resolved, side, looked_into)
    schemas = _schemas_judged(planned, side, stepped)
    if only is not None:
        stepped = [case for case in stepped if case.table_id in only]
        schemas = {table_id: schemas[table_id] for table_id in only & schemas.keys()}
        leaving = {table_id: leaving[table_id] for table_id in only & leaving.keys()}
    asked, as_decided = _asked(planned, schemas), _asked_as_decided(resolved, schemas)
    facts: dict[int, TableFacts] = {}
    for table_id, columns_of in leaving.items():
        facts[table_id] = TableFacts(left_values=_left_values(planned, side, table_id, columns_of, engine))
    for table_id, (merged, decided) in (rows_plan(stepped, side, engine) if stepped else {}).items():
        known = facts.get(table_id, TableFacts())
        facts[table_id] = replace(known, rows_plan=merged, rows_decided=decided, rows=merged.judged)
    for table_id, given in asked.items():
        known = facts.get(table_id, TableFacts())
        steps = known.rows_plan.steps if known.rows_plan is not None else TableSteps()
        lacking, violated = _unfit(table_id, given, steps, side.destination, engine)
        known = replace(known, lacking=lacking, violated=violated)
        if table_id in as_decided:
            chosen = known.rows_decided.steps if known.rows_decided is not None else steps
            run_again = known.rows_plan.inserted if known.rows_plan is not None else ()
            besides = frozenset(run_again if statements_of(planned.resolutions, table_id) else ())
            if as_decided[table_id] != given or chosen is not steps or besides:
                lacking, violated = _unfit(table_id, as_decided[table_id], chosen, side.destination, engine, besides)
                known = replace(known, lacking_decided=lacking, violated_decided=violated)
        facts[table_id] = known
    return replace(planned, facts=facts) if facts else planned


def table_case(planned: PlanInput, side: SourceSide, table_id: int, lists: Lists) -> TableCase:
    """The case of one table, as a plan has it, also where its rows are no news. Raises NotFound where neither side has
    the table.
    """
    planned = _with_tables(planned, side, {table_id})
    states = planned.source_tables.get(table_id), planned.tables.get(table_id)
    of_source, of_target = (None if state is None or state.is_dropped else state for state in states)
    known = of_source or of_target
    if known is None:
        raise NotFound("table", str(table_id), where="on either branch")
    if of_source is None or of_target is None:
        # What one side alone has is as that side has it.
        is_new = table_id not in planned.tables
        return TableCase(table_id, schema=known.schema, merged=known.schema, lists=lists, is_new=is_new)
    resolved = resolve(planned) if planned.resolutions else planned
    cases = _lineage_tables(planned, resolved, side, {table_id})
    (case,) = (case for case in cases if case.table_id == table_id)
    return replace(case, lists=lists)


def _left_values(
    planned: PlanInput,
    side: SourceSide,
    table_id: int,
    columns_of: Mapping[str, Collection[LeftPart]],
    engine: EngineSource,
) -> tuple[LeftValues, ...]:
    """By side and column, the values of the side's net changes that the merged table has no place for."""
    assert side.snapshot is not None
    case = table_case(planned, side, table_id, Lists.KNOWN)
    looked_at = rows_looked_at(case, side, engine)
    if looked_at is None:
        return ()
    changes = RowChanges(looked_at, case.merged)
    states = {"source": (SOURCE, planned.source_tables[table_id]), "destination": (TARGET, planned.tables[table_id])}
    found: list[LeftValues] = []
    for name, columns in columns_of.items():
        number, state = states[name]
        for part in columns:
            counted = lost_values(changes, number, state.schema, part)
            if counted.rows:
                found.append(
                    LeftValues(name, part.identity, part.name, counted.rows, counted.examples, is_field=bool(part.way))
                )
    return tuple(found)


def _with_tables(planned: PlanInput, side: SourceSide, besides: AbstractSet[int]) -> PlanInput:
    """With the states of all tables whose rows the source's news changed, whatever is left of these changes, and of
    those ``besides``.
    """
    if side.snapshot is None:
        return planned
    changed = side.news.tables | besides
    if not changed:
        return planned
    tables = {**planned.tables, **tables_load(side.destination, changed - planned.tables.keys(), schemas=side.schemas)}
    sources = {**planned.source_tables, **source_tables_load(side, changed)}
    homes = {state.database_id for states in (tables, sources) for state in states.values()}
    databases = {**planned.databases, **databases_load(side.destination, homes - planned.databases.keys())}
    known = planned.source_databases
    return replace(
        planned,
        tables=tables,
        source_tables=sources,
        databases=databases,
        source_databases={**known, **databases_load(side.snapshot, homes - known.keys())},
    )


def _lineage_tables(
    planned: PlanInput, resolved: PlanInput, side: SourceSide, besides: AbstractSet[int]
) -> list[TableCase]:
    """The tables whose rows the source changed, of a branch those that the target lacks, and those ``besides``."""
    is_whole = side.snapshot is not None or (side.seen is not None and side.seen != side.destination)
    moved = {item.object_id for item in side.operations if side.snapshot is None and moves_rows(item)}
    by_statement = {*side.restored, *moved}
    if not (is_whole or by_statement):
        return []
    # Of tables of which a column was decided, the columns as they were decided.
    decided = {item.object_id for item in resolved.resolutions if item.part is ResolutionPart.COLUMN}
    changed = side.news.tables | besides if side.snapshot is not None else tables_written(side)
    known = changed & planned.tables.keys()
    new = planned.source_tables.keys() - planned.tables.keys() if side.snapshot is not None else set()
    found = []
    for object_id in sorted(known if is_whole else known & by_statement):
        alive = _aliveness(planned, object_id)
        is_restored = object_id in side.restored
        if side.snapshot is None and alive.is_judged and _meets_no_row(planned, object_id):
            continue
        if side.snapshot is not None or is_restored or (alive.source and alive.target and alive.result):
            merged = _readable(resolved if object_id in decided else planned, object_id)
            if object_id in decided:
                _types_hold(planned.source_tables.get(object_id), merged)
            case = _known_case(planned, object_id, alive, merged, is_restored=is_restored)
            found.append(replace(case, generated=_generated(resolved, object_id, merged)))
    found += [
        TableCase(object_id, alive, merged=planned.source_tables[object_id].schema, is_new=True)
        for object_id in sorted(new)
        if (alive := _aliveness(planned, object_id)).source and alive.result
    ]
    states = {**planned.source_tables, **planned.tables}
    settings_of = merge_settings([states[case.table_id] for case in found], lambda: side.homes)
    return [
        replace(case, granularity=settings_of[case.table_id].granularity, how=settings_of[case.table_id].how)
        for case in found
    ]


def _readable(planned: PlanInput, table_id: int) -> Schema:
    """The columns of the result without those that no file holds, and without those that have a type from one side and
    rows of another type from the other. With either the merge is refused.
    """
    schema = table_merged(planned, table_id).schema
    findings = change_sets_of(planned).findings_of(ObjectKind.TABLE, table_id)
    narrow = {key for item in findings if item.code == VerdictCode.COLUMN_TYPE_NARROWING for key in item.keys}
    apart = set(map(column_of, narrow))
    columns = tuple(c for c in schema.columns if not (c.holds_nothing or apart.intersection(c.ids)))
    return schema if len(columns) == len(schema.columns) else replace(schema, columns=columns)


def _meets_no_row(planned: PlanInput, table_id: int) -> bool:
    """Whether a statement only inserts rows into a table without a primary key, of which others changed nothing but
    rows since. New rows have row ids that no branch knows.
    """
    key = ObjectKind.TABLE, table_id
    source = [item for item in planned.source if (item.object_kind, item.object_id) == key]
    target = (item for item in planned.destination if (item.object_kind, item.object_id) == key)
    return (
        not planned.tables[table_id].schema.is_keyed
        and all(item.kind is OperationKind.INSERT and not item.changes for item in source)
        and all(item.is_data and not item.changes for item in target)
    )


def _known_case(planned: PlanInput, table_id: int, alive: Aliveness, merged: Schema, *, is_restored: bool) -> TableCase:
    """``merged``: the columns that the table will have, under which rows are read."""
    key = ObjectKind.TABLE, table_id
    before, state = planned.tables[table_id], planned.source_tables.get(table_id)
    return TableCase(
        table_id,
        alive,
        schema=state.schema if state else None,
        merged=merged,
        choices=choices_of(planned.resolutions, table_id) if before.schema.is_keyed else (),
        # Below a drop nothing is read, and columns go by their facts (R4).
        kept=kept_columns(planned, key, merged, is_restored=is_restored) if alive.result else (),
        kept_fields=kept_fields(planned, key, merged, is_restored=is_restored) if alive.result else frozenset(),
        decision=_rows_decision(planned.resolutions, table_id, is_keyed=before.schema.is_keyed),
    )


def _generated(resolved: PlanInput, table_id: int, merged: Schema) -> dict[int, str]:
    """By id the SQL of the generated columns of the merged table that has all that they read."""
    found = generated_values(table_merged(resolved, table_id).properties, merged).items()
    return {column: stored for column, stored in found if all(merged.column(i) for i in columns_read(stored))}


def _types_hold(source: TableState | None, merged: Schema) -> None:
    """Raises NotSupported where a decision leaves a column a type that does not hold all values of the source's."""
    if source is None:
        return
    for column in merged.columns:
        own = next((held for i in column.ids if (held := source.schema.column(i)) is not None), None)
        if own is not None and own.nested is None and not widens(own.type, column.type):
            raise NotSupported(
                f"Column {column.name} would stay {column.type}. Rows of the source have {own.type} there.",
                remedy="Widen the column on the target too, and decide again. Or decide the whole table.",
            )


def _schemas_judged(planned: PlanInput, side: SourceSide, stepped: Sequence[TableCase]) -> dict[int, Schema]:
    """By table whose rows, required columns or constraints come from both sides, the columns of the result. A statement
    whose branch has not moved has seen to its rows itself.
    """
    if side.snapshot is None and side.seen == side.destination:
        return {}
    change_sets, looked_at = change_sets_of(planned), {case.table_id for case in stepped}
    asked = [case.table_id for case in stepped if case.alive.result and not case.is_new]
    # A column that neither side changed is as required as the rows of both sides already fill it.
    for kind, table_id in change_sets.source:
        key, before = (kind, table_id), planned.tables.get(table_id)
        if kind is not ObjectKind.TABLE or before is None or table_id in looked_at:
            continue
        source, target = change_sets.source_of(*key), change_sets.destination_of(*key)
        changes_checks = any(map(is_stored, (*source.properties, *target.properties)))
        alive = _aliveness(planned, table_id)
        is_changed = (source.columns or target.columns or changes_checks) and alive.is_judged
        # What merges brought below a drop was not judged.
        if is_changed or (source.undropped and alive.result):
            asked.append(table_id)
    return {table_id: table_merged(planned, table_id).schema for table_id in asked}


def _asked(planned: PlanInput, schemas: Mapping[int, Schema]) -> dict[int, ResultTable]:
    """What the rows of merged tables are asked for."""
    found = {}
    for table_id, merged in schemas.items():
        source = planned.source_tables.get(table_id)
        own = source and _as_shown(source, planned.source_databases)
        target = _as_shown(planned.tables[table_id], planned.databases)
        found[table_id] = ResultTable(merged, table_merged(planned, table_id).properties, own, target)
    return found


def _as_shown(table: TableState, databases: Mapping[int, DatabaseState]) -> TableState:
    """Dropped, where its database is."""
    return table if is_alive(table, databases) else replace(table, is_dropped=True)


def _asked_as_decided(resolved: PlanInput, schemas: Collection[int]) -> dict[int, ResultTable]:
    """The same of tables of which something was decided, as it was decided."""
    decided = {item.object_id for item in resolved.resolutions if item.object_kind is ObjectKind.TABLE}
    known = decided.intersection(schemas, resolved.tables)
    changed = [i for i in known if (ObjectKind.TABLE, i) in change_sets_of(resolved).source]
    return _asked(resolved, {table_id: table_merged(resolved, table_id).schema for table_id in changed})


def _unfit(
    table_id: int,
    given: ResultTable,
    steps: TableSteps,
    destination: Snapshot,
    engine: EngineSource,
    besides: AbstractSet[int] = frozenset(),
) -> tuple[Lacking, Violated]:
    """The rows that the result may not have. Files ``besides`` are asked by what runs statements on them again."""
    lacking = rows_lacking(table_id, given, steps, destination, engine)
    return lacking, rows_violating(table_id, given, steps, destination, engine, besides)


def _rows_decision(resolutions: Sequence[Resolution], table_id: int, *, is_keyed: bool) -> RowsDecision:
    chosen = [item for item in resolutions if item.key_of_object == (ObjectKind.TABLE, table_id)]
    by_cell = not is_keyed and any(item.part in ROW_PARTS for item in chosen)
    of_whole = {item.decision for item in chosen if item.part is ResolutionPart.OBJECT}
    return RowsDecision(
        Decision.TAKE_SOURCE in of_whole,
        not of_whole.isdisjoint(WITHOUT_SOURCE),
        frozenset(tuple(json.loads(item.part_key)) for item in chosen if item.part is ResolutionPart.PARTITION),
        by_cell,
        choices_of(chosen, table_id) if by_cell else (),
    )


def _taken_whole(resolutions: Sequence[Resolution]) -> set[int]:
    """The tables of which the source is taken."""
    return {
        item.object_id
        for item in resolutions
        if item.object_kind is ObjectKind.TABLE
        and item.decision is Decision.TAKE_SOURCE
        and item.part is ResolutionPart.OBJECT
    }


def _aliveness(planned: PlanInput, table_id: int) -> Aliveness:
    """Whether the table and its database exist. Rows below a drop are merged too, without verdicts (R4)."""
    key, change_sets = (ObjectKind.TABLE, table_id), change_sets_of(planned)
    known = change_sets.attributes.alive.get(key) if change_sets.attributes is not None else None
    if known is not None:
        return known
    before, state = planned.tables.get(table_id), planned.source_tables.get(table_id)
    on_source = state is None or is_alive(state, planned.source_databases)
    on_target = before is not None and is_alive(before, planned.databases)
    source, target = change_sets.source_of(*key), change_sets.destination_of(*key)
    is_left = (on_target or before is None or source.undropped) and not (source.dropped or target.dropped)
    return Aliveness(on_source and not source.dropped, on_target and not target.dropped, is_left)
