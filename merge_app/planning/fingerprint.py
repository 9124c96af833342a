"""The digest that an approval binds to: both heads, the rules, and everything that the plan says and does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from json.encoder import encode_basestring_ascii
from operator import attrgetter
from typing import Any

from catalog_app.domain.operations import Operation
from catalog_app.domain.schema import Schema
from merge_app.planning.values import Finding, ObjectPlan, Resolution


def fingerprint(
    findings: tuple[Finding, ...],
    objects: tuple[ObjectPlan, ...],
    *,
    source_head: int,
    destination_head: int,
    rules_digest: str,
    resolutions: tuple[Resolution, ...] = (),
) -> str:
    """SHA-256 as hexadecimal text; the same content in whatever order of sets and keys gives the same."""
    writer = _Writer()
    content = {
        "destination_head": json.dumps(destination_head),
        "findings": writer.text(findings),
        "objects": writer.text(objects),
        "rules": json.dumps(rules_digest),
        "source_head": json.dumps(source_head),
    }
    if resolutions:
        content["resolutions"] = _sorted_text([writer.text(item) for item in resolutions])
    text = "{" + ", ".join(f'"{name}": {content[name]}' for name in sorted(content)) + "}"
    return hashlib.sha256(text.encode()).hexdigest()


class _Writer:
    """Values as the text of ``json.dumps`` with sorted keys, whose digest is kept with approvals: dataclasses are
    objects, sets are lists in the order of their members' texts, mappings such lists of pairs.

    Put together from texts, as a large plan holds one schema many times: each is written once.
    """

    def __init__(self) -> None:
        self._schemas: dict[int, str] = {}

    def text(self, value: Any) -> str:
        return _WRITERS[value.__class__](self, value)

    def schema(self, value: Schema) -> str:
        # By identity: the plan that is being written keeps its schemas alive.
        known = self._schemas.get(id(value))
        if known is None:
            known = self._schemas[id(value)] = _fields_text(Schema)(self, value)
        return known


_Text = Callable[[_Writer, Any], str]


class _Writers(dict[type[Any], _Text]):
    """By class, what writes its values; large plans hold very many of a few classes."""

    def __missing__(self, kind: type[Any]) -> _Text:
        found = self[kind] = _writer_of(kind)
        return found


_WRITERS = _Writers()


def _writer_of(kind: type[Any]) -> _Text:
    if issubclass(kind, Enum):
        texts = {member: json.dumps(member.value) for member in kind}
        return lambda _, value: texts[value]
    if kind is Schema:
        return _Writer.schema
    if is_dataclass(kind):
        return _fields_text(kind)
    if issubclass(kind, Mapping):
        return lambda writer, value: _sorted_text(
            [f"[{writer.text(key)}, {writer.text(item)}]" for key, item in value.items()]
        )
    if issubclass(kind, AbstractSet):
        return lambda writer, value: _sorted_text([writer.text(item) for item in value])
    if issubclass(kind, (tuple, list)):
        return lambda writer, value: "[" + ", ".join([writer.text(item) for item in value]) + "]" if value else "[]"
    scalar = _SCALARS.get(kind, json.dumps)
    return lambda _, value: scalar(value)


_SCALARS: dict[type[Any], Callable[[Any], str]] = {
    str: encode_basestring_ascii,
    int: int.__repr__,
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
}


def _sorted_text(texts: list[str]) -> str:
    return "[" + ", ".join(sorted(texts)) + "]"


def _members(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        several: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)
        return several

    def few(value: Any) -> tuple[Any, ...]:
        return tuple(getattr(value, name) for name in names)

    return few


@cache
def _fields_text(kind: type[Any]) -> _Text:
    # Effects are covered by what the plan does with them, and need not be loaded for a plan to be the same.
    left_out = "effects" if issubclass(kind, Operation) else ""
    names = sorted(field.name for field in fields(kind) if field.compare and field.name != left_out)
    template = "{" + ", ".join(f'"{name}": %s' for name in names) + "}"
    values_of = _members(names)
    scalar, other = _SCALARS.get, _WRITERS

    def text(writer: _Writer, value: Any) -> str:
        # One expression a value, as there are hundreds of thousands.
        return template % tuple(
            [
                known(item) if (known := scalar(item.__class__)) else other[item.__class__](writer, item)
                for item in values_of(value)
            ]
        )

    return text
