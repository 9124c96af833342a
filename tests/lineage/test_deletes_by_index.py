"""What a removed segment was without is looked up by an index: no deletes of other segments are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from merge_app.execution.lineage.superseded import MASKS

_QUERY = f"""
EXPLAIN (FORMAT JSON) SELECT {MASKS} FROM catalog_app_segmentremoval r
JOIN catalog_app_branch b ON b.id = r.branch_id WHERE r.id = 1
"""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


@pytest.mark.django_db
def test_deletes_are_found_by_branch_and_segment() -> None:
    with connection.cursor() as cursor:
        # The table of the test is empty, which a scan reads soonest.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(_QUERY)
        (found,) = cursor.fetchone()
    (plan,) = json.loads(found) if isinstance(found, str) else found
    (lookup,) = (node for node in nodes(plan["Plan"]) if node.get("Relation Name") == "catalog_app_segmentdelete")
    condition = lookup["Index Cond"]
    assert "branch_id" in condition
    assert "segment_id" in condition
