"""A run of a pipeline, phase by phase: resolve its configuration, render its query, execute, check, write, publish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from catalog_app.domain.pipeline_commits import run_text
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.state import TableState
from catalog_app.engine.inputs_outputs import FileSource
from catalog_app.engine.merge_source import frozen_reader
from catalog_app.engine.merge_values import FrozenSource, SourceRows
from catalog_app.storage.warehouse import NO_TABLE
from lakeui.common.counts import counted, metric_text
from lakeui.common.errors import InvalidValue, LakeError
from lakeui.frontdoor.call import Call, place_of, table_exists, table_for_reading, view_find
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.dispatch import carry_out, statement_admit
from lakeui.frontdoor.inputs_outputs import Session, StatementResult
from lakeui.frontdoor.pipelines.batches import batch_write, columns_refuse, missing_refuse, rows_checked
from lakeui.frontdoor.pipelines.fields import as_in_table
from lakeui.frontdoor.pipelines.landing_zones import zones_bound
from lakeui.frontdoor.pipelines.publishing import conditions_refuse, is_checked, publish, publish_rehearse
from lakeui.frontdoor.pipelines.state import TargetState, duplicates_refuse, marker_refuse, target_state
from lakeui.frontdoor.pipelines.stored_versions import stored_versions
from lakeui.frontdoor.pipelines.work import PipelineWork, PublishedWork, Reporter
from lakeui.frontdoor.pipelines.writes import write_batch
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.queries.session_functions import parse_for
from lakeui.frontdoor.queries.views import create_view
from lakeui.frontdoor.recording import run_recorded
from lakeui.frontdoor.rows.writes import staging, write_metrics
from lakeui.sql import statements as sql
from lakeui.sql.query import build_view
from merge_app.jobs.context import Context
from merge_app.pipelines.definition.configuration import Configuration, configuration_resolve
from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.mistakes import SOURCE, InvalidConfig, Mistake, refuse
from merge_app.pipelines.definition.templates import (
    Surroundings,
    TableAddress,
    template_asks_for_state,
    template_check,
)
from merge_app.pipelines.definition.writes import (
    BATCH,
    STORED,
    BatchWrite,
    begins_by_run,
    orders,
    stored_watermark,
    watermark,
    with_moment,
)
from merge_app.pipelines.landing import claims_archive
from merge_app.pipelines.models import Pipeline, PipelineRun
from merge_app.pipelines.rendering import bounded_render
from merge_app.pipelines.runs import run_body, run_keep
from merge_app.pipelines.selectors import (
    is_strict,
    is_switched,
    last_configuration,
    pipeline_targets,
    setting_of,
)
from merge_app.pipelines.services import body_of

NUMBER = "pipeline number"
"""What the number of a frozen row is called; no statement uses it."""
DRY_RUN = "dry run"
"""The trigger of a dry run in logs and metrics."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run before anything of it is executed. ``table`` is None where the first run will make it."""

    configuration: Configuration
    target: sql.TableName
    table: TableState | None
    rendered: str
    query: sql.Query


class RunReporter(Reporter):
    """Keeps it with the run."""

    def __init__(self, run: PipelineRun) -> None:
        self._run = run

    def say(self, phase: str, message: str, *, level: str = "info") -> None:
        entry = {"time": datetime.now(UTC).isoformat(), "phase": phase, "level": level, "message": message}
        run_keep(self._run, log=[*self._run.log, entry])

    def keep(self, **found: Any) -> None:
        run_keep(self._run, **found)


