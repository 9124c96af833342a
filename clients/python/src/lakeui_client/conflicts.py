"""Why a merge is refused."""

from __future__ import annotations

from typing import Any, NamedTuple


class Conflict(NamedTuple):
    """Why a merge is refused: one cell of a rule table, on one object. ``decisions`` are those that answer it."""

    object: str
    kind: str
    source_op: str
    dest_op: str
    code: str
    message: str
    remedy: str
    decisions: tuple[dict[str, Any], ...]
    raw: dict[str, Any]

    @classmethod
    def read(cls, raw: dict[str, Any]) -> Conflict:
        named = {name: str(raw.get(name, "")) for name in cls._fields[:7]}
        return cls(**named, decisions=tuple(raw.get("decisions", ())), raw=raw)
