"""Spans for OpenTelemetry: statements, merges, tasks and runs of pipelines. Off unless ``LAKEUI_TRACES`` is on.

OpenTelemetry's own variables say where spans go (``OTEL_EXPORTER_OTLP_ENDPOINT`` and the rest). Nothing waits for them:
a collector that is away costs spans and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

from django.conf import settings

from lakeui.common.errors import InvalidValue, outcome_of
from lakeui.common.logs import current_request_id, current_task_id

SERVICE = "lakeui"
_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def traces_require() -> None:
    """Raises InvalidValue where traces are on and what makes them is not installed."""
    try:
        missing = [name for name in _PACKAGES if find_spec(name) is None]
    except ModuleNotFoundError:
        missing = ["opentelemetry"]
    if missing:
        raise InvalidValue(
            f"LAKEUI_TRACES is on, but {missing[0]} is not installed.",
            remedy="Run pip install '.[traces]', or leave LAKEUI_TRACES unset.",
        )


@contextmanager
def span(name: str, fields: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """A span of what is done inside. What ``fields`` hold at its end are its attributes, and who asked for it.

    Spans that begin inside, in the same thread, are its children.
    """
    found: dict[str, Any] = {} if fields is None else fields
    if not settings.LAKEUI["TRACES"]:
        yield found
        return
    with tracer().start_as_current_span(name, record_exception=False, set_status_on_exception=False) as current:
        error: BaseException | None = None
        try:
            yield found
        except BaseException as raised:
            error = raised
            raise
        finally:
            _fill(current, {"outcome": outcome_of(error), **found}, is_failed=error is not None)


def _fill(current: Any, fields: dict[str, Any], *, is_failed: bool) -> None:
    from opentelemetry.trace import StatusCode

    said = {**fields, "request_id": current_request_id(), "task_id": current_task_id()}
    for name, value in said.items():
        if value is not None and value != "":
            current.set_attribute(f"{SERVICE}.{name}", value if isinstance(value, bool | int | float) else str(value))
    if is_failed:
        current.set_status(StatusCode.ERROR, str(fields["outcome"]))


@cache
def _provider() -> Any:
    """Made on first use, so in each process for itself: processes that are forked later have no thread of another."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({SERVICE_NAME: SERVICE}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def tracer() -> Any:
    return _provider().get_tracer(SERVICE)


def traces_flush() -> None:
    """Send what this process holds. For processes that end without Python's own clearing up."""
    if settings.LAKEUI["TRACES"]:
        _provider().force_flush()
