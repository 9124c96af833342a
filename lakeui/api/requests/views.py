"""``/api/v1/catalogs/{catalog}/merge-requests/`` and what each request is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.selectors.snapshots import branch_get
from lakeui.api.http.answers import (
    BAD_REQUEST,
    CONFLICT,
    FORBIDDEN,
    IF_MATCH,
    IF_NONE_MATCH,
    NOT_FOUND,
    NOT_MODIFIED,
    STALE,
)
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of, tagged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, once
from lakeui.api.http.lookup import source_branch
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.serializers import ProblemDocument
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.lookup import addressed_request, expected_revision
from lakeui.api.requests.serializers import (
    InboxEntry,
    NewRequest,
    RequestAnswer,
    RequestChange,
    RequestDetail,
    RequestQuery,
    TimelineAnswer,
    votes_shown,
)
from lakeui.tasks.merge_requests import policy_notify
from merge_app.audit.models import MergeAttempt
from merge_app.review.approval_rules import ApprovalState
from merge_app.review.approval_state import merged_approval_state, request_approval_state
from merge_app.review.known_plans import KnownPlan, plan_known, seen_now
from merge_app.review.models import MergeRequest
from merge_app.review.requests import RequestDraft, request_edit, request_open
from merge_app.review.selectors import (
    RequestFilters,
    inbox_list,
    left_out_by_decisions,
    request_get,
    requests_list,
    requests_summarise,
    sort_key,
    timeline_list,
)
from merge_app.review.spot_checks import rows_drawn, spot_code
from merge_app.review.states import RequestState

KEY_REUSED: dict[Any, Any] = {(422, "application/problem+json"): ProblemDocument}
READS: dict[Any, Any] = {**NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND}
WRITES: dict[Any, Any] = {**BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT}


class RequestListView(ApiView):
    @extend_schema(
        operation_id="merge_request_list",
        summary="List merge requests",
        description="`state` is what holds for the branches as they are: an approval of other heads does not count.",
        tags=["merge requests"],
        parameters=[RequestQuery, IF_NONE_MATCH],
        responses={200: page_schema("MergeRequestPage", RequestAnswer(many=True)), **READS},
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(RequestQuery, request)
        found_in = catalog_of(request, catalog)
        page = keyset_page(filters, int, int)
        order = filters.pop("order")
        wanted = RequestFilters(states=tuple(sorted(filters.pop("state", ()))), **filters)
        found = requests_list(found_in, wanted, order=order, after=page.after, limit=page.fetch)
        return tagged(request, Response(page_body(request, page, found, key=sort_key, shown=_shown)))

    @extend_schema(
        operation_id="merge_request_open",
        summary="Open a merge request",
        tags=["merge requests"],
        parameters=[IDEMPOTENCY_KEY],
        request=NewRequest,
        responses={201: RequestDetail, **WRITES, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str) -> Response:
        body = body_checked(NewRequest, request)
        return once(request, lambda: request_opened(request, catalog, body))


def request_opened(request: Request, catalog: str, wanted: dict[str, Any]) -> Response:
    """Open the request that ``NewRequest`` describes, in the catalog of that name."""
    found_in = catalog_of(request, catalog)
    opened = request_open(
        principal=principal_of(request),
        source=source_branch(request, found_in, wanted["source"]),
        destination=branch_get(found_in, wanted["destination"]),
        draft=RequestDraft(
            title=wanted["title"],
            description=wanted["description"],
            labels=tuple(wanted["labels"]),
            reviewers=tuple(wanted["reviewers"]),
            is_draft=wanted["draft"],
        ),
    )
    policy_notify(opened)
    address = reverse("api-merge-request", args=[found_in.name, opened.number], request=request)
    shown = request_shown(request_get(found_in, opened.number), request.user.pk)
    return Response(shown, status=201, headers={"Location": address})


class RequestView(ApiView):
    @extend_schema(
        operation_id="merge_request_get",
        summary="Look at a merge request",
        tags=["merge requests"],
        parameters=[IF_NONE_MATCH],
        responses={200: RequestDetail, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, number: int) -> Response:
        found = addressed_request(request, catalog, number)
        return tagged(request, Response(request_shown(found, request.user.pk)), head=found.revision)

    @extend_schema(
        operation_id="merge_request_edit",
        summary="Edit, close or reopen a merge request",
        tags=["merge requests"],
        parameters=[IF_MATCH],
        request=RequestChange,
        responses={200: RequestDetail, **WRITES, **STALE},
    )
    def patch(self, request: Request, catalog: str, number: int) -> Response:
        body = body_checked(RequestChange, request)
        found = addressed_request(request, catalog, number)
        request_edit(
            principal=principal_of(request),
            request_id=found.pk,
            changes=body,
            revision=expected_revision(request),
        )
        edited = request_get(found.catalog, number)
        return tagged(request, Response(request_shown(edited, request.user.pk)), head=edited.revision)


class InboxView(ApiView):
    @extend_schema(
        operation_id="inbox",
        summary="What waits for you",
        description="Merge requests that wait for your review of what there is now. Also your own that are approved,"
        " conflicted or sent back. They are of all catalogs, newest activity first.",
        tags=["merge requests"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={200: page_schema("InboxPage", InboxEntry(many=True)), **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        page = keyset_page(checked(PageFilter, request), int, int)
        found = inbox_list(principal_of(request), after=page.after, limit=page.fetch)
        body = page_body(
            request,
            page,
            found,
            key=sort_key,
            shown=lambda some: InboxEntry(requests_summarise(some), many=True).data,
        )
        return tagged(request, Response(body))


class TimelineView(ApiView):
    @extend_schema(
        operation_id="merge_request_timeline",
        summary="What happened to a merge request",
        description="Oldest first. Entries are never changed.",
        tags=["merge requests"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={200: page_schema("TimelinePage", TimelineAnswer(many=True)), **READS},
    )
    def get(self, request: Request, catalog: str, number: int) -> Response:
        page = keyset_page(checked(PageFilter, request), int)
        found = addressed_request(request, catalog, number)
        entries = timeline_list(found, after=page.after[0] if page.after else 0, limit=page.fetch)
        body = page_body(
            request,
            page,
            entries,
            key=lambda entry: (entry.number,),
            shown=lambda shown: TimelineAnswer(shown, many=True).data,
        )
        return tagged(request, Response(body))


def _shown(requests: Sequence[MergeRequest]) -> list[dict[str, Any]]:
    return list(RequestAnswer(requests_summarise(requests), many=True).data)


def request_shown(request: MergeRequest, reader_id: int | None) -> dict[str, Any]:
    """A request with all that its page shows to the person who reads it."""
    (summary,) = requests_summarise([request])
    is_merged = request.state == RequestState.MERGED
    standing = (
        merged_approval_state(request)
        if is_merged
        else request_approval_state(request, request.source, request.destination)
    )
    known = plan_known(request)
    shown = {
        **{name: getattr(summary, name) for name in ("request", "reviewers", "comments", "open_threads")},
        "approvals": len(standing.counting),
        "stale_approvals": sum(item.is_stale for item in standing.excluded),
        "objections": len(standing.objections),
        "required_approvals": standing.required_approvals,
        "votes": votes_shown(summary, standing),
        "blockers": standing.blockers,
        **_policies_shown(request, standing),
        "spot_code": "" if is_merged else _spot_code(request, standing, known, reader_id),
        "mergeable": not standing.blockers and not is_merged,
        "left_out": left_out_by_decisions(request),
        "undone": summary.undone,
        "planned": known
        and {
            "fingerprint": known.fingerprint,
            "conflicts": known.conflict_count,
            "source_head": known.seen.source_head,
            "destination_head": known.seen.destination_head,
            "is_current": known.seen == seen_now(request, request.source, request.destination),
        },
    }
    return dict(RequestDetail(shown).data)


def _spot_code(request: MergeRequest, standing: ApprovalState, known: KnownPlan | None, reader_id: int | None) -> str:
    rows = rows_drawn(standing.policies, known)
    return spot_code(request, reader_id, rows, known.fingerprint) if known is not None else ""


def _policies_shown(request: MergeRequest, standing: ApprovalState) -> dict[str, Any]:
    """What policies and owners say of the request as it is; of a merged one, what its audit record has."""
    if request.merge_id is not None and request.state == RequestState.MERGED:
        body = MergeAttempt.objects.filter(merge_id=request.merge_id).values_list("body", flat=True).get()
        said, facts = body.get("policies") or [], body.get("policy_facts") or {}
        owners = body.get("owners") or []
    else:
        said, facts = [verdict.as_json() for verdict in standing.policies], request.planned_facts
        owners = [owned.as_json(standing.approvers) for owned in standing.owners if owned.is_judged]
    drawn = max((verdict["spot_check"] for verdict in said), default=0)
    return {"policies": said, "owners": owners, "spot_rows": facts.get("spot_rows", [])[:drawn]}
