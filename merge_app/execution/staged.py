"""What a plan's row work and a statement staged: files that no segment shows yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from merge_app.lineage.steps import StagedKey, Step


@dataclass(frozen=True, slots=True)
class StagedDefinition:
    """The schema version on the branch under which a statement staged its files."""

    definition_id: int
    schema_version: int


@dataclass(frozen=True, slots=True)
class RowWorkResult:
    """What the engine staged for a plan's row work, already registered. ``staged``: the files of the steps of a merge;
    ``written``: steps of rows that it makes, and of statements that ran again.
    """

    staged: Mapping[StagedKey, int] = field(default_factory=dict)
    written: tuple[Step, ...] = ()
