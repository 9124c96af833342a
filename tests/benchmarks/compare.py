"""What the first look at two branches costs that changed very many objects. Real PostgreSQL, rows made in bulk."""

from __future__ import annotations

import gc
import json
import statistics
import time
from typing import Any

from tests.benchmarks.lake import Bench, Figure
from tests.benchmarks.resources import TABLES

TARGET_MS = 1000

_COMMIT = """
WITH made AS (
    INSERT INTO catalog_app_commit (catalog_id, branch_id, version, operation, statement, author_name, committed_at)
    SELECT %(catalog)s, %(branch)s, nextval(%(sequence)s::regclass), 'ALTER TABLE', '', 'bench', clock_timestamp()
    RETURNING id, branch_id, version
), done AS (
    INSERT INTO catalog_app_commitoperation (commit_id, branch_id, version, object_kind, object_id, kind, changes,
        metrics, origin_branch_id, origin_version)
    SELECT made.id, branch_id, version, 'table', t.id, 'set properties', %(changes)s, '{}', branch_id, version
    FROM made, (SELECT id FROM catalog_app_table WHERE catalog_id = %(catalog)s ORDER BY id LIMIT %(count)s) t
)
UPDATE catalog_app_branch b SET head_version = made.version, head_commit_id = made.id
FROM made WHERE b.id = made.branch_id
"""


class ChangedLake(Bench):
    """A catalog of so many tables, every one changed on branch ``dev``, and every second one on main."""

    def __init__(self, changed: int, columns: int) -> None:
        super().__init__(1)
        from django.db import connection

        from catalog_app.selectors.objects import databases_list
        from catalog_app.selectors.snapshots import branch_snapshot

        definitions = ", ".join(f"c{number} STRING COMMENT 'column {number}'" for number in range(columns))
        self.sql(f"CREATE TABLE d.wide ({definitions})")
        main = self.branch("main")
        (database,) = databases_list(branch_snapshot(main))
        with connection.cursor() as cursor:
            cursor.execute("SELECT max(id) FROM catalog_app_table WHERE catalog_id = %s", [main.catalog_id])
            parameters = {
                "catalog": main.catalog_id,
                "branch": main.pk,
                "version": main.head_version,
                "database": database.database_id,
                "table": cursor.fetchone()[0],
                "sequence": f"catalog_version_{main.catalog_id}",
            }
            cursor.execute(TABLES, {**parameters, "count": changed})
            self.sql("CREATE BRANCH dev")
            for branch, count in (("dev", changed), ("main", changed // 2)):
                change = [{"change": "property", "key": "owner", "before": None, "after": branch}]
                cursor.execute(
                    _COMMIT,
                    {**parameters, "branch": self.branch(branch).pk, "count": count, "changes": json.dumps(change)},
                )
            cursor.execute("VACUUM ANALYZE")

    def compare(self) -> Any:
        from merge_app.execution.compare import comparison_load

        return comparison_load(self.branch("dev"), self.branch("main"), _refuse)


def _refuse() -> Any:
    raise AssertionError("a comparison of properties asked for the engine")


def compare_measure(changed: int, columns: int, rounds: int = 9) -> float:
    """Seconds of a comparison that nobody has seen: the median."""
    # As in a server, where what was loaded at the start is left alone by the collector.
    import lakeui.wsgi  # noqa: F401

    lake = ChangedLake(changed, columns)
    taken = []
    for _ in range(rounds):
        gc.collect()
        began = time.process_time()
        compared = lake.compare()
        taken.append(time.process_time() - began)
        assert len(compared.objects) == changed
    return statistics.median(taken[1:])


def figures() -> list[Figure]:
    """What the first look at 10,000 changed objects takes of the processor."""
    return [
        Figure(f"comparison of 10,000 changed tables of {columns} columns, CPU ms", 1000 * seconds, at_most=TARGET_MS)
        for columns in (1, 20)
        for seconds in [compare_measure(10_000, columns)]
    ]
