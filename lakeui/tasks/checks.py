"""Checks of a merge request, asked of the state that the merge would make."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lakeui.common.counts import counted
from lakeui.common.errors import EngineError, LakeError, NotFound, Overloaded
from lakeui.sql.check_templates import Measure, Rows, Versions, measure_of, scan_query
from lakeui.sql.statements import TableName
from merge_app.execution.merge_command import Progress
from merge_app.jobs.errors import TaskCancelled
from merge_app.review.checking import SAMPLE_ROWS, Check, Examined, Found, Merged

MOST_OF_A_SCAN = 100
"""So many checks are one query; a longer list is several."""

Ask = Callable[[str], Found]
"""Runs a query on the merged state."""


@dataclass(frozen=True, slots=True)
class _Counted:
    seen: int
    bad: int


def examine(checks: Sequence[Check], merged: Merged, *, ask: Ask, progress: Progress) -> Iterator[Examined]:
    """What comes of each check, in any order. Checks of templates that judge row by row read a table once together."""
    versions = Versions(merged.before, merged.after)
    scans: dict[tuple[TableName, Rows], list[tuple[Check, Measure]]] = defaultdict(list)
    for check in checks:
        if not check.template:
            yield _timed(check, progress, partial(_by_query, check, ask))
            continue
        measure = measure_of(check.template, check.parameters, versions)
        if measure.aggregate:
            scans[measure.table, measure.rows].append((check, measure))
        else:
            yield _timed(check, progress, partial(_by_count, check, measure, ask))
    for scan in scans.values():
        for start in range(0, len(scan), MOST_OF_A_SCAN):
            yield from _by_scan(scan[start : start + MOST_OF_A_SCAN], versions, ask, progress)


def _by_query(check: Check, ask: Ask) -> Examined:
    found = ask(check.query)
    return Examined(check, not found.rows, found if found.rows else None)


def _by_count(check: Check, measure: Measure, ask: Ask) -> Examined:
    try:
        ((seen, bad),) = ask(measure.query).rows
    except NotFound:
        if not measure.query_of_new:
            raise
        ((seen, bad),) = ask(measure.query_of_new).rows
    return _judged(check, measure, _Counted(seen, bad), ask)


def _by_scan(
    scan: Sequence[tuple[Check, Measure]], versions: Versions, ask: Ask, progress: Progress
) -> Iterator[Examined]:
    """All measures in one query. Where it fails, each is asked by itself, so that only the broken one is."""
    measures = [measure for _, measure in scan]
    first, table = scan[0][0], measures[0].table
    began = time.monotonic()
    progress.step(
        "check", first.name if len(scan) == 1 else f"{counted(len(scan), 'check')} of {table.database}.{table.table}"
    )
    try:
        ((seen, *bad),) = ask(scan_query(measures, versions)).rows
    except _NOT_OF_THE_DATA:
        raise
    except LakeError as error:
        if len(scan) == 1:
            yield Examined(first, False, problem=error.message, duration_ms=_since(began))
            return
        for alone in scan:
            yield from _by_scan([alone], versions, ask, progress)
        return
    share = _since(began) // len(scan)
    for (check, measure), count in zip(scan, bad, strict=True):
        judged = _timed(check, progress, partial(_judged, check, measure, _Counted(seen, count), ask))
        yield replace(judged, duration_ms=judged.duration_ms + share)


def _judged(check: Check, measure: Measure, counted: _Counted, ask: Ask) -> Examined:
    is_passed = counted.bad <= measure.most * counted.seen
    found = None if is_passed else ask(f"{measure.sample} LIMIT {SAMPLE_ROWS}")
    return Examined(check, is_passed, found, rows_seen=counted.seen, rows_bad=counted.bad)


_NOT_OF_THE_DATA = (TaskCancelled, EngineError, Overloaded)
"""They say nothing about the data: the run as a whole fails."""


def _timed(check: Check, progress: Progress, work: Callable[[], Examined]) -> Examined:
    progress.step("check", check.name)
    began = time.monotonic()
    try:
        examined = work()
    except _NOT_OF_THE_DATA:
        raise
    except LakeError as error:
        examined = Examined(check, False, problem=error.message)
    return replace(examined, duration_ms=_since(began))


def _since(began: float) -> int:
    return round(1000 * (time.monotonic() - began))
