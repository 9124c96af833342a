"""Checks: queries that must return no rows of the state that a merge would make.

That state is made as a transaction's is. It lies on a workspace cut from the target, which is hidden, by the plan
that the merge will apply, and dropped when the queries have been asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from catalog_app.domain.roles import Action, Principal
from catalog_app.models import Branch, Catalog, Transaction, TransactionState
from catalog_app.selectors.people import action_require, person_id
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services.settings import SettingChange, settings_lock
from catalog_app.services.transactions import transaction_begin, transaction_close
from lakeui.common.errors import AlreadyExists, NotFound
from merge_app.audit.settings import setting_recorder
from merge_app.execution.apply import CommitHeader, plan_apply
from merge_app.execution.commit import branch_lock, conflict_error
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.merge import merge_prepare
from merge_app.execution.merge_command import MergeCommand, PreparedMerge, Progress
from merge_app.execution.row_work import row_work_run
from merge_app.review.approval_rules import CheckState, Seen
from merge_app.review.approval_state import check_states, required_checks
from merge_app.review.carry_out import RequestPort
from merge_app.review.known_plans import branches_now, seen_now
from merge_app.review.models import Check, CheckResult, MergeRequest, TimelineKind
from merge_app.review.requests import request_lock, request_settle, request_touch, wrong_state
from merge_app.review.states import FINISHED, RequestState
from merge_app.review.timeline import Event, timeline_append
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit

SAMPLE_ROWS = 10
"""So many of the rows that a check found are kept."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a query answered: columns (name, type) and the first rows."""

    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of one check. ``found``: bad rows; ``problem``: why it could not run. Of a template: how many rows it
    looked at, and how many are bad. ``is_passed``: whether so few bad rows are allowed.
    """

    check: Check
    is_passed: bool
    found: Found | None = None
    problem: str = ""
    rows_seen: int | None = None
    rows_bad: int | None = None
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Merged:
    """Where the state to be checked lies: the transaction, and on its workspace the versions before and after."""

    transaction: str
    before: int
    after: int


Examine = Callable[[Sequence[Check], Merged], Iterator[Examined]]
"""Asks the checks of the merged state. An error that says nothing about the data ends the run."""


def check_create(*, principal: Principal, catalog: Catalog, name: str, is_required: bool, **asked: Any) -> Check:
    """Add a check to the catalog; ``asked`` is the query, which only reads, and the template that it is of."""
    action_require(principal, catalog, Action.MANAGE_CHECKS)
    try:
        with transaction.atomic():
            settings_lock(catalog)
            check = Check.objects.create(
                catalog=catalog,
                name=name.strip(),
                is_required=is_required,
                created_by_id=person_id(principal),
                **asked,
            )
            _record(principal, check, None, _content(check))
            return check
    except IntegrityError:
        raise AlreadyExists("check", name, where=f"in catalog {catalog.name}") from None


@dataclass(frozen=True, slots=True)
class Added:
    """What came of wanted checks, by name: made, there as they are wanted, or in the way with another content."""

    made: tuple[str, ...]
    present: tuple[str, ...]
    differing: tuple[str, ...]


def checks_add(
    *, principal: Principal, catalog: Catalog, wanted: Sequence[Mapping[str, Any]], dry_run: bool = False
) -> Added:
    """Add the checks of which there is none of that name: all of them, or with ``dry_run`` none."""
    action_require(principal, catalog, Action.MANAGE_CHECKS)
    with transaction.atomic():
        settings_lock(catalog)
        known = {check.name.lower(): check for check in Check.objects.filter(catalog=catalog)}
        made, present, differing = [], [], []
        for content in wanted:
            check = known.get(content["name"].lower())
            if check is None:
                made.append(content["name"])
                if not dry_run:
                    check_create(principal=principal, catalog=catalog, **content)
            elif (check.template, check.parameters) == (content["template"], content["parameters"]):
                present.append(check.name)
            else:
                differing.append(check.name)
    return Added(tuple(made), tuple(present), tuple(differing))


def check_get(catalog: Catalog, name: str) -> Check:
    """The check of that name. Raises NotFound."""
    check = Check.objects.select_related("catalog", "created_by").filter(catalog=catalog, name__iexact=name).first()
    if check is None:
        raise NotFound("check", name, where=f"in catalog {catalog.name}")
    return check


def check_change(*, principal: Principal, check: Check, changes: Mapping[str, Any]) -> Check:
    """Change what is asked, or whether it is required. What was found with another query does not count any more."""
    action_require(principal, check.catalog, Action.MANAGE_CHECKS)
    with transaction.atomic():
        settings_lock(check.catalog)
        check.refresh_from_db()
        before = _content(check)
        for name, value in changes.items():
            setattr(check, name, value)
        check.save(update_fields=["query", "template", "parameters", "is_required"])
        _record(principal, check, before, _content(check))
    return check


def check_remove(*, principal: Principal, check: Check) -> None:
    """Take the check away; what it found on requests stays."""
    action_require(principal, check.catalog, Action.MANAGE_CHECKS)
    with transaction.atomic():
        settings_lock(check.catalog)
        _record(principal, check, _content(check), None)
        check.delete()


def _content(check: Check) -> dict[str, Any]:
    content = {"query": check.query, "is_required": check.is_required}
    return content | ({"template": check.template, "parameters": check.parameters} if check.template else {})


def _record(principal: Principal, check: Check, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
    setting_recorder(principal)(check.catalog, SettingChange("check", check.name, before, after))


def checks_of(request: MergeRequest) -> list[Check]:
    """The checks that are run for a request: all of its catalog."""
    return list(Check.objects.filter(catalog_id=request.catalog_id).order_by("name"))


def checks_run(
    *, request_id: int, header: CommitHeader, engine: EngineSource, progress: Progress, examine: Examine
) -> dict[str, Any]:
    """Run every check of the catalog on what the merge of the request would make, and keep what they find. Raises
    MergeConflict where there is nothing to check, because the merge would be refused.
    """
    assert header.task_id is not None
    if not CheckResult.objects.filter(task_id=header.task_id).exists():
        request = MergeRequest.objects.select_related("catalog", "destination").get(pk=request_id)
        if request.state in FINISHED:
            raise wrong_state(request, f"A request that is {request.state} is not checked.")
        workspace = transaction_begin(target=request.destination, user_id=header.author_id)
        try:
            prepared = _preview_make(request, workspace, header, engine, progress)
            branch = Branch.objects.get(pk=workspace.workspace_id)
            merged = Merged(str(workspace.pk), branch.fork_version, branch.head_version)
            _keep(request_id, header, prepared, [_result(item) for item in examine(checks_of(request), merged)])
        finally:
            transaction_close(identity=workspace.pk, state=TransactionState.ROLLED_BACK)
    kept = CheckResult.objects.filter(task_id=header.task_id).order_by("name")
    return {"checks": [{"name": result.name, "state": result.state} for result in kept]}


def _preview_make(
    request: MergeRequest, workspace: Transaction, header: CommitHeader, engine: EngineSource, progress: Progress
) -> PreparedMerge:
    """Lay the merge on the workspace."""
    progress.step("plan", "compare both branches")
    request_port = RequestPort(request.pk, header)
    prepared = merge_prepare(
        MergeCommand(request.source_id, workspace.workspace_id, header, request_port=request_port), engine
    )
    if prepared.planned.conflicts:
        raise conflict_error(prepared.planned, "The branches conflict; there is no merged state to check.")
    progress.step("rows", "rewrite rows")
    row_work = row_work_run(prepared.planned, branch_snapshot(prepared.destination), engine)
    progress.step("preview", "lay the merge on a workspace")
    with transaction.atomic():
        branch = branch_lock(workspace.workspace_id)
        # No merge parent: nothing of it is reachable from anywhere when the workspace is dropped.
        plan_apply(
            prepared.planned,
            branch=branch,
            header=CommitHeader("PREVIEW", "", header.author_id, header.author_name),
            source=prepared.side,
            row_work=row_work,
        )
    return prepared


def _result(examined: Examined) -> CheckResult:
    found = examined.found
    state = CheckState.BROKEN if examined.problem else CheckState.PASSED if examined.is_passed else CheckState.FAILED
    return CheckResult(
        name=examined.check.name,
        query=examined.check.query,
        state=state,
        problem=examined.problem,
        columns=[{"name": name, "type": kind} for name, kind in found.columns] if found else [],
        sample=[[_shown(value) for value in row] for row in found.rows[:SAMPLE_ROWS]] if found else [],
        rows_seen=examined.rows_seen,
        rows_bad=examined.rows_bad,
        duration_ms=examined.duration_ms,
    )


def _shown(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _keep(request_id: int, header: CommitHeader, prepared: PreparedMerge, results: Sequence[CheckResult]) -> None:
    """Keep what was found, for the heads that it was found on."""
    assert header.task_id is not None
    with transaction.atomic():
        request = request_lock(request_id)
        seen: Seen = seen_now(request, prepared.source, prepared.destination)
        for result in results:
            result.request, result.task_id = request, header.task_id
            result.source_head, result.destination_head = seen.source_head, seen.destination_head
            result.rules_digest, result.resolutions_digest = seen.rules_digest, seen.resolutions_digest
        CheckResult.objects.bulk_create(results)
        found = {result.name: str(result.state) for result in results}
        timeline_append(request, Event(TimelineKind.CHECKED, header.author_id, details={"checks": found}))
        event_emit(
            catalog_id=request.catalog_id,
            event=WebhookEvent.CHECK,
            build=lambda: {"catalog": request.catalog.name, "number": request.number, "checks": found},
        )
        request_settle(request)
        request_touch(request)


@dataclass(frozen=True, slots=True)
class CheckStanding:
    """A check, and what its newest run on a request found; ``is_current``: on what there is now, by the same query."""

    check: Check
    is_required: bool
    result: CheckResult | None
    is_current: bool


def checks_standing(request: MergeRequest) -> list[CheckStanding]:
    """Every check of the catalog with its newest result on the request."""
    seen, required = seen_now(request, request.source, request.destination), required_checks(request.destination)
    newest = CheckResult.objects.filter(request=request).order_by("name", "-pk").distinct("name")
    results = {result.name: result for result in newest}
    return [
        CheckStanding(check, check.name in required, result, _is_current(check, result, seen))
        for check in checks_of(request)
        for result in [results.get(check.name)]
    ]


def _is_current(check: Check, result: CheckResult | None, seen: Seen) -> bool:
    if result is None or result.query != check.query:
        return False
    return seen == Seen(result.source_head, result.destination_head, result.rules_digest, result.resolutions_digest)


def request_require_checkable(*, principal: Principal, request: MergeRequest) -> None:
    """Raises WrongState for a request that is finished, PermissionDenied for who may not have it checked."""
    action_require(principal, request.catalog, Action.OPEN_REQUEST)
    if RequestState(request.state) in FINISHED:
        raise wrong_state(request, f"A request that is {request.state} is not checked.")


def checks_missing(request: MergeRequest) -> bool:
    """Whether a required check has not been run on what there is now."""
    source, destination = branches_now(request)
    states = check_states(request, required_checks(destination), seen_now(request, source, destination))
    return CheckState.MISSING in states.values()
