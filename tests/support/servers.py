"""Servers for tests, which live for minutes."""

from __future__ import annotations

from pathlib import Path

from lakeui.runtime.spark import EmbeddedSpark
from lakeui.runtime.stores import SparkStore

TEMPLATE = "LAKEUI_TESTS_TEMPLATE"
"""Environment variable: the database that a worker of ``python -m tests`` makes its own from."""

SPARK_MEMORY = "4g"
_COMPILER = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:MetaspaceSize=512m -XX:ReservedCodeCacheSize=400m"
"""Half of the work of a server that lives for minutes is to compile itself well, which pays after hours.

With the first compiler alone the JVM keeps 48 MB of compiled code, of which a minute of tests fills all. It would
discard and compile again from then on.
"""
JAVA_OPTIONS = f"{_COMPILER} -Xms1g -Xmn600m"
LARGE_HEAP = f"{_COMPILER} -Xms3g -Xmn1g"
"""Of the server that all tests share. With 1 GB it had 20 full collections in six minutes of tests: 11.6 s."""


def spark_for_tests(home: Path, store: SparkStore | None = None) -> EmbeddedSpark:
    return EmbeddedSpark(
        home / "spark",
        home / "spark.log",
        memory=SPARK_MEMORY,
        java_options=LARGE_HEAP,
        store=store or SparkStore(),
    )


def small_spark(home: Path, store: SparkStore) -> EmbeddedSpark:
    """Of one file of tests, beside the server that others share."""
    return EmbeddedSpark(home / "spark", home / "spark.log", memory="2g", java_options=JAVA_OPTIONS, store=store)
