"""Values that comments suggest for cells, and what became of them: read from tasks and commits, never kept twice."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone

from catalog_app.domain.roles import Principal
from catalog_app.models import Commit
from catalog_app.selectors.people import person_id
from lakeui.common.errors import InvalidValue
from merge_app.jobs.models import FINISHED_STATES, Task
from merge_app.review.errors import SuggestionOutdated, WrongState
from merge_app.review.models import Comment, MergeRequest, Suggestion, TimelineKind
from merge_app.review.requests import request_lock, request_touch
from merge_app.review.states import FINISHED, RequestState
from merge_app.review.timeline import Event, timeline_append


class SuggestionState(StrEnum):
    OPEN = "open"
    APPLYING = "applying"
    APPLIED = "applied"
    OUTDATED = "outdated"


def with_suggestions(comments: QuerySet[Comment]) -> QuerySet[Comment]:
    """The comments with what became of their suggestions, in the same query."""
    commits = Commit.objects.filter(task_id=OuterRef("suggestion__task_id")).values("version")
    tasks = Task.objects.filter(pk=OuterRef("suggestion__task_id"))
    return comments.select_related("suggestion__applied_by").annotate(
        suggestion_version=Subquery(commits[:1]),
        suggestion_task_state=Subquery(tasks.values("state")[:1]),
        suggestion_code=Subquery(tasks.annotate(code=KeyTextTransform("code", "error")).values("code")[:1]),
    )


def suggestion_state(comment: Any) -> SuggestionState:
    """Of a comment that ``with_suggestions`` answered. A task that failed for another reason leaves it open."""
    if comment.suggestion_version is not None:
        return SuggestionState.APPLIED
    if comment.suggestion_task_state is not None and comment.suggestion_task_state not in FINISHED_STATES:
        return SuggestionState.APPLYING
    if comment.suggestion_code == SuggestionOutdated.code:
        return SuggestionState.OUTDATED
    return SuggestionState.OPEN


def suggestions_of(request: MergeRequest, comment_ids: Sequence[int]) -> list[Comment]:
    """Comments of the request whose suggestions may be applied, in this order. Raises InvalidValue, WrongState."""
    if RequestState(request.state) in FINISHED:
        raise WrongState(
            f"The merge request is {request.state}.", remedy="Change the branch by a statement.", state=request.state
        )
    own = Comment.objects.filter(request=request, pk__in=comment_ids, deleted_at__isnull=True)
    found = {comment.pk: comment for comment in with_suggestions(own).select_related("author")}
    for comment_id in comment_ids:
        comment = found.get(comment_id)
        if comment is None or not hasattr(comment, "suggestion"):
            raise InvalidValue(
                f"Comment {comment_id} of this request suggests no value.",
                remedy="Name comments that have a suggestion.",
                field="comments",
            )
        state = suggestion_state(comment)
        if state in (SuggestionState.APPLIED, SuggestionState.APPLYING):
            raise WrongState(
                f"The suggestion of comment {comment_id} is {state.value}.", remedy="Leave it out.", state=state.value
            )
    return [found[comment_id] for comment_id in comment_ids]


def suggestions_begin(
    *, principal: Principal, request: MergeRequest, comment_ids: Sequence[int], task: Task
) -> list[Comment]:
    """Have the task apply the suggestions, in the transaction in which it is queued. Two people come one after the
    other. Raises WrongState, InvalidValue.
    """
    with transaction.atomic():
        locked = request_lock(request.pk)
        comments = suggestions_of(locked, comment_ids)
        Suggestion.objects.filter(comment__in=comments).update(
            task_id=task.pk, applied_by=person_id(principal), asked_at=timezone.now()
        )
        for comment in comments:
            details = {"comment": comment.pk, "what": "applied", "place": str(comment.place), "task": str(task.pk)}
            details |= {"object_id": comment.object_id, "object": comment.object_name}
            details |= {"row": comment.row_key, "column": comment.column_name}
            timeline_append(locked, Event(TimelineKind.COMMENTED, principal.user_id, details=details))
        request_touch(locked)
    return comments
