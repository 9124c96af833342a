"""Lakes on real PostgreSQL and Spark, as the end-to-end tests have them."""

from tests.on_spark.conftest import services

__all__ = ["services"]
