"""Merge requests and what people say about them. Reviews and timeline entries are append-only, by triggers."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from merge_app.planning.merge_plan import Decision, ResolutionPart
from merge_app.review.approval_rules import CheckState, ReviewVerdict, StatusState
from merge_app.review.states import FINISHED, RequestState

VALUED = (Decision.EDITED.value, Decision.NEWEST.value, Decision.RERUN.value)
STATES = [state.value for state in RequestState]
FINISHED_STATES = sorted(state.value for state in FINISHED)
CHECK_STATES = [
    state.value for state in CheckState if state in (CheckState.PASSED, CheckState.FAILED, CheckState.BROKEN)
]
STATUS_STATES = [state.value for state in StatusState if state is not StatusState.MISSING]
VERDICTS = [verdict.value for verdict in ReviewVerdict]


class MergeRequest(models.Model):
    """A wish to merge ``source`` into ``destination`` that people look at first. ``number`` counts in the catalog.

    ``revision`` rises with every change of the request or of what was said about it: its ETag. The ``planned_``
    fields are of the last plan that was made of it. Heads, rules and resolutions went in. Fingerprint and number of
    conflicts came out, and what policies are judged on, if there were some.
    ``resolutions_digest`` is of the resolutions as they are now.
    ``noted_source_head`` is the head up to which the timeline has pushes. ``noted_source_gone`` and
    ``noted_destination_gone`` are what it said last of a branch that was dropped or came back. ``timeline_digest`` is
    the digest of its newest entry, so that a missing end is found. ``task_id`` is the task that merges it, or last
    tried to; ``merge_id`` the audit record of the merge. ``queued_at`` is when it entered the merge queue, put there by
    ``queued_by``, and ``queued_verdicts`` the digest of the verdicts as they were then. ``queued_scopes`` are those of
    the token that put it there, null where it was none.
    """

    catalog = models.ForeignKey("catalog_app.Catalog", models.PROTECT, related_name="+")
    number = models.BigIntegerField()
    source = models.ForeignKey("catalog_app.Branch", models.PROTECT, related_name="+")
    destination = models.ForeignKey("catalog_app.Branch", models.PROTECT, related_name="+")
    title = models.TextField()
    description = models.TextField(default="")
    labels = ArrayField(models.TextField(), default=list)
    state = models.TextField(choices=[(state, state) for state in STATES])
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    revision = models.BigIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    planned_source_head = models.BigIntegerField(null=True)
    planned_destination_head = models.BigIntegerField(null=True)
    planned_rules = models.TextField(default="")
    planned_resolutions = models.TextField(default="")
    planned_fingerprint = models.TextField(default="")
    planned_facts = models.JSONField(default=dict)
    conflict_count = models.IntegerField(default=0)
    resolutions_digest = models.TextField(default="")
    noted_source_head = models.BigIntegerField(default=0)
    noted_source_gone = models.BooleanField(default=False)
    noted_destination_gone = models.BooleanField(default=False)
    timeline_digest = models.TextField(default="")
    task_id = models.UUIDField(null=True)
    merge_id = models.UUIDField(null=True)
    queued_at = models.DateTimeField(null=True)
    queued_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    queued_verdicts = models.TextField(default="")
    queued_scopes = ArrayField(models.TextField(), null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["catalog", "number"], name="merge_request_number"),
            models.UniqueConstraint(
                fields=["source", "destination"],
                condition=~Q(state__in=FINISHED_STATES),
                name="merge_request_one_open_per_pair",
            ),
            models.CheckConstraint(condition=Q(state__in=STATES), name="merge_request_state_known"),
            models.CheckConstraint(condition=~Q(title=""), name="merge_request_title_given"),
            models.CheckConstraint(condition=~Q(source=F("destination")), name="merge_request_two_branches"),
            models.CheckConstraint(
                condition=Q(merge_id__isnull=False) | ~Q(state=RequestState.MERGED.value),
                name="merge_request_merged_by",
            ),
        ]
        indexes = [
            models.Index(fields=["catalog", "-updated_at", "-id"], name="merge_request_activity"),
            models.Index(fields=["author"], name="merge_request_author"),
            models.Index(
                fields=["destination", "queued_at", "id"],
                name="merge_request_queue",
                condition=Q(state=RequestState.QUEUED.value),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.title}"


class RequestedReviewer(models.Model):
    """Somebody who was asked for a review. ``is_owner``: only as an owner of tables that the request changes."""

    request = models.ForeignKey(MergeRequest, models.CASCADE, related_name="requested_reviewers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    is_owner = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["request", "user"], name="requested_reviewer_once")]


class Review(models.Model):
    """What a person said of a request as it was: of a plan's fingerprint, which both heads, the rules and the
    resolutions went into. The newest review of a person counts. ``looked_at``: table and key of each row that a policy
    drew, and that was shown to just this person.
    """

    request = models.ForeignKey(MergeRequest, models.PROTECT, related_name="reviews")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    verdict = models.TextField(choices=[(verdict, verdict) for verdict in VERDICTS])
    body = models.TextField(default="")
    fingerprint = models.TextField()
    source_head = models.BigIntegerField()
    destination_head = models.BigIntegerField()
    rules_digest = models.TextField()
    resolutions_digest = models.TextField(default="")
    looked_at = models.JSONField(default=list, db_default=[])
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(verdict__in=VERDICTS), name="review_verdict")]
        indexes = [models.Index(fields=["request", "reviewer", "-id"], name="review_last_word")]


class ConflictResolution(models.Model):
    """What somebody decided of an object of a request, or of a part of it, for both branches at these heads. The plan
    takes it while the heads are these. A decision that is replaced or taken back stays, with the time. ``effect`` is
    what it does there, with the names of what it is about: ``object``, ``column``.
    """

    request = models.ForeignKey(MergeRequest, models.PROTECT, related_name="resolutions")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    object_kind = models.TextField()
    object_id = models.BigIntegerField()
    part = models.TextField(choices=[(part.value, part.value) for part in ResolutionPart])
    part_key = models.TextField(default="")
    decision = models.TextField(choices=[(decision.value, decision.value) for decision in Decision])
    name = models.TextField(default="")
    value = models.TextField(default="")
    effect = models.JSONField(default=dict)
    source_head = models.BigIntegerField()
    destination_head = models.BigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["request", "object_kind", "object_id", "part", "part_key"],
                condition=Q(withdrawn_at__isnull=True),
                name="conflict_resolution_one_per_part",
            ),
            models.CheckConstraint(
                condition=Q(decision=Decision.RENAME.value) ^ Q(name=""), name="conflict_resolution_name"
            ),
            models.CheckConstraint(
                condition=Q(decision__in=VALUED) ^ Q(value=""),
                name="conflict_resolution_value",
            ),
        ]


class Check(models.Model):
    """An assertion about the tables of a catalog: a query that must return no rows. One that is required gates every
    merge request of the catalog; a protection rule may ask for others by name. One of a ``template`` has its
    ``parameters``, and ``query`` is what they make of it.
    """

    catalog = models.ForeignKey("catalog_app.Catalog", models.PROTECT, related_name="+")
    name = models.TextField()
    query = models.TextField()
    template = models.TextField(default="")
    parameters = models.JSONField(default=dict)
    is_required = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(F("catalog"), Lower("name"), name="check_name_unique"),
            models.CheckConstraint(condition=~Q(name=""), name="check_name_given"),
        ]


class CheckResult(models.Model):
    """What a check found in the state that the merge of a request would make, as of these heads, rules and resolutions.

    ``sample`` holds the first rows that it found, ``columns`` their names and types; ``problem`` why it could not run.
    A check of a template counts the rows that it looked at, and the bad ones of them.
    """

    request = models.ForeignKey(MergeRequest, models.PROTECT, related_name="check_results")
    name = models.TextField()
    query = models.TextField()
    state = models.TextField(choices=[(state, state) for state in CHECK_STATES])
    source_head = models.BigIntegerField()
    destination_head = models.BigIntegerField()
    rules_digest = models.TextField()
    resolutions_digest = models.TextField(default="")
    columns = models.JSONField(default=list)
    sample = models.JSONField(default=list)
    rows_seen = models.BigIntegerField(null=True)
    rows_bad = models.BigIntegerField(null=True)
    problem = models.TextField(default="")
    task_id = models.UUIDField()
    checked_at = models.DateTimeField(default=timezone.now)
    duration_ms = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=CHECK_STATES), name="check_result_state"),
            models.UniqueConstraint(fields=["task_id", "name"], name="check_result_once"),
        ]
        indexes = [models.Index(fields=["request", "name", "-id"], name="check_result_newest")]


class RequestStatus(models.Model):
    """What another system reported of a request's source at one head. The newest of a context counts, while the source
    is at that head. Append-only, by a trigger.
    """

    request = models.ForeignKey(MergeRequest, models.PROTECT, related_name="statuses")
    source_head = models.BigIntegerField()
    context = models.TextField()
    state = models.TextField(choices=[(state, state) for state in STATUS_STATES])
    description = models.TextField(default="")
    target_url = models.TextField(default="")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=STATUS_STATES), name="request_status_state"),
            models.CheckConstraint(condition=~Q(context=""), name="request_status_context_given"),
            models.CheckConstraint(
                condition=Q(target_url="") | Q(target_url__regex=r"^https?://"), name="request_status_target"
            ),
        ]
        indexes = [models.Index(fields=["request", "context", "-id"], name="request_status_newest")]


class CommentPlace(models.TextChoices):
    REQUEST = "request"
    OBJECT = "object"
    CELL = "cell"
    ROW = "row"
    COLUMN = "column"
    VALUE = "value"


class Comment(models.Model):
    """A remark on a request, on an object of it, on a cell of the matrix of that object, or on a row, a column or one
    value of a table. ``thread`` is the comment that it answers, None for one that begins a thread; only those are
    resolved. A deleted comment keeps its place. ``row_key`` is the row's key as comparisons say it, ``column_id`` the
    column's. ``object_name`` and ``column_name`` are what they were called then.
    """

    request = models.ForeignKey(MergeRequest, models.PROTECT, related_name="comments")
    thread = models.ForeignKey("self", models.PROTECT, null=True, related_name="replies")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    body = models.TextField()
    place = models.TextField(choices=CommentPlace, default=CommentPlace.REQUEST)
    object_kind = models.TextField(default="")
    object_id = models.BigIntegerField(null=True)
    object_name = models.TextField(default="")
    rule_table = models.TextField(default="")
    source_op = models.TextField(default="")
    dest_op = models.TextField(default="")
    row_key = models.TextField(default="")
    column_id = models.IntegerField(null=True)
    column_name = models.TextField(default="")
    created_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(place=CommentPlace.REQUEST, object_id__isnull=True)
                | (~Q(place=CommentPlace.REQUEST) & Q(object_id__isnull=False) & ~Q(object_kind="")),
                name="comment_object",
            ),
            models.CheckConstraint(
                condition=Q(place=CommentPlace.CELL) ^ Q(rule_table="", source_op="", dest_op=""), name="comment_cell"
            ),
            models.CheckConstraint(
                condition=Q(place__in=[CommentPlace.ROW, CommentPlace.VALUE]) ^ Q(row_key=""), name="comment_row"
            ),
            models.CheckConstraint(
                condition=Q(place__in=[CommentPlace.COLUMN, CommentPlace.VALUE]) ^ Q(column_id__isnull=True),
                name="comment_column",
            ),
            models.CheckConstraint(
                condition=Q(thread__isnull=True) | Q(resolved_at__isnull=True), name="comment_thread_resolved"
            ),
        ]
        indexes = [models.Index(fields=["request", "id"], name="comment_in_order")]


class Suggestion(models.Model):
    """The value that a comment suggests for its cell, and the one that the cell had then, both as answers show them.
    ``task_id`` is the task that was last asked to apply it, by ``applied_by``; whether it did is what its commit says.
    """

    comment = models.OneToOneField(Comment, models.PROTECT, related_name="suggestion")
    was = models.JSONField(null=True)
    value = models.JSONField(null=True)
    task_id = models.UUIDField(null=True)
    applied_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    asked_at = models.DateTimeField(null=True)


class TimelineKind(models.TextChoices):
    OPENED = "opened"
    STATE = "state"
    EDITED = "edited"
    REVIEWED = "reviewed"
    COMMENTED = "commented"
    RESOLUTION = "resolution"
    CHECKED = "checked"
    STATUS = "status"
    PUSHED = "pushed"
    DROPPED = "dropped"
    UNDROPPED = "undropped"


class TimelineEntry(models.Model):
    """One thing that happened to a request; one per change of state, with both states. ``actor`` None: lakeui.

    ``digest`` is the SHA-256 of the previous entry's digest and this entry's content, per request in the order of
    ``number``.
    """

    request = models.ForeignKey(MergeRequest, models.PROTECT, related_name="timeline")
    number = models.BigIntegerField()
    kind = models.TextField(choices=TimelineKind)
    from_state = models.TextField(default="")
    to_state = models.TextField(default="")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    reason = models.TextField(default="")
    details = models.JSONField(default=dict)
    previous_digest = models.TextField()
    digest = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["request", "number"], name="timeline_entry_chain"),
            models.CheckConstraint(
                condition=Q(kind__in=[TimelineKind.OPENED, TimelineKind.STATE]) ^ Q(to_state=""),
                name="timeline_entry_state",
            ),
        ]


class AnsweredRequest(models.Model):
    """A write over HTTP that bore an Idempotency-Key, with its answer, kept in the transaction of what it did."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.TextField()
    digest = models.TextField()
    status = models.PositiveSmallIntegerField()
    body = models.JSONField(null=True)
    location = models.TextField(default="")
    answered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="answered_request_key")]
