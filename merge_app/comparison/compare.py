"""Two branches side by side: what a merge would do with each object, through the planner that the merge uses (P8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction

from catalog_app.domain.operations import ColumnAttribute, ColumnChange
from catalog_app.domain.state import DatabaseState
from catalog_app.models import Branch
from catalog_app.rules.codes import VerdictCode
from catalog_app.selectors.ahead_behind import Divergence, divergences_load
from catalog_app.selectors.history import ROW_METRICS
from lakeui.common.collector import collector_paused
from lakeui.common.errors import SameBranch
from lakeui.common.records import record
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.load import merge_input_load
from merge_app.execution.version_vectors import merge_base_version
from merge_app.planning.change_sets import ChangeSets, change_sets_of
from merge_app.planning.decisions import is_by_row, is_by_row_id
from merge_app.planning.merge_plan import Action, Finding, MergePlan, ObjectPlan, Resolution, Verdict
from merge_app.planning.net_changes import ObjectChanges, ObjectKey
from merge_app.planning.notes import rows_done
from merge_app.planning.plan import plan

NEW = "new"
"""The verdict of an object that only the source has; the others are those of findings."""
_ROWS_LEFT_OUT = frozenset(
    {VerdictCode.DISCARDED_UPDATE, VerdictCode.DISCARDED_DELETE, VerdictCode.DISCARDED_BY_DECISION}
)
"""Notes by which fewer rows come than the source changed."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What a merge would bring to an object, by the numbers that its commits counted. No row is read.

    ``rows_are_exact``: no row is counted twice, and none of them is left out. Else the rows are at most so many.
    """

    rows_inserted: int = 0
    rows_updated: int = 0
    rows_deleted: int = 0
    rows_are_exact: bool = True
    columns_added: int = 0
    columns_dropped: int = 0
    columns_changed: int = 0


NOTHING = Brought()


@record(frozen=True, slots=True)
class ComparedObject:
    """An object that the source changed. ``database`` is the name of a table's database, "" for a database.

    ``source_operations`` and ``destination_operations`` are axes of the rule table, in its order, besides
    ``create`` and ``undrop``. ``verdict`` is the worst of its findings. ``newest_version``: the last commit of either
    side that changed it, 0 where neither did.
    """

    key: ObjectKey
    name: str
    database: str
    action: Action
    source_operations: tuple[str, ...]
    destination_operations: tuple[str, ...]
    verdict: str
    findings: tuple[Finding, ...]
    brought: Brought
    newest_version: int

    @property
    def group(self) -> str:
        """The database that it is read with: a table's, or the database itself."""
        return self.database or self.name


@dataclass(frozen=True, slots=True)
class Comparison:
    """``objects`` are in reading order: by database, and within one: what conflicts first, then what was decided, then
    what has notes, then the others, each by name. Databases stand in the order of the first of their objects.

    ``is_empty``: the source has no commit that the target lacks.
    """

    merge_base: int
    fingerprint: str
    divergence: Divergence
    objects: tuple[ComparedObject, ...]

    @property
    def is_empty(self) -> bool:
        return self.divergence.ahead == 0

    @property
    def conflicts(self) -> int:
        return sum(len(_of(item, Verdict.CONFLICT)) for item in self.objects)

    @property
    def conflicting_rows(self) -> int:
        """Of tables with a primary key those without a decision; of tables without one those that clash by row id."""
        return sum(_rows_in_conflict(finding) for item in self.objects for finding in _of(item, Verdict.CONFLICT))

    @property
    def notes(self) -> int:
        return sum(len(_of(item, Verdict.NOTE)) for item in self.objects)


def _rows_in_conflict(finding: Finding) -> int:
    if is_by_row_id(finding.code, finding.details):
        return int(finding.details["clashing"])
    is_by_key = finding.code == VerdictCode.PRIMARY_KEY_CLASH and is_by_row(finding.details)
    return int(finding.details["rows"]) if is_by_key else 0


def comparison_load(
    source: Branch, destination: Branch, engine: EngineSource, resolutions: tuple[Resolution, ...] = ()
) -> Comparison:
    """Compare both heads as they are in these rows, with what people decided of their conflicts. Reads only;
    ``engine`` is asked only for keys of keyed tables.
    """
    if source.pk == destination.pk:
        raise SameBranch("A branch cannot be compared with itself.", remedy="Name another source or target.")
    # The values of large plans are hundreds of thousands, and none is in a cycle.
    with collector_paused():
        return _compared(source, destination, engine, resolutions)


