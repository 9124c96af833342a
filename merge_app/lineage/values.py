"""Which values of rows must be looked at, so that the result's columns hold them (R6)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from merge_app.lineage.facts import NO_FACT, Facts, News, ObjectId
from merge_app.lineage.objects import ObjectsOutcome, Widens, is_alive, value_of


@dataclass(frozen=True, slots=True)
class Demand:
    """Live rows whose image one side had must hold ``column`` as the result has it; rows that lack the cell read the
    column's default. ``of_source``, ``of_target``: whose images; an image that both had only where both are said,
    one merged by cells where either is. ``required``: null is NOT_NULL_WITHOUT_VALUE. ``type``: a value that it does
    not hold is COLUMN_TYPE_NARROWING; None: every value fits.
    """

    table: ObjectId
    column: Hashable
    required: bool
    type: Any
    of_source: bool
    of_target: bool


@dataclass(frozen=True, slots=True)
class _Column:
    exists: Any
    type: Any
    required: bool


def values_demanded(source: Facts, target: Facts, objects: ObjectsOutcome, *, widens: Widens) -> Iterator[Demand]:
    """Demands that neither side's own state has proved. A fast forward has none."""
    for table, alive in objects.alive.items():
        if not alive.result:
            continue
        for key, fact in objects.facts[table].items():
            if key[0] != "column" or key[2] != "exists" or not fact.value:
                continue
            wanted = _column(objects.facts, table, key[1])
            unproved = [_unproved(_proved(side, table, key[1]), wanted, widens) for side in (source, target)]
            required, fits = any(it[0] for it in unproved), not any(it[1] for it in unproved)
            if required or not fits:
                of_source, of_target = (any(it) for it in unproved)
                yield Demand(table, key[1], required, None if fits else wanted.type, of_source, of_target)


def _column(facts: Facts, table: ObjectId, column: Hashable) -> _Column:
    exists, kind, required = (value_of(facts, table, "column", column, of) for of in ("exists", "type", "required"))
    return _Column(exists, kind, bool(required))


def _proved(facts: Facts, table: ObjectId, column: Hashable) -> _Column | None:
    """The column as the rows of a side are known to hold it: None where the table or the column is not there."""
    found = _column(facts, table, column)
    return found if found.exists and is_alive(facts, table) else None


def _unproved(had: _Column | None, wanted: _Column, widens: Widens) -> tuple[bool, bool]:
    """Whether nulls, and whether types, are to be looked at."""
    if had is None or had.exists != wanted.exists:
        return wanted.required, True
    return wanted.required and not had.required, not widens(had.type, wanted.type)


@dataclass(frozen=True, slots=True)
class Taken:
    """One side dropped ``column``, which goes on because the other side added it too. The drop took its values: rows of
    that side that are news to the other must hold none, else COLUMN_MISSING (R13).
    """

    table: ObjectId
    column: Hashable
    is_of_source: bool


def values_taken(source: Facts, target: Facts, objects: ObjectsOutcome, news: News) -> Iterator[Taken]:
    """Columns of the result whose drop is news."""
    for table, alive in objects.alive.items():
        if not alive.is_judged:
            continue
        for key, fact in objects.facts[table].items():
            if key[0] != "column" or key[2] != "exists" or not fact.value:
                continue
            for side, versions in ((source, news.of_source), (target, news.of_target)):
                exists = side.get(table, {}).get(key, NO_FACT)
                if not exists.value and exists.stamp in versions:
                    yield Taken(table, key[1], side is source)
