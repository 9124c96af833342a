"""What lists of the HTTP interface cost in a large catalog. Real PostgreSQL, rows made in bulk, no Spark.

Continuous integration asserts the number of statements of each resource instead.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.benchmarks.lake import Bench, Figure

if TYPE_CHECKING:
    from django.contrib.auth.models import User

TARGET_MS = 100
ROUNDS = 40

TABLES = """
WITH made AS (
    INSERT INTO catalog_app_table (catalog_id, next_column_id, next_address)
    SELECT %(catalog)s, 2, 0 FROM generate_series(1, %(count)s) RETURNING id
), definition AS (
    INSERT INTO catalog_app_schemadefinition (table_id, content)
    SELECT id, jsonb_set(content, '{columns,0,comment}', to_jsonb('of table ' || id)) FROM made,
        (SELECT content FROM catalog_app_schemadefinition WHERE table_id = %(table)s LIMIT 1) first
    RETURNING id, table_id
), history AS (
    INSERT INTO catalog_app_tableschemahistory (branch_id, table_id, version, definition_id)
    SELECT %(branch)s, table_id, %(version)s, id FROM definition
), current_schema_rows AS (
    INSERT INTO catalog_app_tableschema (branch_id, table_id, version, definition_id)
    SELECT %(branch)s, table_id, %(version)s, id FROM definition
), named AS (
    SELECT id, 'table_' || lpad((id * 7919 %% 1000003)::text, 7, '0') AS name FROM made
), facts AS (
    INSERT INTO catalog_app_attributefacts (branch_id, version, object_kind, object_id, facts)
    SELECT %(branch)s, %(version)s, 'table', named.id, jsonb_set(first.facts, '{name,0}', to_jsonb(named.name))
    FROM named, (
        SELECT facts FROM catalog_app_attributefacts WHERE object_kind = 'table' AND object_id = %(table)s LIMIT 1
    ) first
)
INSERT INTO catalog_app_tablerecord (branch_id, version, name, name_key, is_dropped, table_id, database_id, comment,
    properties, declared_partitions)
SELECT %(branch)s, %(version)s, name, name, false, id, %(database)s, '', '{}', '[]' FROM named
"""

_COMMITS = """
WITH made AS (
    INSERT INTO catalog_app_commit (catalog_id, branch_id, version, operation, statement, author_name, committed_at)
    SELECT %(catalog)s, %(branch)s, nextval(%(sequence)s::regclass), 'ALTER TABLE', 'ALTER TABLE d.t ...', 'bench',
           clock_timestamp() FROM generate_series(1, %(count)s) RETURNING id, branch_id, version
)
INSERT INTO catalog_app_commitoperation (commit_id, branch_id, version, object_kind, object_id, kind, changes, metrics,
    origin_branch_id, origin_version)
SELECT id, branch_id, version, 'table', %(table)s, 'set properties', '[]', '{"rows_updated": 3}', branch_id, version
FROM made
"""

_BRANCHES = """
INSERT INTO catalog_app_branch (catalog_id, name, parent_id, fork_version, head_version, head_commit_id,
    ancestor_branches, ancestor_limits, oldest_version, is_workspace, created_at)
SELECT %(catalog)s, 'feature/' || c.version, %(branch)s, c.version, c.version, c.id, ARRAY[%(branch)s],
       ARRAY[c.version], 0, false, now()
