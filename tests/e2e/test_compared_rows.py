"""Compared rows of ``tests/without_spark`` as Spark reads them: pages that end within rows, columns that files lack."""

from __future__ import annotations

from tests.without_spark.test_compared_rows import (
    client,
    test_a_column_that_only_the_branch_has_is_missing_in_the_rows_before,
    test_a_page_holds_so_many_changed_rows_and_never_half_an_update,
)

__all__ = [
    "client",
    "test_a_column_that_only_the_branch_has_is_missing_in_the_rows_before",
    "test_a_page_holds_so_many_changed_rows_and_never_half_an_update",
]