class RehearsalReporter(Reporter):
    """Keeps it for the answer of a dry run."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self.log: list[dict[str, str]] = []

    def say(self, phase: str, message: str, *, level: str = "info") -> None:
        self.log.append({"phase": phase, "level": level, "message": message})

    def keep(self, **found: Any) -> None:
        self.found |= found


def run_execute(run: PipelineRun, *, session: Session, context: Context) -> StatementResult:
    """Do the run: one commit, or none where there is nothing to write. Raises LakeError."""
    reporter = RunReporter(run)
    body = run_body(run)
    context.step("resolve config")
    with run_recorded(session, context, pipeline=run.pipeline.name, trigger=str(run.trigger)) as record:
        try:
            work = _work(run.pipeline, body, reporter)
            result = record.answers(carry_out(_run, work, _text(work), session, context))
            if archived := claims_archive(task_id=run.pk):
                reporter.say("archive", f"{counted(archived, 'file')} of landing zones")
        except LakeError as error:
            reporter.say("failed", error.message, level="error")
            raise
    reporter.keep(metrics=dict(result.metrics), committed_version=result.version)
    return result


def run_dry(pipeline: Pipeline, texts: Mapping[str, str], *, session: Session, context: Context) -> StatementResult:
    """Do a run, with ``texts`` in place of the pipeline's own, up to its commit, which is taken back: its metrics,
    examples of rows and log. Raises LakeError, as the run would.
    """
    body = {**body_of(pipeline), **texts}
    reporter = RehearsalReporter()
    context.step("resolve config")
    with run_recorded(session, context, pipeline=pipeline.name, trigger=DRY_RUN) as record:
        work = _work(pipeline, body, reporter)
        found = record.answers(carry_out(_run, work, _text(work), replace(session, dry_run=True), context))
    said = {name: reporter.found[name] for name in ("configuration", "sql")}
    return replace(found, extra={**found.extra, **said, "log": reporter.log})


def run_admit(pipeline: Pipeline, texts: Mapping[str, str], *, session: Session) -> int | None:
    """Judge a run, or a dry run of these texts, that is about to be queued, as it will be judged again when it begins.
    The catalog that the task belongs to. Raises LakeError.
    """
    body = {**body_of(pipeline), **texts}
    work = _work(pipeline, body, Reporter())
    return statement_admit(work, _text(work), session)


def landing_admit(pipeline: Pipeline, *, session: Session) -> None:
    """Judge whoever changes what a run will read: as if they ran the pipeline. Raises LakeError."""
    body = body_of(pipeline)
    configuration = configuration_resolve(body["config"], body["source"], strict=False)
    kind = PublishedWork if is_checked(configuration) else PipelineWork
    target = sql.TableName(body["table"], body["database"])
    work = kind(target, pipeline.pk, body, configuration, Reporter())
    statement_admit(work, _text(work), session)


def run_rehearse(pipeline: Pipeline, texts: Mapping[str, str], *, session: Session) -> PreparedRun:
    """With ``texts`` in place of the pipeline's own: the configuration and the SQL that a run would go by.
    Nothing is executed or written, but that the target is asked for its watermark where the template depends on it.
    """
    work = _work(pipeline, {**body_of(pipeline), **texts}, Reporter())
    return _prepare(Call(session, Context(), ""), work, datetime.now(UTC))


def texts_examine(body: Mapping[str, str], *, strict: bool) -> tuple[Configuration | None, list[dict[str, object]]]:
    """The configuration that the texts of ``body`` come to, None where they say none, and all that is wrong with them.
    Conditions are looked at where their target is known.
    """
    configuration: Configuration | None = None
    mistakes: list[dict[str, object]] = []

    def resolve() -> None:
        nonlocal configuration
        configuration = configuration_resolve(body["config"], body["source"], strict=strict)
        if body["database"] and body["table"]:
            conditions_refuse(configuration, sql.TableName(body["table"], body["database"]))

    for look in (resolve, lambda: template_check(body["source"])):
        try:
            look()
        except InvalidConfig as error:
            mistakes += error.details["errors"]
    return configuration, mistakes


def _text(work: PipelineWork) -> str:
    """How the history shows it."""
    return run_text(work.body["name"], work.configuration.strategy)


def _work(pipeline: Pipeline, body: Mapping[str, str], reporter: Reporter) -> PipelineWork:
    """What the pipeline says by ``body``. Raises InvalidConfig."""
    configuration = configuration_resolve(body["config"], body["source"], strict=is_strict(pipeline.catalog_id))
    reporter.keep(configuration=configuration.as_json(), is_degraded=configuration.is_degraded)
    for warning in configuration.warnings:
        reporter.say("resolve config", warning, level="warning")
    target = sql.TableName(body["table"], body["database"])
    kind = PublishedWork if is_checked(configuration) else PipelineWork
    return kind(target, pipeline.pk, body, configuration, reporter)


def _run(call: Call, work: PipelineWork) -> StatementResult:
    conditions_refuse(work.configuration, work.table)
    if isinstance(work, PublishedWork):
        if call.rehearsal is not None:
            return publish_rehearse(call, work.configuration, work.table, lambda dry: _write(dry, work))
        return publish(call, work.configuration, work.table, lambda aside: _write(aside, work))
    return _write(call, work)


def _write(call: Call, work: PipelineWork) -> StatementResult:
    moment = datetime.now(UTC)
    prepared = _prepare(call, work, moment)
    with zones_bound(call, work, prepared.query) as bound:
        if bound is None:
            return StatementResult(version=call.snapshot.version, metrics=write_metrics())
        if work.makes_view:
            return _make_view(call, work, prepared)
        return _write_rows(bound, work, prepared, moment)


def _write_rows(call: Call, work: PipelineWork, prepared: PreparedRun, moment: datetime) -> StatementResult:
    configuration, table = prepared.configuration, prepared.table
    last = last_configuration(work.pipeline_id)
    if table is not None and is_switched(last, configuration):
        columns_refuse(configuration, work.table, table)
        marker_refuse(call, configuration, work.table, table, setting_of(last, "scd_open_marker"))
        duplicates_refuse(call, configuration, work.table, table)
    with _executed(call, prepared, moment) as batch:
        work.reporter.say("execute", counted(batch.rows, "row"))
        names = (*(name for name, _ in batch.columns), NUMBER)
        bound = call.with_aside(BATCH, FileSource(batch.folder, names, batch.rows, frozen_reader(batch)))
        call.context.step("check", counted(batch.rows, "row"))
        write = batch_write(configuration, prepared.target, table, batch.columns, moment)
        _say_what_is_not_stored(work, write, table)
        write = rows_checked(bound, write, batch, work.reporter)
        call.context.step("write", configuration.strategy)
        if table is not None and write.needs_versions:
            bound = bound.with_aside(STORED, stored_versions(bound, write, table, batch))
        result = write_batch(bound, write, table, prepared.target, batch)
    if table is not None and result.version == call.snapshot.version:
        _say_what_is_not_added(work, write)
    counts = [metric_text(name, count) for name, count in result.metrics.items() if count]
    work.reporter.say("write", ", ".join(counts) or "nothing to write")
    return result


def _make_view(call: Call, work: PipelineWork, prepared: PreparedRun) -> StatementResult:
    """The query as a view on the run's branch. Nothing is written where the view is that already."""
    text = prepared.rendered.strip().removesuffix(";")
    present = view_find(place_of(call, work.table), work.table.table)
    if present is not None and present.query == text:
        work.reporter.say("write", "the view is that already")
        return StatementResult(version=call.snapshot.version, metrics=write_metrics())
    call.context.step("write", "view")
    _, reads = build_view(text)
    made = create_view(call, sql.CreateView(work.table, prepared.query, text, or_replace=True, reads=reads))
    work.reporter.say("write", "the view computes these rows when it is read")
    return replace(made, metrics=write_metrics())


