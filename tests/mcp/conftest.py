"""A lake for tools; no Spark."""

from tests.review.conftest import database, local_worker, stored

__all__ = ["database", "local_worker", "stored"]
