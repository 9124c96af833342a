"""Clients that send slowly, read slowly or come in numbers, over real sockets: the others are served as ever."""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from lakeui.runtime.processes import log_tail, process_record, process_start, process_stop
from lakeui.runtime.web_worker import connections_limit, network_of

ROOT = Path(__file__).resolve().parents[2]
MOST = 100


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """One process with four threads, and at most 100 connections of an address."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        number = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("slow") / "web.log"
    options = ["--config=python:tests.runtime.slow_app", f"--bind=127.0.0.1:{number}"]
    command = [sys.executable, "-m", "gunicorn", *options, "tests.runtime.slow_app:application"]
    environment = {**os.environ, "LAKEUI_CONNECTIONS_PER_ADDRESS": str(MOST)}
    process = process_start(command, log=log, env=environment, cwd=ROOT)
    try:
        deadline = time.monotonic() + 30
        while not answers(number):
            assert process.poll() is None, log_tail(log)
            assert time.monotonic() < deadline, log_tail(log)
            time.sleep(0.05)
        yield number
    finally:
        process_stop(process_record("web", process.pid), patience_seconds=5)
        process.wait()


def answers(port: int) -> bool:
    try:
        return asked(port)[0] == 200
    except OSError:
        return False


def asked(port: int, method: str = "GET", path: str = "/", **sent: Any) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, **sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def opened(port: int, text: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), 20)
    client.sendall(text)
    return client


def everything(client: socket.socket) -> bytes:
    client.settimeout(20)
    pieces = []
    while piece := client.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def usual_seconds(port: int) -> float:
    """The median of five answers: other work on the machine may hold up one."""
    taken = []
    for _ in range(5):
        began = time.monotonic()
        assert asked(port, path="/livez")[0] == 200
        taken.append(time.monotonic() - began)
    return sorted(taken)[2]


def problem_of(answer: bytes) -> dict[str, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"Content-Type: application/problem+json" in head
    read: dict[str, Any] = json.loads(body)
    assert head.startswith(f"HTTP/1.1 {read['status']} ".encode())
    return read


@contextmanager
def many(port: int, number: int, text: bytes) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(opened(port, text)) for _ in range(number)]


HALF_OPEN = {
    "no byte": b"",
    "half a head": b"POST /api/v1/sql/ HTTP/1.1\r\nHost: x\r\nX-A: b",
    "half a body": b"POST /login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nusername=",
    "half a chunk": b"POST /login/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
}


@pytest.mark.parametrize("text", HALF_OPEN.values(), ids=HALF_OPEN)
def test_80_half_open_connections_close_delaying_no_others(port: int, text: bytes) -> None:
    with many(port, 80, text) as clients:
        assert usual_seconds(port) < 0.1
        answer = everything(clients[0])
        assert not answer if not text else problem_of(answer)["code"] == "REQUEST_TIMEOUT"


def test_occasional_byte_does_not_keep_connection_open(port: int) -> None:
    with opened(port, b"GET / HTTP/1.1\r\nX-A: ") as client:
        began = time.monotonic()
        with pytest.raises(ConnectionError):  # noqa: PT012 - any of the sends may find it closed
            while time.monotonic() - began < 20:
                client.sendall(b"b")
                # Often enough that silence is not what ends the connection.
                time.sleep(0.2)
        assert time.monotonic() - began < 10


def test_client_not_reading_answer_frees_the_thread(port: int) -> None:
    with many(port, 5, b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"):
        assert asked(port)[0] == 200


def test_who_does_not_close_delays_no_one(port: int) -> None:
    with many(port, 20, b"GET /refused HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"):
        assert usual_seconds(port) < 0.1


def test_address_has_bounded_number_of_connections(port: int) -> None:
    with many(port, MOST, b""), opened(port, b"") as client:
        assert problem_of(everything(client))["code"] == "TOO_MANY_REQUESTS"
    deadline = time.monotonic() + 5
    while not answers(port):
        assert time.monotonic() < deadline


REFUSED = {
    "long address": (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    "endless address": (b"GET /" + b"a" * 70000, 414),
    "long header": (b"GET / HTTP/1.1\r\nAuthorization: Bearer " + b"a" * 9000 + b"\r\n\r\n", 431),
    "endless headers": (b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 9000, 431),
    "many headers": (b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 200 + b"\r\n", 431),
    "no HTTP": (b"hello\r\n\r\n", 400),
    "no length": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n", 400),
    "two lengths": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", 400),
}


@pytest.mark.parametrize(("text", "status"), REFUSED.values(), ids=REFUSED)
def test_what_never_reaches_application_is_problem_document(port: int, text: bytes, status: int) -> None:
    with opened(port, text) as client:
        assert problem_of(everything(client))["status"] == status


@pytest.mark.parametrize("size", [0, 10, 300_000, 3_000_000])
def test_bodies_arrive_whole_by_length_and_in_chunks(port: int, size: int) -> None:
    """From 256 KiB on the thread reads them."""
    assert asked(port, "POST", body=b"x" * size) == (200, str(size).encode())
    pieces = (b"y" * min(70_001, size - place) for place in range(0, size, 70_001))
    assert asked(port, "POST", body=pieces, encode_chunked=True) == (200, str(size).encode())


def test_a_slow_body_in_pieces_arrives(port: int) -> None:
    with opened(port, b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r") as client:
        for piece in (b"\n", b"ab", b"cd", b"ef"):
            # Each piece is read by itself.
            time.sleep(0.1)
            client.sendall(piece)
        assert everything(client).endswith(b"\r\n\r\n6")


def test_long_bodies_beyond_the_eighth_are_put_off(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n"
    with many(port, 8, head), opened(port, head) as client:
        assert problem_of(everything(client))["code"] == "OVERLOADED"


def test_a_client_is_asked_to_continue(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    with opened(port, head) as client:
        assert client.recv(100).startswith(b"HTTP/1.1 100 Continue")
        client.sendall(b"abc")
        assert everything(client).endswith(b"\r\n\r\n3")


def test_requests_of_one_connection_come_singly_or_together(port: int) -> None:
    one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with opened(port, one + one + last[:20]) as client:
        # The server has the half of a request when it answers the two before.
        time.sleep(0.2)
        client.sendall(last[20:])
        assert everything(client).count(b"HTTP/1.1 200 OK") == 3


def test_answers_are_sent_piece_by_piece(port: int) -> None:
    with opened(port, b"GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") as client:
        client.settimeout(20)
        first = client.recv(65536)
        while b"one" not in first:
            first += client.recv(65536)
        assert b"two" not in first
        assert b"two" in everything(client)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
    ],
)
def test_ipv6_addresses_of_one_network_count_together(address: str, network: str) -> None:
    assert network_of(address) == network


def test_behind_a_proxy_all_have_its_address() -> None:
    assert connections_limit({}) == 200
    assert connections_limit({"LAKEUI_BEHIND_PROXY": "1"}) == 0
    assert connections_limit({"LAKEUI_BEHIND_PROXY": "1", "LAKEUI_CONNECTIONS_PER_ADDRESS": "50"}) == 50
