"""Pipelines, their versions and their runs as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog_app.domain.commit_messages import LONGEST_MESSAGE
from catalog_app.domain.names import LONGEST_NAME
from lakeui.api.http.serializers import ExpectationEntry, StepEntry, expectation_shown, task_url
from merge_app.jobs.models import TaskState
from merge_app.pipelines.cron import DEFAULT_ZONE
from merge_app.pipelines.definition.configuration import configuration_resolve
from merge_app.pipelines.definition.fields import FIELDS, Kind, Strategy
from merge_app.pipelines.models import Pipeline, PipelineRun, PipelineVersion, Trigger
from merge_app.pipelines.services import EDITED

# Members called ``source``, ``fields`` and ``errors`` bear names of DRF's own attributes. Its metaclass takes declared
# fields off the class, so nothing is shadowed at run time; mypy does not know.

LONGEST_TEXT = 256 * 1024
STRATEGIES = [strategy.value for strategy in Strategy]


class SettingEntry(serializers.Serializer[Any]):
    """A field's value and what gives it."""

    value = serializers.JSONField(help_text="A text, true or false, a list of texts, or null.")
    origin = serializers.ChoiceField(["default", "config.yaml", "source"])
    line = serializers.IntegerField(allow_null=True, help_text="Of that text, from 1.")


class EffectiveConfiguration(serializers.Serializer[Any]):
    """Defaults, config.yaml over them, annotations of the source over both, field by field."""

    strategy = serializers.ChoiceField(STRATEGIES, help_text="The one that acts.")
    asked_strategy = serializers.ChoiceField(STRATEGIES)
    degraded = serializers.BooleanField(
        help_text="A field that the strategy requires is missing: the run falls back to full_refresh."
    )
    missing = serializers.ListField(child=serializers.CharField())
    warnings = serializers.ListField(child=serializers.CharField())
    fields = serializers.DictField(child=SettingEntry())  # type: ignore[assignment]