def _say_what_is_not_stored(work: PipelineWork, write: BatchWrite, table: TableState | None) -> None:
    """Rows of the batch are ordered by a watermark that on_schema_change leaves out; stored rows cannot be."""
    is_compared = work.configuration.strategy is Strategy.INCREMENTAL and table is not None
    left_out = [name for name in watermark(write) if name not in stored_watermark(write)]
    if is_compared and left_out:
        message = (
            f"The table has no column {left_out[0]}: rows of the batch are ordered by it, but no stored row is later."
        )
        work.reporter.say("check", message, level="warning")


def _say_what_is_not_added(work: PipelineWork, write: BatchWrite) -> None:
    """No row changed, so there is no version that new columns could come with."""
    added = [name for name in write.names if name.casefold() not in write.stored]
    if added:
        message = f"No row changed, so the table does not get {', '.join(added)} yet: the next change brings it."
        work.reporter.say("write", message, level="warning")


# -- before anything is executed --------------------------------------------------------------------------------------


def _prepare(call: Call, work: PipelineWork, moment: datetime) -> PreparedRun:
    target, configuration = work.table, work.configuration
    exists = table_exists(place_of(call, target), target.table)
    table = table_for_reading(call, target).table if exists else None
    _keep_history(configuration, table)
    call.context.step("render")
    text = _render(call, work, table, moment)
    work.reporter.keep(sql=text)
    return PreparedRun(configuration, target, table, text, _query(call, text))


