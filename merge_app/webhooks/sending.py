"""One HTTP request to a checked address: signed, never redirected, through no proxy."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import socket
import ssl
from datetime import datetime

from merge_app.webhooks.addresses import Target
from merge_app.webhooks.errors import Undelivered

TIMEOUT_SECONDS = 10.0
SECRET_PREFIX = "whsec_"  # noqa: S105  # what every secret begins with


def signature(secret: str, *, identity: str, at: datetime, body: bytes) -> str:
    """The header ``webhook-signature`` (Standard Webhooks 1.0): HMAC SHA-256 over id, time in seconds and body."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{identity}.{int(at.timestamp())}.".encode() + body
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def message_send(target: Target, *, secret: str, identity: str, at: datetime, body: bytes) -> int:
    """Send the message; the status of the answer, of which nothing else is read. Raises Undelivered."""
    connection = _connection(target)
    headers = {
        "Host": target.authority,
        "Content-Type": "application/json",
        "User-Agent": "lakeui",
        "webhook-id": identity,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": signature(secret, identity=identity, at=at, body=body),
    }
    try:
        connection.request("POST", target.path, body, headers)
        return connection.getresponse().status
    except TimeoutError:
        raise Undelivered("The server did not answer in time.") from None
    except ssl.SSLError:
        raise Undelivered("The server's certificate is not trusted, or it does not speak TLS.") from None
    except (OSError, http.client.HTTPException):
        raise Undelivered("The connection failed.") from None
    finally:
        connection.close()


def _connection(target: Target) -> http.client.HTTPConnection:
    if target.scheme == "https":
        return _PinnedHTTPS(target)
    return _PinnedHTTP(target)


def _connect(target: Target) -> socket.socket:
    return socket.create_connection((target.ip, target.port), TIMEOUT_SECONDS)


class _PinnedHTTP(http.client.HTTPConnection):
    """Connects to the address that was judged, whatever the name says by now."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=TIMEOUT_SECONDS)
        self._target = target

    def connect(self) -> None:
        self.sock = _connect(self._target)


class _PinnedHTTPS(http.client.HTTPSConnection):
    """The same with TLS; the certificate has to be the name's."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=TIMEOUT_SECONDS, context=ssl.create_default_context())
        self._target = target

    def connect(self) -> None:
        plain = _connect(self._target)
        self.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=self._target.host)
