"""Bodies and query parameters of the HTTP interface."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog_app.domain.commit_messages import LONGEST_MESSAGE
from catalog_app.selectors.protection import LONGEST_REASON
from lakeui.api.http.base import LONGEST_STATEMENT_BYTES
from lakeui.api.http.errors import TooLarge
from lakeui.sql.parameters import MOST_PARAMETERS
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.selectors import task_expectation

# Members called ``source`` or ``parent`` bear names of DRF's own attributes. Its metaclass takes
# declared fields off the class, so nothing is shadowed at run time; mypy does not know.


@extend_schema_field(
    {
        "oneOf": [
            {"type": "array", "items": {}, "maxItems": MOST_PARAMETERS},
            {"type": "object", "additionalProperties": {}, "maxProperties": MOST_PARAMETERS},
        ]
    }
)
class ParametersField(serializers.JSONField):
    """What is no parameter is refused where the statement is read, which names it."""


class SessionRequest(serializers.Serializer[Any]):
    """Where a statement or a script runs, and what its session may do."""

    catalog = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=255, help_text="Catalog of the session."
    )
    branch = serializers.CharField(
        required=False, default="main", max_length=255, help_text="Branch (or tag) of the session."
    )
    database = serializers.CharField(
        required=False,
        max_length=255,
        help_text="Database of the session: where tables lie that are named without one.",
    )
    temporary_views = serializers.DictField(
        required=False,
        child=serializers.CharField(trim_whitespace=False),
        help_text="Temporary views of the session, by name their queries, as CREATE TEMPORARY VIEW answers them.",
    )
    temporary_functions = serializers.DictField(
        required=False,
        child=serializers.CharField(trim_whitespace=False),
        help_text="Functions of the session, by name their texts, as CREATE TEMPORARY FUNCTION answers them.",
    )
    session = serializers.UUIDField(
        required=False,
        help_text="A session of yours. It says catalog, branch, database, temporary views and functions,"
        " partition_overwrite and transaction, which then are not sent, and keeps what the statement changes of them.",
    )
    partition_overwrite = serializers.ChoiceField(
        ["static", "dynamic"],
        required=False,
        help_text="Whether INSERT OVERWRITE without values of partitions replaces the whole table, or the partitions of"
        " which it has rows.",
    )
    bypass_reason = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST_REASON,
        help_text="Emergencies only: why an owner goes past the protection of a branch. It is kept in the audit.",
    )

    def validate_session(self, value: UUID) -> str:
        """As tasks keep it."""
        return str(value)


class StatementRequest(SessionRequest):
    """One statement and the session that it runs in."""

    statement = serializers.CharField(trim_whitespace=False, help_text="One SQL statement, at most 1 MiB.")
    transaction = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=64, help_text="Transaction that BEGIN answered."
    )
    dry_run = serializers.BooleanField(
        required=False,
        help_text="Do all that the statement does but its commit: `metrics` as it would have, `examples` of rows. As"
        " `DRY RUN` at its end. Refused where the statement writes nothing.",
    )
    message = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_MESSAGE,
        help_text="What the history says of the commit. As `COMMIT MESSAGE 'text'` at the end of the statement.",
    )
    parameters = ParametersField(
        required=False,
        allow_null=True,
        help_text="Values of the statement's markers: an array for `?`, an object for `:name`. A value is one of JSON,"
        " or an object of `value` and `type`, a primitive type of Spark SQL. It never becomes text of the statement.",
    )
    escape_formulas = serializers.BooleanField(
        required=False,
        help_text="In CSV: put an apostrophe before texts that a spreadsheet would run as formulas.",
    )

    def validate_statement(self, value: str) -> str:
        if len(value.encode()) > LONGEST_STATEMENT_BYTES:
            raise TooLarge(
                f"The statement has {len(value.encode())} bytes; at most {LONGEST_STATEMENT_BYTES} are taken."
            )
        return value


class ColumnEntry(serializers.Serializer[Any]):
    name = serializers.CharField()
    type = serializers.CharField(help_text="Spark SQL type.")


class StatementAnswer(serializers.Serializer[Any]):
    """What a statement answers. A merge adds ``merge_id`` and ``notes``, its dry run ``mergeable`` and ``conflicts``.
    The dry run of a write adds ``dry_run``, which is true, and ``examples``: ``table``, ``change`` and ``row`` of at
    most ten rows a table. On a branch that has a parent it adds ``parent_merge``: what a merge to the parent would then
    say. It has ``conflicts`` and ``notes`` as ``code``, ``object`` and ``count``, or why it is ``refused``.
    """

    columns = ColumnEntry(many=True)
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField()))
    row_count = serializers.IntegerField()
    truncated = serializers.BooleanField(help_text="True if there are more rows than were sent.")
    version = serializers.IntegerField(allow_null=True, help_text="Version that was read or made.")
    metrics = serializers.DictField(child=serializers.JSONField())


class StepEntry(serializers.Serializer[Any]):
    name = serializers.CharField()
    started = serializers.DateTimeField()
    finished = serializers.DateTimeField(allow_null=True)
    detail = serializers.CharField(allow_blank=True)


class ProblemDocument(serializers.Serializer[Any]):
    """RFC 9457. Some codes add members, a MERGE_CONFLICT for instance ``conflicts``."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    remedy = serializers.CharField(required=False)


