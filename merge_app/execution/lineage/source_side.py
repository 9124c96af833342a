"""The side of a plan that is applied: its operations, and the states of the objects that they end in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.selectors.attribute_facts import ObjectKey
from catalog_app.selectors.homes import Homes, homes_load
from catalog_app.selectors.objects import States, tables_load
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.lineage.ranges import Changed
from merge_app.execution.lineage.staged_files import RestoredFiles
from merge_app.execution.lineage.vectors import CommitsReached
from merge_app.execution.version_vectors import Ranges, VersionVector, bounded, has_merged, version_vector_load


@dataclass(frozen=True, slots=True)
class TargetKnown:
    """What was looked up of a target with the source. ``version_vector``: what it reaches. ``states``: of the objects
    ``asked``. ``news``: the objects of which it has facts that the source does not know; ``source_news``: the other way
    round.
    """

    version_vector: VersionVector
    states: States
    asked: tuple[frozenset[int], frozenset[int]]
    source_news: frozenset[ObjectKey]
    news: frozenset[ObjectKey]


@dataclass(frozen=True)
class SourceSide:
    """What is to be applied on ``destination``: operations, and the states of the objects that they end in.
    ``schemas``, by the ids of their definitions, are shared with the target's states. ``snapshot``: of a branch;
    ``seen``: the one that a statement saw. ``altered``: kinds and ids of the objects that its branch altered since.
    ``own_branch``: of a transaction, its workspace, whose commits are one with that of the transaction (R11).
    ``restored``: by table what a statement makes of its files. ``target``: what was looked up of a branch's target.
    """

    operations: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState]
    tables: Mapping[int, TableState]
    snapshot: Snapshot | None
    version_vector: VersionVector
    destination: Snapshot
    seen: Snapshot | None = None
    altered: frozenset[tuple[str, int]] = frozenset()
    own_branch: int | None = None
    restored: Mapping[int, RestoredFiles] = field(default_factory=dict)
    schemas: dict[int, Schema] = field(default_factory=dict)
    target: TargetKnown | None = None

    @property
    def front(self) -> Snapshot:
        """What the side shows, or showed a statement."""
        found = self.snapshot or self.seen
        assert found is not None
        return found

    @property
    def is_workspace(self) -> bool:
        """What was done in a transaction's workspace is the work of the commit itself, and no replay."""
        return self.own_branch is not None

    @property
    def staged(self) -> tuple[Operation, ...]:
        """What a statement wants to commit on what it saw (R2)."""
        return self.operations if self.snapshot is None else ()

    def commits(self, home: int, *, are_new: bool) -> CommitsReached:
        """What both sides know of tables of one home. Of a table that it never had, a target knows no fact."""
        floors = self.homes.floors(home)
        # Only the chain says something of a statement whose branch has not moved.
        known = self.target_vector if self.front == self.destination else self.version_vector
        reached = {} if are_new else self.target_vector
        return CommitsReached(bounded(known, floors), bounded(reached, floors), floors)

    @cached_property
    def target_vector(self) -> VersionVector:
        """What the target reaches. Commits are only added, so that is looked up once."""
        return version_vector_load(self.destination) if self.target is None else self.target.version_vector

    @cached_property
    def news(self) -> Changed:
        """What the commits did that the side reaches and the target does not."""
        return Changed.by(Ranges.of_news(self.version_vector, self.target_vector))

    @property
    def has_merged(self) -> bool:
        """Whether merges brought a branch commits of others."""
        return self.snapshot is not None and has_merged(self.snapshot, self.version_vector)

    @property
    def target_news(self) -> Ranges:
        """The commits that the target reaches and the side does not."""
        return Ranges.of_news(self.target_vector, self.version_vector)

    @cached_property
    def homes(self) -> Homes:
        """The catalogs of what both reach."""
        return homes_load(self.front, self.destination, (self.version_vector, self.target_vector))


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


def tables_met(side: SourceSide) -> AbstractSet[int] | None:
    """The tables of which a target that was loaded with the side has news; None for all, where databases have some."""
    assert side.target is not None
    if any(kind is ObjectKind.DATABASE for kind, _ in side.target.news):
        return None
    return Changed.by(side.target_news).tables | {identity for _, identity in side.target.news}
