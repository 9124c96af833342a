"""The side of a plan that is applied: its operations, and the states of the objects that they end in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.selectors.attribute_facts import ObjectKey
from catalog_app.selectors.homes import Homes, homes_load
from catalog_app.selectors.objects import States, tables_load
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.lineage.ranges import Changed
from merge_app.execution.lineage.staged_files import RestoredFiles
from merge_app.execution.version_vectors import Ranges, VersionVector, chain_version_vector, version_vector_load


@dataclass(frozen=True, slots=True)
class TargetKnown:
    """What was looked up of a target with the source. ``states``: of the objects ``asked``. ``news``: the objects
    of which it has facts that the source does not know; ``source_news``: the other way round.
    """

    states: States
    asked: tuple[frozenset[int], frozenset[int]]
    source_news: frozenset[ObjectKey]
    news: frozenset[ObjectKey]


@dataclass(frozen=True, slots=True)
class SourceSide:
    """What is to be applied: operations, and the states of the objects that they end in. ``schemas``, by the ids of
    their definitions, are shared with the target's states. ``seen``: of a statement, the snapshot that it saw;
    ``altered``: kinds and ids of the objects that its branch altered since. ``own_branch``: of a transaction, its
    workspace. ``reaches``, ``homes``, ``changed``: what is known already, see ``reach_of``, ``homes_of``, ``news_to``;
    ``targets``: of a target that was loaded with the side.
    """

    operations: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState]
    tables: Mapping[int, TableState]
    snapshot: Snapshot | None
    version_vector: VersionVector
    seen: Snapshot | None = None
    altered: frozenset[tuple[str, int]] = frozenset()
    own_branch: int | None = None
    restored: Mapping[int, RestoredFiles] = field(default_factory=dict)
    schemas: dict[int, Schema] = field(default_factory=dict)
    version_vectors: dict[Snapshot, VersionVector] = field(default_factory=dict, compare=False, repr=False)
    homes: dict[Snapshot, Homes] = field(default_factory=dict, compare=False, repr=False)
    changed: dict[Snapshot, Changed] = field(default_factory=dict, compare=False, repr=False)
    targets: dict[Snapshot, TargetKnown] = field(default_factory=dict, compare=False, repr=False)

    def version_vector_of(self, destination: Snapshot) -> VersionVector:
        """What a target reaches. Commits are only added, so that of one chain is looked up once."""
        if destination not in self.version_vectors:
            self.version_vectors[destination] = version_vector_load(destination)
        return self.version_vectors[destination]

    def news_to(self, destination: Snapshot) -> Changed:
        """What the commits did that the side reaches and a target does not."""
        if destination not in self.changed:
            self.changed[destination] = Changed.by(
                Ranges.of_news(self.version_vector, self.version_vector_of(destination))
            )
        return self.changed[destination]

    @property
    def has_merged(self) -> bool:
        """Whether merges brought a branch commits of others."""
        own = chain_version_vector(self.snapshot) if self.snapshot is not None else {}
        return any(upto > own.get(branch_id, 0) for branch_id, upto in self.version_vector.items())

    def news_of(self, destination: Snapshot) -> Ranges:
        """The commits that a target reaches and the side does not."""
        return Ranges.of_news(self.version_vector_of(destination), self.version_vector)

    def has_attribute_news(self, destination: Snapshot) -> bool:
        """Whether the side may have facts of attributes that a target does not know."""
        known = self.targets.get(destination)
        return known is None or bool(known.source_news)

    def homes_of(self, source: Snapshot, destination: Snapshot) -> Homes:
        """The catalogs of what both reach. ``source``: the snapshot of the source, or the one that a statement saw."""
        if destination not in self.homes:
            self.homes[destination] = homes_load(
                source, destination, (self.version_vector, self.version_vector_of(destination))
            )
        return self.homes[destination]


def source_tables_load(side: SourceSide, table_ids: Collection[int]) -> dict[int, TableState]:
    """Those that the side's operations do not name."""
    wanted = set(table_ids) - side.tables.keys()
    return tables_load(side.snapshot, wanted, schemas=side.schemas) if side.snapshot is not None else {}


def tables_written(side: SourceSide) -> set[int]:
    """The tables whose rows the side changed."""
    return {
        item.object_id
        for item in side.operations
        if item.object_kind is ObjectKind.TABLE and (item.is_data or item.kind is OperationKind.PARTITION)
    }


def tables_met(side: SourceSide, destination: Snapshot) -> AbstractSet[int] | None:
    """The tables of which a target that was loaded with the side has news; None for all, where databases have some."""
    ranges, objects = side.news_of(destination), side.targets[destination].news
    if any(kind is ObjectKind.DATABASE for kind, _ in objects):
        return None
    return Changed.by(ranges).tables | {identity for _, identity in objects}
