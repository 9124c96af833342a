"""Compared rows of ``tests/without_spark`` as Spark reads them: pages that end within rows, columns that files lack."""

from __future__ import annotations

from tests.without_spark.test_compared_rows import (
    client,
    test_new_columns_are_missing_in_earlier_rows,
    test_page_bounds_changed_rows_and_splits_no_update,
)

__all__ = [
    "client",
    "test_new_columns_are_missing_in_earlier_rows",
    "test_page_bounds_changed_rows_and_splits_no_update",
]
