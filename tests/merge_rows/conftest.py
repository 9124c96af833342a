"""Lakes on real PostgreSQL and Spark, as the end-to-end tests have them."""

from tests.e2e.conftest import services

__all__ = ["services"]