def _keep_history(configuration: Configuration, table: TableState | None) -> None:
    """A fallback may replace a table, but not the history that scd2 has gathered there."""
    if table is None or not (configuration.is_degraded and configuration.asked_strategy is Strategy.SCD2):
        return
    times = [str(configuration.text(name)) for name in ("scd_valid_from", "scd_valid_to")]
    if all(table.schema.named(name) is not None for name in times):
        message = f"scd2 requires {' and '.join(configuration.missing)}, and {table.name} holds versions."
        remedy = "Name it; or choose full_refresh, which replaces them."
        line = configuration.settings["merge_strategy"].line
        refuse([Mistake(configuration.settings["merge_strategy"].origin, line, message, remedy, "merge_strategy")])


def _render(call: Call, work: PipelineWork, table: TableState | None, moment: datetime) -> str:
    source, configuration, target = work.body["source"], work.configuration, work.table
    state = TargetState()
    if table is not None and template_asks_for_state(source):
        state = target_state(call, configuration, target, table)
    surroundings = Surroundings(
        strategy=configuration.strategy,
        this=TableAddress(target.database, target.table),
        continues=state.has_rows,
        watermark=state.watermark,
        watermark_type=state.watermark_type,
        started_at=moment.strftime("%Y-%m-%d %H:%M:%S.%f+00:00"),
        references=pipeline_targets(call.catalog, but=work.pipeline_id),
    )
    return bounded_render(source, surroundings)


def _query(call: Call, text: str) -> sql.Query:
    """The query that the template made, by the allow-list of every SELECT."""
    statement = parse_for(call, text.strip().removesuffix(";"))
    if not isinstance(statement, sql.Select):
        message = "The source makes a statement that is no query."
        refuse([Mistake(SOURCE, 1, message, "Write a SELECT; the strategy says how its rows are written.")])
        raise InvalidValue(message)
    return statement.query


# -- the batch --------------------------------------------------------------------------------------------------------


@contextmanager
def _executed(call: Call, prepared: PreparedRun, moment: datetime) -> Iterator[FrozenSource]:
    """The rows of the query, computed once: every later step sees the same ones. Where versions begin at the ``moment``
    of the run, each row has it beside it.
    """
    call.context.step("execute", "compute the rows once")
    source = query_source(call, prepared.query)
    columns = engine().describe(source.text, source.tables)
    # What the configuration asks for in vain is said before the query runs, which may take long.
    missing_refuse(prepared.configuration, columns)
    if prepared.table is not None:
        on_change = str(prepared.configuration.text("on_schema_change"))
        ordered_by = orders(prepared.configuration)
        text = as_in_table(prepared.table, source.text, columns, on_change=on_change, ordered_by=ordered_by)
        source = replace(source, text=text)
    is_merged = prepared.configuration.strategy in (Strategy.INCREMENTAL, Strategy.SCD2)
    keys = prepared.configuration.names("unique_key") if is_merged else ()
    if begins_by_run(prepared.configuration):
        source = replace(source, text=with_moment(source.text, moment))
    wanted = SourceRows(source, "batch", keys=tuple(quote_name(key) for key in keys))
    table_id = NO_TABLE if prepared.table is None else prepared.table.table_id
    with staging(call), engine().frozen(table_id, wanted) as frozen:
        yield frozen
