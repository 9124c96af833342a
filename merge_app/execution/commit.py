"""A statement becomes a commit: compare and swap on the branch head, or judged against what came in between (P8)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeVar

from django.db import OperationalError, connection, transaction
from psycopg.errors import SerializationFailure

from catalog_app.domain.operations import DATA_KINDS, Operation, OperationKind
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch
from catalog_app.rules.codes import VerdictCode
from catalog_app.selectors.rows import fetch_all, transaction_begin
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.selectors.snapshot_diff import changed_views, changes_made
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot, branch_with_parent, branches_locked
from lakeui.common.errors import BranchMoved, MergeConflict, NotFound
from lakeui.common.faults import fault_point
from merge_app.execution.apply import Applied, CommitHeader, commit_judge, plan_apply
from merge_app.execution.attribute_facts import Restores
from merge_app.execution.cloning import TableClone
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.lineage.staged_files import RestoredFiles
from merge_app.execution.load import plan_input_load
from merge_app.execution.report import finding_as_json
from merge_app.execution.row_work import row_work_run
from merge_app.execution.staged import RowWorkResult, StagedDefinition
from merge_app.execution.version_vectors import version_vector_since
from merge_app.planning.merge_plan import MergePlan
from merge_app.planning.plan import plan

Answer = TypeVar("Answer")
Record = Callable[[MergePlan, Applied, Branch], None]
"""Writes what belongs to the transaction of a commit. The branch is as of the commit."""

ATTEMPTS = 8
SHORTEST_PAUSE_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 1.0
_DISCARDED = frozenset({VerdictCode.DISCARDED_UPDATE, VerdictCode.DISCARDED_DELETE})
BEGIN_AGAIN = "ROLLBACK, then BEGIN and run the statements again: they then work on what the branch holds now."
RUN_AGAIN = "Run the statement again: it then works on what the branch holds now."
NAMING = frozenset({OperationKind.CREATE, OperationKind.RENAME, OperationKind.UNDROP})


@dataclass(frozen=True, slots=True)
class ReadSet:
    """A statement does what it does because of what a table did *not* hold in these files (of a MERGE: no row that
    matches one it inserts). It looks again where a file that came since ``may_matter``.
    """

    table_id: int
    files: frozenset[int]
    may_matter: Callable[[SegmentState], bool]


@dataclass(frozen=True, slots=True)
class StatementDraft:
    """What a statement wants to commit, judged on the head that it saw.

    ``seen`` is the branch's chain when the statement took its snapshot. ``databases`` and ``tables`` are the states
    that its operations end in on that snapshot; ``definitions`` the schema version that staged files lie under.
    ``clones``: by new table, the one of which it has the rows.
    """

    branch_id: int
    seen: Snapshot
    operations: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState] = field(default_factory=dict)
    tables: Mapping[int, TableState] = field(default_factory=dict)
    definitions: Mapping[int, StagedDefinition] = field(default_factory=dict)
    tested: tuple[ReadSet, ...] = ()
    restored: Mapping[int, RestoredFiles] = field(default_factory=dict)
    restores: Restores | None = None
    clones: Mapping[int, TableClone] = field(default_factory=dict)


def statement_commit(
    staged: StatementDraft,
    header: CommitHeader,
    engine: EngineSource,
    *,
    record: Record | None = None,
    is_rehearsal: bool = False,
) -> Applied:
    """Commit in one short transaction, on disk on return; ``record`` writes what belongs to the same transaction. A
    rehearsal does all of it, and takes the transaction back. It locks no branch, and sees it as it was when it began.

    Most plans are made under the branch's lock, so no other commit comes in between. A plan that needs the engine (rows
    to be followed into compacted files, keys to be compared) is made without the lock. It is tried again, after a
    growing random pause, if the branch moved meanwhile. Raises MergeConflict with every verdict where the rule tables
    do not allow the rebase, BranchMoved after too many tries, SerializationConflict where the statement has to look
    again; then nothing was written. A task that already committed gets its commit back.
    """
    ready: PreparedCommit | None = None
    header = replace(header, is_rehearsal=is_rehearsal)
    for attempt in range(ATTEMPTS):
        try:
            with rehearsed() if is_rehearsal else early_lock_release():
                applied = _commit(staged, header, ready, record)
            fault_point("write.committed")
            return applied
        except _EngineNeeded:
            if attempt:
                time.sleep(pause_seconds(attempt))
            ready = _prepare(staged, engine)
        except OperationalError as error:
            if not is_rehearsal or connection.in_atomic_block or not _is_outrun(error):
                raise
    raise branch_moved_error()


def statement_judge(staged: StatementDraft, header: CommitHeader) -> tuple[MergePlan, Branch] | None:
    """The plan that ``statement_commit`` would apply, on the branch as it is. Raises what that would. None where only
    the commit finds out: the branch moved, or the plan needs the engine. Writes nothing.
    """
    branch = branch_read(staged.branch_id)
    if branch.head_version != staged.seen.version:
        return None
    try:
        planned = statement_plan(staged, branch, _no_engine)
    except _EngineNeeded:
        return None
    if planned.conflicts:
        raise statement_refused(planned, staged, branch)
    if _is_overtaken(planned) or any(item.data is not None and item.data.needs_engine for item in planned.objects):
        return None
    commit_judge(planned, branch, header)
    return planned, branch


@contextmanager
def rehearsed() -> Iterator[None]:
    """A transaction that sees all as it was when it began, and is taken back. Inside of another, that one says so."""
    is_alone = not connection.in_atomic_block
    with transaction.atomic():
        if is_alone:
            transaction_begin("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield
        transaction.set_rollback(True)


def run_back(run: Callable[[], Answer]) -> Answer:
    """In a transaction that is taken back; again where another one changed meanwhile what this one wants to change."""
    for _ in range(ATTEMPTS):
        try:
            with rehearsed():
                return run()
        except OperationalError as error:
            if not _is_outrun(error):
                raise
    raise branch_moved_error()


def _is_outrun(error: OperationalError) -> bool:
    return isinstance(error.__cause__, SerializationFailure)


@contextmanager
def early_lock_release() -> Iterator[None]:
    """A transaction that frees its locks before the disk has it, and returns when the disk has it.

    Writers of one branch wait for each other's work, but no more for each other's disk; what they wait for together,
    PostgreSQL writes together. Its log is in order: a commit that was built on another is never on disk without it
    (early lock release: Johnson et al., "Aether", VLDB 2010, section 3). Inside a transaction nothing changes: there
    the outer one frees the locks.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    with transaction.atomic():
        transaction_begin("SET LOCAL synchronous_commit = off")
        yield
    fault_point("write.released")
    with connection.cursor() as cursor:
        # A transaction of its own that writes to the log, so its end waits for everything before it. Where nothing
        # was written, PostgreSQL would not wait.
        cursor.execute("SELECT pg_logical_emit_message(true, 'lakeui', '')")


