"""Compared rows of ``tests/without_spark`` as Spark reads them: pages that end within rows, columns that files lack."""

from __future__ import annotations

from tests.without_spark.test_compared_rows import (
    client,
    test_a_page_holds_so_many_changed_rows_and_never_half_an_update,
    test_new_columns_are_missing_in_earlier_rows,
)

__all__ = [
    "client",
    "test_a_page_holds_so_many_changed_rows_and_never_half_an_update",
    "test_new_columns_are_missing_in_earlier_rows",
]