FROM catalog_app_commit c WHERE c.branch_id = %(branch)s ORDER BY c.version DESC LIMIT %(count)s
"""

_WORK = """
WITH made AS (
    INSERT INTO catalog_app_commit (catalog_id, branch_id, version, parent_id, operation, statement, author_name,
        committed_at)
    SELECT b.catalog_id, b.id, nextval(%(sequence)s::regclass), b.head_commit_id, 'INSERT', '', 'bench',
           clock_timestamp()
    FROM catalog_app_branch b WHERE b.parent_id = %(branch)s RETURNING id, branch_id, version
)
UPDATE catalog_app_branch b SET head_version = made.version, head_commit_id = made.id FROM made
WHERE made.branch_id = b.id
"""

_MERGED = """
INSERT INTO catalog_app_branchreach (branch_id, at_version, reached_branch_id, reached_version)
SELECT %(branch)s, nextval(%(sequence)s::regclass), b.id, b.head_version
FROM catalog_app_branch b WHERE b.parent_id = %(branch)s AND b.id %% 2 = 0
"""

_REQUESTS = """
INSERT INTO merge_app_mergerequest (catalog_id, number, source_id, destination_id, title, description, labels, state,
    author_id, revision, created_at, updated_at, planned_rules, planned_resolutions, planned_fingerprint,
    planned_facts, conflict_count, resolutions_digest, queued_verdicts, noted_source_head, noted_source_gone,
    noted_destination_gone, timeline_digest)
SELECT %(catalog)s, row_number() OVER (ORDER BY id), id, %(branch)s, 'Merge ' || name, '', '{}', 'open',
       %(author)s, 1, now(), now(), '', '', '', '{}', 0, '', '', head_version, false, false, ''
FROM catalog_app_branch WHERE parent_id = %(branch)s ORDER BY id LIMIT %(count)s
"""

_FORMER_NAMES = """
WITH named AS (
    INSERT INTO catalog_app_tablerecord (branch_id, version, superseded_version, name, name_key, is_dropped, table_id,
        database_id, comment, properties, declared_partitions)
    SELECT branch_id, version - 1, version, replace(name, 'table', 'former'), replace(name_key, 'table', 'former'),
        false, table_id, database_id, '', '{}', '[]'
    FROM catalog_app_tablerecord WHERE branch_id = %(branch)s AND name_key LIKE 'table%%' RETURNING table_id, version
), definition AS (
    INSERT INTO catalog_app_schemadefinition (table_id, content)
    SELECT d.table_id, jsonb_set(d.content, '{columns,0,name}', '"former_column"')
    FROM named JOIN catalog_app_schemadefinition d USING (table_id) RETURNING id, table_id
)
INSERT INTO catalog_app_tableschemahistory (branch_id, table_id, version, definition_id)
SELECT %(branch)s, table_id, named.version, definition.id FROM definition JOIN named USING (table_id)
"""


def rename_all(lake: LargeLake) -> None:
    """Each table of the large lake, and its first column, had another name before."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(_FORMER_NAMES, {"branch": lake.branch("main").pk})
        cursor.execute("VACUUM ANALYZE")


class LargeLake(Bench):
    """A catalog with many tables, commits and branches; every other branch is merged into main. The author has a
    merge request for each of some of them.
    """

    def __init__(self, *, tables: int, branches: int, segments: int, requests: int, author: User) -> None:
        super().__init__(segments)
        from django.db import connection

        from catalog_app.selectors.objects import databases_list
        from catalog_app.selectors.snapshots import branch_snapshot

        main = self.branch("main")
        (database,) = databases_list(branch_snapshot(main))
        parameters = {
            "catalog": main.catalog_id,
            "branch": main.pk,
            "version": main.head_version,
            "database": database.database_id,
            "table": self.table_id,
            "sequence": f"catalog_version_{main.catalog_id}",
        }
        with connection.cursor() as cursor:
            cursor.execute(TABLES, {**parameters, "count": tables})
            cursor.execute(_COMMITS, {**parameters, "count": branches})
            cursor.execute(_BRANCHES, {**parameters, "count": branches})
            cursor.execute(_WORK, parameters)
            cursor.execute(_MERGED, parameters)
            cursor.execute(
                "UPDATE catalog_app_branch b SET head_version = c.version, head_commit_id = c.id"
                " FROM catalog_app_commit c WHERE b.id = %(branch)s AND c.branch_id = b.id AND c.version ="
                " (SELECT max(version) FROM catalog_app_commit WHERE branch_id = %(branch)s)",
                parameters,
            )
            cursor.execute(
                "SELECT max(at_version) FROM catalog_app_branchreach WHERE branch_id = %(branch)s", parameters
            )
            (reached,) = cursor.fetchone()
            # What merges brought counts from the version that they made.
            cursor.execute("UPDATE catalog_app_branch SET head_version = %s WHERE id = %s", [reached, main.pk])
            cursor.execute(_REQUESTS, {**parameters, "author": author.pk, "count": requests})
            cursor.execute("VACUUM ANALYZE")


