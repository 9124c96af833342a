"""The digest that an approval binds to: both heads, the rules, and everything that the plan says and does.

What the target holds already is not written, as its head says it; of what becomes of it, what differs is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from json.encoder import encode_basestring_ascii
from operator import attrgetter
from typing import Any

from catalog_app.domain.operations import Operation
from catalog_app.domain.state import ObjectState
from merge_app.planning.merge_plan import Finding, ObjectPlan, Resolution


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
    content = {
        "destination_head": json.dumps(destination_head),
        "findings": _text(findings),
        "objects": "[" + ", ".join([_object(item) for item in objects]) + "]",
        "rules": json.dumps(rules_digest),
        "source_head": json.dumps(source_head),
    }
    if resolutions:
        content["resolutions"] = _sorted_text([_text(item) for item in resolutions])
    text = "{" + ", ".join(f'"{name}": {content[name]}' for name in sorted(content)) + "}"
    return hashlib.sha256(text.encode()).hexdigest()


def _text(value: Any) -> str:
    """A value as the text of ``json.dumps`` with sorted keys, whose digest is kept with approvals. Dataclasses are
    objects, sets are lists in the order of their members' texts, mappings such lists of pairs. A change of this text
    is one of ``PLAN_FORMAT``.
    """
    return _TEXTS[value.__class__](value)


def _object(item: ObjectPlan) -> str:
    """One object's plan, with its state afterwards as what differs from the state before."""
    before, after = item.before, item.after
    changed = _text(after) if before is None else _difference(before, after)
    return (
        f'{{"action": "{item.action}", "after": {changed}, "data": {_text(item.data)}, '
        f'"is_new": {"true" if before is None else "false"}, "kind": "{item.kind}", '
        f'"name": {encode_basestring_ascii(item.name)}, "object_id": {item.object_id}, '
        f'"operations": {_text(item.operations)}}}'
    )


def _difference(before: ObjectState, after: ObjectState) -> str:
    if after is before:
        return "{}"
    names, values_of = _FIELDS[after.__class__]
    parts = [
        f'"{name}": {_text(value)}'
        for name, value, known in zip(names, values_of(after), values_of(before), strict=True)
        if value is not known and value != known
    ]
    return "{" + ", ".join(parts) + "}"


_ToText = Callable[[Any], str]


class _Texts(dict[type[Any], _ToText]):
    """By class, what writes its values; large plans hold very many of a few classes."""

    def __missing__(self, kind: type[Any]) -> _ToText:
        found = self[kind] = _writer_of(kind)
        return found


def _writer_of(kind: type[Any]) -> _ToText:
    if issubclass(kind, Enum):
        return {member: json.dumps(member.value) for member in kind}.__getitem__
    if is_dataclass(kind):
        return _fields_text(kind)
    if issubclass(kind, Mapping):
        return _pairs_text
    if issubclass(kind, AbstractSet):
        return lambda value: _sorted_text([_TEXTS[item.__class__](item) for item in value])
    if issubclass(kind, (tuple, list)):
        return _list_text
    return json.dumps


_TEXTS = _Texts(
    {
        str: encode_basestring_ascii,
        int: int.__repr__,
        bool: {True: "true", False: "false"}.__getitem__,
        type(None): {None: "null"}.__getitem__,
    }
)


def _pairs_text(value: Mapping[Any, Any]) -> str:
    if not value:
        return "[]"
    texts = _TEXTS
    return _sorted_text([f"[{texts[key.__class__](key)}, {texts[of.__class__](of)}]" for key, of in value.items()])


def _list_text(value: Sequence[Any]) -> str:
    if not value:
        return "[]"
    texts = _TEXTS
    return "[" + ", ".join([texts[item.__class__](item) for item in value]) + "]"


def _sorted_text(texts: list[str]) -> str:
    return "[" + ", ".join(sorted(texts)) + "]"


def _members(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        several: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)
        return several

    def few(value: Any) -> tuple[Any, ...]:
        return tuple(getattr(value, name) for name in names)

    return few


class _Fields(dict[type[Any], tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]]):
    """By dataclass, the names of the fields that are written, sorted, and what reads their values."""

    def __missing__(self, kind: type[Any]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
        # Effects are covered by what the plan does with them, and need not be loaded for a plan to be the same.
        left_out = "effects" if issubclass(kind, Operation) else ""
        names = tuple(sorted(field.name for field in fields(kind) if field.compare and field.name != left_out))
        found = self[kind] = names, _members(names)
        return found


_FIELDS = _Fields()


def _fields_text(kind: type[Any]) -> _ToText:
    names, values_of = _FIELDS[kind]
    template = "{" + ", ".join(f'"{name}": %s' for name in names) + "}"
    texts = _TEXTS

    def text(value: Any) -> str:
        return template % tuple([texts[item.__class__](item) for item in values_of(value)])

    return text
