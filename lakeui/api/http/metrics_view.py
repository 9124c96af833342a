"""``/metrics``: the server in numbers, for Prometheus."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from catalog_app.selectors.totals import lake_totals
from lakeui import __version__
from lakeui.api.http.base import ApiView
from lakeui.common.instruments import shared_registry
from lakeui.runtime.home import restarts_read
from merge_app.jobs.models import QUERY_KIND
from merge_app.jobs.selectors import queue_age, unfinished_totals
from merge_app.review.queue import queued_count
from merge_app.webhooks.selectors import deliveries_pending

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
        yield InfoMetricFamily("lakeui_build", "The version that runs.", value={"version": __version__})
        yield GaugeMetricFamily("lakeui_catalogs", "Valid catalogs.", value=totals.catalogs)
        yield GaugeMetricFamily("lakeui_branches", "Valid branches.", value=totals.branches)
        tasks = GaugeMetricFamily("lakeui_tasks", "Tasks that wait or run.", labels=["kind", "state"])
        unfinished = unfinished_totals()
        for total in unfinished:
            tasks.add_metric([total.kind, total.state], total.count)
        yield tasks
        queries = sum(total.count for total in unfinished if total.kind == QUERY_KIND)
        yield GaugeMetricFamily("lakeui_running_queries", "Queries that run in web processes.", value=queries)
        yield GaugeMetricFamily(
            "lakeui_task_queue_age_seconds",
            "How long the oldest task that waits has waited.",
            value=queue_age(unfinished),
        )
        yield GaugeMetricFamily(
            "lakeui_webhook_deliveries_pending", "Messages to webhooks that wait.", value=deliveries_pending()
        )
        restarts = CounterMetricFamily(
            "lakeui_restarts", "Parts that ended by themselves and were started again by up.", labels=["part"]
        )
        for part, count in restarts_read(Path(settings.LAKEUI["HOME"])).items():
            restarts.add_metric([part], count)
        yield restarts
        yield GaugeMetricFamily(
            "lakeui_merge_queue_requests", "Merge requests that wait in merge queues.", value=queued_count()
        )
