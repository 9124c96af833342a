"""Comments on merge requests, and values that they suggest, as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from lakeui.api.http.paging import PageFilter
from lakeui.api.requests.serializers import Markdown
from merge_app.review.markdown import markdown_render
from merge_app.review.models import Comment, CommentPlace
from merge_app.review.suggestions import SuggestionState, suggestion_state


class CommentQuery(PageFilter):
    object_kind = serializers.ChoiceField(["database", "table"], required=False)
    object_id = serializers.IntegerField(required=False, min_value=1)
    resolved = serializers.BooleanField(required=False, allow_null=True, default=None)


class NewSuggestion(serializers.Serializer[Any]):
    """A value for the cell that the comment is on, as answers show values. ``was``: the value that the cell has."""

    was = serializers.JSONField(allow_null=True)
    value = serializers.JSONField(allow_null=True)


class SuggestionAnswer(serializers.Serializer[Any]):
    """A suggested value, and what became of it. ``version``: of the commit that applied it."""

    was = serializers.JSONField(allow_null=True)
    value = serializers.JSONField(allow_null=True)
    state = serializers.ChoiceField([state.value for state in SuggestionState])
    version = serializers.IntegerField(allow_null=True)
    applied_by = serializers.CharField(allow_null=True)
    task = serializers.UUIDField(allow_null=True, help_text="The task that was last asked to apply it.")


class NewComment(serializers.Serializer[Any]):
    """A comment on the request, on an object (``object_kind``, ``object_id``), or on a part of that object. A cell of
    its matrix has ``rule_table``, ``source_op`` and ``dest_op`` besides. A row, a column or a value of a table has
    ``row_key``, ``column_id``, or both. ``reply_to`` is a comment of the thread that it answers.
    """

    body = Markdown()
    reply_to = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=1)
    object_kind = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=20, help_text="database or table."
    )
    object_id = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=1)
    rule_table = serializers.CharField(required=False, default="", allow_blank=True, max_length=20)
    source_op = serializers.CharField(required=False, default="", allow_blank=True, max_length=20)
    dest_op = serializers.CharField(required=False, default="", allow_blank=True, max_length=20)
    row_key = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=4000,
        help_text="`key` of a row, as comparisons of rows name it.",
    )
    column_id = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=2**31 - 1, help_text="`id` of a column."
    )
    suggestion = NewSuggestion(
        required=False,
        allow_null=True,
        default=None,
        help_text="Of a comment on a value of a table with a primary key.",
    )


class CommentChange(serializers.Serializer[Any]):
    body = Markdown()


class CommentAnswer(serializers.Serializer[Any]):
    """A comment. A deleted one has no text any more. Only a thread's first comment is resolved, for the thread."""

    id = serializers.IntegerField()
    thread = serializers.IntegerField(source="thread_id", allow_null=True, help_text="The thread's first comment.")
    author = serializers.CharField(source="author.username")
    body = serializers.CharField(allow_blank=True)
    body_html = serializers.SerializerMethodField()
    place = serializers.ChoiceField(CommentPlace.choices)
    object_kind = serializers.CharField(allow_blank=True)
    object_id = serializers.IntegerField(allow_null=True)
    object_name = serializers.CharField(allow_blank=True, help_text="Full, as the object was called then.")
    rule_table = serializers.CharField(allow_blank=True)
    source_op = serializers.CharField(allow_blank=True)
    dest_op = serializers.CharField(allow_blank=True)
    row_key = serializers.CharField(allow_blank=True)
    column_id = serializers.IntegerField(allow_null=True)
    column_name = serializers.CharField(allow_blank=True, help_text="As the column was called then.")
    created_at = serializers.DateTimeField()
    edited_at = serializers.DateTimeField(allow_null=True)
    is_deleted = serializers.SerializerMethodField()
    resolved_at = serializers.DateTimeField(allow_null=True)
    resolved_by = serializers.CharField(source="resolved_by.username", allow_null=True, default=None)
    suggestion = serializers.SerializerMethodField()

    @extend_schema_field(SuggestionAnswer(allow_null=True))
    def get_suggestion(self, comment: Any) -> dict[str, Any] | None:
        if comment.deleted_at is not None or not hasattr(comment, "suggestion"):
            return None
        kept, state = comment.suggestion, suggestion_state(comment)
        by = kept.applied_by.get_username() if kept.applied_by and state is SuggestionState.APPLIED else None
        task = None if kept.task_id is None else str(kept.task_id)
        version = comment.suggestion_version
        return {
            "was": kept.was,
            "value": kept.value,
            "state": state.value,
            "version": version,
            "applied_by": by,
            "task": task,
        }

    def get_body_html(self, comment: Comment) -> str:
        return markdown_render(comment.body)

    def get_is_deleted(self, comment: Comment) -> bool:
        return comment.deleted_at is not None
