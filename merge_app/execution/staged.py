"""What a plan's row work and a statement staged: files that no segment shows yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import OperationKind
from merge_app.lineage.steps import StagedKey


@dataclass(frozen=True, slots=True)
class StagedDefinition:
    """The schema version on the branch under which a statement staged its files."""

    definition_id: int
    schema_version: int


@dataclass(frozen=True, slots=True)
class RowWorkResult:
    """What the engine staged for a plan's row work, already registered. ``kept_rows``: how many rows that the source
    deleted the target keeps, because it updated them. ``rows`` and ``row_deletes``, of statements that ran again:
    new data files, and (delete file, data file) pairs, each with the kind of the operation that they belong to.
    ``staged``: the files of the steps of a merge; ``made``: the files of rows that it makes, with their partitions.
    """

    kept_rows: int = 0
    rows: tuple[tuple[OperationKind, int], ...] = ()
    row_deletes: tuple[tuple[OperationKind, int, int], ...] = ()
    staged: Mapping[StagedKey, int] = field(default_factory=dict)
    made: tuple[tuple[int, PartitionValues], ...] = ()
