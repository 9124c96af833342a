"""What a run of a pipeline is to do, as the front door knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakeui.sql.statements import TableName
from merge_app.pipelines.definition.configuration import Configuration


class Reporter:
    """Where phases say what they found. No caller listens to this one."""

    def say(self, phase: str, message: str, *, level: str = "info") -> None:
        """A line of the log."""

    def keep(self, **found: Any) -> None:
        """What a phase found, by fields of the run."""


@dataclass(frozen=True, slots=True)
class PipelineWork:
    """One run: ``table`` is the one that it writes, ``body`` what a version of the pipeline keeps."""

    table: TableName
    pipeline_id: int
    body: Mapping[str, str]
    configuration: Configuration
    reporter: Reporter

    @property
    def makes_view(self) -> bool:
        return self.configuration.text("materialized") == "view"


@dataclass(frozen=True, slots=True)
class PublishedWork(PipelineWork):
    """A run that writes aside: its checks decide whether that is merged."""
