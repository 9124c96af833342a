"""Cells of rows that both sides changed, one column at a time (lineage §5, R10; ``merge.column.<name>``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merge_app.lineage.facts import Mask

Values = Any
"""An Arrow array."""


class ColumnMerge(StrEnum):
    """``merge.column.<name>``: what becomes of a cell that both sides changed."""

    CONFLICT = "conflict"
    SUM = "sum"
    """The differences of both sides to the base add up."""
    UNION = "union"
    """Arrays as sets: what either side added comes, what either side removed goes."""


@dataclass(frozen=True, slots=True, eq=False)
class MergedColumn:
    """``conflicts``: where both sides changed the cell differently; the target's value stays there."""

    values: Values
    conflicts: Mask


def column_merge(
    source: Values, target: Values, base: Values, has_base: Mask, how: ColumnMerge = ColumnMerge.CONFLICT
) -> MergedColumn:
    """The cells of one column by row: the side that changed its cell speaks. Where ``has_base`` is false, ``base`` is
    not read, and cells that differ are a conflict.
    """
    same = cells_equal(source, target)
    source_changed, target_changed = (~(cells_equal(side, base) & has_base) for side in (source, target))
    conflicts = ~same & source_changed & target_changed
    values = pc.if_else(pa.array(source_changed & ~conflicts), source, target)
    if how is ColumnMerge.CONFLICT:
        return MergedColumn(values, conflicts)
    both = np.flatnonzero(source_changed & target_changed & (has_base | conflicts))
    rule = _sum if how is ColumnMerge.SUM else _union
    mine, theirs, before = (column.take(pa.array(both)).to_pylist() for column in (source, target, base))
    added = list(map(rule, mine, theirs, before, has_base[both].tolist()))
    return _with_cells(values, conflicts, both, added)


def cells_equal(one: Values, other: Values) -> Mask:
    """By row. Nulls are equal to nulls, and what is no number to what is no number."""
    if pa.types.is_nested(one.type):
        return np.fromiter(
            (a == b for a, b in zip(one.to_pylist(), other.to_pylist(), strict=True)), np.bool_, len(one)
        )
    equal = pc.fill_null(pc.equal(one, other), False)
    both_null = pc.and_(pc.is_null(one), pc.is_null(other))
    if pa.types.is_floating(one.type):
        both_null = pc.or_(both_null, pc.fill_null(pc.and_(pc.is_nan(one), pc.is_nan(other)), False))
    return np.asarray(pc.or_(equal, both_null).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _sum(source: Any, target: Any, base: Any, has_base: bool) -> Any:
    """None: there is no sum, since a number is missing."""
    return None if source is None or target is None or base is None or not has_base else target + (source - base)


def _union(source: Any, target: Any, base: Any, has_base: bool) -> Any:
    """In the target's order, then the source's. None: there is no union, since an array is missing."""
    if source is None or target is None:
        return None
    before = base if has_base and base is not None else []
    kept = [item for item in target if item in source or item not in before]
    return [*kept, *(item for item in source if item not in target and item not in before)]


def _with_cells(values: Values, conflicts: Mask, at: Any, cells: Sequence[Any]) -> MergedColumn:
    """Put cells in place; where there is none, or the type does not hold it, what was found stays."""
    found = values.take(pa.array(at)).to_pylist()
    fits = _fitting(values.type)
    held = [cell is not None and fits(cell) for cell in cells]
    conflicts = conflicts.copy()
    conflicts[at] = [bool(was) and not is_held for was, is_held in zip(conflicts[at], held, strict=True)]
    chosen: Iterable[Any] = (cell if is_held else was for cell, was, is_held in zip(cells, found, held, strict=True))
    return MergedColumn(cells_put(values, at, pa.array(chosen, type=values.type)), conflicts)


def cells_put(values: Values, at: Any, given: Values) -> Values:
    """The column with other cells at some places. Arrow's own mask takes no arrays and no structs."""
    order = np.arange(len(values))
    order[at] = len(values) + np.arange(len(given))
    return pa.concat_arrays([values, given]).take(pa.array(order))


def _fitting(kind: Any) -> Callable[[Any], bool]:
    def fits(cell: Any) -> bool:
        try:
            pa.scalar(cell, type=kind)
        except (pa.ArrowInvalid, OverflowError):
            return False
        return True

    return fits
