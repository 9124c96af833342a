"""Merge requests, reviews and comments as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog_app.models import Branch
from lakeui.api.branches.lake_serializers import CommitAnswer
from lakeui.api.http.paging import PageFilter
from lakeui.api.http.serializers import UndoneEntry
from lakeui.api.requests.policy_serializers import OwnerVerdictEntry, PolicyVerdictEntry, SpotRowEntry
from lakeui.common.errors import InvalidValue
from merge_app.review.approval_rules import ApprovalState, BlockerCode, ReviewVerdict, Vote
from merge_app.review.markdown import markdown_render
from merge_app.review.models import Comment, CommentPlace, TimelineEntry, TimelineKind
from merge_app.review.requests import MOST_LABELS
from merge_app.review.selectors import REQUEST_ORDERS, RequestSummary
from merge_app.review.since_review import CHANGES
from merge_app.review.states import CHOSEN, RequestState
from merge_app.review.suggestions import SuggestionState, suggestion_state

# Members called ``source`` or ``label`` bear names of DRF's own attributes. Its metaclass takes declared fields off the
# class, so nothing is shadowed at run time; mypy does not know.

LONGEST_TITLE = 300
LONGEST_TEXT = 100_000
STATES = [state.value for state in RequestState]
VERDICTS = [verdict.value for verdict in ReviewVerdict]


class Markdown(serializers.CharField):
    """Text that people write."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"max_length": LONGEST_TEXT, "help_text": "Markdown.", "trim_whitespace": False, **given})


class RequestQuery(PageFilter):
    state = serializers.MultipleChoiceField(choices=STATES, required=False, help_text="May be given several times.")
    author = serializers.CharField(required=False, max_length=150, help_text="User name.")
    reviewer = serializers.CharField(required=False, max_length=150, help_text="User name of who was asked.")
    label = serializers.CharField(required=False, max_length=100)  # type: ignore[assignment]  # a declared field
    source = serializers.CharField(required=False, max_length=255, help_text="Branch.")  # type: ignore[assignment]  # a declared field
    destination = serializers.CharField(required=False, max_length=255, help_text="Branch.")
    search = serializers.CharField(
        required=False, max_length=200, help_text="Text in the title or description, or a number."
    )
    order = serializers.ChoiceField(REQUEST_ORDERS, required=False, default="-updated_at")


class NewRequest(serializers.Serializer[Any]):
    """A request to open. ``source`` may be ``catalog.branch``."""

    source = serializers.CharField(max_length=511)  # type: ignore[assignment]  # a declared field
    destination = serializers.CharField(max_length=255, default="main", required=False)
    title = serializers.CharField(max_length=LONGEST_TITLE)
    description = Markdown(required=False, default="", allow_blank=True)
    labels = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=MOST_LABELS, required=False, default=list
    )
    reviewers = serializers.ListField(
        child=serializers.CharField(max_length=150),
        max_length=100,
        required=False,
        default=list,
        help_text="User names.",
    )
    draft = serializers.BooleanField(required=False, default=False)


class RequestChange(serializers.Serializer[Any]):
    """What is to be changed; what is left out stays. ``state``: close, reopen, mark as draft or as ready."""

    title = serializers.CharField(max_length=LONGEST_TITLE, required=False)
    description = Markdown(required=False, allow_blank=True)
    labels = serializers.ListField(child=serializers.CharField(max_length=100), max_length=MOST_LABELS, required=False)
    reviewers = serializers.ListField(child=serializers.CharField(max_length=150), max_length=100, required=False)
    state = serializers.ChoiceField(sorted(state.value for state in CHOSEN), required=False)


class RequestBranch(serializers.Serializer[Any]):
    catalog = serializers.CharField(source="catalog.name")
    name = serializers.CharField()
    branch_id = serializers.IntegerField(source="pk")
    head_version = serializers.IntegerField()
    is_dropped = serializers.SerializerMethodField()

    def get_is_dropped(self, branch: Branch) -> bool:
        return branch.dropped_at is not None


