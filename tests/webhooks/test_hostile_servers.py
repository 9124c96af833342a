"""Whatever the server at the other end does, an attempt costs a worker bounded time and memory."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from merge_app.webhooks import sending
from merge_app.webhooks.addresses import Target
from merge_app.webhooks.errors import Undelivered

Serve = Callable[[Callable[[socket.socket], None]], int]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Has the next connection to a port of loopback answered as the given function does."""
    listening = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def begin(answer: Callable[[socket.socket], None]) -> int:
        def run() -> None:
            accepted, _ = listening.accept()
            with accepted:
                try:
                    answer(accepted)
                except OSError:
                    """The client has gone, as it should."""

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()
        port: int = listening.getsockname()[1]
        return port

    yield begin
    for thread in threads:
        thread.join(timeout=20)
    listening.close()
    assert not any(thread.is_alive() for thread in threads), "the connection was left open"


def send(port: int, scheme: str = "http") -> int:
    target = Target(scheme, "hooks.example.org", port, "/", "127.0.0.1")
    return sending.message_send(target, headers={}, body=b"{}")


def request_read(accepted: socket.socket) -> None:
    """A server that answers unread requests resets the connection."""
    read = b""
    while not read.endswith(b"{}"):
        received = accepted.recv(4096)
        assert received, "the connection ended before the request did"
        read += received


def dripping(text: bytes, pause: float) -> Callable[[socket.socket], None]:
    """A server that is slow on purpose: seconds between one byte and the next."""

    def answer(accepted: socket.socket) -> None:
        request_read(accepted)
        for position in range(len(text)):
            accepted.sendall(text[position : position + 1])
            time.sleep(pause)

    return answer


def test_a_plain_answer_is_taken(serve: Serve) -> None:
    assert send(serve(dripping(b"HTTP/1.1 204 No Content\r\n\r\n", 0))) == 204


def test_slow_answers_are_given_up(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte is in time for itself; the last one would come after ten seconds."""
    monkeypatch.setattr(sending, "TIMEOUT_SECONDS", 0.5)
    port = serve(dripping(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 76 + b"\r\n\r\n", 0.1))
    with pytest.raises(Undelivered, match="did not answer in time"):
        send(port)


def test_server_that_never_begins_tls_is_given_up(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_SECONDS", 0.5)

    def silent(accepted: socket.socket) -> None:
        while accepted.recv(4096):
            """Takes what is sent, and says nothing."""

    port = serve(silent)
    with pytest.raises(Undelivered, match="did not answer in time"):
        send(port, "https")


@pytest.mark.parametrize(
    "endless",
    [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\nX-Filler: " + b"a" * 1000 + b"\r\n\r\n"],
)
def test_endless_answer_is_given_up_after_bounded_bytes(serve: Serve, endless: bytes) -> None:
    """Provisional answers may be any number (RFC 9110, 15.2), each followed by the next."""

    def talking(accepted: socket.socket) -> None:
        request_read(accepted)
        for _ in range(1000):
            accepted.sendall(endless * 100)

    port = serve(talking)
    with pytest.raises(Undelivered, match="too long"):
        send(port)


def test_of_a_body_nothing_is_read(serve: Serve) -> None:
    def answer(accepted: socket.socket) -> None:
        request_read(accepted)
        accepted.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        for _ in range(10_000):
            accepted.sendall(b"a" * 100_000)

    assert send(serve(answer)) == 200
