"""What the metadata costs: branches, merges, deep reads. Real PostgreSQL, rows made in bulk, no Spark."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.lake import Bench, Figure, paired


def _refuse() -> Any:
    raise AssertionError("a merge of inserts asked for the engine")


@dataclass
class MergeCost:
    """Medians of several merges of as many segments, and of the bare inserts of the same rows."""

    merge_seconds: float
    bare_seconds: float
    statements: int


def merge_measure(changed: int, *unchanged: int, rounds: int = 4) -> list[MergeCost]:
    """Merge ``changed`` new segments beside each of these numbers of others, in turn; one round is not counted."""
    benches = [Bench(count) for count in unchanged]
    taken = [[_merge_once(bench, changed, number) for bench in benches] for number in range(rounds)][1:]
    return [
        MergeCost(
            statistics.median(row[place][0] for row in taken),
            statistics.median(row[place][1] for row in taken),
            taken[-1][place][2],
        )
        for place in range(len(benches))
    ]


def _merge_once(bench: Bench, changed: int, number: int) -> tuple[float, float, int]:
    """Seconds of the merge, of a bare INSERT .. SELECT of the same rows, and the merge's statements."""
    from django.db import connection

    from merge_app.execution.apply import CommitHeader
    from merge_app.execution.merge import merge_run
    from merge_app.execution.merge_command import MergeCommand
    from merge_app.jobs.context import Context

    bench.sql(f"CREATE BRANCH b{number}")
    operation = bench.insert(f"b{number}", changed)
    command = MergeCommand(bench.branch(f"b{number}").pk, bench.branch("main").pk, CommitHeader("MERGE BRANCH"))
    bare = _bare_insert(operation)
    counted: list[str] = []

    def count(execute: Any, query: str, *rest: Any) -> Any:
        counted.append(query)
        return execute(query, *rest)

    with connection.execute_wrapper(count):
        began = time.perf_counter()
        merge_run(command, _refuse, Context())
        merge = time.perf_counter() - began
    return merge, bare, len(counted)


def _bare_insert(operation: int) -> float:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        began = time.perf_counter()
        cursor.execute(
            """INSERT INTO catalog_app_segment (table_id, branch_id, operation_id, added_version, file_id,
                   definition_id, schema_version, is_visible)
               SELECT table_id, branch_id, operation_id, added_version + 1000000000, file_id, definition_id,
                   schema_version, is_visible FROM catalog_app_segment WHERE operation_id = %s""",
            [operation],
        )
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        taken = time.perf_counter() - began
        transaction.set_rollback(True)
    return taken


def branch_measure(small: int, large: int) -> tuple[float, float]:
    """CREATE BRANCH in a small and in a large catalog, in turn."""
    benches = Bench(small), Bench(large)
    numbers = iter(range(10_000))
    first, second = (
        lambda: benches[0].sql(f"CREATE BRANCH n{next(numbers)}"),
        lambda: benches[1].sql(f"CREATE BRANCH n{next(numbers)}"),
    )
    return paired(first, second, rounds=61)


def depth_measure(segments: int) -> tuple[float, float]:
    """Reading the table's segments from a branch, and from the end of a chain of 100."""
    from catalog_app.selectors.segments import segments_list
    from catalog_app.selectors.snapshots import branch_snapshot

    bench = Bench(segments)
    parent = "main"
    for number in range(100):
        bench.sql(f"CREATE BRANCH deep{number} FROM {parent}")
        parent = f"deep{number}"
    shallow, deep = (branch_snapshot(bench.branch(name)) for name in ("deep0", "deep99"))
    return paired(lambda: segments_list(shallow, bench.table_id), lambda: segments_list(deep, bench.table_id))


def figures(*, large: int, changed: int) -> list[Figure]:
    """Everything that this module measures."""
    small_branch, large_branch = branch_measure(1_000, large)
    merge, wide = merge_measure(changed, changed, 10 * changed)
    (tenth,) = merge_measure(changed // 10, changed)
    shallow, deep = depth_measure(10_000)
    beside = wide.merge_seconds / merge.merge_seconds
    return [
        Figure("CREATE BRANCH at 1,000 segments, ms", 1000 * small_branch),
        Figure(f"CREATE BRANCH at {large:,} segments, ms", 1000 * large_branch),
        Figure("ratio", large_branch / small_branch, at_most=1.2),
        Figure(f"merge of {changed:,} segments, s", merge.merge_seconds),
        Figure("bare INSERT .. SELECT of the same rows, s", merge.bare_seconds),
        Figure("ratio", merge.merge_seconds / merge.bare_seconds, at_most=1.2),
        Figure("the same merge beside 10x more unchanged segments, ratio", beside, at_most=1.1),
        Figure(f"statements of a merge of {changed:,} segments", merge.statements, at_most=20),
        Figure(f"statements of a merge of {changed // 10:,} segments", tenth.statements, at_most=merge.statements),
        Figure("10,000 segments through 1 branch, ms", 1000 * shallow),
        Figure("10,000 segments through 100 branches, ms", 1000 * deep),
        Figure("ratio", deep / shallow, at_most=1.5),
    ]
