"""``DRY RUN``: a write is done up to its plan, or to its commit, which is taken back; its files are removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings

from catalog_app.domain.roles import Action
from catalog_app.services.registered import registered_taken_back
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.measuring import measured_answer
from lakeui.frontdoor.rehearsal import FilesNeeded, Rehearsal
from lakeui.frontdoor.statements import STAGES, STATEMENTS, has
from lakeui.sql import statements as sql
from merge_app.execution.commit import run_back


def rehearsal_refuse(statement: Any) -> None:
    """Raise InvalidValue where there is nothing that a dry run could leave out."""
    writes = STATEMENTS[type(statement)].requires.action is not Action.READ
    if not writes or isinstance(statement, sql.BeginTransaction):
        raise InvalidValue(
            "This statement writes no rows and no metadata, so it has no dry run.",
            remedy="Run it as it is, without DRY RUN and `dry_run`.",
            field="dry_run",
            nearest=None,
        )


def rehearse(call: Call, statement: Any, run: Callable[[Call], StatementResult]) -> StatementResult:
    """What the write would come to: metrics, notes, notices, examples of rows, a merge to the parent. Raises what the
    write would. Rows that Spark computes are counted, and written where that turns out to be too little.
    """
    try:
        return _rehearsed(call, statement, run, Rehearsal(counts=True))
    except FilesNeeded:
        return _rehearsed(call, statement, run, Rehearsal())


def _rehearsed(
    call: Call, statement: Any, run: Callable[[Call], StatementResult], rehearsal: Rehearsal
) -> StatementResult:
    stages = has(statement, STAGES)
    with registered_taken_back(Warehouse(settings.LAKEUI["WAREHOUSE"]), postpones=stages):
        if stages:
            found = run(replace(call, rehearsal=rehearsal))
        else:
            found = run_back(lambda: run(replace(call, rehearsal=rehearsal)))
        examples = rehearsal.examples(call.context)
    said: dict[str, Any] = {name: found.extra[name] for name in ("notes", "notices", "reset") if name in found.extra}
    if rehearsal.parent_merge is not None:
        said["parent_merge"] = rehearsal.parent_merge
    version = call.snapshot.version if call.session.catalog else None
    result = StatementResult(
        version=version, metrics=found.metrics, extra={**said, "dry_run": True, "examples": examples}
    )
    return measured_answer(found, result)
