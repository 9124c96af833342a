"""A new name is compared with names of other letters by an index: other branches are not read, however many."""

from __future__ import annotations

from typing import Any

from django.db import connection

from tests.support.lake import Lake
from tests.support.own_connection import ASIDE

_BRANCHES = """
INSERT INTO catalog_app_branch (catalog_id, name, parent_id, fork_version, head_version, head_commit_id,
    ancestor_branches, ancestor_limits, oldest_version, is_workspace, created_at)
SELECT b.catalog_id, 'feature/' || g, b.id, b.head_version, b.head_version, b.head_commit_id, ARRAY[b.id],
    ARRAY[b.head_version], 0, false, now() FROM catalog_app_branch b, generate_series(1, 2000) g WHERE b.name = 'main'
"""
_TAGS = """
INSERT INTO catalog_app_tag (catalog_id, name, branch_id, version, created_at)
SELECT b.catalog_id, 'tag/' || g, b.id, b.head_version, now() FROM catalog_app_branch b, generate_series(1, 2000) g
WHERE b.name = 'main'
"""
_NO_MORE = """
DELETE FROM catalog_app_branch WHERE name LIKE 'feature/%';
DELETE FROM catalog_app_tag WHERE name LIKE 'tag/%';
"""
"""The check of the lake at the end would read each of them."""


def test_names_of_other_letters_are_found_by_index(lake: Lake) -> None:
    asked: list[tuple[str, Any]] = []

    def note(execute: Any, query: str, parameters: Any, many: bool, context: Any) -> Any:
        if "~" in query:
            asked.append((query, parameters))
        return execute(query, parameters, many, context)

    with connection.cursor() as cursor:
        cursor.execute(_BRANCHES)
        cursor.execute(_TAGS)
        cursor.execute("ANALYZE catalog_app_branch, catalog_app_tag")
    with connection.execute_wrapper(note):
        lake.sql("CREATE BRANCH pay")
    ((query, parameters),) = asked
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {query}", parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "branch_other_letters" in plan
    assert "tag_other_letters" in plan
    ASIDE.execute(_NO_MORE)
