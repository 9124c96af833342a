"""Reviews of merge requests, and what came after them, as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from lakeui.api.branches.lake_serializers import CommitAnswer
from lakeui.api.requests.serializers import VERDICTS, Markdown
from lakeui.common.errors import InvalidValue
from merge_app.review.approval_rules import ReviewVerdict
from merge_app.review.markdown import markdown_render
from merge_app.review.since_review import CHANGES


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
