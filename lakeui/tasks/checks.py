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
RuleOut = Callable[[TableName, Sequence[str]], list[bool]]
"""Of conditions over the columns of a table of the merged state, which statistics rule out for all of its rows."""


@dataclass(frozen=True, slots=True)
class _Counted:
    seen: int
    bad: int


def examine(
    checks: Sequence[Check], merged: Merged, *, ask: Ask, rule_out: RuleOut, progress: Progress
) -> Iterator[Examined]:
    """What comes of each check, in any order. Checks of templates that judge row by row read a table once together, and
    read nothing where statistics rule out a bad row.
    """
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
            yield from _by_scan(scan[start : start + MOST_OF_A_SCAN], versions, (ask, rule_out), progress)


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
    scan: Sequence[tuple[Check, Measure]], versions: Versions, ports: tuple[Ask, RuleOut], progress: Progress
) -> Iterator[Examined]:
    """All measures in one query. Where it fails, each is asked by itself, so that only the broken one is."""
    ask, rule_out = ports
    measures = [measure for _, measure in scan]
    first, table, rows = scan[0][0], measures[0].table, measures[0].rows
    began = time.monotonic()
    progress.step(
        "check", first.name if len(scan) == 1 else f"{counted(len(scan), 'check')} of {table.database}.{table.table}"
    )
    try:
        is_ruled_out = _ruled_out(measures, rule_out) if rows is Rows.ALL else [False] * len(measures)
        asked = [measure for measure, is_out in zip(measures, is_ruled_out, strict=True) if not is_out]
        ((seen, *found),) = ask(scan_query(table, rows, asked, versions)).rows
    except _NOT_OF_THE_DATA:
        raise
    except LakeError as error:
        if len(scan) == 1:
            yield Examined(first, False, problem=error.message, duration_ms=_since(began))
            return
        for alone in scan:
            yield from _by_scan([alone], versions, ports, progress)
        return
    share, counts = _since(began) // len(scan), iter(found)
    for (check, measure), is_out in zip(scan, is_ruled_out, strict=True):
        count = 0 if is_out else next(counts)
        judged = _timed(check, progress, partial(_judged, check, measure, _Counted(seen, count), ask))
        yield replace(judged, duration_ms=judged.duration_ms + share)


def _ruled_out(measures: Sequence[Measure], rule_out: RuleOut) -> list[bool]:
    judged = {measure.bad for measure in measures if measure.bad}
    known = dict(zip(judged, rule_out(measures[0].table, list(judged)), strict=True)) if judged else {}
    return [known.get(measure.bad, False) for measure in measures]


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