@dataclass(frozen=True, slots=True)
class PreparedCommit:
    """A plan with its row work done, good for one head."""

    head: int
    planned: MergePlan
    row_work: Mapping[int, RowWorkResult]


class SerializationConflict(Exception):
    """The statement did not see what it depends on: a DELETE an update of its rows, a MERGE rows that may match those
    which it inserts. Or an ADD COLUMN an equal one, a RESTORE changes of what it restores. A merge keeps what both
    sides did; a statement runs again on the new head instead, so that writers of one branch have a serial order.
    """


class _EngineNeeded(Exception):
    """The plan cannot be made or carried out under the lock."""


def _no_engine() -> NoReturn:
    raise _EngineNeeded


_OF_TASK = "SELECT id, version FROM catalog_app_commit WHERE task_id = %(task)s"


def _commit(
    staged: StatementDraft,
    header: CommitHeader,
    ready: PreparedCommit | None,
    record: Record | None,
) -> Applied:
    branch = branch_read(staged.branch_id) if header.is_rehearsal else branch_lock(staged.branch_id)
    if header.task_id is not None:
        for commit_id, version in fetch_all(_OF_TASK, {"task": header.task_id}, prepared=True):
            return Applied(commit_id, version)
    if _restores_what_moved(staged, branch):
        raise SerializationConflict
    if ready is None or ready.head != branch.head_version:
        planned = statement_plan(staged, branch, _no_engine)
        ready = PreparedCommit(branch.head_version, planned, {})
        if not planned.conflicts and any(item.data is not None and item.data.needs_engine for item in planned.objects):
            raise _EngineNeeded
    if ready.planned.conflicts:
        raise statement_refused(ready.planned, staged, branch)
    if _is_overtaken(ready.planned) or _is_disproved(staged, branch):
        raise SerializationConflict
    fault_point("write.planned")
    applied = plan_apply(
        ready.planned,
        branch=branch,
        header=header,
        definitions=staged.definitions,
        row_work=ready.row_work,
        restores=staged.restores,
        clones=staged.clones,
    )
    if record is not None:
        record(ready.planned, applied, branch)
    fault_point("write.committing")
    return applied


def _prepare(staged: StatementDraft, engine: EngineSource) -> PreparedCommit:
    """Plan on the present head without holding it, and let the engine stage what the plan needs."""
    with transaction.atomic():
        branch = Branch.objects.select_related("catalog").get(pk=staged.branch_id)
        planned = statement_plan(staged, branch, engine)
    if planned.conflicts:
        return PreparedCommit(branch.head_version, planned, {})
    row_work = row_work_run(planned, branch_snapshot(branch), engine, staged.definitions)
    fault_point("write.row_work")
    return PreparedCommit(branch.head_version, planned, row_work)


