"""What history costs: small commits by several clients at once, and the first page of a long history.

Run by ``make bench``; real PostgreSQL with durable commits, no Spark.
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import statistics
import time
from typing import Any

from tests.benchmarks.lake import Bench, Figure

WARM = 20
"""Writes of a client before it is timed: from then on PostgreSQL has its statements prepared."""


def write_once(catalog: str) -> None:
    """All of an INSERT but Spark's work: names, addresses, the file's row, the judgement, the commit."""
    from catalog_app.domain.files import NewDataFile
    from catalog_app.domain.operations import FileEffects, OperationKind
    from catalog_app.services.files import addresses_allocate, data_files_register
    from lakeui.frontdoor.call import Call, table_for_writing
    from lakeui.frontdoor.inputs_outputs import Session
    from lakeui.frontdoor.rows.writes import commit_rows
    from lakeui.sql.statements import TableName
    from merge_app.jobs.context import Context

    target = table_for_writing(Call(Session(catalog=catalog), Context(), "INSERT"), TableName("t", "d"))
    table_id = target.table.table_id
    file = NewDataFile(f"bench/{secrets.token_hex(16)}", addresses_allocate(table_id, 10), 10, 1000)
    added = data_files_register(table_id, [file])
    call = Call(Session(catalog=catalog), Context(), "INSERT")
    commit_rows(call, target, "INSERT", OperationKind.INSERT, FileEffects(added), {})


def _client(catalog: str, writes: int, ready: Any, go: Any) -> None:
    import django

    django.setup()
    for _ in range(WARM):
        write_once(catalog)
    ready.release()
    go.wait()
    for _ in range(writes):
        write_once(catalog)


def commits_measure(clients: int, writes: int) -> float:
    """Commits a second on one branch by so many processes, each with a connection of its own."""
    from django.db import connections

    bench = Bench(10)
    connections.close_all()
    context = multiprocessing.get_context("spawn")
    ready, go = context.Semaphore(0), context.Event()
    processes = [context.Process(target=_client, args=(bench.catalog, writes, ready, go)) for _ in range(clients)]
    for process in processes:
        process.start()
    for _ in processes:
        ready.acquire()
    began = time.perf_counter()
    go.set()
    for process in processes:
        process.join()
    taken = time.perf_counter() - began
    assert all(process.exitcode == 0 for process in processes)
    return clients * writes / taken


_COMMITS = """
WITH made AS (
    INSERT INTO catalog_app_commit (catalog_id, branch_id, version, operation, statement, author_name, committed_at)
    SELECT %(catalog)s, %(branch)s, nextval(%(sequence)s::regclass), 'INSERT', 'INSERT INTO d.t VALUES (1)', 'bench',
           now() + g * interval '1 millisecond'
    FROM generate_series(1, %(count)s) g RETURNING id, version
)
INSERT INTO catalog_app_commitoperation (commit_id, branch_id, version, object_kind, object_id, kind, changes, metrics,
                                         origin_branch_id, origin_version)
SELECT id, %(branch)s, version, 'table', %(table)s, 'insert', '[]', '{"rows_inserted": 1}', %(branch)s, version
FROM made
"""


def history_measure(commits: int, rounds: int = 21) -> float:
    """Seconds of the first page, 50 commits, of a branch that has so many."""
    from django.db import connection

    bench = Bench(10)
    branch = bench.branch("main")
    with connection.cursor() as cursor:
        parameters = {
            "catalog": branch.catalog_id,
            "branch": branch.pk,
            "sequence": f"catalog_version_{branch.catalog_id}",
            "count": commits,
            "table": bench.table_id,
        }
        cursor.execute(_COMMITS, parameters)
        cursor.execute(
            "UPDATE catalog_app_branch b SET head_version = c.version, head_commit_id = c.id FROM catalog_app_commit c"
            " WHERE b.id = %(branch)s AND c.branch_id = b.id AND c.version = (SELECT max(version)"
            " FROM catalog_app_commit WHERE branch_id = b.id)",
            parameters,
        )
        cursor.execute("ANALYZE catalog_app_commit, catalog_app_commitoperation")
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        assert len(bench.sql("SHOW HISTORY LIMIT 50").rows) == 50
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def figures() -> list[Figure]:
    """Everything that this module measures."""
    clients = os.cpu_count() or 1
    return [
        Figure("small writes a second on one branch, 1 client", commits_measure(1, 300)),
        Figure(f"small writes a second on one branch, {clients} clients", commits_measure(clients, 300), at_least=200),
        Figure("first page of 100,000 commits, ms", 1000 * history_measure(100_000), at_most=100),
    ]
