"""The plan of a merge, a dry run or a statement, as a value: what was judged, and what one transaction will record.

Planning reads ``PlanInput`` and nothing else, so the same input gives the same plan and the same fingerprint.
A plan with conflicts is complete as a report (P5) and must not be applied.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile, ObjectKind, Operation, OperationKind
from catalog_app.domain.row_merge import NO_SWEEPS, RowChoice, RowJudgement, Sweeps
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from merge_app.lineage.steps import RowsPlan, TableSteps
from merge_app.planning.attribute_sides import AttributeSides
from merge_app.planning.surviving import NO_BASE, RestoreBase


class Verdict(StrEnum):
    """``decided``: a conflict that a resolution takes away."""

    OK = "ok"
    CONFLICT = "conflict"
    NOTE = "note"
    DECIDED = "decided"


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
    """Live rows that one side (``source`` or ``destination``) added or updated, written under one schema definition:
    what A6.2 judges. ``nulls``: how many of them hold NULL, by column id; absent where none does.
    """

    side: str
    schema: Schema
    live_rows: int
    nulls: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DivergedFile:
    """A file that the source touched and that the destination never had or lost before the merge base: an earlier
    merge skipped the compaction that made it, filtered it or moved it to another partition. ``holders`` are the files
    that may hold its rows on the destination, as it was before its own operations; ``settled`` are those of them that
    lie where the source has them, ``shown`` those that it shows too, ``whole`` those of which it shows every row, and
    ``elsewhere`` those of other partitions, which hold such rows only if they were moved from one to the other.
    """

    file: AddedFile
    holders: tuple[AddedFile, ...]
    settled: frozenset[int] = frozenset()
    shown: frozenset[int] = frozenset()
    whole: frozenset[int] = frozenset()
    elsewhere: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ArrivedFile:
    """A file with rows of the destination's, which the source merged after it overwrote partitions or the whole table
    itself: redoing that leaves these rows alone. ``holders`` are the files that may hold them on the destination, as
    it was before its own operations: the file itself, or others where a merge rewrote it. ``put_back`` are those that
    may hold them instead since the destination restored the table.
    """

    file_id: int
    holders: tuple[AddedFile, ...]
    put_back: tuple[AddedFile, ...] = ()

    @property
    def holder_ids(self) -> tuple[int, ...]:
        return tuple(item.file_id for item in (*self.holders, *self.put_back))

    def without(self, files: Container[int]) -> ArrivedFile:
        """The same where it is held in other files than these."""
        return replace(self, holders=tuple(item for item in self.holders if item.file_id not in files))


@dataclass(frozen=True, slots=True)
class LeftValues:
    """Values that one side (``source`` or ``destination``) changed in a column which the merged table lacks.
    ``examples`` name rows by JSON objects, with the value.
    """

    side: str
    column_id: int
    column: str
    rows: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableFacts:
    """File-level facts of one table, loaded only where the cells need them.

    ``diverged`` is loaded with the file effects of the source; ``arrived`` with overwrites of the source, and where
    there is any, the file effects of both sides with it. ``destination_partitions``: values of live
    destination segments with their live row counts, loaded when partitions matter. ``shown``: of the files that the
    destination put back beside ``arrived`` ones, those that the source shows too. ``primary_key_clashes``: keys, as
    text, that the merged state would hold twice. ``masks``: by file that the source emptied, or took away with its
    partition, and that a restore of the destination put back or whose rows it has in other files, and by file with rows
    that the source updated and the destination took away, the delete files that masked it when the sides parted: their
    rows lay elsewhere.
    ``moved``: by file that went with its partition on the source, the files of other partitions that may hold rows of
    it on the destination, as it was before its own operations. ``partition_of``: where the source put rows under other
    partition values, the partitions of the files that its rewrites took. ``left_in``: where it renamed a partition, the
    files that it shows under the old name and the destination does not, with rows that it got after the rename, and
    ``left_over`` those that the destination shows under it and the source does not, which put their rows under the new
    name when it merged them, ``written`` those of these that no rewrite made; ``unseen`` are those that the destination
    wrote and no longer shows, though none of its operations that the source does not know says so. ``rewritten_masks``:
    by file that the source wrote by rewriting others, the delete files that its merges attached to it, none where they
    took it away whole. ``masked_otherwise``: of a table with a key, the files that the source rewrote with rows which
    the destination has in other files: a merge by key had left these, as they were alike.
    ``snapshot``: what the merge by lineage makes of the rows; ``lineage_decided``: the same as people decided.
    ``rows``: of a table whose rows are merged by key, what that comes to, and ``sweeps`` what sides took away there by
    partitions or whole. ``left_values``: changed values of columns that the merged table lacks. ``lacking``: by side
    and required column, the live rows of the result without a value; None: ``coverage`` says it.
    """

    diverged: tuple[DivergedFile, ...] = ()
    arrived: tuple[ArrivedFile, ...] = ()
    shown: frozenset[int] = frozenset()
    coverage: tuple[SchemaCoverage, ...] = ()
    destination_partitions: Mapping[PartitionValues, int] = field(default_factory=dict)
    primary_key_clashes: tuple[str, ...] = ()
    masks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    moved: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    partition_of: Mapping[int, PartitionValues] = field(default_factory=dict)
    left_in: tuple[AddedFile, ...] = ()
    left_over: tuple[AddedFile, ...] = ()
    written: frozenset[int] = frozenset()
    unseen: frozenset[int] = frozenset()
    rewritten_masks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    masked_otherwise: frozenset[int] = frozenset()
    rows: RowJudgement | None = None
    sweeps: Sweeps = NO_SWEEPS
    left_values: tuple[LeftValues, ...] = ()
    rows_plan: RowsPlan | None = None
    rows_decided: RowsPlan | None = None
    lacking: Mapping[tuple[str, int], int] | None = None


class FactKind(StrEnum):
    """What a plan needs of one table beyond operations and states: the file effects of either side's operations,
    and the parts of ``TableFacts``.
    """

    SOURCE_EFFECTS = "source effects"
    DESTINATION_EFFECTS = "destination effects"
    COVERAGE = "coverage"
    PARTITIONS = "partitions"
    PRIMARY_KEYS = "primary keys"
    MOVED_ROWS = "rows moved out of partitions"
    ROWS = "rows by key"


class Decision(StrEnum):
    """What somebody decided of an object that conflicts, or of a part of it. ``both``: the source's change of the rows
    that it saw, beside the destination's new rows. ``rerun``: that, and the source's statements run on these new rows.
    The last three are of rows alone.
    """

    TAKE_SOURCE = "source"
    TAKE_DESTINATION = "destination"
    LEAVE_OUT = "leave_out"
    RENAME = "rename"
    BOTH = "both"
    RERUN = "rerun"
    LARGER = "larger"
    NEWEST = "newest"
    EDITED = "edited"


class ResolutionPart(StrEnum):
    OBJECT = "object"
    PROPERTY = "property"
    COLUMN = "column"
    PARTITION = "partition"
    ROWS = "rows"
    ROW = "row"
    CELL = "cell"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Work of one side that a decision leaves out. ``what`` begins with ``rows`` where rows are counted, and with
    ``values`` where rows are that lose their value of one column; ``examples`` name the first of ``count``.
    """

    side: str
    what: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effect:
    """What a decision does, for the heads that it was made for: ``text`` says it in a sentence for people."""

    text: str
    left_out: tuple[LeftOut, ...] = ()

    @property
    def rows(self) -> int:
        """How many changes of rows are left out; of one column, how many rows lose their value of it."""
        return sum(item.count for item in self.left_out if item.what.startswith(("rows", "values")))