class PipelineFields(serializers.Serializer[Any]):
    """What an edit may change."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    layer = serializers.CharField(max_length=LONGEST_NAME, allow_blank=True, required=False, default="")
    database = serializers.CharField(max_length=LONGEST_NAME)
    table = serializers.CharField(max_length=LONGEST_NAME, help_text="The target; the first run makes it.")
    branch = serializers.CharField(max_length=LONGEST_NAME, required=False, default="main")
    source = serializers.CharField(  # type: ignore[assignment]
        max_length=LONGEST_TEXT, trim_whitespace=False, help_text="A SELECT with Jinja and @key: value annotations."
    )
    config = serializers.CharField(
        max_length=LONGEST_TEXT, trim_whitespace=False, allow_blank=True, required=False, default="", help_text="YAML."
    )
    schedule = serializers.CharField(
        max_length=LONGEST_NAME, allow_blank=True, required=False, default="", help_text="A cron line; empty for none."
    )
    schedule_timezone = serializers.CharField(
        max_length=LONGEST_NAME, required=False, default=DEFAULT_ZONE, help_text="Of the schedule, as Europe/Berlin."
    )


class PipelineRequest(PipelineFields):
    catalog = serializers.CharField(max_length=255)


class PipelineEdit(PipelineFields):
    """Only what is sent changes. ``settings`` edits keys of config.yaml and leaves its other lines as they are; null
    takes a key out.
    """

    settings = serializers.DictField(child=serializers.JSONField(allow_null=True), required=False)

    def validate_settings(self, value: dict[str, Any]) -> dict[str, Any]:
        return {name: _setting(name, given) for name, given in value.items()}


def _setting(name: str, value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if value is None or isinstance(value, str | bool):
        return value
    raise serializers.ValidationError(f"{name} takes a text, true or false, a list of texts, or null.")


class PipelineAnswer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    catalog = serializers.CharField(source="catalog.name")
    name = serializers.CharField()
    layer = serializers.CharField(allow_blank=True)
    database = serializers.CharField()
    table = serializers.CharField()
    branch = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    config = serializers.CharField(allow_blank=True)
    schedule = serializers.CharField(allow_blank=True)
    schedule_timezone = serializers.CharField()
    owner = serializers.SerializerMethodField()
    version = serializers.IntegerField(source="revision")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    configuration = serializers.SerializerMethodField()

    def get_owner(self, pipeline: Pipeline) -> str | None:
        return pipeline.owner.get_username() if pipeline.owner else None

    @extend_schema_field(EffectiveConfiguration)
    def get_configuration(self, pipeline: Pipeline) -> Any:
        return EffectiveConfiguration(configuration_resolve(pipeline.config, pipeline.source).as_json()).data


class RunSummary(serializers.Serializer[Any]):
    """A run is a task: it is waited for, cancelled and retried as one."""

    id = serializers.UUIDField(source="pk")
    url = serializers.SerializerMethodField(help_text="Of its task.")
    state = serializers.ChoiceField(TaskState.choices, source="task.state")
    progress = serializers.FloatField(source="task.progress")
    message = serializers.CharField(source="task.message", allow_blank=True)
    trigger = serializers.ChoiceField(Trigger.choices)
    due_at = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField(help_text="Of the pipeline.")
    degraded = serializers.BooleanField(source="is_degraded")
    strategy = serializers.SerializerMethodField()
    metrics = serializers.DictField(child=serializers.IntegerField())
    committed_version = serializers.IntegerField(allow_null=True, help_text="The branch's after the run.")
    created_by = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(source="task.started_at", allow_null=True)
    finished_at = serializers.DateTimeField(source="task.finished_at", allow_null=True)
    steps = StepEntry(many=True, source="task.steps")

    def get_url(self, run: PipelineRun) -> str:
        return task_url(run.task)

    def get_strategy(self, run: PipelineRun) -> str | None:
        return run.configuration["strategy"] if run.configuration else None

    def get_created_by(self, run: PipelineRun) -> str | None:
        return run.task.created_by.get_username() if run.task.created_by else None


class LogEntry(serializers.Serializer[Any]):
    time = serializers.DateTimeField()
    phase = serializers.CharField()
    level = serializers.ChoiceField(["info", "warning", "error"])
    message = serializers.CharField()


class RunAnswer(RunSummary):
    configuration = EffectiveConfiguration(allow_null=True)
    sql = serializers.CharField(allow_blank=True, help_text="What the template made.")
    log = LogEntry(many=True)
    error = serializers.JSONField(source="task.error", help_text="Problem document of a failed run, else null.")
    expected = serializers.SerializerMethodField(help_text="Null for a finished run, and where none succeeded before.")

    @extend_schema_field(ExpectationEntry(allow_null=True))
    def get_expected(self, run: PipelineRun) -> Any:
        return expectation_shown(run.task)


class PipelineSummary(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    catalog = serializers.CharField(source="catalog.name")
    name = serializers.CharField()
    layer = serializers.CharField(allow_blank=True)
    database = serializers.CharField()
    table = serializers.CharField()
    branch = serializers.CharField()
    schedule = serializers.CharField(allow_blank=True)
    schedule_timezone = serializers.CharField()
    next_run_at = serializers.DateTimeField(allow_null=True)
    owner = serializers.SerializerMethodField()
    strategy = serializers.SerializerMethodField()
    degraded = serializers.SerializerMethodField()
    last_run = serializers.SerializerMethodField()

    def get_owner(self, pipeline: Pipeline) -> str | None:
        return pipeline.owner.get_username() if pipeline.owner else None

    def get_strategy(self, pipeline: Pipeline) -> str:
        return configuration_resolve(pipeline.config, pipeline.source).strategy.value

    def get_degraded(self, pipeline: Pipeline) -> bool:
        return configuration_resolve(pipeline.config, pipeline.source).is_degraded

    @extend_schema_field(RunSummary(allow_null=True))
    def get_last_run(self, pipeline: Pipeline) -> Any:
        run = self.context["runs"].get(getattr(pipeline, "last_run_id", None))
        return None if run is None else RunSummary(run).data


class ScheduleQuery(serializers.Serializer[Any]):
    """A schedule that is not saved yet."""

    schedule = serializers.CharField(max_length=LONGEST_NAME)
    schedule_timezone = serializers.CharField(max_length=LONGEST_NAME, default=DEFAULT_ZONE)


class ScheduleAnswer(serializers.Serializer[Any]):
    """The times of the next runs."""

    next_runs = serializers.ListField(child=serializers.DateTimeField())


class PipelineFilter(serializers.Serializer[Any]):
    catalog = serializers.CharField(required=False, max_length=255)
    layer = serializers.CharField(required=False, max_length=LONGEST_NAME)
    branch = serializers.CharField(required=False, max_length=LONGEST_NAME)
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the name or the target.")


class VersionSummary(serializers.Serializer[Any]):
    version = serializers.IntegerField(source="number")
    author = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_author(self, version: PipelineVersion) -> str | None:
        return version.author.get_username() if version.author else None


class VersionAnswer(VersionSummary):
    body = PipelineFields()


class ValidationRequest(serializers.Serializer[Any]):
    """Texts as they stand in an editor, and the target that conditions may name."""

    catalog = serializers.CharField(max_length=255)
    database = serializers.CharField(max_length=LONGEST_NAME, allow_blank=True, required=False, default="")
    table = serializers.CharField(max_length=LONGEST_NAME, allow_blank=True, required=False, default="")
    source = serializers.CharField(  # type: ignore[assignment]
        max_length=LONGEST_TEXT, trim_whitespace=False, allow_blank=True
    )
    config = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, allow_blank=True)


class RenderRequest(serializers.Serializer[Any]):
    """A pipeline that is not made yet, as far as its query depends on it."""

    catalog = serializers.CharField(max_length=255)
    branch = serializers.CharField(max_length=LONGEST_NAME, required=False, default="main")
    database = serializers.CharField(max_length=LONGEST_NAME)
    table = serializers.CharField(max_length=LONGEST_NAME)
    # DRF's metaclass takes declared fields off the class, so this is not the attribute ``source`` of a Field.
    source = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False)  # type: ignore[assignment]
    config = serializers.CharField(
        max_length=LONGEST_TEXT, trim_whitespace=False, allow_blank=True, required=False, default=""
    )


class MistakeEntry(serializers.Serializer[Any]):
    file = serializers.ChoiceField(["config.yaml", "source"])
    line = serializers.IntegerField(allow_null=True, help_text="From 1; null where it is of no one line.")
    column = serializers.IntegerField(allow_null=True)
    field = serializers.CharField(allow_null=True)
    message = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)


class ValidationAnswer(serializers.Serializer[Any]):
    configuration = EffectiveConfiguration(allow_null=True, help_text="Null where a text does not say one.")
    errors = MistakeEntry(many=True)  # type: ignore[assignment]


class RehearsalRequest(serializers.Serializer[Any]):
    """Texts that are tried instead of those of the pipeline, such as an editor's."""

    source = serializers.CharField(  # type: ignore[assignment]
        max_length=LONGEST_TEXT, trim_whitespace=False, required=False
    )
    config = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, allow_blank=True, required=False)


