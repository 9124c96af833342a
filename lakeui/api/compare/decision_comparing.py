"""The effects of the decisions that answer an object's conflicts, kept in the cache by both heads."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from django.core.cache import cache

from lakeui.api.compare.comparing import SECONDS_KEPT, Pair, findings_read
from lakeui.common.errors import NotSupported
from lakeui.frontdoor.branches.rerunning import with_statements
from lakeui.frontdoor.compute import engine
from merge_app.comparison.decision_effects import DecisionEffects
from merge_app.planning.effects import effect_as_json
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from merge_app.planning.net_changes import ObjectKey

_NEEDING_TEXT = frozenset({Decision.RENAME, Decision.NEWEST, Decision.EDITED})


def decisions_read(pair: Pair, key: ObjectKey, *, newest_by: str = "") -> list[dict[str, Any]]:
    """By decision, in the order in which the findings name them, what it keeps and leaves out; each once. `newest` only
    by the column ``newest_by``.
    """
    plain = replace(pair, resolutions=())
    by = hashlib.sha256(newest_by.encode()).hexdigest()
    cached = plain.cache_key(f"decisions:{key[0].value}:{key[1]}:{by}")
    known: list[dict[str, Any]] | None = cache.get(cached)
    if known is None:
        named = [option for finding in findings_read(plain, key) for option in finding["decisions"]]
        options = [dict(item) for item in dict.fromkeys(tuple(option.items()) for option in named)]
        wanted = [_resolution(key, option, newest_by) for option in options]
        looked_at = DecisionEffects(pair.source, pair.destination, key, engine)
        with pair.reading():
            known = [
                {**option, **_effect(looked_at, item)}
                for option, item in zip(options, wanted, strict=True)
                if item.decision not in _NEEDING_TEXT or item.value
            ]
        cache.set(cached, known, SECONDS_KEPT)
    return known


def _effect(looked_at: DecisionEffects, item: Resolution) -> dict[str, Any]:
    try:
        chosen = with_statements(item, looked_at.source, looked_at.destination)
        return {**effect_as_json(looked_at.of(chosen)), "refused": ""}
    except NotSupported as refusal:
        return {"text": "", "rows_left_out": 0, "left_out": [], "refused": refusal.message}


def _resolution(key: ObjectKey, option: dict[str, str], newest_by: str) -> Resolution:
    decision, part = Decision(option["decision"]), ResolutionPart(option["part"])
    value = newest_by if decision is Decision.NEWEST else ""
    return Resolution(key[0], key[1], decision, part, option["part_key"], value=value)
