"""Catalogs, branches and merges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db import transaction

from catalog_app.models import Branch, Catalog
from catalog_app.selectors.expiries import expiry_read
from catalog_app.selectors.objects import database_get
from catalog_app.selectors.reference_names import names_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, moment_parse, version_at
from catalog_app.services import catalogs, tags
from catalog_app.services.catalog_names import catalog_rename, catalog_undrop
from catalog_app.services.settings import RecordChange
from lakeui.common.errors import AlreadyExists, NotFound, NotSupported
from lakeui.frontdoor.branches.look_alikes import look_alike
from lakeui.frontdoor.branches.resolving import decisions_looked_at
from lakeui.frontdoor.call import Call, branch_of
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.sql import statements as sql
from merge_app.audit.settings import setting_recorder
from merge_app.execution.merge import merge_dry_run, merge_run
from merge_app.execution.merge_command import MergeCommand
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit


def create_catalog(call: Call, statement: sql.CreateCatalog) -> StatementResult:
    try:
        catalogs.catalog_create(name=statement.name, comment=statement.comment or "", user_id=call.session.user_id)
    except AlreadyExists:
        if not statement.if_not_exists:
            raise
    return StatementResult()


def drop_catalog(call: Call, statement: sql.DropCatalog) -> StatementResult:
    catalog = call.catalog_named(statement.name)
    with transaction.atomic():
        catalogs.catalog_drop(
            catalog=catalog, asked=call.asked, record_bypass=call.record_bypass, record=_recorder(call)
        )
        drop_emit(call, catalog, None)
    return StatementResult()


def rename_catalog(call: Call, statement: sql.RenameCatalog) -> StatementResult:
    found = call.catalog_named(statement.name)
    renamed = catalog_rename(catalog=found, name=statement.new_name, record=_recorder(call))
    return StatementResult(extra={"catalog": renamed.name})


def undrop_catalog(call: Call, statement: sql.UndropCatalog) -> StatementResult:
    found = call.dropped_catalog(statement.name, statement.catalog_id)
    back = catalog_undrop(catalog=found, name=statement.new_name, record=_recorder(call))
    return StatementResult(extra={"catalog": back.name})


def _recorder(call: Call) -> RecordChange:
    return setting_recorder(call.principal, call.context.task_id)


def drop_emit(call: Call, catalog: Catalog, branch: str | None, *, reset_to: int | None = None) -> None:
    """Leave the message that a branch, or with None the catalog, was dropped. ``reset_to``: the version of the one that
    a reset gave the name to.
    """
    message: dict[str, Any] = {"catalog": catalog.name, "branch": branch, "actor": call.session.user_name}
    if reset_to is not None:
        message["reset_to"] = reset_to
    event_emit(catalog_id=catalog.pk, event=WebhookEvent.DROP, build=lambda: message)


def reference_emit(call: Call, catalog: Catalog, kind: str, action: str, *, name: str, was: str | None = None) -> None:
    """Leave the message that a branch or a tag was made or renamed, or a tag dropped. ``was``: its name before."""
    message = {
        "catalog": catalog.name,
        "kind": kind,
        "name": name,
        "action": action,
        "was": was,
        "actor": call.session.user_name,
    }
    event_emit(catalog_id=catalog.pk, event=WebhookEvent.REFERENCE, build=lambda: message)


def use_catalog(call: Call, statement: sql.UseCatalog) -> StatementResult:
    """A statement has no session of its own to change: the answer says what to send with the next one."""
    return StatementResult(extra={"catalog": call.catalog_named(statement.name).name, "branch": "main"})


def use_branch(call: Call, statement: sql.UseBranch) -> StatementResult:
    branch = call.named_branch(statement.branch)
    return StatementResult(extra={"catalog": branch.catalog.name, "branch": branch.name})


def use_database(call: Call, statement: sql.UseDatabase) -> StatementResult:
    branch = branch_of(call, statement.database)
    found = database_get(branch_snapshot(branch), statement.database.database)
    opened = call.open_transaction
    if opened is not None:
        if branch.pk != opened.workspace_id:
            raise NotSupported("A transaction stays on its branch.", remedy="COMMIT or ROLLBACK first.")
        branch = opened.target
    return StatementResult(extra={"catalog": branch.catalog.name, "branch": branch.name, "database": found.name})


def create_branch(call: Call, statement: sql.CreateBranch) -> StatementResult:
    parent = call.named_branch(statement.parent) if statement.parent else _session_branch(call, statement.branch)
    version = statement.version
    if statement.timestamp is not None:
        version = version_at(parent, moment_parse(statement.timestamp))
    try:
        with transaction.atomic():
            branch = catalogs.branch_create(
                parent=parent,
                name=statement.branch.branch,
                version=version,
                expires_at=expiry_read(statement.expires) if statement.expires is not None else None,
                asked=replace(call.asked, account=call.account),
                record=call.record_bypass,
            )
            reference_emit(call, parent.catalog, "branch", "made", name=branch.name)
    except AlreadyExists as taken:
        if not statement.if_not_exists or taken.details["kind"] != "branch":
            raise
        branch = branch_get(parent.catalog, statement.branch.branch)
    extra = {"branch": branch.name, "expires_at": expiry_shown(branch), **_notices(branch.catalog_id, branch.name)}
    return StatementResult(version=branch.head_version, extra=extra)


def _notices(catalog_id: int, name: str) -> dict[str, list[str]]:
    """What whoever gives a branch or a tag this name should know of the names that there are."""
    # Beside a name of ASCII letters others of these alone do not count, and a catalog may have ten thousand of them.
    known = names_list(catalog_id, of_other_letters=name.isascii())
    other = look_alike(name, known)
    return {"notices": [f"{name} looks like {other}, and is another name."]} if other else {}


def _session_branch(call: Call, name: sql.BranchName) -> Branch:
    return branch_get(call.catalog_named(name.catalog), "main") if name.catalog else call.branch


def drop_branch(call: Call, statement: sql.DropBranch) -> StatementResult:
    try:
        branch = call.named_branch(statement.branch)
        with transaction.atomic():
            catalogs.branch_drop(branch=branch, asked=call.asked, record=call.record_bypass)
            drop_emit(call, branch.catalog, branch.name)
    except NotFound:
        if not statement.if_exists:
            raise
    return StatementResult()


def rename_branch(call: Call, statement: sql.RenameBranch) -> StatementResult:
    branch, was = call.named_branch(statement.branch), statement.branch.branch
    with transaction.atomic():
        catalogs.branch_rename(branch=branch, name=statement.new_name, asked=call.asked, record=call.record_bypass)
        reference_emit(call, branch.catalog, "branch", "renamed", name=statement.new_name, was=was)
    return StatementResult(extra=dict(_notices(branch.catalog_id, statement.new_name)))


def set_branch_expiry(call: Call, statement: sql.SetBranchExpiry) -> StatementResult:
    branch = catalogs.branch_expiry_set(
        branch=call.named_branch(statement.branch),
        expires_at=expiry_read(statement.expires) if statement.expires is not None else None,
        asked=call.asked,
        record_bypass=call.record_bypass,
        record=setting_recorder(call.principal),
    )
    return StatementResult(extra={"branch": branch.name, "expires_at": expiry_shown(branch)})


def expiry_shown(branch: Branch) -> str | None:
    return branch.expires_at.isoformat() if branch.expires_at else None


def merge_branch(call: Call, statement: sql.MergeBranch) -> StatementResult:
    source = call.named_branch(statement.source)
    destination = call.named_branch(statement.destination) if statement.destination else call.branch
    decided = decisions_looked_at(call, source, destination, statement.decisions)
    account = None if statement.dry_run else call.account
    command = MergeCommand(source.pk, destination.pk, call.header("MERGE BRANCH"), decided=decided, account=account)
    run = merge_dry_run if statement.dry_run else merge_run
    return merge_answer(run(command, engine, call.context))


def merge_answer(result: dict[str, Any]) -> StatementResult:
    """A merge, or the verdicts of a dry run, as a table."""
    if "mergeable" in result:
        rows = _verdict_rows(result)
        names = ("verdict", "object", "source did", "destination did", "code", "message")
        columns = [(name, "string") for name in names]
        return StatementResult(columns=columns, rows=rows, row_count=len(rows), extra=result)
    columns = [("merge_id", "string"), ("outcome", "string"), ("version", "bigint")]
    row = [result["merge_id"], result["outcome"], result["version"]]
    return StatementResult(columns=columns, rows=[row], row_count=1, version=result["version"], extra=result)


def _verdict_rows(report: dict[str, Any]) -> list[list[str]]:
    """One row per cell met, and one per object that only the source changed."""
    rows = [
        [item["verdict"], item["object"], item["source_op"], item["dest_op"], item["code"], _message(item)]
        for item in report["findings"]
    ]
    met = {(item["kind"], item["object_id"]) for item in report["findings"]}
    for item in report["plan"]["objects"]:
        if (item["kind"], item["object_id"]) not in met:
            done = ", ".join(item["operations"])
            rows.append(["ok", item["object"], done, "-", "", "Only the source changed it."])
    return rows


def _message(finding: dict[str, Any]) -> str:
    """With what finer settings of ``merge.conflicts`` say."""
    return " ".join([finding["message"], *(item["text"] for item in finding["details"].get("finer", ()))])


def create_tag(call: Call, statement: sql.CreateTag) -> StatementResult:
    branch = call.named_branch(statement.branch) if statement.branch else call.branch
    version = statement.version
    if statement.timestamp is not None:
        version = version_at(branch, moment_parse(statement.timestamp))
    with transaction.atomic():
        tag = tags.tag_create(branch=branch, name=statement.tag.branch, version=version, user_id=call.session.user_id)
        reference_emit(call, branch.catalog, "tag", "made", name=tag.name)
    return StatementResult(version=tag.version, extra={"tag": tag.name, **_notices(tag.catalog_id, tag.name)})


def drop_tag(call: Call, statement: sql.DropTag) -> StatementResult:
    name, catalog = statement.tag, call.catalog_named(statement.tag.catalog)
    with transaction.atomic():
        tags.tag_drop(catalog=catalog, name=name.branch)
        reference_emit(call, catalog, "tag", "dropped", name=name.branch)
    return StatementResult()


def rename_tag(call: Call, statement: sql.RenameTag) -> StatementResult:
    catalog = call.catalog_named(statement.tag.catalog)
    with transaction.atomic():
        tag = tags.tag_rename(catalog=catalog, name=statement.tag.branch, new_name=statement.new_name)
        reference_emit(call, catalog, "tag", "renamed", name=tag.name, was=statement.tag.branch)
    return StatementResult(version=tag.version, extra={"tag": tag.name, **_notices(catalog.pk, tag.name)})
