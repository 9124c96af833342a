"""What a merge and a branch cost does not grow with the rows: counted in statements, not in seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from catalog_app.models import Branch
from tests.benchmarks.metadata import Bench, merge_measure

pytestmark = pytest.mark.django_db


def test_statements_of_a_merge_do_not_grow_with_its_segments() -> None:
    few, many = (merge_measure(changed, 20)[0].statements for changed in (10, 2_000))
    assert few == many


@pytest.mark.django_db(transaction=True)
def test_a_merge_of_new_rows_takes_twenty_statements() -> None:
    assert merge_measure(10, 20)[0].statements == 20


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
