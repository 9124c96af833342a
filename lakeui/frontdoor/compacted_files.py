"""Which files OPTIMIZE writes anew as it is asked, known from metadata alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog_app.domain.checks import CLUSTERING
from catalog_app.domain.layout import clustering_of
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.services.compaction import Compaction, Reason, compaction_of
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import ResolvedTable
from lakeui.frontdoor.columns.layout_properties import clustering_kept
from lakeui.frontdoor.expressions.pruning import predicate_of, pruned
from lakeui.sql import statements as sql
from lakeui.sql.query import condition_columns


@dataclass(frozen=True, slots=True)
class FilesDue:
    """All files of the table, what is written anew of them, and the columns by which its rows are ordered."""

    segments: Sequence[SegmentState]
    compaction: Compaction
    order: tuple[int, ...]


def files_due(target: ResolvedTable, statement: sql.Optimize) -> FilesDue:
    """ZORDER BY takes every file of the partitions that are asked for. Raises InvalidValue, NotFound."""
    table = target.table
    if statement.where is not None:
        _refuse_other_columns(target, statement.where)
    segments = segments_list(target.place.snapshot, table.table_id)
    looked_at = pruned(segments, table.schema.columns, predicate_of(statement.where))
    order = _order_asked(target, statement) or clustering_of(table.properties)
    if statement.order_by:
        return FilesDue(segments, Compaction(tuple((segment, Reason.LAYOUT) for segment in looked_at)), order)
    return FilesDue(segments, compaction_of(table, looked_at, order), order)


def _order_asked(target: ResolvedTable, statement: sql.Optimize) -> tuple[int, ...]:
    """The ids of the columns of ZORDER BY."""
    if len(set(map(str.casefold, statement.order_by))) < len(statement.order_by):
        raise InvalidValue("ZORDER BY names a column twice.", remedy="Name it once.")
    stored = clustering_kept(statement.order_by, target.table.schema, target.label)
    return clustering_of({CLUSTERING: stored})


def _refuse_other_columns(target: ResolvedTable, where: sql.Condition) -> None:
    """What is compacted is chosen by partition."""
    names = {column.name.casefold() for column in target.table.schema.partition_columns}
    others = sorted(condition_columns(where) - names)
    if others:
        raise InvalidValue(
            f"OPTIMIZE chooses by partition, and {others[0]} is no partition column of {target.label}.",
            remedy="Compare partition columns only, or leave WHERE out.",
        )
