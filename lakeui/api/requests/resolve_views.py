"""Decisions about the conflicts of merge requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.operations import ObjectKind
from lakeui.api.compare.comparing import conflicts_read
from lakeui.api.http.answers import IF_NONE_MATCH, STALE
from lakeui.api.http.base import ApiView, checked, principal_of, tagged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, once
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.serializers import ProblemDocument
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.lookup import addressed_request
from lakeui.api.requests.views import KEY_REUSED, READS, WRITES
from lakeui.frontdoor.branches.rerunning import with_statements
from lakeui.frontdoor.compute import engine
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from merge_app.review.models import ConflictResolution, MergeRequest
from merge_app.review.resolving import ExpectedHeads, Wanted, resolution_withdraw, resolutions_set
from merge_app.review.selectors import heads_decided, resolutions_list

UNANSWERED: dict[Any, Any] = {(422, "application/problem+json"): ProblemDocument}
DECISIONS = [decision.value for decision in Decision]
PARTS = [part.value for part in ResolutionPart]
MOST_DECISIONS = 500


class DecisionBody(serializers.Serializer[Any]):
    """A decision about an object, or about one property (`part_key`: its key), column (its id) or partition (a JSON
    array of its values as texts, `null` for none) of it. Of a table also about all conflicting rows (`rows`), one `row`
    or one `cell`. The key of a row is that of the comparison of rows: its primary key, or without one its row id. Of a
    cell it is its column's id, a colon, and that key. Without a primary key such a decision merges the table by cell.
    """

    object_kind = serializers.ChoiceField(["database", "table"])
    object_id = serializers.IntegerField(min_value=1)
    decision = serializers.ChoiceField(DECISIONS)
    part = serializers.ChoiceField(PARTS, required=False, default=ResolutionPart.OBJECT.value)
    part_key = serializers.CharField(required=False, default="", allow_blank=True, max_length=10_000)
    name = serializers.CharField(required=False, default="", allow_blank=True, max_length=255, help_text="Of a rename.")
    value = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=100_000,
        help_text="Of an edited cell its value as JSON, of an edited row a JSON object by columns, of `newest` the"
        " column whose later value says which row is newer.",
    )
    confirm = serializers.IntegerField(
        required=False,
        default=None,
        allow_null=True,
        min_value=0,
        help_text="How many changes of rows the decision is expected to leave out (`rows_left_out` of its effect):"
        " refused with 412 where it is another number.",
    )


class _Heads(serializers.Serializer[Any]):
    source_head = serializers.IntegerField(min_value=0)
    destination_head = serializers.IntegerField(min_value=0)


class ResolutionBody(DecisionBody, _Heads):
    """A decision, for the heads that were looked at."""


class ResolutionBatchBody(_Heads):
    """Decisions for the heads that were looked at, each about another part."""

    decisions = serializers.ListField(child=DecisionBody(), min_length=1, max_length=MOST_DECISIONS)


class ResolutionAnswer(serializers.Serializer[Any]):
    """A decision. One that is not current was made for other heads, and has no effect until it is made again."""

    id = serializers.IntegerField()
    author = serializers.CharField(source="author.username")
    object_kind = serializers.ChoiceField(["database", "table"])
    object_id = serializers.IntegerField()
    decision = serializers.ChoiceField(DECISIONS)
    part = serializers.ChoiceField(PARTS)
    part_key = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)
    value = serializers.CharField(allow_blank=True)
    object = serializers.SerializerMethodField(help_text="The object's full name as it was then.")
    column = serializers.SerializerMethodField(help_text="Of a column or cell, its name as it was then.")
    effect = serializers.SerializerMethodField(help_text="What it keeps and leaves out, in a sentence.")
    rows_left_out = serializers.SerializerMethodField(help_text="Changes of rows that it leaves out.")
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    is_current = serializers.SerializerMethodField(
        help_text="It is of the heads that count: of a merged request those that were merged, else those of now."
    )
    created_at = serializers.DateTimeField()

    def get_object(self, row: ConflictResolution) -> str:
        return str(row.effect.get("object", ""))

    def get_column(self, row: ConflictResolution) -> str:
        return str(row.effect.get("column", ""))

    def get_effect(self, row: ConflictResolution) -> str:
        return str(row.effect.get("text", ""))

    def get_rows_left_out(self, row: ConflictResolution) -> int:
        return int(row.effect.get("rows_left_out", 0))

    def get_is_current(self, row: ConflictResolution) -> bool:
        return (row.source_head, row.destination_head) == self.context["heads"]


def _shown(request: MergeRequest, rows: Sequence[ConflictResolution]) -> list[dict[str, Any]]:
    return list(ResolutionAnswer(rows, many=True, context={"heads": heads_decided(request)}).data)


class ResolutionBatchAnswer(serializers.Serializer[Any]):
    """What was decided, in the order in which it was sent."""

    results = ResolutionAnswer(many=True)


class ResolutionListView(ApiView):
    @extend_schema(
        operation_id="resolution_list",
        summary="List what was decided in a merge request",
        description="Decisions that were replaced or taken back are in the timeline only.",
        tags=["merge requests"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={200: page_schema("ResolutionPage", ResolutionAnswer(many=True)), **READS},
    )
    def get(self, request: Request, catalog: str, number: int) -> Response:
        page = keyset_page(checked(PageFilter, request), int)
        found = addressed_request(request, catalog, number)
        rows = resolutions_list(found, after=page.after[0] if page.after else 0, limit=page.fetch)
        body = page_body(request, page, rows, key=lambda row: (row.pk,), shown=lambda some: _shown(found, some))
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="resolution_set",
        summary="Decide a conflict of a merge request",
        description="In place of what was decided of the same part before. Take the source: the object becomes what the"
        " source has. Take the target, or leave out: what the source did to it is not applied, now or later. Both:"
        " the source's deletes and updates of the rows that it saw, and the target's new rows. Rerun: that, and"
        " the source's recorded statements run on these new rows. A decision that answers no open conflict is refused"
        " with 422, and the open ones are listed.",
        tags=["merge requests"],
        parameters=[IDEMPOTENCY_KEY],
        request=ResolutionBody,
        responses={201: ResolutionAnswer, **WRITES, **STALE, **UNANSWERED, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str, number: int) -> Response:
        body = body_checked(ResolutionBody, request)
        return once(request, lambda: self._decide(request, catalog, number, body))

    def _decide(self, request: Request, catalog: str, number: int, wanted: dict[str, Any]) -> Response:
        (row,) = _decide_all(request, catalog, number, wanted, [wanted])
        return Response(_shown(row.request, [row])[0], status=201)


class ResolutionBatchView(ApiView):
    @extend_schema(
        operation_id="resolution_set_many",
        summary="Decide many conflicts of a merge request",
        description="All of the decisions are taken, or none: one that is refused refuses them all. The merge is"
        " planned once. Each is as one that is sent alone.",
        tags=["merge requests"],
        parameters=[IDEMPOTENCY_KEY],
        request=ResolutionBatchBody,
        responses={201: ResolutionBatchAnswer, **WRITES, **STALE, **UNANSWERED, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str, number: int) -> Response:
        body = body_checked(ResolutionBatchBody, request)
        return once(request, lambda: self._decide(request, catalog, number, body))

    def _decide(self, request: Request, catalog: str, number: int, body: dict[str, Any]) -> Response:
        rows = _decide_all(request, catalog, number, body, body["decisions"])
        return Response({"results": _shown(rows[0].request, rows)}, status=201)


def _decide_all(
    request: Request, catalog: str, number: int, heads: dict[str, Any], decisions: list[dict[str, Any]]
) -> list[ConflictResolution]:
    found = addressed_request(request, catalog, number)
    return resolutions_set(
        principal=principal_of(request),
        request=found,
        wanted=[_wanted(item, found) for item in decisions],
        heads=ExpectedHeads(heads["source_head"], heads["destination_head"]),
        engine=engine,
        conflicts=conflicts_read,
    )


def _wanted(given: dict[str, Any], found: MergeRequest) -> Wanted:
    decided = Resolution(
        object_kind=ObjectKind(given["object_kind"]),
        object_id=given["object_id"],
        decision=Decision(given["decision"]),
        part=ResolutionPart(given["part"]),
        part_key=given["part_key"],
        name=given["name"],
        value=given["value"],
    )
    return Wanted(with_statements(decided, found.source, found.destination), given["confirm"])


class ResolutionView(ApiView):
    @extend_schema(
        operation_id="resolution_withdraw",
        summary="Take a decision back",
        tags=["merge requests"],
        responses={204: OpenApiResponse(description="The conflict is open again."), **WRITES},
    )
    def delete(self, request: Request, catalog: str, number: int, resolution_id: int) -> Response:
        found = addressed_request(request, catalog, number)
        resolution_withdraw(principal=principal_of(request), request=found, resolution_id=resolution_id, engine=engine)
        return Response(status=204)
