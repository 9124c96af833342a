"""``/mcp``: streamable HTTP of the Model Context Protocol, without sessions and streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpResponse
from rest_framework.parsers import BaseParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from lakeui.access.authentication import BearerAuthentication
from lakeui.api.http.base import limited_refuse
from lakeui.api.http.errors import exception_response
from lakeui.api.http.throttling import PersonThrottle
from lakeui.common.errors import PermissionDenied


class McpView(APIView):
    """Takes tokens only: a page of another site cannot send one."""

    authentication_classes = [BearerAuthentication]
    permission_classes = [IsAuthenticated]
    throttle_classes = [PersonThrottle]
    parser_classes: list[type[BaseParser]] = []
    renderer_classes = [JSONRenderer]
    metadata_class = None
    # The protocol describes itself.
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """The protocol has servers look at Origin, against names that are pointed at them."""
        super().initial(request, *args, **kwargs)
        limited_refuse(request, None)
        if not _is_of_host(request.headers.get("Origin", ""), request.get_host()):
            raise PermissionDenied("Requests from pages of another origin are refused.", remedy="Send no Origin.")

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return exception_response

    def post(self, request: Request) -> HttpResponse:
        # Loaded with the first request: who uses no tools does not wait for them at the start.
        from lakeui.mcp.serving import answer

        return answer(request)


def _is_of_host(origin: str, host: str) -> bool:
    """Whether there is no origin, or it is the host's. What cannot be read is another one."""
    try:
        return not origin or urlsplit(origin).netloc == host
    except ValueError:
        return False
