"""Loading an import as a task: the same machinery that statements run in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from catalog_app.importing.spec import Reading
from catalog_app.models import FileImport
from lakeui import frontdoor
from lakeui.frontdoor.entries.imports import import_load, import_text
from lakeui.frontdoor.inputs_outputs import ImportLoad, KeyedMerge
from lakeui.sql.statements import TableName
from lakeui.tasks.statements import result_body, user_require_active
from merge_app.jobs.context import TaskContext
from merge_app.jobs.registry import handles
from merge_app.upsert.inputs_outputs import ExtraColumns, Strategy

TASK_KIND = "import"


def load_parameters(made: FileImport, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What the task keeps: how the file is read now, and ``statement`` for people who look at it."""
    parameters = {
        "primary_key": [],
        "partition_by": [],
        **wanted,
        "catalog": made.branch.catalog.name,
        "branch": made.branch.name,
        "import": str(made.pk),
        "name": made.name,
        "reading": made.reading,
    }
    text = import_text(load_read(parameters), made.name)
    return {**parameters, "statement": f"{text} DRY RUN" if parameters.get("dry_run") else text}


def load_read(parameters: Mapping[str, Any]) -> ImportLoad:
    """The load that the parameters of a task describe."""
    return ImportLoad(
        import_id=UUID(parameters["import"]),
        reading=Reading.from_json(parameters["reading"]),
        table=TableName(parameters["table"], parameters["database"]),
        is_new=parameters["mode"] == "create",
        primary_key=tuple(parameters["primary_key"]),
        partition_by=tuple(parameters["partition_by"]),
        merge=_keyed_merge(parameters) if parameters["mode"] in list(Strategy) else None,
    )


def _keyed_merge(parameters: Mapping[str, Any]) -> KeyedMerge:
    return KeyedMerge(
        Strategy(parameters["mode"]),
        tuple(parameters["key_columns"]),
        tuple(parameters.get("dedup_by", ())),
        parameters.get("schema_evolution", False),
        ExtraColumns(parameters.get("extra_columns", ExtraColumns.REFUSE)),
    )


@handles(TASK_KIND)
def run_import_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a load."""
    user_require_active(context.user)
    session = frontdoor.Session(
        parameters["catalog"],
        parameters["branch"],
        context.user,
        scopes=context.scopes,
        # Tasks that were queued before there were such things have none.
        dry_run=parameters.get("dry_run", False),
        message=parameters.get("message", ""),
    )
    return result_body(import_load(load_read(parameters), name=parameters["name"], session=session, context=context))