class RunRequest(RehearsalRequest):
    """How a run is asked for. Texts of its own take a dry run."""

    dry_run = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Do all of the run but its commit, and answer what it would write: metrics and examples of rows.",
    )
    message = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_MESSAGE,
        help_text="What the history says of the commit.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        sent = [name for name in ("source", "config") if name in attrs]
        if sent and not attrs["dry_run"]:
            raise serializers.ValidationError({sent[0]: "A run takes the texts of the pipeline: save them first."})
        return attrs


class RehearsalAnswer(serializers.Serializer[Any]):
    configuration = EffectiveConfiguration()
    sql = serializers.CharField()
    creates_table = serializers.BooleanField()


class PolicyAnswer(serializers.Serializer[Any]):
    strict = serializers.BooleanField(help_text="A run that lacks what its strategy requires fails, not falls back.")


class FieldEntry(serializers.Serializer[Any]):
    """A key of config.yaml, which is also an annotation."""

    name = serializers.CharField()
    kind = serializers.ChoiceField([kind.value for kind in Kind])
    default = serializers.JSONField(help_text="A text, true or false, a list of texts, or null.")
    description = serializers.CharField()
    choices = serializers.ListField(child=serializers.CharField())
    strategies = serializers.ListField(child=serializers.ChoiceField(STRATEGIES))
    required_by = serializers.ListField(child=serializers.ChoiceField(STRATEGIES))


def fields_shown() -> list[dict[str, Any]]:
    """Every key, in the order in which pages show them."""
    return [
        FieldEntry(
            {
                "name": field.name,
                "kind": field.kind.value,
                "default": list(field.default) if isinstance(field.default, tuple) else field.default,
                "description": field.description,
                "choices": list(field.choices),
                "strategies": [strategy for strategy in STRATEGIES if strategy in field.strategies],
                "required_by": [strategy for strategy in STRATEGIES if strategy in field.required_by],
            }
        ).data
        for field in FIELDS.values()
    ]


def edited(values: dict[str, Any]) -> dict[str, str]:
    """The fields of a pipeline among those of a body."""
    return {name: values[name] for name in EDITED if name in values}
