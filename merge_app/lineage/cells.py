"""Cells of rows that both sides changed, one column at a time (lineage §5, R10; ``merge.column.<name>``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import localcontext
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.storage.equal_values import same_values
from catalog_app.storage.times_as_numbers import plain_values, type_with_numbers
from merge_app.lineage.facts import Mask

Values = Any
"""An Arrow array."""


EXACT_DIGITS = 80
"""Sums of decimals of 38 digits are exact."""


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
    source_values, target_values, before = (
        plain_values(column.take(pa.array(both))) for column in (source, target, base)
    )
    added = list(map(rule, source_values, target_values, before, has_base[both].tolist()))
    return _with_cells(values, conflicts, both, added)


def cells_equal(one: Values, other: Values) -> Mask:
    """By row. Cells are equal as statements take them to be: what is no number equals itself, inside of a cell too, and
    the order of a map's entries does not count.
    """
    return np.asarray(same_values(one, other), dtype=np.bool_)


def array_of_plain(values: Iterable[Any], kind: Any) -> Values:
    """The other way."""
    return pa.array(values, type=type_with_numbers(kind)).cast(kind)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other) or (is_nan(one) and is_nan(other))


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _sum(source: Any, target: Any, base: Any, has_base: bool) -> Any:
    """None: there is no sum, since a number is missing, or it is none."""
    if source is None or target is None or base is None or not has_base:
        return None
    with localcontext(prec=EXACT_DIGITS):
        found = target + (source - base)
    return None if is_nan(found) else found


def _union(source: Any, target: Any, base: Any, has_base: bool) -> Any:
    """In the target's order, then the source's. None: there is no union, since an array is missing."""
    if source is None or target is None:
        return None
    before = base if has_base and base is not None else []
    kept = [item for item in target if _is_in(item, source) or not _is_in(item, before)]
    return [*kept, *(item for item in source if not _is_in(item, target) and not _is_in(item, before))]


def _is_in(item: Any, items: Sequence[Any]) -> bool:
    return item in items or (isinstance(item, float | dict | list) and any(_is_same(item, each) for each in items))


def _with_cells(values: Values, conflicts: Mask, at: Any, cells: Sequence[Any]) -> MergedColumn:
    """Put cells in place; where there is none, or the type does not hold it, what was found stays."""
    found = plain_values(values.take(pa.array(at)))
    fits = _fitting(type_with_numbers(values.type))
    held = [cell is not None and fits(cell) for cell in cells]
    conflicts = conflicts.copy()
    conflicts[at] = [bool(was) and not is_held for was, is_held in zip(conflicts[at], held, strict=True)]
    chosen: Iterable[Any] = (cell if is_held else was for cell, was, is_held in zip(cells, found, held, strict=True))
    return MergedColumn(cells_put(values, at, array_of_plain(chosen, values.type)), conflicts)


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
