"""What all API views share, set here so that no view depends on the project's defaults."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework.pagination import CursorPagination
from rest_framework.parsers import JSONParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lakeui.access.authentication import BearerAuthentication, BrowserAuthentication
from lakeui.api.errors import exception_response

LONGEST_STATEMENT_BYTES = 1024 * 1024


class ApiView(APIView):
    """A view of the HTTP interface: token or session, JSON in and out, problems for everything else."""

    authentication_classes = [BearerAuthentication, BrowserAuthentication]
    permission_classes = [IsAuthenticated]
    parser_classes = [JSONParser]
    renderer_classes = [JSONRenderer]
    schema = AutoSchema()

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return exception_response


class NewestFirst(CursorPagination):
    """Pages of a list that do not shift while new entries arrive."""

    ordering = ("-created_at", "-pk")
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200


def tagged(request: Request, response: Response) -> Response:
    """The response with an ETag of its content, or 304 if the client has just that."""
    content = JSONRenderer().render(response.data)
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    known = [entry.strip().removeprefix("W/") for entry in request.headers.get("If-None-Match", "").split(",")]
    if response.status_code == 200 and (tag in known or known == ["*"]):
        response = Response(status=304)
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response
