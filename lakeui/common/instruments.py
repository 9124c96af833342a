"""What processes count for Prometheus: requests, statements, commits, merges, tasks, runs, deliveries, time on Spark.

A scrape then costs the same whatever the database holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
MERGE_SECONDS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0)


@dataclass(frozen=True, slots=True)
class Instruments:
    requests: Counter
    request_seconds: Histogram
    spark_seconds: Histogram
    statements: Counter
    statement_seconds: Histogram
    task_seconds: Histogram
    task_wait_seconds: Histogram
    pipeline_runs: Counter
    webhook_attempts: Counter
    commits: Counter
    merges: Counter
    merge_seconds: Histogram


@cache
def instruments() -> Instruments:
    """Made on first use, as they are files in the directory that all processes share."""
    Path(settings.LAKEUI["METRICS"]).mkdir(parents=True, exist_ok=True)
    own = CollectorRegistry()

    def counter(name: str, said: str, *labels: str) -> Counter:
        return Counter(name, said, labels, registry=own)

    def seconds(name: str, said: str, *labels: str, buckets: tuple[float, ...] = SECONDS) -> Histogram:
        return Histogram(name, said, labels, registry=own, buckets=buckets)

    return Instruments(
        counter("lakeui_http_requests", "Requests answered.", "method", "route", "status"),
        seconds("lakeui_http_request_seconds", "Time to the answer.", "method", "route"),
        seconds("lakeui_spark_seconds", "Time of pieces of work on Spark.", "outcome"),
        counter("lakeui_statements", "Statements by kind and code of their outcome.", "kind", "outcome"),
        seconds("lakeui_statement_seconds", "Time of statements.", "kind"),
        seconds("lakeui_task_seconds", "Time of attempts at tasks.", "kind", "state"),
        seconds("lakeui_task_wait_seconds", "Time that tasks waited for their first attempt.", "kind"),
        counter(
            "lakeui_pipeline_runs", "Runs of pipelines by trigger and code of their outcome.", "trigger", "outcome"
        ),
        counter("lakeui_webhook_attempts", "Attempts to deliver to webhooks.", "event", "outcome"),
        counter("lakeui_commits", "Commits of all branches."),
        counter("lakeui_merges", "Attempts to merge by outcome and gravest verdict.", "outcome", "verdict"),
        seconds("lakeui_merge_seconds", "Time of merges that went through.", buckets=MERGE_SECONDS),
    )


def shared_registry() -> CollectorRegistry:
    """A registry of what all processes counted so far."""
    instruments()
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry
