"""Facts of attributes of lakes that have none yet: every commit of all catalogs is gone through once, in order.

A commit's own changes are the differences between the states before and after it. What a merge brought follows from the
facts of both sides and the state that it left, as when a merge writes them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog_app.domain.attribute_facts import (
    AttributeFact,
    Facts,
    Merged,
    attributes_set,
    facts_merged,
    facts_restored,
    facts_set,
    is_implied_drop,
)
from catalog_app.domain.operation_json import change_from_json
from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from catalog_app.selectors.attribute_facts import ObjectKey
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.services.attribute_lines import Lines, Recorded

_COMMITS = """
SELECT c.catalog_id, c.branch_id, c.version, c.operation, p.branch_id, p.version, x.workspace_id, w.head_version
FROM catalog_app_commit c LEFT JOIN catalog_app_commit p ON p.id = c.merge_parent_id
LEFT JOIN catalog_app_branch b ON b.id = c.branch_id
LEFT JOIN catalog_app_transaction x ON x.target_id = c.branch_id AND x.version = c.version
LEFT JOIN catalog_app_branch w ON w.id = x.workspace_id
ORDER BY c.id
"""
_DATABASES = """
SELECT branch_id, version, database_id, name, comment, properties, is_dropped
FROM catalog_app_databaserecord ORDER BY version
"""
_TABLES = """
SELECT branch_id, version, table_id, database_id, name, comment, properties, declared_partitions, is_dropped
FROM catalog_app_tablerecord ORDER BY version
"""
_SCHEMAS = """
SELECT h.branch_id, h.version, h.table_id, d.content
FROM catalog_app_tableschemahistory h JOIN catalog_app_schemadefinition d ON d.id = h.definition_id ORDER BY h.version
"""
_MOVES = """
SELECT branch_id, version, object_id, changes FROM catalog_app_commitoperation
WHERE object_kind = 'table' AND kind = 'column' AND changes @> '[{"attribute": "position"}]'
"""
_RESTORES = """
SELECT c.branch_id, c.version, m.source_head FROM merge_app_mergeattempt m
JOIN catalog_app_commit c ON c.catalog_id = m.catalog_id AND c.version = m.version
WHERE m.kind = 'restore'
"""


@dataclass(frozen=True, slots=True)
class _Commit:
    catalog_id: int
    branch_id: int
    version: int
    operation: str
    source: tuple[int, int] | None
    is_transaction: bool


@dataclass(frozen=True, slots=True)
class DerivedFacts:
    branch_id: int
    version: int
    key: ObjectKey
    facts: Facts


@dataclass(slots=True)
class _Pass:
    lines: Lines
    records: dict[ObjectKey, Recorded[ObjectState]]
    schemas: dict[int, Recorded[Schema]]
    moves: Mapping[tuple[int, int, int], tuple[Operation, ...]]
    restores: Mapping[tuple[int, int], int]
    touched: Mapping[tuple[int, int], set[ObjectKey]]
    facts: dict[ObjectKey, Recorded[Facts]] = field(default_factory=lambda: defaultdict(Recorded))
    came: dict[int, list[tuple[int, ObjectKey]]] = field(default_factory=lambda: defaultdict(list))
    """By branch, in order: when facts came, and of which object."""

    def state(self, key: ObjectKey, branch_id: int, version: int) -> ObjectState | None:
        chain = self.lines.chain(branch_id, version)
        record = self.records[key].newest(chain) if key in self.records else None
        if not isinstance(record, TableState):
            return record
        schema = self.schemas[record.table_id].newest(chain)
        return record if schema is None else replace(record, schema=schema)

    def facts_of(self, key: ObjectKey, branch_id: int, version: int) -> dict[str, AttributeFact]:
        found: dict[str, AttributeFact] = {}
        for _, facts in reversed(list(self.facts[key].all_of(self.lines.chain(branch_id, version)))):
            found |= facts
        return found

    def derive(self, commit: _Commit) -> Iterator[DerivedFacts]:
        at, before = (commit.branch_id, commit.version), (commit.branch_id, commit.version - 1)
        keys = dict.fromkeys(sorted(self.touched.get(at, ())))
        if commit.source is not None:
            keys |= dict.fromkeys(self._news(commit.source, before))
        dropped = {
            key[1]
            for key in keys
            if key[0] is ObjectKind.DATABASE and (state := self.state(key, *at)) is not None and state.is_dropped
        }
        for key in keys:
            after = self.state(key, *at)
            if commit.source is not None:
                facts = self._merged(key, commit, after, dropped)
            elif after is None:
                continue
            elif commit.operation.startswith(("RESTORE", "UNDROP")):
                facts = self._restored(key, commit, after, dropped)
            else:
                facts = facts_set(self._set(key, commit, after, dropped), commit.version)
            if facts:
                yield DerivedFacts(*at, key, facts)

    def keep(self, found: DerivedFacts) -> None:
        self.facts[found.key].add(found.branch_id, found.version, found.facts)
        self.came[found.branch_id].append((found.version, found.key))

    def _set(self, key: ObjectKey, commit: _Commit, after: ObjectState, dropped: set[int]) -> dict[str, Any]:
        operations = self.moves.get((commit.branch_id, commit.version, key[1]), ())
        of_table = operations if key[0] is ObjectKind.TABLE else ()
        return attributes_set(self.state(key, commit.branch_id, commit.version - 1), after, of_table, dropped)

    def _restored(
        self, key: ObjectKey, commit: _Commit, after: ObjectState, dropped: set[int]
    ) -> dict[str, AttributeFact]:
        found = self._set(key, commit, after, dropped)
        if not found:
            return {}
        line = commit.branch_id, commit.version - 1
        version = self.restores.get((commit.branch_id, commit.version))
        then = self._with_values(key, *line) if version is None else self.facts_of(key, commit.branch_id, version)
        return facts_restored(after, self.facts_of(key, *line), then, found, commit.version)

    def _with_values(self, key: ObjectKey, branch_id: int, version: int) -> dict[str, AttributeFact]:
        found: dict[str, AttributeFact] = {}
        for _, facts in reversed(list(self.facts[key].all_of(self.lines.chain(branch_id, version)))):
            found |= {attribute: fact for attribute, fact in facts.items() if fact.value is not None}
        return found

    def _news(self, source: tuple[int, int], target: tuple[int, int]) -> Iterator[ObjectKey]:
        """The objects of which facts came to the source's chain where the target does not reach."""
        version_vector = self.lines.version_vector(*target)
        for branch_id, limit in self.lines.chain(*source):
            after = version_vector.get(branch_id, 0)
            yield from (key for version, key in self.came[branch_id] if after < version <= limit)

    def _merged(
        self, key: ObjectKey, commit: _Commit, after: ObjectState | None, dropped: set[int]
    ) -> dict[str, AttributeFact]:
        assert commit.source is not None
        source, target = commit.source, (commit.branch_id, commit.version - 1)
        home = self.lines.lines[source[0]].catalog_id
        present = self.facts_of(key, *target)
        source_facts: Facts = self.facts_of(key, *source)
        if commit.is_transaction:
            source_facts = {
                name: fact.of_commit(commit.version, self._made_on(home, source[0]))
                for name, fact in source_facts.items()
            }
        elif home != commit.catalog_id:
            source_facts = {
                name: fact.foreign(0 if self.lines.knows(*target, home, fact.stamp) else commit.version)
                for name, fact in source_facts.items()
            }
        before = self.state(key, *target)
        merged = Merged(
            after,
            commit.version,
            source_knows=lambda stamp: self.lines.knows(*source, commit.catalog_id, stamp),
            target_knows=lambda stamp: stamp != commit.version and self.lines.knows(*target, home, stamp),
            is_implied=after is not None and is_implied_drop(before, after, dropped),
        )
        return facts_merged(source_facts, present, merged)

    def _made_on(self, catalog_id: int, branch_id: int) -> Any:
        return lambda stamp: self.lines.makers.get((catalog_id, stamp)) == branch_id


def facts_derive() -> list[DerivedFacts]:
    """The facts of all catalogs, in the order of the commits that they came with."""
    work = _load()
    derived: list[DerivedFacts] = []
    for row in fetch_all(_COMMITS, {}):
        catalog_id, branch_id, version, operation, *merged, workspace, workspace_head = row
        source = (merged[0], merged[1]) if merged[0] is not None else None
        if workspace is not None:
            source = workspace, workspace_head
        commit = _Commit(catalog_id, branch_id, version, operation, source, is_transaction=workspace is not None)
        found = list(work.derive(commit))
        for item in found:
            work.keep(item)
        derived += found
    return derived


def _load() -> _Pass:
    records: dict[ObjectKey, Recorded[ObjectState]] = defaultdict(Recorded)
    schemas: dict[int, Recorded[Schema]] = defaultdict(Recorded)
    touched: dict[tuple[int, int], set[ObjectKey]] = defaultdict(set)
    for branch_id, version, identity, name, comment, properties, is_dropped in fetch_all(_DATABASES, {}):
        database = DatabaseState(identity, name, comment, json_value(properties), is_dropped)
        records[ObjectKind.DATABASE, identity].add(branch_id, version, database)
        touched[branch_id, version].add((ObjectKind.DATABASE, identity))
    for branch_id, version, identity, home, name, comment, properties, declared, is_dropped in fetch_all(_TABLES, {}):
        values = frozenset(tuple(item) for item in json_value(declared))
        state = TableState(identity, home, name, Schema(), 0, comment, json_value(properties), values, is_dropped)
        records[ObjectKind.TABLE, identity].add(branch_id, version, state)
        touched[branch_id, version].add((ObjectKind.TABLE, identity))
    for branch_id, version, identity, content in fetch_all(_SCHEMAS, {}):
        schemas[identity].add(branch_id, version, Schema.from_json(json_value(content)))
        touched[branch_id, version].add((ObjectKind.TABLE, identity))
    moves: dict[tuple[int, int, int], tuple[Operation, ...]] = {}
    for branch_id, version, identity, changes in fetch_all(_MOVES, {}):
        changed = tuple(change_from_json(change) for change in json_value(changes))
        operation = Operation(OperationKind.COLUMN, ObjectKind.TABLE, identity, changed)
        moves[branch_id, version, identity] = (*moves.get((branch_id, version, identity), ()), operation)
    return _Pass(Lines.load(), records, schemas, moves, _restores(), touched)


def _restores() -> dict[tuple[int, int], int]:
    """By branch and version of a restore, the version that it went back to. The audit knows that."""
    ((audit,),) = fetch_all("SELECT to_regclass('merge_app_mergeattempt')", {})
    return {(row[0], row[1]): row[2] for row in fetch_all(_RESTORES, {})} if audit else {}
