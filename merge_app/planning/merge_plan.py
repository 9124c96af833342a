"""The plan of a merge, a dry run or a statement, as a value: what was judged, and what one transaction will record.

Planning reads ``PlanInput`` and nothing else, so the same input gives the same plan and the same fingerprint.
A plan with conflicts is complete as a report (P5) and must not be applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from catalog_app.domain.checks import Violation
from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.row_merge import RowJudgement
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from lakeui.common.records import record
from merge_app.lineage.steps import RowsPlan, TableSteps
from merge_app.planning.attribute_sides import AttributeSides
from merge_app.planning.net_changes import Restores

SIDE_NAMES = {"source": "source", "destination": "target"}
"""What texts call the sides of a merge, by their names in REST and in the details of findings."""


class Verdict(StrEnum):
    """``decided``: a conflict that a resolution takes away."""

    OK = "ok"
    CONFLICT = "conflict"
    NOTE = "note"
    DECIDED = "decided"


@record(frozen=True, slots=True)
class Finding:
    """One cell in which the two met, or one check outside the tables (``rule_table`` ""), and what came of it.

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
class LeftValues:
    """Values that one side (``source`` or ``destination``) changed in a column, or a field of one, which the merged
    table lacks. ``examples`` name rows by JSON objects, with the value.
    """

    side: str
    column_id: int
    column: str
    rows: int
    examples: tuple[str, ...] = ()
    is_field: bool = False


@record(frozen=True, slots=True)
class TableFacts:
    """Facts of the rows of one table. ``left_values``: changed values of columns that the merged table lacks.
    ``rows_plan``: what the merge by lineage makes of the rows; ``rows_decided``: the same as people decided. ``rows``:
    what merging them by key comes to. ``lacking``: by side and required column, the live rows of the result without a
    value; ``violated``: by side and constraint, those that do not fit it. ``lacking_decided`` and ``violated_decided``:
    the same of the result as people decided it; None: decisions change nothing of it.
    """

    left_values: tuple[LeftValues, ...] = ()
    rows_plan: RowsPlan | None = None
    rows_decided: RowsPlan | None = None
    rows: RowJudgement | None = None
    lacking: Mapping[tuple[str, int], int] = field(default_factory=dict)
    violated: Mapping[tuple[str, str], Violation] = field(default_factory=dict)
    lacking_decided: Mapping[tuple[str, int], int] | None = None
    violated_decided: Mapping[tuple[str, str], Violation] | None = None

    def decided(self) -> TableFacts:
        """With what people decided in the place of what they had not."""
        lacking = self.lacking if self.lacking_decided is None else self.lacking_decided
        violated = self.violated if self.violated_decided is None else self.violated_decided
        return replace(self, lacking=lacking, violated=violated)


class Decision(StrEnum):
    """What somebody decided of an object that conflicts, or of a part of it. ``both``: the source's change of the rows
    that it saw, beside the target's new rows. ``rerun``: that, and the source's statements run on these new rows.
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


SIDES = (Decision.TAKE_SOURCE, Decision.TAKE_DESTINATION)
WITHOUT_SOURCE = (Decision.TAKE_DESTINATION, Decision.LEAVE_OUT)
STATEMENTS = (Decision.BOTH, Decision.RERUN)


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
    slashes, or a row's primary key as a JSON object. A cell has its column's id, a colon, and the key of its row. It
    is "" for the whole object and for all conflicting rows. ``name`` is that of a rename. ``value`` is the edited cell
    as JSON, the edited row as a JSON object by columns, or the name of the column that orders rows for the
    newest one. Of ``rerun`` it is the statements. ``effect``: what it does, once that was looked at.
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
    another branch had done to its rows; the target has it.
    """

    table_id: int
    branch: str
    version: int


@dataclass(frozen=True, slots=True)
class StaleRead:
    """What the source wrote into the table ``written_id`` it read of ``table`` at ``version`` of ``branch``. The
    target did the ``change`` to that table since, at ``target_version``.
    """

    written_id: int
    table_id: int
    table: str
    branch: str
    version: int
    target_version: int
    change: str


@dataclass(frozen=True, slots=True)
class LoadedTwice:
    """Files of which each side loaded the rows into the table ``table_id``, unknown to the other."""

    table_id: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamedByView:
    """A table or view that a view of the target names, with the columns that it may mean; names are folded."""

    database: str
    table: str
    columns: frozenset[str]