class ExpectationEntry(serializers.Serializer[Any]):
    """What earlier runs of the same statement took."""

    seconds = serializers.FloatField(help_text="The median of their times.")
    steps = serializers.IntegerField(help_text="Of the newest of them.")
    runs = serializers.IntegerField(help_text="How many were counted.")


def expectation_shown(task: Task) -> Any:
    """Of a task that is not finished and was done before; else None."""
    found = task_expectation(task)
    return None if found is None else ExpectationEntry(found).data


class TaskAnswer(serializers.ModelSerializer[Task]):
    """A task: how far it is and how it ended."""

    created_by = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField()
    steps = StepEntry(many=True, read_only=True)
    result = serializers.JSONField(read_only=True, help_text="Null until there is one.")
    error = serializers.JSONField(read_only=True, help_text="Problem document of a failed task, else null.")
    retry_of = serializers.UUIDField(
        source="retry_of_id", read_only=True, allow_null=True, help_text="The task that this one repeats."
    )
    expected = serializers.SerializerMethodField(help_text="Null once it is finished, or if none did the same before.")

    class Meta:
        model = Task
        fields: tuple[str, ...] = (
            "id", "url", "kind", "state", "parameters", "progress", "message", "steps", "result", "error", "created_by",
            "created_at", "started_at", "finished_at", "attempts", "worker", "cancel_requested", "retry_of", "expected",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields

    def get_created_by(self, task: Task) -> str | None:
        return task.created_by.get_username() if task.created_by else None

    def get_url(self, task: Task) -> str:
        return task_url(task)

    @extend_schema_field(ExpectationEntry(allow_null=True))
    def get_expected(self, task: Task) -> Any:
        return expectation_shown(task)


class TaskSummary(TaskAnswer):
    """A task in a list: without its result, which may be large, and what would be asked for each."""

    class Meta(TaskAnswer.Meta):
        fields = tuple(name for name in TaskAnswer.Meta.fields if name not in ("result", "steps", "expected"))
        read_only_fields = fields


class TaskFilter(serializers.Serializer[Any]):
    state = serializers.ChoiceField(TaskState.choices, required=False)
    kind = serializers.CharField(required=False, max_length=50)
    created_by = serializers.CharField(required=False, max_length=150, help_text="User name.")
    catalog = serializers.CharField(required=False, max_length=255)
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the statement or message.")
    order = serializers.ChoiceField(["created_at", "-created_at"], required=False, default="-created_at")


class MergeFilter(serializers.Serializer[Any]):
    catalog = serializers.CharField(required=False, max_length=255)
    kind = serializers.ChoiceField(MergeAttempt.KINDS, required=False, default="merge")
    outcome = serializers.ChoiceField(MergeAttempt.OUTCOMES, required=False)
    source = serializers.CharField(  # type: ignore[assignment]
        required=False, max_length=600, help_text="Branch, or catalog.branch where it is of another catalog."
    )
    destination = serializers.CharField(required=False, max_length=255, help_text="Branch.")
    actor = serializers.CharField(required=False, max_length=150, help_text="User name.")
    since = serializers.DateTimeField(required=False, help_text="The earliest time.")
    until = serializers.DateTimeField(required=False, help_text="Before this time.")
    limit = serializers.IntegerField(required=False, min_value=1, max_value=200)


class UndoneEntry(serializers.Serializer[Any]):
    """What reverted a merge."""

    audit_id = serializers.UUIDField()
    version = serializers.IntegerField()
    actor = serializers.CharField(allow_blank=True)
    time = serializers.DateTimeField()


class MergeSummary(serializers.Serializer[Any]):
    """One attempt to merge, to restore or undrop, or another record: who, what, when, and what came of it."""

    merge_id = serializers.UUIDField()
    kind = serializers.CharField()
    catalog = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    destination = serializers.CharField()
    outcome = serializers.CharField()
    status = serializers.CharField(
        help_text="The outcome; of a refusal `conflicted`, or `waits for people` where a protection or a request stops"
        " it; of a dry run `mergeable` or `conflicted`."
    )
    version = serializers.IntegerField(allow_null=True)
    source_head = serializers.IntegerField(allow_null=True)
    destination_head = serializers.IntegerField(allow_null=True)
    merge_base = serializers.IntegerField(allow_null=True)
    fingerprint = serializers.CharField(allow_blank=True)
    actor = serializers.CharField(allow_blank=True)
    task_id = serializers.UUIDField(allow_null=True)
    time = serializers.DateTimeField()
    digest = serializers.CharField()
    undone_by = UndoneEntry(allow_null=True, help_text="Of a merge, the newest RESTORE MERGE.")


def task_url(task: Task) -> str:
    """Where the task can be asked for."""
    return f"/api/v1/tasks/{task.pk}/"
