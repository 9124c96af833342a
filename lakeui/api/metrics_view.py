"""``/metrics``: the server in numbers, for Prometheus."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from catalog_app.selectors.totals import lake_totals
from lakeui.api.base import ApiView
from lakeui.common.instruments import shared_registry
from merge_app.audit.selectors import merge_totals
from merge_app.jobs.models import FINISHED_STATES
from merge_app.jobs.selectors import queue_age, task_totals
from merge_app.review.queue import queued_count

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


class StaffOrLoopback(BasePermission):
    """Staff, by token or session; or whoever asks from this machine and is no proxy."""

    message = "Metrics are for staff, and for requests from the machine itself."

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user and request.user.is_staff) or _is_from_here(request)


def _is_from_here(request: Request) -> bool:
    if settings.SECURE_PROXY_SSL_HEADER or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


class MetricsView(ApiView):
    permission_classes = [StaffOrLoopback]
    schema = None  # type: ignore[assignment]  # no part of the HTTP interface for clients

    def get(self, request: Request) -> HttpResponse:
        registry = shared_registry()
        registry.register(LakeCollector())
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class LakeCollector:
    """What the database knows, asked anew at each scrape, so that it is the same whichever process answers."""

    def collect(self) -> Iterator[Metric]:
        totals = lake_totals()
        yield GaugeMetricFamily("lakeui_catalogs", "Valid catalogs.", value=totals.catalogs)
        yield GaugeMetricFamily("lakeui_branches", "Valid branches.", value=totals.branches)
        yield CounterMetricFamily("lakeui_commits", "Commits of all branches.", value=totals.commits)
        tasks = GaugeMetricFamily("lakeui_tasks", "Tasks by state.", labels=["kind", "state"])
        task_seconds = SummaryMetricFamily(
            "lakeui_task_seconds", "Time from start to end of finished tasks.", labels=["kind", "state"]
        )
        for total in task_totals():
            tasks.add_metric([total.kind, total.state], total.count)
            if total.state in FINISHED_STATES:
                task_seconds.add_metric([total.kind, total.state], count_value=total.count, sum_value=total.seconds)
        yield tasks
        yield GaugeMetricFamily(
            "lakeui_task_queue_age_seconds", "How long the oldest task that waits has waited.", value=queue_age()
        )
        yield task_seconds
        yield GaugeMetricFamily(
            "lakeui_merge_queue_requests", "Merge requests that wait in merge queues.", value=queued_count()
        )
        yield from _merges()


def _merges() -> Iterator[Metric]:
    merges = CounterMetricFamily(
        "lakeui_merges", "Attempts to merge by outcome and gravest verdict.", labels=["outcome", "verdict"]
    )
    totals = merge_totals()
    for attempts in totals:
        merges.add_metric([attempts.outcome, attempts.verdict], attempts.count)
    yield merges
    merged = [attempts for attempts in totals if attempts.outcome == "merged"]
    yield SummaryMetricFamily(
        "lakeui_merge_seconds",
        "Time of merges that went through.",
        count_value=sum(attempts.count for attempts in merged),
        sum_value=sum(attempts.seconds for attempts in merged),
    )
