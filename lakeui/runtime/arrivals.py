"""A request while it arrives: its bytes, how long the client may take, and when a thread may start on it.

This only finds where the request ends. What is malformed counts as whole: the HTTP parser then refuses it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from enum import Enum, auto

HEAD_SECONDS = 10.0
"""From the first moment of the connection, or the first byte of a later request, to the end of the headers."""
BODY_SECONDS = 20.0
BODY_BYTES_PER_SECOND = 8 * 1024
"""A body may take 20 s, and one more for each 8 KiB that came."""
HEAD_BYTES = 64 * 1024
HELD_BYTES = 8 * 1024 * 1024
"""A longer body is read by the thread, after the application has judged the headers."""
MEMORY_BYTES = 64 * 1024
ADDRESS_BYTES = 8190
LINE_BYTES = 8 * 1024

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_CHUNKED = re.compile(rb"^transfer-encoding:.*chunked", re.IGNORECASE | re.MULTILINE)
_EXPECTS = re.compile(rb"^expect:[ \t]*100-continue", re.IGNORECASE | re.MULTILINE)


def body_seconds(received: int) -> float:
    """How long a body may take of which so many bytes came."""
    return BODY_SECONDS + received / BODY_BYTES_PER_SECOND


class Stage(Enum):
    """How far a request has come."""

    HEAD = auto()
    BODY = auto()
    WHOLE = auto()
    UPLOAD = auto()
    """The headers are there, and the body is too long to be held."""
    HEAD_TOO_LONG = auto()


class Arrival:
    """The bytes of one request. ``clock`` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._head: bytearray | None = bytearray()
        self._received = 0
        self._length = 0
        self._chunks: ChunkedEnd | None = None
        self.held = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - closed by whoever reads it
        self.stage = Stage.HEAD
        self.expects_continue = False

    @property
    def deadline(self) -> float:
        """When the client is too slow, by ``clock``."""
        if self._head is not None:
            return self._began + HEAD_SECONDS
        return self._began + body_seconds(self._received)

    @property
    def is_begun(self) -> bool:
        return self._head is None or bool(self._head)

    @property
    def is_address_too_long(self) -> bool:
        """Whether, of a head that is too long, the first line is."""
        return self._head is not None and b"\n" not in self._head[: ADDRESS_BYTES + 2]

    def take(self, data: bytes) -> Stage:
        """Keep what came; where the request stands now."""
        self.held.write(data)
        if self._head is None:
            return self._body(data)
        self._head += data
        end = _HEAD_END.search(self._head)
        if (end.end() if end else len(self._head)) > HEAD_BYTES:
            self.stage = Stage.HEAD_TOO_LONG
        if end is None or self.stage is Stage.HEAD_TOO_LONG:
            return self.stage
        head, rest = bytes(self._head[: end.end()]), bytes(self._head[end.end() :])
        self._head = None
        self._began = self._clock()
        self.expects_continue = _EXPECTS.search(head) is not None
        if _CHUNKED.search(head):
            self._chunks = ChunkedEnd()
        elif length := _LENGTH.search(head):
            self._length = int(length[1])
        return self._body(rest)

    def _body(self, data: bytes) -> Stage:
        self._received += len(data)
        is_whole = self._chunks.feed(data) if self._chunks else self._received >= self._length
        if is_whole:
            self.stage = Stage.WHOLE
        else:
            self.stage = Stage.UPLOAD if max(self._length, self._received) > HELD_BYTES else Stage.BODY
        return self.stage


class ChunkedEnd:
    """Finds the end of a chunked body (RFC 9112, 7.1), piece by piece, without keeping it."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data = 0
        self._in_trailers = False

    def feed(self, piece: bytes) -> bool:
        """Whether the body has ended, or is malformed."""
        place = 0
        while place < len(piece):
            if self._data:
                step = min(self._data, len(piece) - place)
                self._data -= step
                place += step
                continue
            end = piece.find(b"\n", place)
            self._line += piece[place : end if end >= 0 else len(piece)]
            if len(self._line) > LINE_BYTES:
                return True
            if end < 0:
                return False
            place = end + 1
            if self._is_last(bytes(self._line).strip()):
                return True
            self._line.clear()
        return False

    def _is_last(self, line: bytes) -> bool:
        if self._in_trailers:
            return not line
        try:
            size = int(line.partition(b";")[0], 16)
        except ValueError:
            return True
        if size < 0:
            return True
        # The data ends with a line break of its own.
        self._data = size + 2 if size else 0
        self._in_trailers = not size
        return False
