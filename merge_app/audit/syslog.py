"""A line for a syslog server (RFC 5424), over UDP (RFC 5426), TCP or TLS (RFC 6587, RFC 5425: octets are counted)."""

from __future__ import annotations

import os
import socket
import ssl
from urllib.parse import urlsplit

SECONDS = 5.0
PRIORITY = 13 * 8 + 5
"""Facility *log audit*, severity *notice*."""

PORTS = {"udp": 514, "tcp": 514, "tls": 6514}


def syslog_send(address: str, at: str, kind: str, text: str) -> None:
    """Send one message to ``udp://host:port``, ``tcp://…`` or ``tls://…``. ``at``: its time in ISO 8601.

    Raises OSError, which names the address, where the server cannot be reached. UDP confirms nothing; with TCP and TLS
    this process knows no more than that its own machine took the bytes.
    """
    message = f"<{PRIORITY}>1 {at} {socket.gethostname()} lakeui {os.getpid()} {kind} - {text}".encode()
    try:
        _send(address, message)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), address) from error


def _send(address: str, message: bytes) -> None:
    parts = urlsplit(address)
    place = (parts.hostname or "", parts.port or PORTS[parts.scheme])
    if parts.scheme == "udp":
        family, kind, protocol, _, where = socket.getaddrinfo(*place, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as sender:
            sender.sendto(message, where)
        return
    with socket.create_connection(place, SECONDS) as connection:
        framed = f"{len(message)} ".encode() + message
        if parts.scheme == "tls":
            with ssl.create_default_context().wrap_socket(connection, server_hostname=place[0]) as secured:
                secured.sendall(framed)
        else:
            connection.sendall(framed)
