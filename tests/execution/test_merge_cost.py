"""What a merge and a branch cost does not grow with the rows: counted in statements, not in seconds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from catalog_app.models import Branch
from merge_app.execution.apply import CommitHeader
from merge_app.execution.merge import merge_prepare
from merge_app.execution.merge_command import MergeCommand
from tests.benchmarks.metadata import Bench, _refuse, merge_measure

pytestmark = pytest.mark.django_db


def test_merge_statements_do_not_grow_with_segments() -> None:
    few, many = (merge_measure(changed, 20)[0].statements for changed in (10, 2_000))
    assert few == many


@pytest.mark.django_db(transaction=True)
def test_a_merge_of_new_rows_takes_twenty_statements() -> None:
    assert merge_measure(10, 20)[0].statements == 20


def _segments_read(plan: dict[str, Any]) -> int:
    """Rows of segments that a plan read, those that a filter left out among them."""
    own = plan.get("Relation Name") == "catalog_app_segment" and plan["Node Type"] != "ModifyTable"
    read = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"] if own else 0
    return int(read) + sum(map(_segments_read, plan.get("Plans", ())))


def test_merges_read_no_segments_that_neither_side_changed() -> None:
    changed, unchanged = 400, 8_000
    bench = Bench(unchanged)
    bench.sql("CREATE BRANCH b")
    bench.insert("b", changed)
    read: list[int] = []

    def explained(execute: Callable[..., Any], text: str, parameters: Any, many: bool, context: Any) -> Any:
        if "candidates AS MATERIALIZED" in text:
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}", parameters)
                (found,) = cursor.fetchone()
            read.append(_segments_read(json.loads(found)[0]["Plan"] if isinstance(found, str) else found[0]["Plan"]))
        return execute(text, parameters, many, context)

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalog_app_segment, catalog_app_segmentremoval")
    command = MergeCommand(bench.branch("b").pk, bench.branch("main").pk, CommitHeader("MERGE BRANCH"))
    with connection.execute_wrapper(explained):
        merge_prepare(command, _refuse)
    # For the list of candidates, and for the side that has them.
    assert read
    assert max(read) <= 2 * changed + 10


def test_create_branch_writes_one_row() -> None:
    bench = Bench(500)
    before = Branch.objects.count()
    texts: list[str] = []

    def noted(execute: Callable[..., Any], text: str, *arguments: Any) -> Any:
        texts.append(text.strip())
        return execute(text, *arguments)

    with connection.execute_wrapper(noted):
        bench.sql("CREATE BRANCH b")
    assert len([text for text in texts if text.startswith(("INSERT", "UPDATE", "COPY", "WITH"))]) == 1
    assert Branch.objects.count() == before + 1
