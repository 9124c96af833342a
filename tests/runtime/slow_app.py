"""A small application behind the web worker: gunicorn's options and its module. Its limits are short."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from lakeui.runtime import arrivals, web_worker

worker_class = "lakeui.runtime.web_worker.WebWorker"
workers = 1
threads = 4
control_socket_disable = True
limit_request_line = 8190
limit_request_field_size = 8190
sendfile = False

arrivals.HEAD_SECONDS = 1.5
arrivals.BODY_SECONDS = 2.0
arrivals.HELD_BYTES = 256 * 1024
web_worker.SEND_SECONDS = 1
web_worker.LINGER_SECONDS = 2.0


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/refused":
        start_response("401 Unauthorized", [("Content-Length", "2")])
        return [b"no"]
    if path == "/stream":
        start_response("200 OK", [])
        return _pieces()
    if path == "/endless":
        start_response("200 OK", [])
        return (b"x" * 1024 * 1024 for _ in range(1000))
    body = environ["wsgi.input"].read()
    answer = str(len(body)).encode()
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]


def _pieces() -> Iterable[bytes]:
    for piece in (b"one ", b"two"):
        yield piece
        # The pieces leave one by one.
        time.sleep(0.3)
