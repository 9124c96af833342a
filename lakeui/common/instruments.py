"""What processes count for Prometheus: requests, and the time that Spark takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


@dataclass(frozen=True, slots=True)
class Instruments:
    requests: Counter
    request_seconds: Histogram
    spark_seconds: Histogram


@cache
def instruments() -> Instruments:
    """Made on first use, as they are files in the directory that all processes share."""
    Path(settings.LAKEUI["METRICS"]).mkdir(parents=True, exist_ok=True)
    own = CollectorRegistry()
    return Instruments(
        Counter("lakeui_http_requests", "Requests answered.", ["method", "route", "status"], registry=own),
        Histogram(
            "lakeui_http_request_seconds",
            "Time to the answer.",
            ["method", "route"],
            registry=own,
            buckets=SECONDS,
        ),
        Histogram(
            "lakeui_spark_seconds", "Time of pieces of work on Spark.", ["outcome"], registry=own, buckets=SECONDS
        ),
    )


def shared_registry() -> CollectorRegistry:
    """A registry of what all processes counted so far."""
    instruments()
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry
