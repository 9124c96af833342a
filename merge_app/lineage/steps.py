"""What a merge does to the segments of a table, as named steps: a dry run explains what a merge carries out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from merge_app.lineage.facts import Ints
from merge_app.lineage.finer import Finer
from merge_app.lineage.outcomes import Finding, TableOutcome
from merge_app.lineage.segments import Marked, ShownFile, Stamp

LAYOUT_ONLY = Stamp(0, "")
"""The stamp of an event that puts rows elsewhere: the facts of these rows are told by other events."""


@dataclass(frozen=True, slots=True)
class CarrySegments:
    """A file of the source is shown as the source shows it, but for ``deletes`` and ``stamped`` as they are here."""

    file: ShownFile


@dataclass(frozen=True, slots=True)
class RemoveSegments:
    """A file that the target shows is shown no more."""

    file_id: int
    segment_id: int
    stamp: Stamp = LAYOUT_ONLY


@dataclass(frozen=True, slots=True)
class AttachDeletes:
    """A delete file of the source is attached to a file of the target. ``is_leaving``: to one that is removed as well,
    so that the facts of its rows are known.
    """

    file_id: int
    delete: Marked
    is_leaving: bool = False


@dataclass(frozen=True, slots=True)
class MarkRows:
    """Rows of a file by positions: they are deleted, or with ``is_live`` live by decision. ``digest`` is that of the
    positions; ``is_leaving`` as of ``AttachDeletes``.
    """

    file_id: int
    rows: int
    digest: str
    stamp: Stamp
    is_live: bool = False
    is_leaving: bool = False
    positions: Ints = field(compare=False, repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(
        cls, file_id: int, positions: Ints, stamp: Stamp, *, is_live: bool = False, is_leaving: bool = False
    ) -> MarkRows:
        ordered = np.sort(positions).astype(np.int64)
        digest = hashlib.sha256(ordered.tobytes()).hexdigest()
        return cls(file_id, len(ordered), digest, stamp, is_live, is_leaving, ordered)


Step = CarrySegments | RemoveSegments | AttachDeletes | MarkRows


@dataclass(frozen=True, slots=True)
class TableSteps:
    """``kept_rows``: how many rows that the source deleted stay, as the target updated them."""

    steps: tuple[Step, ...] = ()
    kept_rows: int = 0

    @property
    def marks(self) -> tuple[MarkRows, ...]:
        return tuple(step for step in self.steps if isinstance(step, MarkRows))


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """``outcome``: None where no row had to be looked at. ``skips_layout``: a compaction of the source is not taken.
    ``emptied``: by file that the source left no row, the row ids that it took last.
    ``partitions``: values by the codes that scopes name. ``finer``: by verdict, what finer settings say.
    """

    steps: TableSteps
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    outcome: TableOutcome | None = field(default=None, compare=False)
    skips_layout: bool = False
    emptied: tuple[Ints, ...] = field(default=(), compare=False)
    partitions: Mapping[int, tuple[str | None, ...]] = field(compare=False, default_factory=dict)
    finer: Finer = field(compare=False, default_factory=dict)
