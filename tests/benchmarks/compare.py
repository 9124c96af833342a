"""What the first look at two branches costs that changed very many objects. Real PostgreSQL, rows made in bulk."""

from __future__ import annotations

import gc
import statistics
import time
from typing import Any

from tests.benchmarks.lake import Bench, Figure
from tests.benchmarks.resources import TABLES

TARGET_MS = 1000

# What one ALTER TABLE wrote for its table, written in the same commit for every other.
_AS_ONE_DID = """
WITH others AS (
    SELECT id FROM catalog_app_table WHERE catalog_id = %(catalog)s AND id <> %(table)s ORDER BY id LIMIT %(count)s
), operations AS (
    INSERT INTO catalog_app_commitoperation (commit_id, branch_id, version, object_kind, object_id, kind, changes,
        metrics, origin_branch_id, origin_version)
    SELECT o.commit_id, o.branch_id, o.version, o.object_kind, others.id, o.kind, o.changes, o.metrics,
        o.origin_branch_id, o.origin_version
    FROM catalog_app_commitoperation o, others
    WHERE o.branch_id = %(branch)s AND o.version = %(version)s AND o.object_id = %(table)s
), facts AS (
    INSERT INTO catalog_app_attributefacts (branch_id, version, object_kind, object_id, facts)
    SELECT f.branch_id, f.version, f.object_kind, others.id, f.facts FROM catalog_app_attributefacts f, others
    WHERE f.branch_id = %(branch)s AND f.version = %(version)s AND f.object_id = %(table)s
)
INSERT INTO catalog_app_tablerecord (branch_id, version, name, name_key, is_dropped, table_id, database_id, comment,
    properties, declared_partitions)
SELECT changed.branch_id, changed.version, r.name, r.name_key, false, r.table_id, r.database_id, r.comment,
    changed.properties, r.declared_partitions
FROM catalog_app_tablerecord r JOIN others ON r.table_id = others.id, catalog_app_tablerecord changed
WHERE r.branch_id = %(main)s AND r.version < %(version)s AND changed.table_id = %(table)s
    AND changed.branch_id = %(branch)s AND changed.version = %(version)s
"""

_SUPERSEDE = """
UPDATE catalog_app_tablerecord SET superseded_version = %(version)s
WHERE branch_id = %(branch)s AND superseded_version IS NULL AND table_id IN (
    SELECT id FROM catalog_app_table WHERE catalog_id = %(catalog)s AND id <> %(table)s ORDER BY id LIMIT %(count)s)
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
                "main": main.pk,
            }
            cursor.execute(TABLES, {**parameters, "count": changed})
            self.sql("CREATE BRANCH dev")
            for branch, count in (("dev", changed), ("main", changed // 2)):
                self.sql(f"ALTER TABLE d.wide SET TBLPROPERTIES ('owner' = '{branch}')", branch)
                changed_on = self.branch(branch)
                commit = {"branch": changed_on.pk, "version": changed_on.head_version, "count": count - 1}
                cursor.execute(_SUPERSEDE, parameters | commit)
                cursor.execute(_AS_ONE_DID, parameters | commit)
            cursor.execute("VACUUM ANALYZE")

    def compare(self) -> Any:
        from merge_app.comparison.compare import comparison_load

        return comparison_load(self.branch("dev"), self.branch("main"), _refuse)


def _refuse() -> Any:
    raise AssertionError("a comparison of properties asked for the engine")


def compare_measure(changed: int, columns: int, rounds: int = 9) -> float:
    """Seconds of a comparison that no one has seen: the median."""
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
