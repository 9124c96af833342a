"""Answers and headers that many operations declare alike."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from lakeui.api.http.serializers import ProblemDocument, TaskAnswer

NOT_FOUND: dict[Any, Any] = {(404, "application/problem+json"): ProblemDocument}
BAD_REQUEST: dict[Any, Any] = {(400, "application/problem+json"): ProblemDocument}
FORBIDDEN: dict[Any, Any] = {(403, "application/problem+json"): ProblemDocument}
CONFLICT: dict[Any, Any] = {(409, "application/problem+json"): ProblemDocument}
STALE: dict[Any, Any] = {(412, "application/problem+json"): ProblemDocument}
NOT_FINISHED: dict[Any, Any] = {
    (202, "application/json"): OpenApiResponse(TaskAnswer, description="Not finished yet; Location names the task.")
}
NOT_MODIFIED: dict[Any, Any] = {304: OpenApiResponse(description="Nothing changed.")}
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="ETag of what you have; 304 if it is still that."
)
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="ETag of what you saw; 412 if it has changed since."
)
