"""Merge requests and what happened in them as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from catalog_app.models import Branch
from lakeui.api.http.paging import PageFilter
from lakeui.api.http.serializers import UndoneEntry
from lakeui.api.requests.policy_serializers import OwnerVerdictEntry, PolicyVerdictEntry, SpotRowEntry
from merge_app.review.approval_rules import ApprovalState, BlockerCode, ReviewVerdict, Vote
from merge_app.review.markdown import markdown_render
from merge_app.review.models import TimelineEntry, TimelineKind
from merge_app.review.requests import MOST_LABELS
from merge_app.review.selectors import REQUEST_ORDERS, RequestSummary
from merge_app.review.states import CHOSEN, RequestState

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