@dataclass(frozen=True, slots=True)
class Resolution:
    """A decision. ``part_key`` names the part: a property's key, a column's id, the values of a partition between
    slashes, a row's primary key as a JSON object, a cell's column id before the key of its row with a colon between; ""
    for the whole object and for all conflicting rows. ``name`` is that of a rename, ``value`` the one of an edited cell
    as JSON, of an edited row a JSON object by columns, for the newest row the name of the column that says so, and of
    ``rerun`` the statements. ``effect``: what it does, once that was looked at.
    """

    object_kind: ObjectKind
    object_id: int
    decision: Decision
    part: ResolutionPart = ResolutionPart.OBJECT
    part_key: str = ""
    name: str = ""
    value: str = ""
    effect: Effect | None = None

    @property
    def key_of_object(self) -> tuple[ObjectKind, int]:
        return self.object_kind, self.object_id

    def as_json(self) -> dict[str, Any]:
        """What a finding and an audit record say of it."""
        shown = {"decision": self.decision.value, "part": self.part.value, "part_key": self.part_key, "name": self.name}
        return {**shown, "value": self.value} if self.value else shown


@dataclass(frozen=True, slots=True)
class LeftOutBefore:
    """A table of which the merge at ``version`` of ``branch``, which the source reaches, left out by a decision what
    another branch had done to its rows; the destination has it.
    """

    table_id: int
    branch: str
    version: int


