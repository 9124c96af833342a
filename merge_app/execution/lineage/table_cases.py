"""What a plan of rows is asked of: a table, with what was decided of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.row_merge import RowChoice
from catalog_app.domain.schema import Column, Schema
from merge_app.execution.lineage.looked_at import Lists
from merge_app.lineage.cells import ColumnMerge
from merge_app.lineage.facts import (
    Aliveness,
    Granularity,
)


@dataclass(frozen=True, slots=True)
class RowsDecision:
    """What people decided of a table's rows: the source is taken whole, or left out whole, or its drops and renames of
    ``partitions`` are left out. ``by_cell``: rows of a table without a primary key are merged by cell, whatever its
    setting, and those that clash even so are as ``choices`` say.
    """

    takes_source: bool = False
    leaves_out_source: bool = False
    partitions: frozenset[PartitionValues] = frozenset()
    by_cell: bool = False
    choices: tuple[RowChoice, ...] = ()

    def __bool__(self) -> bool:
        return self.takes_source or self.leaves_out_source or bool(self.partitions) or self.by_cell

    @property
    def of_rows(self) -> RowsDecision:
        """What was decided of single rows alone."""
        return RowsDecision(by_cell=self.by_cell, choices=self.choices)


@dataclass(frozen=True, slots=True)
class TableCase:
    """One table whose rows the source changed. ``schema``: what files that a statement staged are written under;
    ``merged``: the columns of the merged table. ``choices``: what was decided of rows of one with a primary key.
    ``how``: by column, what becomes of a cell that both sides changed. ``generated``: by column, the SQL over others
    that is its value. ``kept``: columns of ``merged`` that one side dropped, ``kept_fields``: ids of fields inside of
    columns. ``is_new``: the target never had it. ``is_planned``: the steps are wanted, and what finer settings would
    say; who shows rows needs neither.
    """

    table_id: int
    alive: Aliveness = field(default_factory=Aliveness)
    granularity: Granularity = Granularity.FILE
    schema: Schema | None = None
    merged: Schema = field(default_factory=Schema)
    choices: tuple[RowChoice, ...] = ()
    how: Mapping[int, ColumnMerge] = field(default_factory=dict)
    generated: Mapping[int, str] = field(default_factory=dict)
    kept: tuple[Column, ...] = ()
    kept_fields: frozenset[int] = frozenset()
    decision: RowsDecision = RowsDecision()
    is_new: bool = False
    lists: Lists = Lists.NEEDED
    is_planned: bool = True

    @property
    def has_key(self) -> bool:
        return self.merged.is_keyed

    @property
    def as_decided(self) -> TableCase:
        """The case with the setting and the choices that a decision about rows brings."""
        if not self.decision.by_cell:
            return self
        return replace(self, granularity=Granularity.CELL, choices=self.decision.choices)

    @property
    def may_come_whole(self) -> bool:
        """Whether files that meet no other need not be looked at one by one."""
        return not (self.has_key or self.decision) and self.lists is Lists.NEEDED