class RequestAnswer(serializers.Serializer[Any]):
    """A merge request. ``approvals`` are those of what the branches hold now."""

    number = serializers.IntegerField(source="request.number")
    title = serializers.CharField(source="request.title")
    state = serializers.ChoiceField(STATES, source="request.standing_state")
    author = serializers.CharField(source="request.author.username")
    source = RequestBranch(source="request.source")  # type: ignore[assignment]  # a declared field
    destination = RequestBranch(source="request.destination")
    labels = serializers.ListField(child=serializers.CharField(), source="request.labels")
    reviewers = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField(source="request.created_at")
    updated_at = serializers.DateTimeField(source="request.updated_at")
    queued_at = serializers.DateTimeField(source="request.queued_at", allow_null=True)
    approvals = serializers.IntegerField()
    stale_approvals = serializers.IntegerField(help_text="Given to what the branches held before.")
    objections = serializers.IntegerField(help_text="Reviewers who requested changes.")
    comments = serializers.IntegerField()
    open_threads = serializers.IntegerField()
    conflicts = serializers.IntegerField(
        source="request.conflict_count", help_text="Open ones, by the last plan that was made of it."
    )
    undone_by = UndoneEntry(
        source="undone", allow_null=True, help_text="Of a merged request, the newest RESTORE MERGE."
    )


class InboxEntry(RequestAnswer):
    """A merge request that waits for whoever asks."""

    catalog = serializers.CharField(source="request.catalog.name")
    waits_for = serializers.ChoiceField(
        ["review", "author"], source="request.waits_for", help_text="A review, or what its author does next."
    )


class BlockerEntry(serializers.Serializer[Any]):
    """One thing that blocks the merge."""

    code = serializers.ChoiceField([code.value for code in BlockerCode])
    message = serializers.CharField()


class VoteEntry(serializers.Serializer[Any]):
    """The newest review of one reviewer. ``reason`` says why an approval does not count."""

    review = serializers.IntegerField()
    reviewer = serializers.CharField()
    verdict = serializers.ChoiceField(VERDICTS)
    counts = serializers.BooleanField()
    is_stale = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)


class PlannedEntry(serializers.Serializer[Any]):
    """The last plan that was made. ``is_current``: both heads and the rules are still those that it was made of."""

    fingerprint = serializers.CharField()
    conflicts = serializers.IntegerField()
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    is_current = serializers.BooleanField()


class LeftOutEntry(serializers.Serializer[Any]):
    """What a decision of the request leaves out: that the merge will, or did, throw away."""

    object = serializers.CharField()
    decision = serializers.CharField()
    text = serializers.CharField()
    rows = serializers.IntegerField(help_text="Changes of rows.")


class RequestDetail(RequestAnswer):
    """A merge request with its text and what blocks it."""

    description = serializers.CharField(source="request.description", allow_blank=True)
    description_html = serializers.SerializerMethodField(help_text="The description, safe to be shown as it is.")
    revision = serializers.IntegerField(source="request.revision", help_text="The ETag begins with it.")
    task_id = serializers.UUIDField(source="request.task_id", allow_null=True)
    merge_id = serializers.UUIDField(source="request.merge_id", allow_null=True)
    required_approvals = serializers.IntegerField()
    votes = VoteEntry(many=True)
    blockers = BlockerEntry(many=True)
    policies = PolicyVerdictEntry(
        many=True, help_text="What the policies of each rule say of the plan; of a merged request, what they said."
    )
    owners = OwnerVerdictEntry(
        many=True, help_text="Owners of the changed tables; of a merged request, as they were at the merge."
    )
    spot_rows = SpotRowEntry(many=True, help_text="Changed rows that were drawn for whoever approves.")
    spot_code = serializers.CharField(
        allow_blank=True,
        help_text="What you, and no other person, send with an approval of these rows. Empty without rows.",
    )
    mergeable = serializers.BooleanField(help_text="Ready to merge. Both branches are checked again during the merge.")
    planned = PlannedEntry(allow_null=True)
    left_out = LeftOutEntry(many=True, help_text="By the decisions that count for what the branches hold now.")

    def get_description_html(self, shown: dict[str, Any]) -> str:
        return markdown_render(shown["request"].description)


