"""One HTTP request to a checked address: signed, never redirected, through no proxy, bounded in time and size."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import io
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from merge_app.webhooks.addresses import Target
from merge_app.webhooks.errors import Undelivered

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

TIMEOUT_SECONDS = 10.0
"""So long the whole exchange may take, from the connection to the last byte that is read of the answer."""

MOST_BYTES = 64 * 1024
"""So much of an answer is read: its first line and its headers need less."""

SECRET_PREFIX = "whsec_"  # noqa: S105  # what every secret begins with


def signature(secret: str, *, identity: str, at: datetime, body: bytes) -> str:
    """The header ``webhook-signature`` (Standard Webhooks 1.0): HMAC SHA-256 over id, time in seconds and body."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{identity}.{int(at.timestamp())}.".encode() + body
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def signed_headers(secret: str, *, identity: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers by which whoever has the secret knows the message."""
    return {
        "webhook-id": identity,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": signature(secret, identity=identity, at=at, body=body),
    }


def message_send(target: Target, *, headers: Mapping[str, str], body: bytes) -> int:
    """Send the message; the status of the answer, of which nothing else is read. Raises Undelivered."""
    budget = _Budget()
    connection = (_PinnedHTTPS if target.scheme == "https" else _PinnedHTTP)(target, budget)
    plain = {"Host": target.authority, "Content-Type": "application/json", "User-Agent": "lakeui"}
    try:
        connection.request("POST", target.path, body, plain | dict(headers))
        return _status(connection.sock, budget)
    except TimeoutError:
        raise Undelivered("The server did not answer in time.") from None
    except ssl.SSLError:
        raise Undelivered("The server's certificate is not trusted, or it does not speak TLS.") from None
    except (OSError, http.client.HTTPException):
        raise Undelivered("The connection failed.") from None
    finally:
        connection.close()


@dataclass(slots=True)
class _Budget:
    """What is left of the time and the bytes of one exchange. A server that sends a byte now and then, or headers
    without end, gets no more of either.
    """

    ends_at: float = field(default_factory=lambda: time.monotonic() + TIMEOUT_SECONDS)
    bytes_left: int = MOST_BYTES

    def seconds(self) -> float:
        """Seconds that are left. Raises TimeoutError when none are."""
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def take(self, count: int) -> None:
        """Raises Undelivered where the answer is longer than what is read."""
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise Undelivered("The answer was too long.")


class _BoundedReader(io.RawIOBase):
    """The bytes of an answer, as long as the budget lasts."""

    def __init__(self, connected: socket.socket, budget: _Budget) -> None:
        self._socket = connected
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._socket.settimeout(self._budget.seconds())
        count = self._socket.recv_into(buffer)
        self._budget.take(count)
        return count


def _status(connected: socket.socket, budget: _Budget) -> int:
    """The status of the answer that comes now."""
    response = http.client.HTTPResponse(connected, method="POST")
    response.fp.close()
    response.fp = io.BufferedReader(_BoundedReader(connected, budget))
    with response:
        response.begin()
        return response.status


class _PinnedHTTP(http.client.HTTPConnection):
    """Connects to the address that was judged, whatever the name says by now."""

    def __init__(self, target: Target, budget: _Budget) -> None:
        super().__init__(target.host, target.port)
        self._target, self._budget = target, budget

    def connect(self) -> None:
        self.sock = socket.create_connection((self._target.ip, self._target.port), self._budget.seconds())
        # As Python has it, one limit for all of what is sent.
        self.sock.settimeout(self._budget.seconds())


class _PinnedHTTPS(_PinnedHTTP):
    """The same with TLS; the certificate has to be the name's."""

    def connect(self) -> None:
        super().connect()
        self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self._target.host)
        self.sock.settimeout(self._budget.seconds())
