"""``EXPLAIN ANALYZE`` of a write: its dry run, answered as the steps of EXPLAIN and what doing it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.explaining import COLUMNS, Step, read_steps

_STEPS = "steps"
Handler = Callable[[Call, Any], StatementResult]


def measured(handler: Handler) -> Handler:
    """The handler, which answers steps. Files are those that the statement's snapshot shows before it writes."""

    def handle(call: Call, statement: Any) -> StatementResult:
        steps = list(read_steps(call, statement))
        began = time.monotonic()
        found = handler(call, statement)
        steps += _took(found.metrics, time.monotonic() - began)
        return replace(found, extra={**found.extra, _STEPS: steps})

    return handle


def measured_answer(found: StatementResult, dry_run: StatementResult) -> StatementResult:
    """The answer of the dry run, with the steps as its rows where what was ``found`` has some."""
    if _STEPS not in found.extra:
        return dry_run
    steps = [*found.extra[_STEPS], *_merge(dry_run.extra.get("parent_merge"))]
    rows = [list(step) for step in steps]
    return replace(dry_run, columns=COLUMNS, rows=rows, row_count=len(rows))


def _merge(said: dict[str, Any] | None) -> Iterator[Step]:
    """What a merge to the parent would then say."""
    if said is None:
        return
    if "refused" in said:
        yield "then", f"a merge to {said['branch']} is refused: {said['refused']['message']}"
    elif said["mergeable"]:
        yield "then", f"a merge to {said['branch']} has no conflict"
    for item in said["conflicts"]:
        yield "then", f"a merge to {said['branch']} conflicts: {item['code']} of {item['object']}: {item['count']:,}"


def _took(metrics: dict[str, int], seconds: float) -> Iterator[Step]:
    yield "run", f"done without its commit in {seconds:.3f} s; nothing is written"
    for name, value in metrics.items():
        if value:
            yield "would", f"{name.replace('_', ' ')}: {value:,}"
