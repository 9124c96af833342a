"""The digest that an approval binds to: both heads, the rules, and everything that the plan says and does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any

from catalog_app.domain.operations import Operation
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
    content = {
        "source_head": source_head,
        "destination_head": destination_head,
        "rules": rules_digest,
        "findings": _plain(findings),
        "objects": _plain(objects),
    }
    if resolutions:
        content["resolutions"] = sorted(_plain(resolutions), key=_sortable)
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})
_Plain = Callable[[Any], Any]


def _plain(value: Any) -> Any:
    """The value in JSON's terms."""
    return _plainer(value.__class__)(value)


@cache
def _plainer(kind: type[Any]) -> _Plain:
    """What makes values of a class plain; large plans hold very many of a few classes."""
    if issubclass(kind, Enum):
        return attrgetter("value")
    if is_dataclass(kind):
        return _plain_fields(kind)
    if issubclass(kind, Mapping):
        return lambda value: sorted(([_plain(key), _plain(item)] for key, item in value.items()), key=_sortable)
    if issubclass(kind, AbstractSet):
        return lambda value: sorted(map(_plain, value), key=_sortable)
    if issubclass(kind, (tuple, list)):
        return lambda value: [_plain(item) for item in value]
    return lambda value: value


def _plain_fields(kind: type[Any]) -> _Plain:
    # Effects are covered by what the plan does with them, and need not be loaded for a plan to be the same.
    left_out = "effects" if issubclass(kind, Operation) else ""
    names = [field.name for field in fields(kind) if field.compare and field.name != left_out]

    def plain(value: Any) -> dict[str, Any]:
        items = [(name, getattr(value, name)) for name in names]
        return {name: item if item.__class__ in _AS_THEY_ARE else _plain(item) for name, item in items}

    return plain


def _sortable(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