def _compared(
    source: Branch, destination: Branch, engine: EngineSource, resolutions: tuple[Resolution, ...]
) -> Comparison:
    with transaction.atomic():
        side, given = merge_input_load(source, destination, engine, resolutions)
        base = merge_base_version(side.version_vector, side.target_vector)
        divergence = divergences_load([(source, destination)])[source.pk, destination.pk]
    planned = plan(given)
    return Comparison(base, planned.fingerprint, divergence, _objects(planned, change_sets_of(given)))


def _objects(planned: MergePlan, change_sets: ChangeSets) -> tuple[ComparedObject, ...]:
    findings: dict[ObjectKey, list[Finding]] = {}
    for finding in planned.findings:
        findings.setdefault((finding.object_kind, finding.object_id), []).append(finding)
    found = [_object(item, change_sets, findings) for item in planned.objects]
    return _in_reading_order(found)


def _in_reading_order(found: list[ComparedObject]) -> tuple[ComparedObject, ...]:
    rank = {Verdict.CONFLICT.value: 0, Verdict.DECIDED.value: 1, Verdict.NOTE.value: 2}
    ranks = {item.key: rank.get(item.verdict, 3) for item in found}
    first: dict[str, int] = {}
    for item in found:
        first[item.group] = min(first.get(item.group, 3), ranks[item.key])

    def place(item: ComparedObject) -> tuple[object, ...]:
        group = item.group
        return first[group], group.casefold(), group, ranks[item.key], item.name.casefold(), item.key[1]

    return tuple(sorted(found, key=place))


def _object(item: ObjectPlan, change_sets: ChangeSets, findings: Mapping[ObjectKey, list[Finding]]) -> ComparedObject:
    key = item.kind, item.object_id
    source, target = change_sets.source_of(*key), change_sets.destination_of(*key)
    found = findings.get(key, [])
    is_database = isinstance(item.after, DatabaseState)
    return ComparedObject(
        key=key,
        name=item.name,
        database="" if is_database else item.name.removesuffix(f".{item.after.name}"),
        action=item.shown_action,
        source_operations=operations_shown(source),
        destination_operations=operations_shown(target),
        verdict=_verdict(item, found),
        findings=tuple(found),
        brought=_brought(item, source, found),
        newest_version=max([done.version for done in (*source.operations, *target.operations)], default=0),
    )


def _brought(item: ObjectPlan, source: ObjectChanges, findings: Iterable[Finding]) -> Brought:
    """Nothing where the merge leaves the object as it is. A new object brings its columns with itself."""
    if item.shown_action is Action.UNTOUCHED or source.dropped:
        return NOTHING
    return brought_by(source, is_partly=any(finding.code in _ROWS_LEFT_OUT for finding in findings))


def brought_by(source: ObjectChanges, *, is_partly: bool = False) -> Brought:
    """What the changes of one side bring to an object. ``is_partly``: rows of it are left out."""
    data = source.data
    if not (data or source.columns or is_partly):
        return NOTHING
    counting = [operation for operation in data if any(operation.metrics.get(name) for name in ROW_METRICS)]
    added, dropped, changed = (0, 0, 0) if source.created else _columns(source.columns)
    return Brought(
        **rows_done(source),
        rows_are_exact=len(counting) < 2 and not is_partly,
        columns_added=added,
        columns_dropped=dropped,
        columns_changed=changed,
    )


def _columns(changes: Mapping[tuple[int, ColumnAttribute], ColumnChange]) -> tuple[int, int, int]:
    """How many columns were added, dropped and changed, each counted once."""
    made = {key: change for (key, attribute), change in changes.items() if attribute is ColumnAttribute.EXISTS}
    added = sum(change.before is None for change in made.values())
    others = {key for key, _ in changes} - made.keys()
    return added, len(made) - added, len(others)


def operations_shown(changes: ObjectChanges) -> tuple[str, ...]:
    """The axes of the rule table that a side hits, besides ``create`` and ``undrop``."""
    lifecycle = [name for name, is_so in (("create", changes.created), ("undrop", changes.undropped)) if is_so]
    return (*lifecycle, *changes.versions)


def _verdict(item: ObjectPlan, findings: list[Finding]) -> str:
    verdicts = {finding.verdict for finding in findings} - {Verdict.OK} if findings else ()
    for verdict in (Verdict.CONFLICT, Verdict.DECIDED, Verdict.NOTE) if verdicts else ():
        if verdict in verdicts:
            return verdict.value
    return NEW if item.action is Action.CREATE else Verdict.OK.value


def _of(item: ComparedObject, verdict: Verdict) -> list[Finding]:
    return [finding for finding in item.findings if finding.verdict is verdict]
