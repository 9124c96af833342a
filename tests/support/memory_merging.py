"""MERGE INTO on the engine in memory: every pair of rows is tried, and the rules in written order (rows §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa

from catalog_app.domain.files import NewDeleteFile, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.merge_values import Act, Family, FrozenSource, MergeChanges, MergeTask, Rule, SourceRows
from lakeui.common.errors import Cardinality
from tests.support.expressions import evaluate
from tests.support.memory_engine import LiveRow, MemoryEngine, as_stored, by_name, complete, given_value

Named = dict[str, Any]
"""Values by folded column name, alone (where one side only has it) and behind the side's alias."""


class MergingMemoryEngine(MemoryEngine):
    """The engine in memory with merge-on-read MERGE INTO."""

    def __init__(self, allocate: Callable[[int, int], int]) -> None:
        super().__init__(allocate)
        self._sources: dict[str, list[list[Any]]] = {}

    @contextmanager
    def frozen(self, table_id: int, source: SourceRows) -> Iterator[FrozenSource]:
        described, rows = self._query(source.query.text, source.query.tables)
        names = source.columns or tuple(name for name, _ in described)
        columns = tuple((name, kind) for name, (_, kind) in zip(names, described, strict=True))
        folder = f"{table_id}/staging/{next(self._numbers)}"
        self._sources[folder] = rows
        yield FrozenSource(folder, source.alias, columns, len(rows), 0, (None,) * len(source.keys))
        del self._sources[folder]

    def merge(self, task: MergeTask, source: FrozenSource) -> MergeChanges:
        names = [name.casefold() for name, _ in source.columns]
        held = self._sources[source.folder] if source.table is None else _values(source.table)
        rows = [dict(zip(names, values, strict=True)) for values in held]
        matched: set[int] = set()
        acting: dict[Act, list[tuple[LiveRow, Rule, Named]]] = {Act.UPDATE: [], Act.DELETE: []}
        for row in self._live(task.scan):
            own = by_name(task.scan.schema, row.values)
            sides = [_sides(task.alias, own, source.alias, other) for other in rows]
            partners = [number for number, both in enumerate(sides) if evaluate(task.on, both) is True]
            if len(partners) > 1 and _is_strict(task.rules):
                raise Cardinality("A row of the target matches more than one row of the source.", remedy="Group them.")
            named = sides[partners[0]] if partners else _sides(task.alias, own, source.alias, {})
            rule = _first(task.rules, Family.MATCHED if partners else Family.NOT_MATCHED_BY_SOURCE, named)
            if not (task.supersedes and rule is not None and rule.act is Act.UPDATE):
                matched.update(partners)
            if rule is not None and not (rule.act is Act.UPDATE and _is_moot(task.scan.schema, row, rule, named)):
                acting[rule.act].append((row, rule, named))
        changes = self._marked(task.scan, *([row for row, _, _ in acting[act]] for act in (Act.UPDATE, Act.DELETE)))
        unmatched = [_sides(task.alias, {}, source.alias, other) for n, other in enumerate(rows) if n not in matched]
        return self._with_rows(task, changes, acting[Act.UPDATE], unmatched)

    def _with_rows(
        self,
        task: MergeTask,
        changes: MergeChanges,
        updates: Sequence[tuple[LiveRow, Rule, Named]],
        unmatched: Sequence[Named],
    ) -> MergeChanges:
        schema = task.scan.schema
        images = [(_image(schema, row, rule, named), row.row_id) for row, rule, named in updates]
        chosen = [(_first(task.rules, Family.NOT_MATCHED, named), named) for named in unmatched]
        columns = [replace(c, identity=task.identities[c.id]) for c in schema.columns if c.id in task.identities]
        counted = self._counted(task.scan.table_id, columns, len(chosen))
        fresh = [
            (complete(schema, {**numbers, **_given(rule, named)}), None)
            for numbers, (rule, named) in zip(counted, chosen, strict=True)
            if rule is not None
        ]
        return replace(
            changes,
            images=tuple(self._write(task.scan.table_id, schema, images)),
            inserted=tuple(self._write(task.scan.table_id, schema, fresh)),
            rows_inserted=len(fresh),
        )

    def _marked(self, scan: TableScan, updated: Sequence[LiveRow], deleted: Sequence[LiveRow]) -> MergeChanges:
        """Deletes file by file; one that keeps no row goes as a whole, with the delete if both emptied it."""
        changes = MergeChanges(rows_updated=len(updated), rows_deleted=len(deleted))
        for file in scan.files:
            ours = [{row.position: row.row_id for row in rows if row.file == file} for rows in (updated, deleted)]
            is_emptied = len(self._deleted_positions(file) | ours[0].keys() | ours[1].keys()) == file.rows
            staged: list[tuple[NewDeleteFile, ...]] = [(), ()]
            for side, marks in enumerate(ours):
                goes_whole = is_emptied and (side == 1 or not ours[1])
                if marks and not goes_whole:
                    staged[side] = (self._write_deletes(scan.table_id, file, marks),)
            gone = (file.file_id,) if is_emptied and (ours[0] or ours[1]) else ()
            changes = replace(
                changes,
                updated=(*changes.updated, *staged[0]),
                deleted=(*changes.deleted, *staged[1]),
                emptied_by_update=(*changes.emptied_by_update, *(gone if not ours[1] else ())),
                emptied_by_delete=(*changes.emptied_by_delete, *(gone if ours[1] else ())),
            )
        return changes


def _values(table: pa.Table) -> list[list[Any]]:
    """Its rows. Few rows that wait in the process are what counts, whatever a query would say."""
    columns = [column.to_pylist() for column in table.columns]
    return [list(values) for values in zip(*columns, strict=True)]


def _sides(alias: str, own: Mapping[str, Any], other_alias: str, other: Mapping[str, Any]) -> Named:
    shared = own.keys() & other.keys()
    alone = {name: value for name, value in {**own, **other}.items() if name not in shared}
    behind = {f"{alias}.{name}".casefold(): value for name, value in own.items()}
    return {**alone, **behind, **{f"{other_alias}.{name}".casefold(): value for name, value in other.items()}}


def _first(rules: Sequence[Rule], family: Family, named: Named) -> Rule | None:
    for rule in rules:
        if rule.family is family and (rule.condition is None or evaluate(rule.condition, named) is True):
            return rule
    return None


def _given(rule: Rule, named: Named) -> dict[str, Any]:
    return {name.casefold(): given_value(text, named) for name, text in rule.values.items()}


def _image(schema: Schema, row: LiveRow, rule: Rule, named: Named) -> dict[int, Any]:
    return complete(schema, {**by_name(schema, row.values), **_given(rule, named)})


def _is_moot(schema: Schema, row: LiveRow, rule: Rule, named: Named) -> bool:
    """Whether the row has the values already that an update gives it."""
    return _image(schema, row, rule, named) == as_stored(schema, row)


def _is_strict(rules: Sequence[Rule]) -> bool:
    matched = [rule for rule in rules if rule.family is Family.MATCHED]
    is_plain_delete = len(matched) == 1 and matched[0].act is Act.DELETE and matched[0].condition is None
    return bool(matched) and not is_plain_delete
