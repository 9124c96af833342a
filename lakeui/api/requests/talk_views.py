"""Reviews of merge requests, and comments on them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui.api.compare.since_review import changes_shown, review_of
from lakeui.api.http.answers import IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED, STALE
from lakeui.api.http.base import ApiView, checked, principal_of, tagged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, once
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.comment_serializers import CommentAnswer, CommentChange, CommentQuery, NewComment
from lakeui.api.requests.lookup import addressed_request
from lakeui.api.requests.review_serializers import ChangesAnswer, ReviewAnswer, ReviewDraftBody
from lakeui.api.requests.views import KEY_REUSED, READS, WRITES
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.rows.suggested import Suggested, suggested_update
from merge_app.review.approval_rules import ReviewVerdict
from merge_app.review.comments import (
    Anchor,
    CommentDraft,
    comment_add,
    comment_delete,
    comment_edit,
    thread_resolve,
)
from merge_app.review.models import Comment, CommentPlace, MergeRequest
from merge_app.review.reviews import ReviewDraft, review_submit
from merge_app.review.selectors import comment_get, comment_read, comments_list, reviews_list


class ReviewListView(ApiView):
    @extend_schema(
        operation_id="review_list",
        summary="List the reviews of a merge request",
        description="Oldest first; the newest of a person counts.",
        tags=["merge requests"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={200: page_schema("ReviewPage", ReviewAnswer(many=True)), **READS},
    )
    def get(self, request: Request, catalog: str, number: int) -> Response:
        page = keyset_page(checked(PageFilter, request), int)
        found = addressed_request(request, catalog, number)
        reviews = reviews_list(found, after=page.after[0] if page.after else 0, limit=page.fetch)
        body = page_body(
            request, page, reviews, key=lambda item: (item.pk,), shown=lambda some: ReviewAnswer(some, many=True).data
        )
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="review_submit",
        summary="Review a merge request",
        description="An approval is of the fingerprint that it names, and does not count once a branch has moved."
        " `request_changes` blocks the merge until its author withdraws it or approves.",
        tags=["merge requests"],
        parameters=[IDEMPOTENCY_KEY],
        request=ReviewDraftBody,
        responses={201: ReviewAnswer, **WRITES, **STALE, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str, number: int) -> Response:
        wanted = body_checked(ReviewDraftBody, request)
        draft = ReviewDraft(
            ReviewVerdict(wanted["verdict"]), wanted["fingerprint"], wanted["body"], wanted["spot_code"]
        )

        def submit() -> Response:
            reviewed = addressed_request(request, catalog, number)
            review = review_submit(principal=principal_of(request), request=reviewed, draft=draft, engine=engine)
            return Response(ReviewAnswer(review).data, status=201)

        return once(request, submit)


class ReviewChangesView(ApiView):
    @extend_schema(
        operation_id="review_changes",
        summary="What changed since a review",
        description="New commits of both branches, objects whose change is now another, and decisions that came,"
        " changed or went. Objects are compared by their commits; no row is read.",
        tags=["merge requests"],
        parameters=[IF_NONE_MATCH],
        responses={200: ChangesAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, number: int, review_id: int) -> Response:
        found = addressed_request(request, catalog, number)
        return tagged(request, Response(ChangesAnswer(changes_shown(review_of(found, review_id))).data))


class CommentListView(ApiView):
    @extend_schema(
        operation_id="comment_list",
        summary="List the comments on a merge request",
        description="Oldest first; `thread` says which comment one answers.",
        tags=["merge requests"],
        parameters=[CommentQuery, IF_NONE_MATCH],
        responses={200: page_schema("CommentPage", CommentAnswer(many=True)), **READS},
    )
    def get(self, request: Request, catalog: str, number: int) -> Response:
        filters = checked(CommentQuery, request)
        page = keyset_page(filters, int)
        found = addressed_request(request, catalog, number)
        comments = comments_list(
            found,
            object_kind=filters.get("object_kind", ""),
            object_id=filters.get("object_id"),
            is_resolved=filters["resolved"],
            after=page.after[0] if page.after else 0,
            limit=page.fetch,
        )
        body = page_body(
            request, page, comments, key=lambda item: (item.pk,), shown=lambda some: CommentAnswer(some, many=True).data
        )
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="comment_add",
        summary="Comment on a merge request",
        tags=["merge requests"],
        parameters=[IDEMPOTENCY_KEY],
        request=NewComment,
        responses={201: CommentAnswer, **WRITES, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str, number: int) -> Response:
        wanted = body_checked(NewComment, request)
        text, thread, suggested = wanted.pop("body"), wanted.pop("reply_to"), wanted.pop("suggestion")

        def add() -> Response:
            found = addressed_request(request, catalog, number)
            suggestion = None if suggested is None else (suggested["was"], suggested["value"])
            draft = CommentDraft(text, Anchor(**wanted), thread, suggestion)
            made = comment_add(principal=principal_of(request), request=found, draft=draft, check=_suggestion_check)
            return Response(_shown(found, made), status=201)

        return once(request, add)


class CommentView(ApiView):
    @extend_schema(
        operation_id="comment_edit",
        summary="Change a comment of your own",
        tags=["merge requests"],
        request=CommentChange,
        responses={200: CommentAnswer, **WRITES},
    )
    def patch(self, request: Request, catalog: str, number: int, comment_id: int) -> Response:
        body = body_checked(CommentChange, request)
        comment = comment_get(addressed_request(request, catalog, number), comment_id)
        changed = comment_edit(principal=principal_of(request), comment=comment, body=body["body"])
        return Response(_shown(comment.request, changed))

    @extend_schema(
        operation_id="comment_delete",
        summary="Delete a comment of your own",
        description="Its place in the thread stays, without the text.",
        tags=["merge requests"],
        responses={204: OpenApiResponse(description="Its text is gone."), **WRITES},
    )
    def delete(self, request: Request, catalog: str, number: int, comment_id: int) -> Response:
        comment = comment_get(addressed_request(request, catalog, number), comment_id)
        comment_delete(principal=principal_of(request), comment=comment)
        return Response(status=204)


class CommentResolvedView(ApiView):
    @extend_schema(
        operation_id="thread_resolve",
        summary="Mark a thread as settled",
        tags=["merge requests"],
        request=None,
        responses={200: CommentAnswer, **WRITES},
    )
    def put(self, request: Request, catalog: str, number: int, comment_id: int) -> Response:
        return self._answer(request, catalog, number, comment_id, is_resolved=True)

    @extend_schema(
        operation_id="thread_reopen",
        summary="Mark a thread as open again",
        tags=["merge requests"],
        responses={200: CommentAnswer, **WRITES},
    )
    def delete(self, request: Request, catalog: str, number: int, comment_id: int) -> Response:
        return self._answer(request, catalog, number, comment_id, is_resolved=False)

    def _answer(self, request: Request, catalog: str, number: int, comment_id: int, *, is_resolved: bool) -> Response:
        comment = comment_get(addressed_request(request, catalog, number), comment_id)
        settled = thread_resolve(principal=principal_of(request), comment=comment, is_resolved=is_resolved)
        return Response(_shown(comment.request, settled))


def _shown(request: MergeRequest, comment: Comment) -> Any:
    """The comment as it is now, with what became of its suggestion."""
    return CommentAnswer(comment_read(request, comment.pk)).data


def _suggestion_check(comment: Comment) -> None:
    """Raises for a suggestion that could not be applied as the source is now."""
    suggested = comment.suggestion
    if comment.place != CommentPlace.VALUE:
        raise InvalidValue(
            "A suggestion is of one value of a row.",
            remedy="Send object_kind table, object_id, row_key and column_id, or no suggestion.",
            field="suggestion",
        )
    if suggested.was == suggested.value and type(suggested.was) is type(suggested.value):
        raise InvalidValue("The cell has this value.", remedy="Suggest another one.", field="suggestion.value")
    suggested_update(comment.request.source, [Suggested.of(comment)])
