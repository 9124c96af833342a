"""Comparisons as JSON, kept in the cache by both heads and the rules: nothing else decides them.

What two heads compare to never changes, so an entry never goes stale; it only expires. Findings lie apart from the
list in buckets, so that a page of a large comparison reads the list and an object reads one bucket.

Several requests for heads without a stored comparison are answered by one of them. Pages ask for a comparison before a
person opens it, and making it twice at once would take twice as long.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from django.core.cache import cache

from catalog_app.domain.operations import ObjectKind
from catalog_app.models import Branch
from catalog_app.rules.loader import load_rules
from lakeui.api.compare.object_comparing import object_as_json
from lakeui.api.compare.serializers import VERDICTS
from lakeui.common.errors import NotFound
from lakeui.frontdoor.compute import engine
from merge_app.comparison.compare import Brought, ComparedObject, Comparison, comparison_load
from merge_app.comparison.compare_object import object_comparison_load
from merge_app.execution.report import finding_as_json
from merge_app.planning.merge_plan import Action, Resolution, Verdict
from merge_app.planning.net_changes import ObjectKey

SHAPE = 6
"""Raised with the shape of what is cached, so that a new version does not read an old one's."""

SECONDS_KEPT = 3600
BUCKETS = 32

MAKING_SECONDS = 30
"""So long a comparison that another request makes is waited for; its process may have died."""

LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Pair:
    """Source and target of a comparison, with the heads that are compared, and what people decided of the
    conflicts between them in a merge request. Rows that are not kept yet are read inside ``reading``.
    """

    source: Branch
    destination: Branch
    resolutions: tuple[Resolution, ...] = ()
    reading: Callable[[], AbstractContextManager[object]] = nullcontext

    def cache_key(self, part: str) -> str:
        heads = [f"{branch.pk}@{branch.head_version}" for branch in (self.source, self.destination)]
        decided = hashlib.sha256(repr(self.resolutions).encode()).hexdigest()[:32] if self.resolutions else ""
        return ":".join(["compare", str(SHAPE), *heads, load_rules().digest[:32], decided, part])


def comparison_read(pair: Pair) -> dict[str, Any]:
    """``summary`` and ``objects`` of the comparison, computed when the heads are first asked for."""
    known: dict[str, Any] | None = cache.get(pair.cache_key("list"))
    if known is None and not cache.add(pair.cache_key("making"), True, MAKING_SECONDS):
        known = _made_by_another(pair)
    return known if known is not None else _computed(pair)[0]


def findings_read(pair: Pair, key: ObjectKey) -> list[dict[str, Any]]:
    """The findings of one object of the comparison."""
    known: dict[str, list[dict[str, Any]]] | None = cache.get(pair.cache_key(_bucket(key)))
    if known is None:
        known = _computed(pair)[1].get(_bucket(key), {})
    return known.get(_text(key), [])


def conflicts_read(source: Branch, destination: Branch) -> list[dict[str, Any]]:
    """Every finding of the comparison that decisions answer, nothing decided."""
    pair = Pair(source, destination)
    keys = [(ObjectKind(item["kind"]), item["object_id"]) for item in comparison_read(pair)["objects"]]
    return [finding for key in keys for finding in findings_read(pair, key) if finding["decisions"]]


def object_read(pair: Pair, key: ObjectKey) -> dict[str, Any]:
    """One object of the comparison. Raises NotFound if the source did not change it."""
    part = f"object:{_text(key)}"
    known: dict[str, Any] | None = cache.get(pair.cache_key(part))
    if known is not None:
        return known
    listed = comparison_read(pair)
    entry = next((item for item in listed["objects"] if (item["kind"], item["object_id"]) == _parts(key)), None)
    if entry is None:
        raise NotFound("changed " + key[0].value, str(key[1]), where="in this comparison")
    found = object_comparison_load(pair.source, pair.destination, key, engine, pair.resolutions)
    body = object_as_json(found, entry, findings_read(pair, key))
    body |= {
        "source_head": pair.source.head_version,
        "destination_head": pair.destination.head_version,
        "merge_base": listed["summary"]["merge_base"],
    }
    cache.set(pair.cache_key(part), body, SECONDS_KEPT)
    return body


