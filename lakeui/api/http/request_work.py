"""Work on Spark that a request waits for, as ``merge_app.jobs.request_work`` bounds it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from rest_framework.request import Request

from catalog_app.models import Branch
from lakeui import frontdoor
from lakeui.api.http.base import scopes_of
from lakeui.frontdoor.compute import interruptible
from lakeui.tasks.statements import statement_session
from merge_app.jobs.context import StoppableContext
from merge_app.jobs.request_work import QUERIES, READS, TRIALS, Work, work_running


def query_of(
    request: Request, parameters: Mapping[str, Any], read: frontdoor.ParsedStatement
) -> AbstractContextManager[StoppableContext]:
    """Run the query or dry run, which ``parameters`` hold too, inside, bounded and stoppable. Its rights are judged
    before.
    """
    session = statement_session(parameters, user=request.user, scopes=scopes_of(request))
    catalog_id = frontdoor.admit(read, session)
    shown = {name: parameters[name] for name in ("statement", "catalog", "branch")}
    gate = TRIALS if read.is_trial else QUERIES
    return work_running(Work(request.user, catalog_id, shown, has_left(request), gate))


@contextmanager
def read_of(request: Request, branch: Branch) -> Iterator[StoppableContext]:
    """Read rows of the branch for a page inside, bounded and stoppable. Its rights are judged before."""
    shown = {"statement": request.path, "catalog": branch.catalog.name, "branch": branch.name}
    work = Work(request.user, branch.catalog_id, shown, has_left(request), READS)
    with work_running(work) as context, interruptible(context):
        yield context


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
