"""The worker process of the web server: gunicorn's threads, and a loop that holds requests until they are whole.

A thread starts on a request when all of it is there. A client that sends slowly, or reads slowly, takes no thread.
Each address may have so many connections. What is refused here is a problem document, as everywhere.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import selectors
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import TConn, ThreadWorker

from lakeui.common.problem import CONTENT_TYPE, problem
from lakeui.runtime.arrivals import ADDRESS_BYTES, HEAD_BYTES, Arrival, Stage, body_seconds

CONNECTIONS_PER_ADDRESS = 200
UPLOADS_PER_PROCESS = 8
SEND_SECONDS = 60
"""How long one piece of an answer may wait for a client that does not read."""
LINGER_SECONDS = 2.0
READ_BYTES = 64 * 1024
QUIET_SECONDS = 60.0

# Status → code, title, detail, remedy of what never reaches the application.
_REFUSALS: Mapping[int, tuple[str, str, str, str]] = {
    400: ("INVALID_VALUE", "Bad Request", "This is no HTTP request.", ""),
    408: ("REQUEST_TIMEOUT", "Request Timeout", "The request took too long to arrive.", "Send it again, faster."),
    414: ("URI_TOO_LONG", "URI Too Long", f"The address is longer than {ADDRESS_BYTES} bytes.", "Use shorter names."),
    417: ("EXPECTATION_FAILED", "Expectation Failed", "Only 100-continue can be expected.", ""),
    429: (
        *("TOO_MANY_REQUESTS", "Too Many Requests", "This address has too many connections open."),
        "Close some, then try again.",
    ),
    431: (
        *("HEADERS_TOO_LARGE", "Request Header Fields Too Large"),
        f"A header has more than {ADDRESS_BYTES} bytes, or all have more than {HEAD_BYTES // 1024} KiB.",
        "Send shorter headers.",
    ),
    500: ("INTERNAL_ERROR", "Internal Server Error", "Something failed inside lakeui.", "The log says what."),
    501: ("NOT_IMPLEMENTED", "Not Implemented", "This transfer coding is not known.", "Send the body as it is."),
    503: ("OVERLOADED", "Service Unavailable", "Too many files are sent at this time.", "Try again in a few seconds."),
}


def refusal(status: int) -> bytes:
    """The whole answer to a request that never reaches the application."""
    code, title, detail, remedy = _REFUSALS.get(status, _REFUSALS[400])
    body = json.dumps(problem(status=status, code=code, title=title, detail=detail, remedy=remedy)).encode()
    head = f"HTTP/1.1 {status} {title}\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {len(body)}\r\n"
    wait = "Retry-After: 5\r\n" if status in (429, 503) else ""
    return f"{head}{wait}Cache-Control: no-store\r\nConnection: close\r\n\r\n".encode() + body


def network_of(address: str) -> str:
    """What counts as one address: itself, or the /64 of IPv6, which is what one client gets."""
    try:
        read = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(read, ipaddress.IPv6Address):
        if read.ipv4_mapped:
            return str(read.ipv4_mapped)
        return str(ipaddress.ip_network((read, 64), strict=False))
    return address


def connections_limit(environment: Mapping[str, str]) -> int:
    """Connections that one address may have in one process; 0 for no limit. A proxy's address is that of everybody."""
    # In the web process alone: see web_options.
    from lakeui.runtime.environment import variables_read

    variables = variables_read(environment)
    said = variables.connections_per_address
    return said if said is not None else 0 if variables.behind_proxy else CONNECTIONS_PER_ADDRESS


