"""Sessions use each other's generated code: Spark keeps it for the loader of classes that it was compiled for."""

from __future__ import annotations

from typing import Any

from catalog_app.engine.session import SparkSessions

LOADER = "SELECT reflect('org.apache.logging.log4j.util.LoaderUtil', 'getThreadContextClassLoader') FROM range(1)"
"""What compiles the code of a task."""


def asked(remote: str) -> tuple[str, str]:
    """The loader of classes of a new session, and a setting that lakeui gives it."""
    sessions = SparkSessions(remote)

    def work(spark: Any) -> tuple[str, str]:
        return spark.sql(LOADER).collect()[0][0], spark.conf.get("spark.sql.ansi.enabled")

    try:
        return sessions.run(work)
    finally:
        sessions.close()


def test_a_second_session_compiles_for_firsts_loader(spark_remote: str) -> None:
    first, second = asked(spark_remote), asked(spark_remote)
    assert "@" in first[0]
    assert first == second
    assert first[1] == "true"