def _is_overtaken(planned: MergePlan) -> bool:
    """Whether the statement deleted rows that others updated meanwhile, or changed rows that others overwrote."""
    return any(note.code in _DISCARDED for note in planned.notes) or any(
        item.data is not None and item.data.steps.kept_rows for item in planned.objects
    )


def _restores_what_moved(staged: StatementDraft, branch: Branch) -> bool:
    """Whether others changed an object since that a RESTORE takes to a version: it has to become as it was then."""
    if staged.restores is None or staged.restores.version is None or branch.head_version == staged.seen.version:
        return False
    restored = {("database", i) for i in staged.databases} | {("table", i) for i in staged.tables}
    changed = {(kind, identity) for kind, identity, _ in changes_made(staged.seen, branch_snapshot(branch))}
    return not restored.isdisjoint(changed)


def _is_disproved(staged: StatementDraft, branch: Branch) -> bool:
    """Whether rows, changes or names came that the statement would have had to see."""
    if branch.head_version == staged.seen.version:
        return False
    now = branch_snapshot(branch)
    return _is_repeated(staged, now) or any(
        segment.file_id not in tested.files and tested.may_matter(segment)
        for tested in staged.tested
        for segment in segments_list(now, tested.table_id)
    )


def _is_repeated(staged: StatementDraft, now: Snapshot) -> bool:
    """Whether others changed the same of an object meanwhile, or a view whose name it may take."""
    made = {(item.object_kind.value, item.object_id, item.kind.value) for item in staged.operations}
    kinds = {item.kind for item in staged.operations}
    if not kinds & DATA_KINDS and made & changes_made(staged.seen, now):
        return True
    return bool(kinds & NAMING and changed_views(staged.seen, now))


def pause_seconds(attempt: int) -> float:
    """A random pause that doubles with every lost race, at most ``LONGEST_PAUSE_SECONDS`` ("full jitter")."""
    # Spreads writers; guessing it gains nothing, so S311 (no cryptography) does not matter.
    return random.uniform(0, min(LONGEST_PAUSE_SECONDS, SHORTEST_PAUSE_SECONDS * 2**attempt))  # noqa: S311


def branch_moved_error() -> BranchMoved:
    return BranchMoved(
        f"The branch moved {ATTEMPTS} times while the change was planned; nothing was written.",
        remedy="Try again when fewer writers are at work.",
    )


def branch_lock(branch_id: int) -> Branch:
    """The branch row, locked until the transaction ends: what every commit to the branch waits for."""
    return branches_lock([branch_id])[branch_id]


def branch_read(branch_id: int) -> Branch:
    """The branch as it is, which others may change, with its parent."""
    found = branch_with_parent(branch_id)
    if found is None:
        raise branch_gone_error(branch_id)
    return found


def branches_lock(branch_ids: Collection[int]) -> dict[int, Branch]:
    """The same for several, in the order of their ids."""
    found = branches_locked(branch_ids)
    for branch_id in branch_ids:
        if branch_id not in found:
            raise branch_gone_error(branch_id)
    return found


def branch_gone_error(branch_id: int) -> NotFound:
    return NotFound("branch", f"with id {branch_id}", where="any more: it was dropped meanwhile")


def statement_plan(staged: StatementDraft, branch: Branch, engine: EngineSource) -> MergePlan:
    """The statement applied to the branch as it is now. The other side is what came since the statement's snapshot."""
    return plan(plan_input_load(_side(staged, branch_snapshot(branch)), engine=engine))


def _side(staged: StatementDraft, now: Snapshot) -> SourceSide:
    version_vector, altered = version_vector_since(staged.seen, now, staged.databases, staged.tables)
    return SourceSide(
        staged.operations,
        staged.databases,
        staged.tables,
        None,
        version_vector,
        now,
        seen=staged.seen,
        altered=altered,
        restored=staged.restored,
    )


def conflict_error(planned: MergePlan, message: str, *, way_out: str = "") -> MergeConflict:
    """The refusal that carries every conflict (P5). ``way_out``: that of a statement or transaction, which no decision
    answers; without it the conflicts are those of a merge, each with its own.
    """
    conflicts = [finding_as_json(item) for item in planned.conflicts]
    if way_out:
        conflicts = [item | {"remedy": way_out, "decisions": []} for item in conflicts]
    notes = [finding_as_json(item) for item in planned.notes]
    return MergeConflict(message, remedy=conflicts[0]["remedy"], conflicts=conflicts, notes=notes)


def statement_refused(planned: MergePlan, staged: StatementDraft, branch: Branch) -> MergeConflict:
    """The refusal of a statement that does not fit its branch."""
    if branch.head_version == staged.seen.version:
        message = f"The statement does not fit what branch {branch.name} holds."
        return conflict_error(planned, message, way_out=planned.conflicts[0].remedy)
    message = f"Branch {branch.name} moved while the statement ran, and the two do not fit."
    return conflict_error(planned, message, way_out=RUN_AGAIN)
