"""Notes about tables that a merge writes, which no cell of the rule tables covers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import TableState
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.findings import outside_finding
from merge_app.planning.merge_plan import Action, Finding, LoadedTwice, ObjectPlan, PlanInput, StaleRead

MOST_NAMED = 10


def written_tables_judge(given: PlanInput, objects: Sequence[ObjectPlan]) -> Iterator[Finding]:
    """STALE_READ for each table that was read for one of them, LOADED_TWICE for files that both loaded."""
    written = {
        item.object_id: item
        for item in objects
        if item.kind is ObjectKind.TABLE and item.action is not Action.UNTOUCHED and not item.after.is_dropped
    }
    yield from _stale_reads([(written[i.written_id], i) for i in given.stale_reads if i.written_id in written])
    yield from _loaded_twice([(written[i.table_id], i) for i in given.loaded_twice if i.table_id in written])


def _stale_reads(found: Iterable[tuple[ObjectPlan, StaleRead]]) -> Iterator[Finding]:
    """Rows that a statement of the source made from a table which the target changed since."""
    for item, stale in found:
        found_in = outside_finding(
            (item.kind, item.object_id),
            item.name,
            VerdictCode.STALE_READ,
            f"On {item.name}: the source read {stale.table} at version {stale.version} of {stale.branch};"
            f" the target's is at version {stale.target_version}.",
            operations=("read", stale.change),
            details={
                "table": stale.table,
                "branch": stale.branch,
                "version_read": stale.version,
                "target_version": stale.target_version,
            },
        )
        yield replace(found_in, destination_versions=(stale.target_version,))


def _loaded_twice(found: Iterable[tuple[ObjectPlan, LoadedTwice]]) -> Iterator[Finding]:
    """Without a primary key, the merge has the rows of such files twice."""
    for item, loaded in found:
        if isinstance(item.after, TableState) and item.after.schema.is_keyed:
            continue
        count = len(loaded.files)
        more = f" and {count - 1:,} more" if count > 1 else ""
        yield outside_finding(
            (item.kind, item.object_id),
            item.name,
            VerdictCode.LOADED_TWICE,
            f"On {item.name}: source and target both loaded {loaded.files[0]}{more}. The rows of both loads stay.",
            operations=("insert", "insert"),
            details={"files": list(loaded.files[:MOST_NAMED]), "file_count": count},
        )
