"""What a merge and a branch cost does not grow with the rows: counted in statements, not in seconds."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog_app.models import Branch
from tests.benchmarks.metadata import Bench, merge_measure

pytestmark = pytest.mark.django_db


def test_statements_of_a_merge_do_not_grow_with_its_segments() -> None:
    assert merge_measure(10, 20)["statements"] == merge_measure(2_000, 20)["statements"]


def test_create_branch_writes_one_row() -> None:
    bench = Bench(500)
    before = Branch.objects.count()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        bench.sql("CREATE BRANCH b")
    inserts = [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "COPY"))]
    assert len(inserts) == 1
    assert Branch.objects.count() == before + 1
