"""The plan of a merge, a dry run or a statement, as a value: what was judged, and what one transaction will record.

Planning reads ``PlanInput`` and nothing else, so the same input gives the same plan and the same fingerprint.
A plan with conflicts is complete as a report (P5) and must not be applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import ObjectKind, Operation
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState


class Verdict(StrEnum):
    OK = "ok"
    CONFLICT = "conflict"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One cell that the pair hit, or one check outside the tables (``rule_table`` ""), and what came of it.

    ``code`` is a verdict code of semantics §3 for conflicts and notes, "" for a plain ok. ``note`` is the rule's id
    (A1, A6.2, P, ...). ``message`` says in one sentence what both sides did; ``remedy`` how to get out.
    """

    verdict: Verdict
    code: str
    object_kind: ObjectKind
    object_id: int
    object_name: str
    rule_table: str
    source_operation: str
    destination_operation: str
    note: str
    message: str
    remedy: str = ""
    source_versions: tuple[int, ...] = ()
    destination_versions: tuple[int, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SchemaCoverage:
    """Live rows of one side (``source`` or ``destination``) that were written under one schema definition:
    what A6.2 judges. ``columns_with_nulls`` are ids of columns that hold nulls in live rows.
    """

    side: str
    schema: Schema
    live_rows: int
    columns_with_nulls: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TableFacts:
    """File-level facts of one table, loaded only where the cells need them.

    ``destination_partitions``: values of live destination segments with their live row counts, loaded when
    partitions matter. ``primary_key_clashes``: keys, as text, that the merged state would hold twice. ``held_back``:
    earlier operations of the source that the destination knows, of which an earlier merge discarded or skipped the
    files that the source now changes. ``rewritten``: the destination's rewrites of such files that the source knows
    but, for the same reason, does not show.
    """

    coverage: tuple[SchemaCoverage, ...] = ()
    destination_partitions: Mapping[PartitionValues, int] = field(default_factory=dict)
    destination_partition_operations: tuple[Operation, ...] = ()
    primary_key_clashes: tuple[str, ...] = ()
    held_back: tuple[Operation, ...] = ()
    rewritten: tuple[Operation, ...] = ()


class FactKind(StrEnum):
    """What a plan needs of one table beyond operations and states: the file effects of either side's operations,
    and the parts of ``TableFacts``.
    """

    SOURCE_EFFECTS = "source effects"
    DESTINATION_EFFECTS = "destination effects"
    COVERAGE = "coverage"
    PARTITIONS = "partitions"
    PRIMARY_KEYS = "primary keys"


@dataclass(frozen=True, slots=True)
class PlanInput:
    """Everything a plan may depend on.

    ``source`` and ``destination`` are the operations of both sides in commit order, already filtered by reachability
    (P6). States are the destination's, by id, of every object that the source's operations name, of the databases of
    those tables, and of whatever holds a name that the source claims. ``source_tables`` are the source's states of
    its tables (for those it created). ``database_tables``: ids of the destination's valid tables in databases that
    either side dropped. ``source_base`` and ``destination_base`` are, where known, the newest version on that side's
    own line that the other side reaches: what a RESTORE's ``restored_version`` metric is compared with (P7).
    """

    source: tuple[Operation, ...]
    destination: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState]
    tables: Mapping[int, TableState]
    source_databases: Mapping[int, DatabaseState] = field(default_factory=dict)
    source_tables: Mapping[int, TableState] = field(default_factory=dict)
    database_tables: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    source_base: int | None = None
    destination_base: int | None = None
    facts: Mapping[int, TableFacts] = field(default_factory=dict)
    source_head: int = 0
    destination_head: int = 0


@dataclass(frozen=True, slots=True)
class FollowDeletes:
    """Row work: rows that ``delete_files`` mark in ``from_file`` are looked up by row id in ``to_files`` and marked
    there by new delete files (compaction on either side). No delete files: every row of ``from_file``, which was
    removed whole. Rows that ``spared_deletes`` mark are left alone: the destination updated them before it compacted,
    and keeps its images. A file of ``to_files`` that other row work of the plan rewrites stands for the rewritten one.
    """

    delete_files: tuple[int, ...]
    from_file: int
    to_files: tuple[int, ...]
    spared_deletes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FilterImages:
    """Row work: a file of new row images is rewritten without the rows whose ids lie in ``discarded_files``
    (A4: the destination overwrote those base files). Its own deletes are applied on the way.
    """

    file: int
    discarded_files: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RepartitionFile:
    """Row work: a file is rewritten under other partition values, row ids kept, with the deletes that it has on the
    destination and those that the plan attaches to it applied on the way (the source renamed a partition that the
    destination changed). A file that was live on the destination is in ``remove_files``.
    """

    file: int
    partition: PartitionValues


RowWork = FollowDeletes | FilterImages | RepartitionFile


@dataclass(frozen=True, slots=True)
class DataPlan:
    """What happens to one table's segments, in this order: remove, bring, attach.

    ``bring_operations``: live source segments that these source operations added come over, except the data files
    in ``bring_except``. ``bring_files``: source files that are not live on the source but come over all the same
    (inputs of a skipped compaction). ``attach_operations``: delete files that these source operations attached,
    wherever their data file is live on the destination after removing and bringing, except those in
    ``attach_except``. ``attach``: further (delete file, data file) pairs. ``row_work`` must be done by the engine
    before the plan can be applied; what it stages comes in addition.
    """

    bring_operations: tuple[int, ...] = ()
    bring_except: frozenset[int] = frozenset()
    bring_files: tuple[int, ...] = ()
    remove_all: bool = False
    remove_partitions: tuple[PartitionValues, ...] = ()
    remove_files: tuple[int, ...] = ()
    attach_operations: tuple[int, ...] = ()
    attach_except: frozenset[int] = frozenset()
    attach: tuple[tuple[int, int], ...] = ()
    row_work: tuple[RowWork, ...] = ()


class Action(StrEnum):
    CREATE = "create"
    ALTER = "alter"
    DROP = "drop"
    UNTOUCHED = "untouched"


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """What becomes of one object on the destination. ``operations`` are the source's that were carried out and are
    recorded as replays; those discarded whole are not among them. ``before`` is None for a new object.
    """

    kind: ObjectKind
    object_id: int
    name: str
    action: Action
    before: DatabaseState | TableState | None
    after: DatabaseState | TableState
    operations: tuple[Operation, ...]
    data: DataPlan | None = None

    @property
    def schema_changes(self) -> bool:
        """Whether the merge makes a new visible schema version (semantics §4.2)."""
        if not isinstance(self.after, TableState):
            return False
        return self.before is None or self.before.schema != self.after.schema  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class MergePlan:
    """``findings`` lists every cell hit, conflicts first. ``fingerprint`` is a SHA-256 over both heads, the rule
    tables' digest and the plan's content.
    """

    findings: tuple[Finding, ...]
    objects: tuple[ObjectPlan, ...]
    fingerprint: str

    @property
    def conflicts(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict is Verdict.CONFLICT)

    @property
    def notes(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict is Verdict.NOTE)
