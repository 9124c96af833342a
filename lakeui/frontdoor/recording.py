"""Each statement leaves one line in the log and is counted, whatever becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from catalog_app.domain.stores import store_failure
from lakeui.common.errors import LakeError, outcome_of
from lakeui.common.events import event
from lakeui.common.instruments import instruments
from lakeui.frontdoor.inputs_outputs import Session, StatementResult
from lakeui.frontdoor.rights import statement_kind

UNREADABLE = "unreadable"
"""The kind of what no statement could be made of."""


class Recorded:
    """The statement while it runs: what it is, and what it answers."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def is_a(self, statement: Any, session: Session) -> None:
        self._fields["kind"] = statement_kind(type(statement))
        self._fields["dry_run"] = session.dry_run or getattr(statement, "dry_run", False) or None

    def answers(self, result: StatementResult) -> StatementResult:
        metrics = result.metrics
        written = [count for name, count in metrics.items() if name.startswith("rows_")]
        merge_id = result.extra.get("merge_id") or result.extra.get("audit_id")
        self._fields |= {
            "version": result.version,
            "merge_id": merge_id,
            "rows": sum(written) if written else result.row_count,
            "bytes": metrics.get("bytes_written"),
        }
        return result


@contextmanager
def recorded(session: Session, context: Any) -> Iterator[Recorded]:
    """Record the statement that is run inside."""
    fields = _fields(session, kind=UNREADABLE)
    try:
        with _event("statement", context, fields):
            yield Recorded(fields)
    finally:
        measures = instruments()
        measures.statements.labels(fields["kind"], fields["outcome"]).inc()
        measures.statement_seconds.labels(fields["kind"]).observe(fields["milliseconds"] / 1000)


@contextmanager
def refusals_recorded(session: Session, statement: Callable[[], Any]) -> Iterator[None]:
    """Record the statement where it is refused inside, before it is run. One that is run is recorded there.
    ``statement``: what has been read by then, None where that is what was refused.
    """
    try:
        yield
    except LakeError:
        with recorded(session, None) as record:
            if (read := statement()) is not None:
                record.is_a(read, session)
            raise


@contextmanager
def run_recorded(session: Session, context: Any, *, pipeline: str, trigger: str) -> Iterator[Recorded]:
    """Record the run of a pipeline that is done inside."""
    fields = _fields(session, kind=trigger, pipeline=pipeline)
    try:
        with _event("run", context, fields):
            yield Recorded(fields)
    finally:
        instruments().pipeline_runs.labels(trigger, fields["outcome"]).inc()


def _fields(session: Session, **more: Any) -> dict[str, Any]:
    return {"user": session.user_name or None, "catalog": session.catalog, "branch": session.branch, **more}


@contextmanager
def _event(name: str, context: Any, fields: dict[str, Any]) -> Iterator[None]:
    with event(name, fields):
        try:
            yield
        except LakeError:
            # The engine, interrupted, fails with an error of its own; the line says why it was interrupted.
            if reason := getattr(context, "stopped_by", None):
                fields["outcome"] = outcome_of(reason)
            raise
        except OSError as error:
            # Every way to run a statement comes by here, so each shows the store's failure, and the line names it.
            if failed := store_failure(error):
                raise failed from error
            raise
