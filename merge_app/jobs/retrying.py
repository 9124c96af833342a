"""Doing again what came to nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from catalog_app.domain.roles import CatalogScope, Scope
from catalog_app.models import Commit
from lakeui.common.errors import PermissionDenied
from merge_app.jobs.errors import TaskFinished, TaskUnfinished
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.services import task_submit

Prepare = Callable[[Task], object]

_PREPARES: dict[str, Prepare] = {}


def prepares_retry(kind: str, prepare: Prepare) -> None:
    """Have ``prepare`` make what tasks of ``kind`` keep beside their row, in the transaction of each retry."""
    _PREPARES[kind] = prepare


def task_retry(
    *, task_id: UUID, user: AbstractBaseUser | AnonymousUser, scopes: Collection[Scope | CatalogScope] | None = None
) -> Task:
    """Queue the same request again, for the heads as they are then, with the ``scopes`` of the token that asks now.
    Asking twice answers the same new task.

    Raises Task.DoesNotExist; PermissionDenied unless the task is the user's own; TaskUnfinished; TaskFinished if it
    succeeded, or was lost after what it did had come to stand.
    """
    with transaction.atomic():
        failed = Task.objects.select_for_update(no_key=True).get(pk=task_id)
        _require_retriable(failed, user)
        known = Task.objects.filter(retry_of=failed).select_related("created_by").first()
        if known is not None:
            return known
        task = task_submit(
            kind=failed.kind,
            parameters=failed.parameters,
            user=user,
            retry_of=failed.pk,
            catalog_id=failed.catalog_id,
            scopes=scopes,
        )
        if task.kind in _PREPARES:
            _PREPARES[task.kind](task)
        return task


def _require_retriable(task: Task, user: AbstractBaseUser | AnonymousUser) -> None:
    if task.created_by_id is None or task.created_by_id != user.pk:
        raise PermissionDenied("This task is not yours.", remedy="Whoever began it can retry it.")
    if not task.is_finished:
        raise TaskUnfinished(
            f"The task is {task.state}.", remedy="Wait until it ends, or cancel it first.", state=task.state
        )
    commit = Commit.objects.filter(task_id=task.pk).first()
    version = None if commit is None else commit.version
    if task.state == TaskState.SUCCEEDED or task.result is not None or version is not None:
        raise TaskFinished(
            "What the task was to do is done.", remedy="Nothing is left to retry.", state=task.state, version=version
        )