def votes_shown(summary: RequestSummary, standing: ApprovalState) -> list[dict[str, Any]]:
    """Everybody's last word, with whether it counts."""
    reasons = {item.vote.review_id: item for item in standing.excluded}
    return [
        {
            "review": vote.review_id,
            "reviewer": vote.reviewer,
            "verdict": vote.verdict.value,
            "counts": vote.verdict is not ReviewVerdict.WITHDRAW and vote.review_id not in reasons,
            **_why(vote, reasons),
        }
        for vote in summary.votes
    ]


def _why(vote: Vote, reasons: dict[int, Any]) -> dict[str, Any]:
    found = reasons.get(vote.review_id)
    return {"is_stale": bool(found and found.is_stale), "reason": found.reason if found else ""}


class ReviewDraftBody(serializers.Serializer[Any]):
    """A review. ``fingerprint`` is that of the comparison that the reviewer looked at; only an approval needs it."""

    verdict = serializers.ChoiceField(VERDICTS, help_text="`withdraw` ends your review.")
    fingerprint = serializers.CharField(required=False, default="", allow_blank=True, max_length=64)
    body = Markdown(required=False, default="", allow_blank=True)
    spot_code = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=64,
        help_text="That of the request as you read it. An approval needs it where a policy drew rows.",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if given["verdict"] == ReviewVerdict.APPROVE.value and not given["fingerprint"]:
            raise InvalidValue(
                "An approval needs the fingerprint of what was looked at.",
                remedy="Send `fingerprint` of the comparison or of a dry run.",
            )
        return given


class ReviewAnswer(serializers.Serializer[Any]):
    """A review, and what the reviewer had before them."""

    id = serializers.IntegerField()
    reviewer = serializers.CharField(source="reviewer.username")
    verdict = serializers.ChoiceField(VERDICTS)
    body = serializers.CharField(allow_blank=True)
    body_html = serializers.SerializerMethodField()
    fingerprint = serializers.CharField()
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    created_at = serializers.DateTimeField()

    def get_body_html(self, review: Any) -> str:
        return markdown_render(review.body)


class ObjectSinceEntry(serializers.Serializer[Any]):
    """An object of the request that is not what the reviewer saw. ``gone``: the request does not change it any more."""

    kind = serializers.ChoiceField(["database", "table"])
    object_id = serializers.IntegerField()
    name = serializers.CharField()
    change = serializers.ChoiceField(CHANGES)


class DecisionSinceEntry(serializers.Serializer[Any]):
    """A decision that is not what the reviewer saw; one that is ``gone`` as it was."""

    change = serializers.ChoiceField(CHANGES)
    object_kind = serializers.ChoiceField(["database", "table"])
    object_id = serializers.IntegerField()
    part = serializers.CharField()
    part_key = serializers.CharField(allow_blank=True)
    decision = serializers.CharField()


class ChangesAnswer(serializers.Serializer[Any]):
    """What came after a review, newest first; at most the 100 newest commits of each side."""

    reviewed_at = serializers.DateTimeField()
    summary = serializers.CharField(help_text="All of it in one sentence.")
    objects = ObjectSinceEntry(
        many=True, allow_null=True, help_text="None where the versions of the review are older than the retention."
    )
    decisions = DecisionSinceEntry(many=True)

    source = CommitAnswer(many=True)  # type: ignore[assignment]  # a declared field
    destination = CommitAnswer(many=True)
    rules_changed = serializers.BooleanField()
    resolutions_changed = serializers.BooleanField()


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


class TimelineAnswer(serializers.Serializer[Any]):
    """One thing that happened. ``actor`` is null where lakeui did it."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(TimelineKind.choices)
    actor = serializers.SerializerMethodField()
    at = serializers.DateTimeField()
    from_state = serializers.CharField(allow_blank=True)
    to_state = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    details = serializers.DictField()

    def get_actor(self, entry: TimelineEntry) -> str | None:
        return entry.actor.get_username() if entry.actor else None
