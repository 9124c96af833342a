"""Pipelines whose runs happen here and now."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from catalog_app.selectors.snapshots import catalog_get
from lakeui.frontdoor import Session, StatementResult
from lakeui.frontdoor.entries.pipeline_runs import run_execute
from merge_app.jobs.context import Context
from merge_app.jobs.models import Task
from merge_app.pipelines.models import Pipeline, PipelineRun
from merge_app.pipelines.runs import TASK_KIND, run_begin
from merge_app.pipelines.services import pipeline_create, pipeline_edit
from tests.support.lake import Lake

_names = (f"t{number}" for number in itertools.count())


class Attempt(Context):
    """What a worker would hand to the run: it says which steps there were."""

    def __init__(self, task_id: uuid.UUID, attempt: int = 1) -> None:
        self.task_id = task_id
        self.attempt = attempt
        self.steps: list[str] = []

    def step(self, name: str, detail: str = "") -> None:
        self.steps.append(name)


class Pipe:
    """One pipeline and its table."""

    def __init__(self, lake: Lake, config: str) -> None:
        self.lake = lake
        self.config = config
        self.name = next(_names)
        self.table = f"d.{self.name}"
        self.pipeline: Pipeline | None = None
        self.runs: list[PipelineRun] = []
        self.attempts: list[Attempt] = []

    def run(
        self,
        source: str,
        *,
        branch: str = "main",
        config: str | None = None,
        context: type[Attempt] = Attempt,
        message: str = "",
    ) -> StatementResult:
        values = {"source": source, "config": self.config if config is None else config, "branch": branch}
        if self.pipeline is None:
            catalog = catalog_get(self.lake.catalog)
            table = self.table.removeprefix("d.")
            names = {"name": self.name, "layer": "", "database": "d", "table": table, "schedule": ""}
            self.pipeline = pipeline_create(catalog=catalog, values={**names, **values}, owner_id=None)
        else:
            pipeline_edit(self.pipeline, values, author_id=None)
        return self.start(branch, context=context, message=message)

    def start(
        self,
        branch: str = "main",
        *,
        source: str | None = None,
        context: type[Attempt] = Attempt,
        message: str = "",
    ) -> StatementResult:
        """Another run of what there is, or of another source."""
        assert self.pipeline is not None
        if source is not None:
            pipeline_edit(self.pipeline, {"source": source}, author_id=None)
        parameters = {"pipeline": self.pipeline.pk, "version": self.pipeline.revision}
        # A worker that another test has left may not hear of it.
        unheard = timezone.now() + timedelta(days=1)
        task = Task.objects.create(kind=TASK_KIND, parameters=parameters, ring_at=unheard)
        self.runs.append(run_begin(task.pk, parameters))
        self.attempts.append(context(task.pk))
        session = replace(self.session(branch), message=message)
        return run_execute(self.runs[-1], session=session, context=self.attempts[-1])

    def again(self, run: PipelineRun, *, attempt: int) -> StatementResult:
        """A later attempt at a run whose worker died."""
        return run_execute(run, session=self.session(), context=Attempt(run.pk, attempt))

    def session(self, branch: str = "main") -> Session:
        return Session(self.lake.catalog, branch)

    def rows(self, branch: str = "main", columns: str = "*") -> list[tuple[Any, ...]]:
        return self.lake.rows(self.table, branch, columns)

    def operations(self) -> list[str]:
        """What the commits of the table did, newest first."""
        return [row[2] for row in self.lake.sql(f"DESCRIBE HISTORY {self.table}").rows]


class Pipes:
    def __init__(self, lake: Lake) -> None:
        self.lake = lake

    def __call__(self, *lines: str) -> Pipe:
        return Pipe(self.lake, "\n".join(lines))


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value)


def batch(rows: Sequence[Sequence[Any]], columns: Sequence[str] = ("id INT", "value STRING", "at INT")) -> str:
    """A query that gives these rows; columns are names with types."""
    typed = ", ".join(f"CAST(c{index} AS {text.split()[1]}) AS {text.split()[0]}" for index, text in enumerate(columns))
    names = ", ".join(f"c{index}" for index in range(len(columns)))
    if not rows:
        nulls = ", ".join(["NULL"] * len(columns))
        return f"SELECT {typed} FROM VALUES ({nulls}) AS v({names}) WHERE false"
    values = ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)
    return f"SELECT {typed} FROM VALUES {values} AS v({names})"
