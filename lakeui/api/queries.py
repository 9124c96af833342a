"""Queries that a request waits for, as ``merge_app.jobs.queries`` runs them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from rest_framework.request import Request

from lakeui import frontdoor
from lakeui.api.base import scopes_of
from lakeui.api.statements import statement_session
from merge_app.jobs.context import TaskContext
from merge_app.jobs.queries import Query, query_running


def query_of(request: Request, parameters: Mapping[str, Any]) -> AbstractContextManager[TaskContext]:
    """Run the query of ``parameters`` inside, bounded and stoppable. Its rights are judged before."""
    session = statement_session(parameters, user=request.user, scopes=scopes_of(request))
    catalog_id = frontdoor.admit(parameters["statement"], session)
    shown = {name: parameters[name] for name in ("statement", "catalog", "branch")}
    return query_running(Query(request.user, catalog_id, shown, has_left(request)))


def has_left(request: Request) -> Callable[[], bool]:
    """Whether the client of the request hung up; never where the server gives no connection to look at."""
    connection = request.META.get("gunicorn.socket")

    def look() -> bool:
        if not isinstance(connection, socket.socket):
            return False
        try:
            # An open connection has nothing to read while its answer is awaited, or the next request.
            return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    return look
