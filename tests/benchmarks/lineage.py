"""The pure part of a merge by lineage: rows as arrays in, outcomes out. No database, no files.

Each shape runs in a process of its own, so that its peak of memory is its own. The peak counts the arrays given.
"""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from merge_app.lineage.facts import Granularity, Kind, News, RowFacts, TableFacts
from merge_app.lineage.outcomes import TableOutcome
from merge_app.lineage.tables import table_merge
from tests.benchmarks.lake import Figure, peak_memory
from tests.lineage.row_facts import fact_columns

ROUNDS = 3
PER_FILE = 100_000
AGO, MINE, THEIRS, MERGE = 1, 2, 3, 4
"""Stamps: what both know, the source's, the target's, the merge's."""
NEWS = News(np.array([MINE]), np.array([THEIRS]))


def figures(*, rows: int = 10_000_000) -> Iterator[Figure]:
    for changed in (1_000, 10_000, 100_000, 1_000_000):
        at_most = {100_000: (2.0, 300)}.get(changed, (None, None))
        yield from _measured(f"{changed:,} x {changed:,} changed rows", at_most, _changed_rows, rows, changed)
    yield from _measured(f"100,000 x 100,000 among {rows:,} given", (2.0, None), _among_all, rows, 100_000)
    yield from _measured(f"{rows:,} compacted x 1% updated", (3.0, 500), _compacted, rows)
    yield from _measured(f"{rows:,} updated x 1% updated", (None, None), _all_updated, rows)


def _measured(
    what: str, at_most: tuple[float | None, float | None], shape: Callable[..., TableFacts], *of: int
) -> Iterator[Figure]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, peak = pool.apply(_run, (shape, of))
    yield Figure(f"lineage, {what}: s", seconds, at_most=at_most[0])
    yield Figure(f"lineage, {what}: MB at the peak", peak, at_most=at_most[1])


def _run(shape: Callable[..., TableFacts], of: tuple[int, ...]) -> tuple[float, float]:
    facts, taken = shape(*of), []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        outcome = table_merge("t", facts, NEWS, stamp=MERGE, cells=_no_cells)
        taken.append(time.perf_counter() - began)
        _as_given(outcome, facts)
    return statistics.median(taken), peak_memory() / 1e6


def _no_cells(*_images: Any) -> Any:
    raise AssertionError("no row is changed on both sides")


def _as_given(outcome: TableOutcome, facts: TableFacts) -> None:
    assert len(outcome.rows.outcome) == len(outcome.pairs)
    assert not any(finding.is_conflict for finding in outcome.findings) or facts.granularity is Granularity.FILE


def _rows(row_id: Any, changed: Any, stamp: int) -> RowFacts:
    """Rows of files of ``PER_FILE``; those at ``changed`` were updated at ``stamp``."""
    stamps, kinds, images = np.full(len(row_id), AGO), np.full(len(row_id), Kind.INSERT, dtype=np.int8), row_id.copy()
    stamps[changed], kinds[changed] = stamp, Kind.UPDATE
    images[changed] += stamp << 40
    return RowFacts(
        row_id,
        fact_columns(stamp=stamps, kind=kinds, value=images, was=row_id, was_stamp=AGO, was_known=True),
        fact_columns(stamp=fact_columns(stamp=stamps, kind=0, value=AGO).value, kind=Kind.INSERT, value=0),
        row_id // PER_FILE,
        fact_columns(stamp=stamps, kind=0, value=AGO).value,
    )


def _changed_rows(rows: int, changed: int) -> TableFacts:
    """Rows that one side changed, on both sides: what the loader gives where it leaves out the others."""
    step = rows // changed
    ids = np.sort(np.concatenate([np.arange(changed) * step, np.arange(changed) * step + 1]))
    return TableFacts(
        _rows(ids, ids % step == 0, MINE), _rows(ids, ids % step == 1, THEIRS), granularity=Granularity.ROW
    )


def _among_all(rows: int, changed: int) -> TableFacts:
    ids, step = np.arange(rows), rows // changed
    return TableFacts(
        _rows(ids, ids % step == 0, MINE), _rows(ids, ids % step == 1, THEIRS), granularity=Granularity.ROW
    )


def _compacted(rows: int) -> TableFacts:
    """A compaction changes no fact: the rows are given, since their files meet."""
    ids = np.arange(rows)
    return TableFacts(_rows(ids, ids < 0, MINE), _rows(ids, ids % 100 == 0, THEIRS))


def _all_updated(rows: int) -> TableFacts:
    """By file, so each row of the target is in a file that the source updated."""
    ids = np.arange(rows)
    return TableFacts(_rows(ids, ids % 100 != 0, MINE), _rows(ids, ids % 100 == 0, THEIRS))
