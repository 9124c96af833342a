"""Both sides of a comparison: PostgreSQL and the front door here, plain Spark in a session of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.differential.peer import plain_session
from tests.on_spark.conftest import services

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

__all__ = ["services"]


@pytest.fixture(scope="session")
def plain_spark(spark_remote: str) -> Iterator[SparkSession]:
    session = plain_session(spark_remote)
    yield session
    session.stop()
