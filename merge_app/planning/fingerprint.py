"""The digest that an approval binds to: both heads, the rules, and everything that the plan says and does.

What the destination holds already is not written, as its head says it; of what becomes of it, what differs is.
"""

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
from catalog_app.domain.state import ObjectState
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
        "objects": "[" + ", ".join([writer.object(item) for item in objects]) + "]",
        "rules": json.dumps(rules_digest),
        "source_head": json.dumps(source_head),
    }
    if resolutions:
        content["resolutions"] = _sorted_text([writer.text(item) for item in resolutions])
    text = "{" + ", ".join(f'"{name}": {content[name]}' for name in sorted(content)) + "}"
    return hashlib.sha256(text.encode()).hexdigest()


class _Writer:
    """Values as the text of ``json.dumps`` with sorted keys, whose digest is kept with approvals. Dataclasses are
    objects, sets are lists in the order of their members' texts, mappings such lists of pairs. A change of this text
    is one of ``PLAN_FORMAT``.
    """

    def text(self, value: Any) -> str:
        return _WRITERS[value.__class__](self, value)

    def object(self, item: ObjectPlan) -> str:
        """One object's plan, with its state afterwards as what differs from the state before."""
        before, after = item.before, item.after
        changed = self.text(after) if before is None else self._difference(before, after)
        return (
            f'{{"action": "{item.action}", "after": {changed}, "data": {self.text(item.data)}, '
            f'"is_new": {"true" if before is None else "false"}, "kind": "{item.kind}", '
            f'"name": {encode_basestring_ascii(item.name)}, "object_id": {item.object_id}, '
            f'"operations": {self.text(item.operations)}}}'
        )

    def _difference(self, before: ObjectState, after: ObjectState) -> str:
        if after is before:
            return "{}"
        parts = []
        for name in _FIELD_NAMES[after.__class__]:
            value = getattr(after, name)
            known = getattr(before, name)
            if value is not known and value != known:
                parts.append(f'"{name}": {self.text(value)}')
        return "{" + ", ".join(parts) + "}"


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
    if is_dataclass(kind):
        return _fields_text(kind)
    if issubclass(kind, Mapping):
        return lambda writer, value: (
            _sorted_text([f"[{writer.text(key)}, {writer.text(item)}]" for key, item in value.items()])
            if value
            else "[]"
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


class _FieldNames(dict[type[Any], tuple[str, ...]]):
    """By dataclass, the fields that are written, sorted."""

    def __missing__(self, kind: type[Any]) -> tuple[str, ...]:
        # Effects are covered by what the plan does with them, and need not be loaded for a plan to be the same.
        left_out = "effects" if issubclass(kind, Operation) else ""
        names = sorted(field.name for field in fields(kind) if field.compare and field.name != left_out)
        found = self[kind] = tuple(names)
        return found


_FIELD_NAMES = _FieldNames()


@cache
def _fields_text(kind: type[Any]) -> _Text:
    names = _FIELD_NAMES[kind]
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
