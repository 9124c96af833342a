"""Structures of Thrift's compact protocol, one level deep: members that are not asked for stay bytes.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_BOOLEANS = (1, 2)
_BYTE, _INTEGERS, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCTURE = 3, (4, 5, 6), 7, 8, 9, 10, 11, 12
_INTEGER = 5
_LONG_LIST = 15


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure: its number, the protocol's code of its type, and its value as it was encoded."""

    number: int
    kind: int
    value: bytes


Members = list[Member]


def members_read(data: bytes, start: int) -> tuple[Members, int]:
    """The members of the structure that begins at ``start``, and where it ends."""
    members: Members = []
    number, at = 0, start
    while (header := data[at]) != 0:
        at += 1
        kind = header & 0x0F
        if header >> 4:
            number += header >> 4
        else:
            raw, at = _varint(data, at)
            number = _unfolded(raw)
        end = at if kind in _BOOLEANS else _end(data, at, kind)
        members.append(Member(number, kind, data[at:end]))
        at = end
    return members, at + 1


def members_write(members: Iterable[Member]) -> bytes:
    """A structure of these members, whose numbers ascend."""
    written, number = bytearray(), 0
    for member in members:
        step = member.number - number
        if 0 < step <= _LONG_LIST:
            written.append(step << 4 | member.kind)
        else:
            written += bytes([member.kind]) + _varint_of(_folded(member.number))
        written += member.value
        number = member.number
    return bytes(written) + b"\x00"


def structures_read(value: bytes) -> list[Members]:
    """The structures of a list."""
    count, _, at = _list_header(value, 0)
    found = []
    for _ in range(count):
        members, at = members_read(value, at)
        found.append(members)
    return found


def structures_write(structures: list[Members]) -> bytes:
    """A list of structures."""
    count = len(structures)
    is_long = count >= _LONG_LIST
    header = bytes([_LONG_LIST << 4 | _STRUCTURE]) + _varint_of(count) if is_long else bytes([count << 4 | _STRUCTURE])
    return header + b"".join(map(members_write, structures))


def integer_of(member: Member) -> int:
    """The value of a member that is an integer."""
    return _unfolded(_varint(member.value, 0)[0])


def integer_member(number: int, value: int) -> Member:
    """A member of 32 bits."""
    return Member(number, _INTEGER, _varint_of(_folded(value)))


def text_of(member: Member) -> str:
    """The value of a member that is a text."""
    length, at = _varint(member.value, 0)
    return member.value[at : at + length].decode()


def _end(data: bytes, at: int, kind: int) -> int:
    """Where a value that begins at ``at`` ends."""
    if kind in _BOOLEANS or kind == _BYTE:
        return at + 1
    if kind in _INTEGERS:
        return _varint(data, at)[1]
    if kind == _DOUBLE:
        return at + 8
    if kind == _BINARY:
        length, at = _varint(data, at)
        return at + length
    if kind in (_LIST, _SET):
        count, element, at = _list_header(data, at)
        for _ in range(count):
            at = _end(data, at, element)
        return at
    if kind == _MAP:
        return _map_end(data, at)
    if kind == _STRUCTURE:
        return members_read(data, at)[1]
    raise ValueError(f"{kind} is no type of the compact protocol")


def _map_end(data: bytes, at: int) -> int:
    count, at = _varint(data, at)
    if not count:
        return at
    kinds = data[at] >> 4, data[at] & 0x0F
    at += 1
    for _ in range(count):
        for kind in kinds:
            at = _end(data, at, kind)
    return at


def _list_header(data: bytes, at: int) -> tuple[int, int, int]:
    """Count and type of the elements, and where the first begins."""
    count, element = data[at] >> 4, data[at] & 0x0F
    at += 1
    if count == _LONG_LIST:
        count, at = _varint(data, at)
    return count, element, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _varint_of(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def _folded(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def _unfolded(value: int) -> int:
    return value >> 1 if value % 2 == 0 else -(value >> 1) - 1
