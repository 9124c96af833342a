"""Servers for tests, which live for minutes."""

from __future__ import annotations

from pathlib import Path

from lakeui.runtime.spark import EmbeddedSpark

TEMPLATE = "LAKEUI_TESTS_TEMPLATE"
"""Environment variable: the database that a worker of ``python -m tests`` makes its own from."""

SPARK_MEMORY = "4g"
JAVA_OPTIONS = (
    "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:MetaspaceSize=512m -XX:ReservedCodeCacheSize=400m -Xms3g -Xmn1g"
)
"""Half of the work of a server that lives for minutes is to compile itself well, which pays after hours.

With the first compiler alone the JVM keeps 48 MB of compiled code, of which a minute of tests fills all. It would
discard and compile again from then on. A heap that is large from the beginning has no full collections: with 1 GB
there were 20 in six minutes of tests, which took 11.6 s.
"""


def spark_for_tests(home: Path) -> EmbeddedSpark:
    return EmbeddedSpark(home / "spark", home / "spark.log", memory=SPARK_MEMORY, java_options=JAVA_OPTIONS)