def paths() -> dict[str, str]:
    """What is asked, by what it is called in the table."""
    tables = "branches/main/databases/d/tables/"
    return {
        "branches, by name": "branches/",
        "branches, newest activity": "branches/?order=-activity",
        "branches, 200 a page": "branches/?limit=200",
        "history": "branches/main/history/",
        "history, searched": "branches/main/history/?search=nothing",
        "graph, 200 commits": "graph/",
        "tables": tables,
        "tables with sizes": f"{tables}?include=sizes",
        "tables, searched": f"{tables}?search=99",
        "tables, searched in vain": f"{tables}?search=zzz",
        "database with its count": "branches/main/databases/d/",
        "table": f"{tables}t/",
        "segments": f"{tables}t/segments/",
        "versions of a table": f"{tables}t/versions/",
        "history of a table": f"{tables}t/history/",
        "merge requests": "merge-requests/",
        "merge requests, searched": "merge-requests/?search=feature&state=open",
        "merge requests of an author, 200 a page": "merge-requests/?author=bench&limit=200",
        "catalog": "",
    }


def searches() -> dict[str, str]:
    """What is searched for, by what it is called in the table."""
    return {
        "search, few match": "q=0099",
        "search, every table matches": "q=table",
        "search, every column matches": "q=id",
        "search, one letter": "q=t",
        "search, in vain": "q=zzz",
        "search, in one database": "q=d.table_01",
        "search, few had the name": "q=former_0099",
        "search, every table and column had the name": "q=former",
    }


def figures(
    *, tables: int = 100_000, branches: int = 10_000, segments: int = 10_000, requests: int = 1_000
) -> list[Figure]:
    """What a signed-in client waits for each, at the 95th percentile."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    # As in a server, where what was loaded at the start is left alone by the collector.
    import lakeui.wsgi  # noqa: F401
    from lakeui.access.tokens import token_create
    from tests.support.members import join

    user = User.objects.create_user("bench")
    lake = LargeLake(tables=tables, branches=branches, segments=segments, requests=requests, author=user)
    rename_all(lake)
    join(user, lake.catalog)
    secret = token_create(user=user, name="bench")[1]
    settings.LAKEUI["REQUESTS_PER_MINUTE"] = 0
    client = Client(headers={"Authorization": f"Bearer {secret}", "Host": "localhost"})
    addresses = {what: f"/api/v1/catalogs/{lake.catalog}/{path}" for what, path in paths().items()}
    for what, query in searches().items():
        addresses[what] = f"/api/v1/search/?{query}"
        addresses[f"{what}, from a branch"] = f"/api/v1/search/?{query}&catalog={lake.catalog}&branch=main"
    return [
        Figure(f"{what}, p95 ms", _slowest(client, address), at_most=TARGET_MS) for what, address in addresses.items()
    ]


def _slowest(client: Any, address: str) -> float:
    """The 95th percentile of repeated requests, in milliseconds, after two that warm up."""
    taken = []
    for _ in range(ROUNDS + 2):
        began = time.perf_counter()
        response = client.get(address)
        taken.append(1000 * (time.perf_counter() - began))
        assert response.status_code == 200, response.content
    return sorted(taken[2:])[int(0.95 * (ROUNDS - 1))]
