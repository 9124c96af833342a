"""Servers in this process whose threads stay, for clients that speak HTTP.

With each thread stays its connection to PostgreSQL, as in production. A new one of each for every client has PostgreSQL
plan every query anew.
"""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from django.core.servers.basehttp import ThreadedWSGIServer
from django.db import connections


class _KeptThreads(ThreadingMixIn, TCPServer):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._threads_kept = ThreadPoolExecutor(64)
        self._clients: set[socket.socket] = set()
        self._databases: set[Any] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._clients.add(request)
        self._threads_kept.submit(self.process_request_thread, request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        super().process_request_thread(request, client_address)
        self._databases.add(connections["default"])

    def close_request(self, request: Any) -> None:
        self._clients.discard(request)
        super().close_request(request)

    def server_close(self) -> None:
        """Who is connected is cut off, and no connection to the database stays."""
        super().server_close()
        for client in tuple(self._clients):
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        self._threads_kept.shutdown()
        for database in self._databases:
            database.inc_thread_sharing()
            database.close()


class Server(_KeptThreads, ThreadedWSGIServer):
    """Clients keep their connections: each has a thread meanwhile."""

    def _close_connections(self) -> None:
        pass


class OnceServer(_KeptThreads, WSGIServer):
    """One request a connection, for clients that open many and leave them open."""


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass
