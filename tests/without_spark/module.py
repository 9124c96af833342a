"""Imported by a worker of these tests before it forks: it runs on the engine in memory, in files of its warehouse."""

from __future__ import annotations

from lakeui.frontdoor import compute
from tests.without_spark.engine import engine_make

# The engine in memory has what tests call of an engine, and is no subclass of it.
compute.engine_make = engine_make  # type: ignore[assignment]
