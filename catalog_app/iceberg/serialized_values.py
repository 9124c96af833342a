"""Bounds and partition values as Iceberg stores them (its spec, Appendix D: single-value serialization)."""

from __future__ import annotations

import datetime
import decimal
import struct
from collections.abc import Callable
from typing import Any

from catalog_app.domain.types import ParsedType
from lakeui.common.errors import NotSupported

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_DAY_ZERO = _EPOCH.toordinal()
_MICROSECOND = datetime.timedelta(microseconds=1)
_WHOLE = frozenset({"tinyint", "smallint", "int", "bigint"})
_TEXTS = frozenset({"string", "varchar", "char"})


def bound_bytes(kind: ParsedType, bound: Any) -> bytes | None:
    """A bound out of the statistics of a file; None where it is unknown."""
    packer = _PACKERS.get(kind.name)
    if bound is None or packer is None:
        return None
    return packer(kind, _bound_value(kind, bound))


def _bound_value(kind: ParsedType, bound: Any) -> Any:
    if kind.name in ("date", "timestamp", "timestamp_ntz", "decimal") and isinstance(bound, str):
        return _parsed(kind, bound)
    return bound


def _parsed(kind: ParsedType, text: str) -> Any:
    """What the text of a date, a time or a decimal says: days, microseconds, a Decimal."""
    if kind.name == "date":
        return datetime.date.fromisoformat(text).toordinal() - _DAY_ZERO
    if kind.name == "decimal":
        return decimal.Decimal(text)
    moment = datetime.datetime.fromisoformat(text)
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)
    return (aware - _EPOCH) // _MICROSECOND


def partition_value(kind: ParsedType, text: str | None, column: str) -> Any:
    """The value that a partition's text stands for, as Avro takes it. Raises NotSupported where it has no such form."""
    if text is None:
        return None
    try:
        if kind.name in _WHOLE:
            return int(text)
        if kind.name in _TEXTS:
            return text
        if kind.name == "boolean":
            return text == "true"
        if kind.name in ("float", "double"):
            return float(text)
        if kind.name in ("date", "timestamp", "timestamp_ntz", "decimal"):
            return _parsed(kind, text)
    except (ValueError, OverflowError, decimal.InvalidOperation):
        pass
    raise NotSupported(
        f"Partitions by {column} of the type {kind.text} hold {text!r}, which Iceberg's metadata cannot say.",
        remedy="Read the table through lakeui.",
        column=column,
    )


def value_bytes(kind: ParsedType, value: Any) -> bytes | None:
    """A partition value in the form of a bound."""
    packer = _PACKERS.get(kind.name)
    return None if value is None or packer is None else packer(kind, value)


def _unscaled(kind: ParsedType, value: Any) -> bytes:
    scale = kind.parameters[1]
    # A context of its own: 38 digits are more than the default one keeps.
    number = int(decimal.Decimal(value).scaleb(scale, decimal.Context(prec=80)))
    return number.to_bytes(((number if number >= 0 else ~number).bit_length() // 8) + 1, "big", signed=True)


def _packed(layout: str) -> Callable[[ParsedType, Any], bytes]:
    return lambda _, value: struct.pack(layout, value)


def _text(_: ParsedType, value: Any) -> bytes:
    return str(value).encode()


_PACKERS: dict[str, Callable[[ParsedType, Any], bytes]] = {
    "boolean": _packed("<?"),
    "tinyint": _packed("<i"),
    "smallint": _packed("<i"),
    "int": _packed("<i"),
    "bigint": _packed("<q"),
    "float": _packed("<f"),
    "double": _packed("<d"),
    "date": _packed("<i"),
    "timestamp": _packed("<q"),
    "timestamp_ntz": _packed("<q"),
    "string": _text,
    "varchar": _text,
    "char": _text,
    "decimal": _unscaled,
}
