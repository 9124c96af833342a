"""What merge policies are judged on: the numbers of the plan, and its changed rows where a policy asks for a look."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction

from catalog_app.domain.operations import ColumnAttribute, ObjectKind, Operation, OperationKind
from catalog_app.domain.plan_facts import ChangedTable, LookedAt, PlanFacts, RowFinding, SpotRow
from catalog_app.domain.policies import Policy, PolicySet, RowRule, policies_digest
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch
from catalog_app.selectors.listing import table_sizes
from catalog_app.selectors.objects import databases_list
from catalog_app.selectors.schemas import visible_schemas
from catalog_app.selectors.snapshots import Snapshot
from lakeui.common.counts import counted
from merge_app.comparison.compared_rows import row_pages
from merge_app.comparison.row_pages import ComparedRow
from merge_app.comparison.row_rules import RowPair, emptied_count, rule_ask
from merge_app.execution.apply import stale_tables, takes_rows_uncounted
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.load import merge_input_load
from merge_app.planning.change_sets import ChangeSets, change_sets_of
from merge_app.planning.merge_plan import Action, MergePlan, ObjectPlan, Resolution
from merge_app.planning.notes import rows_done
from merge_app.planning.plan import plan

MOST_ROWS = 20_000
"""So many changed rows of a table are looked at at most: each is held in memory four times."""
MOST_SPOT_ROWS = 50


def policy_facts_load(
    source: Branch,
    destination: Branch,
    engine: EngineSource,
    resolutions: tuple[Resolution, ...],
    policies: Sequence[PolicySet],
) -> PlanFacts:
    """The facts of the plan of both heads as they are in these rows. Reads only. Rows are looked at where one of the
    policies takes more than numbers, and each table once.
    """
    with transaction.atomic():
        side, given = merge_input_load(source, destination, engine, resolutions)
    planned = plan(given)
    assert side.snapshot is not None
    tables = _Tables(planned, change_sets_of(given), side.snapshot, side.destination)
    asked = [policy for item in policies for policy in item.policies]
    look = _Look((source, destination), side.destination, engine, resolutions, asked)
    found = [look.at(item, table) for item, table in tables.changed()] if look.is_asked else tables.listed()
    return PlanFacts(
        fingerprint=planned.fingerprint,
        tables=tuple(found),
        stale_reads=stale_tables(planned),
        conflicts=len(planned.conflicts),
        decided=len(planned.decided),
        spot_rows=look.drawn(planned.fingerprint),
        policies=policies_digest(policies),
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """The objects that the plan changes, with the numbers of both sides."""

    planned: MergePlan
    change_sets: ChangeSets
    source_snapshot: Snapshot
    target_snapshot: Snapshot

    def listed(self) -> list[ChangedTable]:
        return [table for _, table in self.changed()]

    def changed(self) -> list[tuple[ObjectPlan, ChangedTable]]:
        items = [item for item in self.planned.objects if item.action is not Action.UNTOUCHED]
        ids = [item.object_id for item in items if item.kind is ObjectKind.TABLE]
        source_rows, target_rows = (
            {key: size.rows for key, size in table_sizes(at, ids).items()}
            for at in (self.source_snapshot, self.target_snapshot)
        )
        databases = {state.database_id: state.name for state in databases_list(self.target_snapshot)}
        return [(item, self._changed(item, source_rows, target_rows, databases)) for item in items]

    def _changed(
        self,
        item: ObjectPlan,
        source_rows: Mapping[int, int],
        target_rows: Mapping[int, int],
        databases: Mapping[int, str],
    ) -> ChangedTable:
        source = self.change_sets.source_of(item.kind, item.object_id)
        operations = {operation.kind.value for operation in (*item.carried_out, *source.data)}
        if item.action is not Action.ALTER:
            operations.add(item.action.value)
        done = rows_done(source)
        is_table, is_new = item.kind is ObjectKind.TABLE, item.action is Action.CREATE or _is_undropped(item)
        before = 0 if is_new else target_rows.get(item.object_id, 0)
        inserted, deleted = done.get("rows_inserted", 0), done.get("rows_deleted", 0)
        if is_table and is_new:
            inserted = max(inserted, source_rows.get(item.object_id, 0))
        if is_table and item.action is Action.DROP:
            deleted = max(deleted, before)
        updated = done.get("rows_updated", 0)
        if is_table and not is_new and _filled_columns(item, self.target_snapshot):
            # Each row that is there shows another value from now on.
            updated = max(updated, before)
        return ChangedTable(
            names=_names(item, databases),
            operations=tuple(sorted(operations)),
            inserted=inserted,
            updated=updated,
            deleted=deleted,
            rows_before=before,
            dropped_columns=tuple(
                str(change.before["name"])
                for (_, attribute), change in source.columns.items()
                if attribute is ColumnAttribute.EXISTS and change.after is None
            ),
            uncounted=tuple(sorted(_uncounted((*item.operations, *source.data)))) if is_table else (),
            is_database=not is_table,
        )


def _names(item: ObjectPlan, databases: Mapping[int, str]) -> tuple[str, ...]:
    """What the object was called and is called, ``database.*`` of a database; each once, the last one last."""
    found = []
    for state in (item.before, item.after):
        if isinstance(state, DatabaseState):
            found.append(f"{state.name}.*")
        elif state is not None:
            known = databases.get(state.database_id)
            found.append(f"{known}.{state.name}" if known is not None and state is item.before else item.name)
    return tuple(dict.fromkeys(found))


def _is_undropped(item: ObjectPlan) -> bool:
    """Whether the merge brings back what the target dropped: its rows are new there."""
    return any(operation.kind is OperationKind.UNDROP for operation in item.carried_out)


def _other_columns(item: ObjectPlan) -> list[str]:
    """Names under which the merge puts another column than the target has: old and new values are of two columns."""
    if not isinstance(item.before, TableState) or not isinstance(item.after, TableState):
        return []
    before = {column.name.casefold(): column.id for column in item.before.schema.columns}
    return [
        column.name
        for column in item.after.schema.columns
        if before.get(column.name.casefold(), column.id) != column.id
    ]


def _filled_columns(item: ObjectPlan, target_snapshot: Snapshot) -> list[str]:
    """Names of columns that the target lacks, and that rows get without being written: by a default, or as the target
    had the column before.
    """
    if not isinstance(item.before, TableState) or not isinstance(item.after, TableState):
        return []
    new = _columns_beside(item.after.schema, item.before.schema)
    if all(column.initial_default is not None for column in new):
        return [column.name for column in new]
    past = visible_schemas(target_snapshot, item.object_id, current=item.before.schema_version)
    before = {identity for each in past for column in each.schema.columns for identity in column.ids}
    return [column.name for column in new if column.initial_default is not None or not before.isdisjoint(column.ids)]


def _columns_beside(schema: Schema, other: Schema) -> list[Column]:
    known = {identity for column in other.columns for identity in column.ids}
    return [column for column in schema.columns if known.isdisjoint(column.ids)]


def _uncounted(operations: Collection[Operation]) -> set[str]:
    return {operation.kind.value for operation in operations if takes_rows_uncounted(operation)}


class _Look:
    """Looks at the changed rows of tables, for all policies at once."""

    def __init__(
        self,
        pair: tuple[Branch, Branch],
        target_snapshot: Snapshot,
        engine: EngineSource,
        resolutions: tuple[Resolution, ...],
        asked: Sequence[Policy],
    ) -> None:
        self._pair, self._target_snapshot, self._engine, self._resolutions = pair, target_snapshot, engine, resolutions
        self._rules: list[RowRule] = [rule for policy in asked for rule in policy.rules]
        self._draws = min(MOST_SPOT_ROWS, max((policy.spot_check for policy in asked), default=0))
        self._counts_emptied = any(policy.max_emptied is not None for policy in asked)
        self._seen: list[tuple[str, RowPair]] = []

    @property
    def is_asked(self) -> bool:
        return bool(self._rules or self._draws or self._counts_emptied)

    def at(self, item: ObjectPlan, table: ChangedTable) -> ChangedTable:
        """The table with what its rows were found to be."""
        rules = [rule for rule in self._rules if rule.holds_for(table)]
        if item.kind is not ObjectKind.TABLE or not (rules or self._draws or self._counts_emptied):
            return table
        return replace(table, looked_at=self._looked_at(item, table, rules))

    def _looked_at(self, item: ObjectPlan, table: ChangedTable, rules: Sequence[RowRule]) -> LookedAt:
        if item.action is Action.DROP:
            return LookedAt(problem="it is dropped with its rows") if table.rows else LookedAt()
        if _is_undropped(item) and table.rows:
            return LookedAt(problem="it is undropped with its rows")
        if others := _other_columns(item):
            return LookedAt(problem=f"another column is called {', '.join(others)} than before")
        if table.rows_before and (filled := _filled_columns(item, self._target_snapshot)):
            return LookedAt(problem=f"all of its rows show another value of {', '.join(filled)}")
        if table.uncounted:
            return LookedAt(problem=f"nothing counts the rows that {', '.join(table.uncounted)} takes")
        if table.rows > MOST_ROWS:
            return LookedAt(
                problem=f"it has {counted(table.rows, 'changed row')}, and {MOST_ROWS:,} are looked at at most"
            )
        if not table.rows:
            return LookedAt(rules={rule.key: RowFinding(0) for rule in rules})
        pages = row_pages(*self._pair, item.object_id, self._resolutions, self._engine, only_conflicts=False)
        found = pages.page(limit=MOST_ROWS)
        names = [column.name.casefold() for column in pages.schema.columns]
        rows = list(_pairs(found.rows, names))
        if found.truncated or not rows:
            return LookedAt(problem="its changed rows were not all found")
        self._seen += [(table.name, row) for row in rows]
        types = {column.name.casefold(): column.type for column in pages.schema.columns}
        return LookedAt(
            emptied_count(rows), {rule.key: rule_ask(rule.condition, rule.changes, rows, types) for rule in rules}
        )

    def drawn(self, fingerprint: str) -> tuple[SpotRow, ...]:
        """Rows drawn by chance that the plan's fingerprint fixes: who looks again has the same ones before them."""

        def chance(entry: tuple[str, RowPair]) -> str:
            return hashlib.sha256(f"{fingerprint}/{entry[0]}/{entry[1].key}".encode()).hexdigest()

        chosen = sorted(self._seen, key=chance)[: self._draws]
        return tuple(SpotRow(name, row.change, row.key, row.old, row.new) for name, row in chosen)


def _pairs(rows: Sequence[ComparedRow], names: Sequence[str]) -> Iterator[RowPair]:
    """Rows that the merge changes on the target, as it has them and as the merge makes them."""
    for row in rows:
        images = row.target, row.result
        old, new = (None if image is None else dict(zip(names, image, strict=True)) for image in images)
        if old != new:
            yield RowPair(row.key, old, new)
