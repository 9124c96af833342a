"""Every request has an id, which the answer, each log line and the tasks that it began bear; and a line in the log."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from lakeui.common.logs import logged_as

logger = logging.getLogger("lakeui.requests")

HEADER = "X-Request-ID"
QUIET = re.compile(r"/(livez|healthz|readyz|metrics|static/.*)$")
"""What is asked all the time and by machines: logged at level DEBUG."""

_SAFE = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestIds:
    """Middleware, the outermost. A proxy may give the id; anything that could spoil a log is replaced."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said = request.headers.get(HEADER, "")
        request_id = said if _SAFE.fullmatch(said) else uuid4().hex
        began = time.perf_counter()
        with logged_as(request_id=request_id):
            response = self._get_response(request)
            milliseconds = round(1000 * (time.perf_counter() - began), 1)
            # Neither the query nor headers: people paste secrets into the one, and the others hold them.
            logger.log(
                logging.DEBUG if QUIET.match(request.path) else logging.INFO,
                "%s %s %s in %s ms",
                request.method,
                request.path,
                response.status_code,
                milliseconds,
                extra={
                    "method": request.method,
                    "path": request.path,
                    "status": response.status_code,
                    "milliseconds": milliseconds,
                },
            )
        response[HEADER] = request_id
        return response