@dataclass(frozen=True, slots=True)
class ViewNames:
    """A view of the target: database and name, and what its query names."""

    database: str
    name: str
    reads: tuple[NamedByView, ...]


@dataclass(frozen=True, slots=True)
class PlanInput:
    """Everything a plan may depend on.

    ``source`` and ``destination`` are the operations of both sides in commit order, already filtered by reachability
    (P6). States are the target's, by id, of every object that the source's operations name, of the databases of
    those tables, and of whatever holds a name that the source claims. ``source_tables`` are the source's states of
    its tables (for those it created). ``database_tables``: ids of the target's valid tables in databases that
    either side dropped. ``source_restores`` and ``destination_restores`` take back own news alone (P7);
    ``left_out_before`` are decisions of earlier merges; ``stale_reads`` and ``loaded_twice`` are what notes say.
    ``views`` are the target's, where the source changed more than rows.
    ``resolutions`` are what people decided; ``replacements``, of the objects of which the source is to be taken, the
    operations that make the target's object what the source has.
    ``attributes`` are the facts by which attributes are merged, in place of operations.
    """

    source: tuple[Operation, ...]
    destination: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState]
    tables: Mapping[int, TableState]
    source_databases: Mapping[int, DatabaseState] = field(default_factory=dict)
    source_tables: Mapping[int, TableState] = field(default_factory=dict)
    database_tables: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    source_restores: Restores = field(default_factory=dict)
    destination_restores: Restores = field(default_factory=dict)
    left_out_before: tuple[LeftOutBefore, ...] = ()
    stale_reads: tuple[StaleRead, ...] = ()
    loaded_twice: tuple[LoadedTwice, ...] = ()
    views: tuple[ViewNames, ...] = ()
    facts: Mapping[int, TableFacts] = field(default_factory=dict)
    source_head: int = 0
    destination_head: int = 0
    resolutions: tuple[Resolution, ...] = ()
    replacements: Mapping[tuple[ObjectKind, int], tuple[Operation, ...]] = field(default_factory=dict)
    attributes: AttributeSides | None = None
    _change_sets: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)
    """Its net changes, once ``change_sets_of`` has made them."""

    def states_of(self, key: tuple[ObjectKind, int]) -> tuple[ObjectState | None, ObjectState | None]:
        """The object on the target and on the source."""
        kind, object_id = key
        if kind is ObjectKind.DATABASE:
            return self.databases.get(object_id), self.source_databases.get(object_id)
        return self.tables.get(object_id), self.source_tables.get(object_id)


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
    """Row work: the statements are run, one after the other, on the rows of ``files``, which the target inserted
    since the merge base, read and written under ``schema``. What they stage belongs to operations of the merge's own.
    """

    schema: Schema
    statements: tuple[RecordedStatement, ...]
    files: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DataPlan:
    """What happens to one table's segments. ``row_work`` is done by the engine before. ``replaces``: a statement
    replaces rows, where there may be none.
    """

    steps: TableSteps
    row_work: tuple[RerunStatements, ...] = ()
    replaces: bool = False

    @property
    def changes_files(self) -> bool:
        """Whether anything is done."""
        return bool(self.steps.steps or self.row_work or self.replaces)

    @property
    def decides(self) -> bool:
        """Whether others have to know what is done. What a merge takes as the source has it is no news of its own."""
        return self.steps.decides or bool(self.row_work) or self.replaces

    @property
    def needs_engine(self) -> bool:
        """Whether the engine must stage files before it can be carried out."""
        return self.steps.needs_engine or bool(self.row_work)

    @property
    def only_records(self) -> bool:
        """Whether all that is done says what was decided, and readers see the table as before."""
        is_alike = self.steps.shows_alike or self.steps.only_leaves
        return is_alike and not (self.row_work or self.replaces)


class Action(StrEnum):
    CREATE = "create"
    ALTER = "alter"
    DROP = "drop"
    UNTOUCHED = "untouched"


@record(frozen=True, slots=True)
class ObjectPlan:
    """What becomes of one object on the target. ``operations`` are the source's that are recorded as replays:
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
    def shown_action(self) -> Action:
        """What readers of the target see of it."""
        is_same = self.after == self.before and self.data is not None and self.data.only_records
        return Action.UNTOUCHED if is_same else self.action

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
    """``findings`` lists every cell met, conflicts first. ``fingerprint`` is a SHA-256 over both heads, the rule
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
