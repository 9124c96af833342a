"""Running a statement, in the request or as a task, and the one shape in which both answer."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from django.db import transaction

from catalog_app.domain.names import name_folded
from catalog_app.domain.roles import Scopes
from catalog_app.selectors.agents import account_is_open
from lakeui import frontdoor
from lakeui.common.errors import InvalidValue, PermissionDenied
from lakeui.frontdoor.sessions.sql_sessions import session_follow
from lakeui.sql.parameters import LONGEST_TEXTS, Parameters, parameters_read
from lakeui.sql.statements import BeginTransaction
from lakeui.tasks.results import KEEPS_RESULT, result_make
from merge_app.jobs.context import Context, TaskContext
from merge_app.jobs.models import QUERY_TASK_KIND
from merge_app.jobs.registry import handles
from merge_app.jobs.services import task_keep

TASK_KIND = "sql"


def statement_session(parameters: Mapping[str, Any], *, user: Any, scopes: Scopes | None) -> frontdoor.Session:
    """The session that ``parameters`` (catalog, branch, transaction, bypass_reason, dry_run, message and more) name."""
    return frontdoor.Session(
        catalog=parameters["catalog"],
        branch=parameters["branch"],
        user=user,
        transaction=parameters["transaction"],
        scopes=scopes,
        # Tasks that were queued before there was such a thing have none.
        bypass_reason=parameters.get("bypass_reason", ""),
        dry_run=parameters.get("dry_run", False),
        message=parameters.get("message", ""),
        parameters=bound(parameters),
    )


def bound(parameters: Mapping[str, Any]) -> Parameters:
    """What the statement is read with. Raises InvalidValue for values of markers that are none."""
    database, views = parameters.get("database"), parameters.get("temporary_views") or {}
    functions = parameters.get("temporary_functions") or {}
    for field, texts in (("temporary_views", views), ("temporary_functions", functions)):
        if sum(map(len, texts.values())) > LONGEST_TEXTS:
            raise InvalidValue(
                f"The {field.replace('_', ' ')} have more than {LONGEST_TEXTS:,} characters.",
                remedy="Drop those that are not needed, or make views of the database.",
                field=field,
            )
        seen: set[str] = set()
        for name in texts:
            folded = name_folded(name).casefold()
            if folded in seen:
                raise InvalidValue(
                    f"The {field.replace('_', ' ')} name {name} twice, in other letters.",
                    remedy="Send one of them: upper and lower case make no other name.",
                    field=field,
                )
            seen.add(folded)
    return replace(
        parameters_read(parameters.get("parameters")),
        database=database and name_folded(database),
        views=tuple((name_folded(name), text) for name, text in views.items()),
        functions=tuple((name_folded(name), text) for name, text in functions.items()),
        overwrites_dynamically=parameters.get("partition_overwrite") == "dynamic",
    )


def statement_run(
    parameters: Mapping[str, Any],
    *,
    user: Any,
    scopes: Scopes | None,
    context: Context,
    read: frontdoor.ParsedStatement | None = None,
) -> dict[str, Any]:
    """Execute the ``statement`` of ``parameters`` in their session and answer the JSON body. ``read``: the statement,
    where it was read before. Raises LakeError.
    """
    session = statement_session(parameters, user=user, scopes=scopes)
    kept_in = parameters.get("session")
    if kept_in is None:
        return result_body(frontdoor.execute(read or parameters["statement"], session, context))
    read = read or frontdoor.parsed(parameters["statement"], session.parameters)
    # A transaction that no session knows could not be ended.
    with transaction.atomic() if isinstance(read.statement, BeginTransaction) else nullcontext():
        body = result_body(frontdoor.execute(read, session, context))
        if read.is_kept:
            session_follow(kept_in, read.statement, body, user)
    return body


def result_body(result: frontdoor.StatementResult) -> dict[str, Any]:
    """The body of a finished statement. What a kind of statement says besides stands beside the common members."""
    return {
        **result.extra,
        "columns": [{"name": name, "type": kind} for name, kind in result.columns],
        "rows": [list(row) for row in result.rows],
        "row_count": result.row_count,
        "truncated": result.truncated,
        "version": result.version,
        "metrics": dict(result.metrics),
    }


def user_require_active(user: Any) -> None:
    """Raise PermissionDenied for somebody who was shut out since submitting a task."""
    if user is not None and not account_is_open(user):
        raise PermissionDenied(
            f"The account {user.get_username()} is not active, or that of who answers for it.",
            remedy="Ask an administrator.",
        )


def task_kind(read: frontdoor.ParsedStatement) -> str:
    """The kind of a statement's task: queries have places of their own in the workers."""
    return QUERY_TASK_KIND if read.takes_query_place else TASK_KIND


@handles(QUERY_TASK_KIND)
@handles(TASK_KIND)
def run_statement_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a statement."""
    user = context.user
    user_require_active(user)
    if parameters.get(KEEPS_RESULT):
        session = statement_session(parameters, user=user, scopes=context.scopes)
        return result_make(parameters["statement"], session, context)
    read = frontdoor.parsed(parameters["statement"], bound(parameters))
    if not read.is_unrecorded:
        return statement_run(parameters, user=user, scopes=context.scopes, context=context, read=read)
    with transaction.atomic():
        body = statement_run(parameters, user=user, scopes=context.scopes, context=context, read=read)
        task_keep(task_id=context.task_id, claim=context.claim, result=body)
    return body
