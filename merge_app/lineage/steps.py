"""What a merge or a statement does to the segments of a table, as named steps: a dry run explains what is carried out.

``operation`` of a step is the place, among those of its object, of the operation of a statement that does it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from catalog_app.domain.row_merge import RowJudgement
from catalog_app.rules.codes import VerdictCode
from catalog_app.storage.cells import RowCells
from catalog_app.storage.times_as_numbers import plain_values
from merge_app.lineage.cells import Values
from merge_app.lineage.facts import Ints
from merge_app.lineage.finer_verdicts import Finer
from merge_app.lineage.outcomes import Finding, TableOutcome
from merge_app.lineage.segments import DOT, Marked, ShownFile, Stamp

LAYOUT_ONLY = Stamp(0, "")
"""The stamp of an event that puts rows elsewhere: the facts of these rows stand in other events."""


_ROWS_OF_TEXT = 8192

StagedKey = tuple[int, str, str]
"""What the engine stages for a step: the data file, what its rows are, and the digest of their positions."""


def _digest(positions: Ints) -> str:
    return hashlib.sha256(positions.tobytes()).hexdigest()


def _json_of(values: Values) -> Iterator[str]:
    """The values as one JSON list, in parts: its text and the objects of many rows take far more than their arrays."""
    yield "["
    for first in range(0, len(values), _ROWS_OF_TEXT):
        part = json.dumps(plain_values(values.slice(first, _ROWS_OF_TEXT)), default=str)
        yield f"{', ' if first else ''}{part[1:-1]}"
    yield "]"


@dataclass(frozen=True, slots=True)
class CarrySegments:
    """A file of the source is shown as the source shows it, but for ``deletes`` and ``stamped`` as they are here.
    ``is_leaving``: it goes in the same commit, so that no version shows it and the facts of its rows are known.
    """

    file: ShownFile
    is_leaving: bool = False
    operation: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CarryWritten:
    """Files that the source wrote and that meet no other come as the source shows them, without deletes: ``segments``
    of it, ``files`` alike in order. ``digest`` is that of the files.
    """

    count: int
    rows: int
    digest: str
    segments: Ints = field(compare=False, repr=False)
    files: Ints = field(compare=False, repr=False)

    @classmethod
    def of(cls, segments: Ints, files: Ints, rows: int) -> CarryWritten:
        return cls(len(files), rows, _digest(files), segments, files)


@dataclass(frozen=True, slots=True)
class RemoveSegments:
    """A file that the target shows is shown no more. ``segment_id`` 0: whatever shows it once the others have come."""

    file_id: int
    segment_id: int
    stamp: Stamp = LAYOUT_ONLY
    operation: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class AttachDeletes:
    """A delete file of the source is attached to a file of the target. ``is_leaving``: to one that is removed as well,
    so that the facts of its rows are known.
    """

    file_id: int
    delete: Marked
    is_leaving: bool = False
    operation: int | None = field(default=None, compare=False)


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
        return cls(file_id, len(ordered), _digest(ordered), stamp, is_live, is_leaving, ordered)

    @property
    def key(self) -> StagedKey:
        return self.file_id, "live" if self.is_live else "dead", self.digest


@dataclass(frozen=True, slots=True)
class WriteImages:
    """Rows whose image the merge makes are written under their row ids. ``digest`` is that of rows and ids.
    ``placed``: by partition who decided that its rows lie there; of others whoever writes them.
    """

    rows: int
    digest: str
    placed: tuple[tuple[tuple[str | None, ...], Stamp], ...] = ()
    cells: RowCells = field(compare=False, repr=False, default_factory=lambda: RowCells({}))
    row_ids: Ints = field(compare=False, repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, cells: RowCells, row_ids: Ints, placed: Mapping[tuple[str | None, ...], Stamp]) -> WriteImages:
        digest = hashlib.sha256(row_ids.astype(np.int64).tobytes())
        for identifier in sorted(cells.columns):
            digest.update(f"{identifier}=".encode())
            for text in _json_of(cells.columns[identifier]):
                digest.update(text.encode())
        for texts in cells.partition:
            for text in _json_of(texts):
                digest.update(text.encode())
        return cls(len(row_ids), digest.hexdigest(), tuple(sorted(placed.items(), key=str)), cells, row_ids)


@dataclass(frozen=True, slots=True)
class WriteRows:
    """Rows of a file, by positions, become a file of their own in ``partition``: those of the file go into several.
    ``file``: how it is shown where the rows have their facts. ``decided``: rows of it with another fact.
    """

    file: ShownFile
    partition: tuple[str | None, ...]
    placed: Stamp
    rows: int
    digest: str
    positions: Ints = field(compare=False, repr=False)
    decided: tuple[MarkRows, ...] = ()

    @classmethod
    def of(
        cls,
        file: ShownFile,
        partition: tuple[str | None, ...],
        placed: Stamp,
        positions: Ints,
        decided: Iterable[MarkRows],
    ) -> WriteRows:
        ordered = np.sort(positions).astype(np.int64)
        return cls(file, partition, placed, len(ordered), _digest(ordered), ordered, tuple(decided))

    @property
    def key(self) -> StagedKey:
        return self.file.file_id, "rows", self.digest


Step = CarrySegments | CarryWritten | RemoveSegments | AttachDeletes | MarkRows | WriteRows | WriteImages


def _decides(step: Step) -> bool:
    match step:
        case CarryWritten():
            return False
        case CarrySegments():
            file = step.file
            stamps = [file.stamp, file.placed, *(mark.stamp for mark in (*file.deletes, *file.stamped))]
        case RemoveSegments() | MarkRows():
            stamps = [step.stamp]
        case AttachDeletes():
            stamps = [step.delete.stamp]
        case WriteRows() | WriteImages():
            return True
    return any(stamp.version == DOT for stamp in stamps)


@dataclass(frozen=True, slots=True)
class TableSteps:
    """``kept_rows``: how many rows that the source deleted or overwrote stay, as the target changed them.
    ``shows_alike``: whether readers see the table as before.
    """

    steps: tuple[Step, ...] = ()
    kept_rows: int = 0
    shows_alike: bool = False

    @property
    def written(self) -> tuple[CarryWritten, ...]:
        return tuple(step for step in self.steps if isinstance(step, CarryWritten))

    @property
    def marks(self) -> tuple[MarkRows, ...]:
        return tuple(step for step in self.steps if isinstance(step, MarkRows))

    @property
    def writes(self) -> tuple[WriteRows, ...]:
        return tuple(step for step in self.steps if isinstance(step, WriteRows))

    @property
    def images(self) -> tuple[WriteImages, ...]:
        return tuple(step for step in self.steps if isinstance(step, WriteImages))

    @property
    def decides(self) -> bool:
        """Whether the merge itself decides a fact, or writes rows into files of its own."""
        return any(_decides(step) for step in self.steps)

    @property
    def only_leaves(self) -> bool:
        """Whether all that comes goes in the same commit, with marks of its rows: readers see the table as before."""
        leaving = {step.file.file_id for step in self.steps if isinstance(step, CarrySegments) and step.is_leaving}
        return bool(self.steps) and all(
            isinstance(step, CarrySegments | MarkRows)
            and (step.is_leaving or (isinstance(step, MarkRows) and step.file_id in leaving))
            for step in self.steps
        )

    @property
    def needs_engine(self) -> bool:
        """Whether files must be written before the steps can be carried out."""
        return bool(self.marks or self.writes or self.images)


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """``outcome``: None where no row had to be looked at. ``skips_layout``: a compaction of the source is not taken.
    ``emptied``: by file that the source left no row, the row ids that it took last.
    ``partitions``: values by the codes that scopes name. ``finer``: by verdict, what finer settings say.
    ``judged``: of a table with a primary key, what that comes to. ``inserted``: files that the target inserted since.
    ``clashes``: by verdict, the rows without a primary key that the finest setting which was looked at refuses.
    """

    steps: TableSteps
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    outcome: TableOutcome | None = field(default=None, compare=False)
    skips_layout: bool = False
    emptied: tuple[Ints, ...] = field(default=(), compare=False)
    partitions: Mapping[int, tuple[str | None, ...]] = field(compare=False, default_factory=dict)
    finer: Finer = field(compare=False, default_factory=dict)
    judged: RowJudgement | None = field(default=None, compare=False)
    inserted: tuple[int, ...] = field(default=(), compare=False)
    clashes: Mapping[VerdictCode, Ints] = field(compare=False, default_factory=dict)