def _made_by_another(pair: Pair) -> dict[str, Any] | None:
    """What the request that makes the comparison has kept; None where it failed or takes too long."""
    # Asked again and again, as a cache announces no change; the mark expires, so this ends even if its maker died.
    while cache.get(pair.cache_key("making")):
        time.sleep(LOOK_SECONDS)
    made: dict[str, Any] | None = cache.get(pair.cache_key("list"))
    return made


def _computed(pair: Pair) -> tuple[dict[str, Any], dict[str, dict[str, list[dict[str, Any]]]]]:
    """The comparison made now: its list and its buckets of findings, both kept."""
    try:
        return _kept(pair, comparison_load(pair.source, pair.destination, engine, pair.resolutions))
    finally:
        cache.delete(pair.cache_key("making"))


def _kept(pair: Pair, made: Comparison) -> tuple[dict[str, Any], dict[str, dict[str, list[dict[str, Any]]]]]:
    listed = {"summary": _summary(made), "objects": [_entry(item) for item in made.objects]}
    buckets: dict[str, dict[str, list[dict[str, Any]]]] = {f"findings:{number}": {} for number in range(BUCKETS)}
    for item in made.objects:
        buckets[_bucket(item.key)][_text(item.key)] = [finding_as_json(finding) for finding in item.findings]
    kept = {pair.cache_key(part): value for part, value in {"list": listed, **buckets}.items()}
    cache.set_many(kept, SECONDS_KEPT)
    return listed, buckets


def _bucket(key: ObjectKey) -> str:
    return f"findings:{key[1] % BUCKETS}"


def _parts(key: ObjectKey) -> tuple[str, int]:
    return key[0].value, key[1]


def _text(key: ObjectKey) -> str:
    return f"{key[0].value}:{key[1]}"


def _summary(made: Comparison) -> dict[str, Any]:
    verdicts = Counter(item.verdict for item in made.objects)
    return {
        "merge_base": made.merge_base,
        "ahead": made.divergence.ahead,
        "behind": made.divergence.behind,
        "mergeable": made.conflicts == 0,
        "is_empty": made.is_empty,
        "fingerprint": made.fingerprint,
        "rules_digest": load_rules().digest,
        "counts": {
            "objects": len(made.objects),
            **{verdict: verdicts[verdict] for verdict in VERDICTS},
            "tables_in_conflict": sum(_is_table_in_conflict(item) for item in made.objects),
            "conflicts": made.conflicts,
            "conflicting_rows": made.conflicting_rows,
            "notes": made.notes,
        },
        "brings": _brings(made),
    }


def _is_table_in_conflict(item: ComparedObject) -> bool:
    return item.key[0] is ObjectKind.TABLE and item.verdict == Verdict.CONFLICT


def _brings(made: Comparison) -> dict[str, Any]:
    """What the merge brings to all objects together."""
    found = [item for item in made.objects if item.action is not Action.UNTOUCHED]
    names = [name for name in Brought.__dataclass_fields__ if name != "rows_are_exact"]
    kinds = Counter((item.key[0], item.action) for item in found)
    return {
        **{name: sum(getattr(item.brought, name) for item in found) for name in names},
        "rows_are_exact": all(item.brought.rows_are_exact for item in found),
        **{
            f"{kind.value}s_{done}": kinds[kind, action]
            for kind in (ObjectKind.TABLE, ObjectKind.DATABASE)
            for action, done in ((Action.CREATE, "created"), (Action.DROP, "dropped"), (Action.ALTER, "changed"))
        },
    }


def _entry(item: ComparedObject) -> dict[str, Any]:
    return {
        "kind": item.key[0].value,
        "object_id": item.key[1],
        "name": item.name,
        "database": item.database,
        "action": item.action.value,
        "source_ops": list(item.source_operations),
        "dest_ops": list(item.destination_operations),
        "verdict": item.verdict,
        "brings": asdict(item.brought),
        "newest_version": item.newest_version,
        "codes": list(dict.fromkeys(finding.code for finding in item.findings if finding.code)),
    }