class HeldUnreader(Unreader):  # type: ignore[misc]  # gunicorn has no types
    """Gives the parser what was held, then what a long body still sends, within the time that a body may take."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self.sock = connection
        self._arrival: Arrival | None = None
        self._waited = 0.0
        self._came = 0

    def start(self, arrival: Arrival) -> None:
        self.finish()
        self._waited, self._came = 0.0, 0
        arrival.held.seek(0)
        self._arrival = arrival

    def rest(self) -> bytes:
        """What came behind the request: the beginning of the next one."""
        held = self._arrival.held.read() if self._arrival else b""
        return bytes(self.take_buffered()) + held

    def finish(self) -> None:
        if self._arrival:
            self._arrival.held.close()
            self._arrival = None

    def chunk(self, size_hint: int | None = None) -> bytes:
        if self._arrival is None:
            return b""
        if held := self._arrival.held.read(min(max(size_hint or 0, READ_BYTES), 16 * READ_BYTES)):
            return held
        # Only waiting for the client counts, not what the application does between two reads.
        left = body_seconds(self._came) - self._waited
        if left <= 0:
            raise TimeoutError("the body took too long")
        before, began = self.sock.gettimeout(), time.monotonic()
        self.sock.settimeout(left)
        try:
            data = self.sock.recv(READ_BYTES)
        finally:
            self.sock.settimeout(before)
            self._waited += time.monotonic() - began
        self._came += len(data)
        return data


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection. ``leave`` takes the place of closing where a client may still have to read the answer."""

    def __init__(self, *given: Any, network: str, leave: Callable[[Connection, bool], None]) -> None:
        super().__init__(*given)
        self.network = network
        self.arrival: Arrival | None = None
        self.uploads = False
        self._leave = leave
        # The loop waits for data, no thread does.
        self.data_ready = True
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
        self.parser = RequestParser(self.cfg, self.sock, self.client)
        self.parser.unreader = HeldUnreader(self.sock)

    def close(self, graceful: bool = False) -> None:
        self._leave(self, graceful)


class WebWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn's worker with threads, in which requests arrive in the loop."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._most = connections_limit(os.environ)
        self._per_network: Counter[str] = Counter()
        self._arriving: set[Connection] = set()
        self._lingering: dict[Connection, float] = {}
        self._uploads = 0
        self._said = -QUIET_SECONDS

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        super().check_config(cfg, log)
        if cfg.is_ssl:
            raise RuntimeError(
                "TLS ends at a proxy: this server takes no certificate. Set LAKEUI_BEHIND_PROXY=1 there."
            )

    # Connections come

    def accept(self, listener: socket.socket) -> None:
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        network = network_of(str(address[0])) if isinstance(address, tuple) else ""
        if network and self._most and self._per_network[network] >= self._most:
            self._turn_away(client, network)
            return
        self.nr_conns += 1
        self._per_network[network] += 1
        connection = Connection(self.cfg, client, address, listener.getsockname(), network=network, leave=self._leave)
        self._expect(connection)

    def _turn_away(self, client: socket.socket, network: str) -> None:
        now = time.monotonic()
        if now - self._said >= QUIET_SECONDS:
            self._said = now
            self.log.warning("%s has %d connections, no more are taken from it", network, self._most)
        with contextlib.suppress(OSError):
            client.setblocking(False)
            client.send(refusal(429))
            client.shutdown(socket.SHUT_WR)
        client.close()

    def on_client_socket_readable(self, conn: Connection, client: socket.socket) -> None:
        """A connection that was kept open sends its next request."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._expect(conn)
        self._receive(conn, client)

    # Requests arrive

    def _expect(self, connection: Connection) -> None:
        connection.arrival = Arrival(time.monotonic)
        connection.sock.setblocking(False)
        self._arriving.add(connection)
        self.poller.register(connection.sock, selectors.EVENT_READ, partial(self._receive, connection))

    def _receive(self, connection: Connection, client: socket.socket) -> None:
        try:
            data = client.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(connection, data)
        else:
            self._drop(connection)

    def _take(self, connection: Connection, data: bytes) -> None:
        arrival = connection.arrival
        assert arrival is not None
        was_head = arrival.stage is Stage.HEAD
        stage = arrival.take(data)
        if stage is Stage.HEAD_TOO_LONG:
            self._refuse(connection, 414 if arrival.is_address_too_long else 431)
        elif stage is Stage.WHOLE:
            self._hand_over(connection)
        elif stage is Stage.UPLOAD:
            if self._uploads >= UPLOADS_PER_PROCESS:
                self._refuse(connection, 503)
                return
            self._uploads += 1
            connection.uploads = True
            self._hand_over(connection)
        elif stage is Stage.BODY and was_head and arrival.expects_continue:
            with contextlib.suppress(OSError):
                connection.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _hand_over(self, connection: Connection) -> None:
        self._forget(connection)
        assert connection.arrival is not None
        connection.parser.unreader.start(connection.arrival)
        connection.arrival = None
        connection.initialized = True
        self.enqueue_req(connection)

    def _refuse(self, connection: Connection, status: int) -> None:
        with contextlib.suppress(OSError):
            connection.sock.send(refusal(status))
        self._forget(connection)
        self.nr_conns -= 1
        connection.close(graceful=True)

    def _drop(self, connection: Connection) -> None:
        self._forget(connection)
        self.nr_conns -= 1
        connection.close()

    def _forget(self, connection: Connection) -> None:
        self._arriving.discard(connection)
        with contextlib.suppress(OSError, KeyError, ValueError):
            self.poller.unregister(connection.sock)

    def murder_pending(self) -> None:
        """Look which clients took too long; the loop calls this at least once a second."""
        now = time.monotonic()
        for connection in [each for each in self._arriving if each.arrival and each.arrival.deadline <= now]:
            if connection.arrival and connection.arrival.is_begun:
                self._refuse(connection, 408)
            else:
                self._drop(connection)
        for connection in [each for each, deadline in self._lingering.items() if deadline <= now]:
            self._end(connection)

    # Answers were sent

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """After a thread: keep the connection for its next request, which may have come already, or let it go."""
        self._uploads -= conn.uploads
        conn.uploads = False
        rest = b"" if fs.cancelled() or fs.exception() else conn.parser.unreader.rest()
        conn.parser.unreader.finish()
        if rest and fs.result() and self.alive:
            self._expect(conn)
            self._take(conn, rest)
            return
        super().finish_request(conn, fs)

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Gunicorn logs the refusal and chooses its status; the answer is a problem document."""
        super().handle_error(req, _Refused(client), addr, exc)

    # Connections go

    def _leave(self, connection: Connection, graceful: bool) -> None:
        """Close, or first wait a moment until the client has read: closing at once may take the answer from it."""
        connection.parser.unreader.finish()
        if connection.arrival:
            connection.arrival.held.close()
            connection.arrival = None
        if graceful:
            try:
                connection.sock.setblocking(False)
                connection.sock.shutdown(socket.SHUT_WR)
                self.poller.register(connection.sock, selectors.EVENT_READ, partial(self._ignore, connection))
            except (OSError, KeyError, ValueError):
                self._end(connection)
            else:
                self._lingering[connection] = time.monotonic() + LINGER_SECONDS
        else:
            self._end(connection)

    def _ignore(self, connection: Connection, client: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                is_over = not client.recv(READ_BYTES)
            except ConnectionError:
                is_over = True
            if is_over:
                self._end(connection)

    def _end(self, connection: Connection) -> None:
        self._lingering.pop(connection, None)
        with contextlib.suppress(OSError, KeyError, ValueError):
            self.poller.unregister(connection.sock)
        connection.sock.close()
        self._per_network[connection.network] -= 1
        if self._per_network[connection.network] <= 0:
            del self._per_network[connection.network]


class _Refused:
    """Stands for the socket to which gunicorn writes its HTML: the status goes out as a problem document."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def sendall(self, data: bytes) -> None:
        found = re.match(rb"HTTP/1\.1 (\d{3})", data)
        self._client.sendall(refusal(int(found[1]) if found else 500))