@dataclass(frozen=True, slots=True)
class StaleRead:
    """What the source wrote into the table ``written_id`` it read of ``table`` at ``version`` of ``branch``. The
    destination did the ``change`` to that table since, at ``target_version``.
    """

    written_id: int
    table_id: int
    table: str
    branch: str
    version: int
    target_version: int
    change: str


@dataclass(frozen=True, slots=True)
class PlanInput:
    """Everything a plan may depend on.

    ``source`` and ``destination`` are the operations of both sides in commit order, already filtered by reachability
    (P6). States are the destination's, by id, of every object that the source's operations name, of the databases of
    those tables, and of whatever holds a name that the source claims. ``source_tables`` are the source's states of
    its tables (for those it created). ``database_tables``: ids of the destination's valid tables in databases that
    either side dropped. ``source_base`` and ``destination_base`` are what a RESTORE's ``restored_version`` metric is
    compared with (P7); ``left_out_before`` are decisions of earlier merges, ``stale_reads`` what notes tell.
    ``resolutions`` are what people decided; ``replacements``, of the objects of which the source is to be taken, the
    operations that make the destination's object what the source has.
    ``lineage_tables`` are those whose rows the source's news changed, where rows are merged by lineage;
    ``attributes`` the facts by which attributes are merged then, in place of operations.
    """

    source: tuple[Operation, ...]
    destination: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState]
    tables: Mapping[int, TableState]
    source_databases: Mapping[int, DatabaseState] = field(default_factory=dict)
    source_tables: Mapping[int, TableState] = field(default_factory=dict)
    database_tables: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    source_base: RestoreBase = NO_BASE
    destination_base: RestoreBase = NO_BASE
    left_out_before: tuple[LeftOutBefore, ...] = ()
    stale_reads: tuple[StaleRead, ...] = ()
    facts: Mapping[int, TableFacts] = field(default_factory=dict)
    source_head: int = 0
    destination_head: int = 0
    resolutions: tuple[Resolution, ...] = ()
    replacements: Mapping[tuple[ObjectKind, int], tuple[Operation, ...]] = field(default_factory=dict)
    lineage_tables: frozenset[int] = frozenset()
    attributes: AttributeSides | None = None
    _sides: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)
    """Its net changes, once ``sides_of`` has made them."""


@dataclass(frozen=True, slots=True)
class FollowDeletes:
    """Row work: rows that ``delete_files`` mark in ``from_file`` are looked up by row id in ``to_files`` and marked
    there by new delete files (compaction on either side). No delete files: every row of ``from_file``, which was
    removed whole. Rows that ``spared_deletes`` mark or ``spared_files`` hold are left alone: the destination updated
    them before it compacted, and keeps its images. Where ``shown_in`` names files, only rows that are live in these are
    marked. A file of ``to_files`` that other row work of the plan rewrites stands for the rewritten one, so deletes are
    followed last.
    """

    delete_files: tuple[int, ...]
    from_file: int
    to_files: tuple[int, ...]
    spared_deletes: tuple[int, ...] = ()
    spared_files: tuple[int, ...] = ()
    shown_in: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceImages:
    """Row work: a restore put the destination's images of updated rows back into ``to_files``, and the source's replace
    them: rows of ``image``, which the source wrote, are looked up there by row id and marked. Only those that are live
    in ``shown_in``, the files that hold them on the source now: a row that the source deleted since has nothing to
    replace the destination's image by. A file that other row work of the plan rewrites stands for the rewritten one.
    """

    image: int
    shown_in: tuple[int, ...]
    to_files: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FilterImages:
    """Row work: a file of new row images is rewritten without the rows whose ids lie in ``discarded_files``
    (A4: the destination overwrote those base files), unless they were live in ``live_in`` before the merge (it deleted
    rows of them and restored the table to what was left). Rows that ``masks``, as delete file and data file, mark in
    ``discarded_files`` lay in others when the sides parted. Its own deletes are applied on the way.
    """

    file: int
    discarded_files: tuple[int, ...]
    live_in: tuple[int, ...] = ()
    masks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RepartitionFile:
    """Row work: a file is rewritten under other partition values, row ids kept, with the deletes that it has on either
    side and those that the plan attaches to it applied on the way (the source renamed a partition that the destination
    changed). A file of images that the plan filters is filtered first. One that was live on the destination is in
    ``remove_files``. Rows whose ids lie in ``left_in`` stay in their partition, in a file of their own.
    """

    file: int
    partition: PartitionValues
    left_in: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CopyShownRows:
    """Row work: what the source shows of a file comes over in a file of its own, as the destination keeps other rows of
    it (see ``KeepRows``).
    """

    file: int


@dataclass(frozen=True, slots=True)
class CountKeptRows:
    """Row work: nothing is staged, rows are counted for the audit. Those that the source deleted (marked by
    ``delete_files``, or all of ``emptied_files``), that the destination updated into ``images``, and that are live in
    ``holders`` still.
    """

    delete_files: tuple[int, ...]
    emptied_files: tuple[int, ...]
    images: tuple[int, ...]
    holders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeepRows:
    """Row work: in a file of the destination that the redo of an overwrite spares, rows whose ids lie in none of
    ``kept_files`` are marked deleted.
    """

    file: int
    kept_files: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MergeRows:
    """Row work: rows that the source changed are merged by primary key into the destination's, read and written under
    ``schema``. What it stages belongs to the plan's operations of the same kinds.
    """

    schema: Schema
    choices: tuple[RowChoice, ...] = ()
    sweeps: Sweeps = NO_SWEEPS


@dataclass(frozen=True, slots=True)
class RecordedStatement:
    """An UPDATE or DELETE as it was recorded: SQL over the table's columns under ``alias``."""

    version: int
    kind: OperationKind
    alias: str
    condition: str | None = None
    assignments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RerunStatements:
    """Row work: the statements are run, one after the other, on the rows of ``files``, which the destination inserted
    since the merge base, read and written under ``schema``. What they stage belongs to operations of the merge's own.
    """

    schema: Schema
    statements: tuple[RecordedStatement, ...]
    files: tuple[int, ...]


RowWork = (
    FollowDeletes
    | ReplaceImages
    | FilterImages
    | RepartitionFile
    | CopyShownRows
    | CountKeptRows
    | KeepRows
    | MergeRows
    | RerunStatements
)


@dataclass(frozen=True, slots=True)
class DataPlan:
    """What happens to one table's segments, in this order: remove, bring, attach. Deletes of files that go are attached
    all the same, so that the history knows which operation touched them.

    ``spare_files`` stay although ``remove_all`` or ``remove_partitions`` names them; ``remove_files`` go even so.
    ``bring_operations``: live source segments that these source operations added come over, except the data files
    in ``bring_except``. ``bring_files``: source files that are not live on the source but come over all the same
    (inputs of a skipped compaction). ``pass_files``: files that the commit both adds and rewrites: never in sight, they
    tell the history whose rows the rewritten ones hold. ``attach_operations``: delete files that these source
    operations attached, wherever their data file is live on the destination after removing and bringing, except those
    in ``attach_except``. ``attach``: further (delete file, data file) pairs. ``row_work`` must be done by the engine
    before the plan can be applied; what it stages comes in addition. ``steps``: of a merge by lineage, instead of all
    of these.
    """

    bring_operations: tuple[int, ...] = ()
    bring_except: frozenset[int] = frozenset()
    bring_files: tuple[int, ...] = ()
    pass_files: tuple[int, ...] = ()
    remove_all: bool = False
    remove_partitions: tuple[PartitionValues, ...] = ()
    remove_files: tuple[int, ...] = ()
    spare_files: tuple[int, ...] = ()
    attach_operations: tuple[int, ...] = ()
    attach_except: frozenset[int] = frozenset()
    attach: tuple[tuple[int, int], ...] = ()
    row_work: tuple[RowWork, ...] = ()
    steps: TableSteps | None = None

    @property
    def changes_files(self) -> bool:
        """Whether anything is done besides counting."""
        if self.steps is not None and self.steps.steps:
            return True
        done = tuple(work for work in self.row_work if not isinstance(work, CountKeptRows))
        return replace(self, row_work=done, steps=None) != DataPlan()

    @property
    def decides(self) -> bool:
        """Whether others have to know what is done. What a merge takes as the source has it is no news of its own."""
        return self.changes_files if self.steps is None else self.steps.decides or bool(self.row_work)


class Action(StrEnum):
    CREATE = "create"
    ALTER = "alter"
    DROP = "drop"
    UNTOUCHED = "untouched"


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """What becomes of one object on the destination. ``operations`` are the source's that are recorded as replays:
    those that were carried out, of an untouched object those that found their work done; those discarded whole are not
    among them. ``before`` is None for a new object.
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
    def carried_out(self) -> tuple[Operation, ...]:
        """The operations that make a new version of the object."""
        return () if self.action is Action.UNTOUCHED else self.operations

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

    @property
    def decided(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict is Verdict.DECIDED)
