"""Views belong to one branch and are never merged; a change of one is a commit all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from django.db import connection, transaction

from catalog_app.domain.agents import Account
from catalog_app.models import Branch, Commit, CommitOperation, ViewRecord
from catalog_app.selectors.agents import account_of, agent_commit_require
from catalog_app.selectors.objects import databases_list
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshot_diff import changed_objects, changed_views
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.selectors.views import ViewState, views_load
from lakeui.common.errors import BranchMoved
from merge_app.execution.apply import Applied, CommitHeader, commit_write
from merge_app.execution.commit import SerializationConflict, branch_lock


@dataclass(frozen=True, slots=True)
class ViewChange(ViewState):
    """The next state of a view; ``view_id`` 0 for a new one."""

    is_dropped: bool = False

    @classmethod
    def to(cls, state: ViewState, *, is_dropped: bool = False) -> ViewChange:
        return cls(**{item.name: getattr(state, item.name) for item in fields(ViewState)}, is_dropped=is_dropped)


def view_commit(seen: Snapshot, branch_id: int, change: ViewChange, header: CommitHeader) -> Applied:
    """Record the view's next state as one commit of the branch. Raises SerializationConflict where views, or names that
    it may take, changed since ``seen``.
    """
    with transaction.atomic():
        branch = branch_lock(branch_id)
        current = branch_snapshot(branch)
        if changed_views(seen, current) or any(changed_objects(seen, current)):
            raise SerializationConflict
        made = commit_write(branch, header)
        _agent_require(branch, made.author, [change], current)
        applied = Applied(made.commit.pk, made.commit.version)
        _record(branch.pk, applied, [change])
    return applied


def views_restoring(then: Snapshot, now: Snapshot) -> tuple[ViewChange, ...]:
    """What turns the views of ``now`` into those of ``then``, on one branch."""
    changed = changed_views(then, now)
    past, present = views_load(then, changed), views_load(now, changed)
    changes = []
    for view_id in sorted(changed):
        state = past.get(view_id)
        if state is not None and state != present.get(view_id):
            changes.append(ViewChange.to(state))
        elif state is None and view_id in present:
            changes.append(ViewChange.to(present[view_id], is_dropped=True))
    return tuple(changes)


def _agent_require(branch: Branch, author: Account, changes: Sequence[ViewChange], current: Snapshot) -> None:
    """Raises what ``agent_commit_require`` does, of the names that views have and get."""
    if branch.is_workspace or author.agent is None:
        return
    named = {state.database_id: state.name for state in databases_list(current)}
    present = views_load(current, [change.view_id for change in changes if change.view_id])
    judged = (*changes, *present.values())
    agent_commit_require(author, [f"{named.get(state.database_id, '')}.{state.name}" for state in judged])


def views_restore(branch_id: int, seen: Snapshot, applied: Applied, changes: Sequence[ViewChange]) -> None:
    """Record them in a commit that was just written under the branch's lock. No rule table judges views: raises
    BranchMoved where somebody changed any since ``seen``.
    """
    if not changes:
        return
    branch = Branch.objects.get(pk=branch_id)
    current = branch_snapshot(branch)
    _agent_require(branch, account_of(Commit.objects.get(pk=applied.commit_id).author_id), changes, current)
    if changed_views(seen, current):
        raise BranchMoved(
            "Views of the branch were changed while it was to go back; nothing was written.", remedy="Try again."
        )
    _record(branch_id, applied, changes)


def _record(branch_id: int, applied: Applied, changes: Sequence[ViewChange]) -> None:
    known = [change.view_id for change in changes if change.view_id]
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE catalog_app_viewrecord SET superseded_version = %s"
            " WHERE branch_id = %s AND view_id = ANY(%s) AND superseded_version IS NULL",
            [applied.version, branch_id, known],
        )
    for change in changes:
        view_id = change.view_id or int(fetch_all("SELECT nextval('catalog_app_viewrecord_id_seq')", {})[0][0])
        operation = CommitOperation.objects.create(
            commit_id=applied.commit_id,
            branch_id=branch_id,
            version=applied.version,
            object_kind="view",
            object_id=view_id,
            kind="drop" if change.is_dropped else "create",
            origin_branch_id=branch_id,
            origin_version=applied.version,
        )
        ViewRecord.objects.create(
            branch_id=branch_id,
            version=applied.version,
            operation=operation,
            name=change.name,
            name_key=change.name.casefold(),
            is_dropped=change.is_dropped,
            view_id=view_id,
            database_id=change.database_id,
            query=change.query,
            columns=[list(column) for column in change.columns],
            properties=dict(change.properties),
            reads=[[read.database, read.table, list(read.columns)] for read in change.reads],
        )
