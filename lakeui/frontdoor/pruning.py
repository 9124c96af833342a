"""Which segments statistics rule out, before any file is read."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from catalog_app.domain.files import ColumnStatistics, NewDataFile
from catalog_app.domain.schema import Column
from catalog_app.selectors.segments import SegmentState
from lakeui.sql.predicates import Term, may_match


def pruned(segments: Sequence[SegmentState], columns: Sequence[Column], terms: Sequence[Term]) -> list[SegmentState]:
    """The segments whose statistics do not rule out that a row satisfies all terms."""
    if not terms:
        return list(segments)
    return [segment for segment in segments if may_match(terms, _statistics(segment, columns), segment.rows)]


def sharing_keys(
    segments: Sequence[SegmentState], key: Sequence[Column], staged: Sequence[NewDataFile]
) -> list[SegmentState]:
    """The segments whose statistics do not rule out that they hold a key which a staged file holds too."""
    types = {column.name: column.type for column in key}
    ranges = [_range(file, key) for file in staged]
    return [
        segment
        for segment in segments
        if any(may_match(terms, _statistics(segment, key), segment.rows, types=types) for terms in ranges)
    ]


def _statistics(segment: SegmentState, columns: Sequence[Column]) -> dict[str, ColumnStatistics]:
    return {
        column.name: segment.statistics[identifier]
        for column in columns
        for identifier in column.ids
        if identifier in segment.statistics
    }


def _range(file: NewDataFile, key: Sequence[Column]) -> list[Term]:
    """What is true of every key in the file. A row with a NULL in its key has none."""
    terms = []
    for column in key:
        terms.append(Term(column.name, "isnotnull"))
        bounds = (file.statistics or {}).get(column.id)
        if bounds is not None and bounds.minimum is not None and bounds.maximum is not None:
            terms.append(Term(column.name, ">=", (_scalar(column, bounds.minimum),)))
            terms.append(Term(column.name, "<=", (_scalar(column, bounds.maximum),)))
    return terms


def _scalar(column: Column, bound: Any) -> Any:
    """A bound as the literal that conditions hold: statistics keep decimals as text."""
    return Decimal(bound) if column.type.startswith("decimal") else bound
