"""Views belong to one branch and are never merged; a change of one is a commit all the same."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection, transaction

from catalog_app.models import Branch, CommitOperation, ViewRecord
from catalog_app.selectors.rows import fetch_all
from merge_app.execution.apply import Applied, CommitHeader, commit_write
from merge_app.execution.commit import branch_lock


@dataclass(frozen=True, slots=True)
class ViewChange:
    """The next state of a view; ``view_id`` None for a new one."""

    view_id: int | None
    database_id: int
    name: str
    query: str
    is_dropped: bool = False


def view_commit(branch_id: int, change: ViewChange, header: CommitHeader) -> Applied:
    """Record the view's next state as one commit of the branch."""
    with transaction.atomic():
        branch = branch_lock(branch_id)
        commit = commit_write(branch, header, None)
        version = commit.version
        view_id = change.view_id or int(fetch_all("SELECT nextval('catalog_app_viewrecord_id_seq')", {})[0][0])
        operation = CommitOperation.objects.create(
            commit=commit,
            branch=branch,
            version=version,
            object_kind="view",
            object_id=view_id,
            kind="drop" if change.is_dropped else "create",
            origin_branch=branch,
            origin_version=version,
        )
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE catalog_app_viewrecord SET superseded_version = %s"
                " WHERE branch_id = %s AND view_id = %s AND superseded_version IS NULL",
                [version, branch.pk, view_id],
            )
        ViewRecord.objects.create(
            branch=branch,
            version=version,
            operation=operation,
            name=change.name,
            name_key=change.name.casefold(),
            is_dropped=change.is_dropped,
            view_id=view_id,
            database_id=change.database_id,
            query=change.query,
        )
        Branch.objects.filter(pk=branch.pk).update(head_version=version, head_commit=commit)
    return Applied(commit.pk, version)
