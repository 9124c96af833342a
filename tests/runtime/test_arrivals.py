"""Where a request ends, however its bytes are split."""

from __future__ import annotations

import pytest

from lakeui.runtime.arrivals import Arrival, ChunkedEnd, Stage

CHUNKED = b"5\r\nhello\r\n10;name=value\r\n" + b"x" * 16 + b"\r\n0\r\nTrailer: t\r\n\r\n"


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_a_chunked_body_ends_at_its_last_byte(step: int) -> None:
    end = ChunkedEnd()
    pieces = [CHUNKED[place : place + step] for place in range(0, len(CHUNKED), step)]
    assert [end.feed(piece) for piece in pieces] == [False] * (len(pieces) - 1) + [True]


@pytest.mark.parametrize("body", [b"many\r\n", b"-5\r\n", b"\r\n", b"5" * 9000])
def test_what_is_no_chunk_is_left_to_parser(body: bytes) -> None:
    assert ChunkedEnd().feed(body)


def test_head_has_ten_seconds_body_more_per_byte() -> None:
    now = 100.0
    arrival = Arrival(lambda: now)
    assert (arrival.deadline, arrival.is_begun) == (110.0, False)
    assert arrival.take(b"POST / HTTP/1.1\r\n") is Stage.HEAD
    assert (arrival.deadline, arrival.is_begun) == (110.0, True)
    now = 109.0
    assert arrival.take(b"Content-Length: 16384\r\n\r\n") is Stage.BODY
    assert arrival.deadline == 129.0
    assert arrival.take(b"x" * 8192) is Stage.BODY
    assert arrival.deadline == 130.0
    assert arrival.take(b"x" * 8192) is Stage.WHOLE
    arrival.held.close()


def test_line_feeds_alone_end_a_head_too() -> None:
    arrival = Arrival(lambda: 0.0)
    assert arrival.take(b"GET / HTTP/1.1\nHost: x\n\n") is Stage.WHOLE
    arrival.held.close()
