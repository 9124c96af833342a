"""The digest that an approval binds to: both heads, the rules, and everything that the plan says and does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from catalog_app.domain.operations import Operation
from merge_app.planning.values import Finding, ObjectPlan


def fingerprint(
    findings: tuple[Finding, ...],
    objects: tuple[ObjectPlan, ...],
    *,
    source_head: int,
    destination_head: int,
    rules_digest: str,
) -> str:
    """SHA-256 as hexadecimal text; the same content in whatever order of sets and keys gives the same."""
    content = {
        "source_head": source_head,
        "destination_head": destination_head,
        "rules": rules_digest,
        "findings": _plain(findings),
        "objects": _plain(objects),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def _plain(value: Any) -> Any:
    """The value in JSON's terms."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {name: _plain(getattr(value, name)) for name in _names(value.__class__)}
    if isinstance(value, Mapping):
        return sorted(([_plain(key), _plain(item)] for key, item in value.items()), key=_sortable)
    if isinstance(value, AbstractSet):
        return sorted((_plain(item) for item in value), key=_sortable)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The fields that count; large plans ask for those of a few classes very often."""
    # Effects are covered by what the plan does with them, and need not be loaded for a plan to be the same.
    left_out = "effects" if issubclass(kind, Operation) else ""
    return tuple(field.name for field in fields(kind) if field.compare and field.name != left_out)


def _sortable(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
