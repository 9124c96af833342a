"""``DRY RUN``: a write is done up to its commit, which is taken back; its files are removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import transaction

from catalog_app.domain.roles import Action
from catalog_app.services.registered import registered_taken_back
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.pipeline_values import PipelineWork
from lakeui.frontdoor.places import Call
from lakeui.frontdoor.rehearsal import Rehearsal
from lakeui.frontdoor.rights import REQUIREMENTS
from lakeui.frontdoor.values import ImportLoad, StatementResult
from lakeui.sql import statements as sql

STAGING = (sql.Insert, sql.Delete, sql.Update, sql.MergeInto, sql.Truncate, sql.Optimize, sql.CopyInto, ImportLoad)
"""What works on files before it commits: only its commit is a transaction, so that it holds up no other work."""


def rehearsal_refuse(statement: Any) -> None:
    """Raise InvalidValue where there is nothing that a dry run could leave out."""
    writes = REQUIREMENTS[type(statement)].action is not Action.READ
    if not writes or isinstance(statement, sql.BeginTransaction):
        raise InvalidValue(
            "This statement writes no rows and no metadata, so it has no dry run.",
            remedy="Run it as it is, without DRY RUN and `dry_run`.",
            field="dry_run",
            nearest=None,
        )


def rehearse(call: Call, statement: Any, run: Callable[[Call], StatementResult]) -> StatementResult:
    """What the write would come to: metrics, notes, notices, examples of rows. Raises what the write would."""
    rehearsal = Rehearsal()
    with registered_taken_back(Warehouse(settings.LAKEUI["WAREHOUSE"])):
        if _stages(statement):
            found = run(replace(call, rehearsal=rehearsal))
        else:
            with transaction.atomic():
                found = run(replace(call, rehearsal=rehearsal))
                transaction.set_rollback(True)
        examples = rehearsal.examples(call.context)
    said: dict[str, Any] = {name: found.extra[name] for name in ("notes", "notices") if name in found.extra}
    version = call.snapshot.version if call.session.catalog else None
    return StatementResult(
        version=version, metrics=found.metrics, extra={**said, "dry_run": True, "examples": examples}
    )


def _stages(statement: Any) -> bool:
    if isinstance(statement, PipelineWork):
        return not statement.makes_view
    is_made = isinstance(statement, sql.CreateTable) and (statement.query or statement.taken) is not None
    return is_made or isinstance(statement, STAGING)
