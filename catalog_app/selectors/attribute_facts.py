"""Facts of attributes as branches have them: one query for many objects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from catalog_app.domain.attribute_facts import AttributeFact
from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot

ObjectKey = tuple[ObjectKind, int]
History = list[tuple[int, dict[str, AttributeFact]]]
"""The facts that came to a chain, by version, the oldest first."""

_CHAIN = """
SELECT f.object_kind, f.object_id, f.version, f.facts
FROM wanted w CROSS JOIN snapshot l JOIN catalog_app_attributefacts f
  ON f.object_kind = w.object_kind AND f.object_id = w.object_id
 AND f.branch_id = l.branch_id AND f.version <= l.max_version
ORDER BY f.version
"""

_NAMED = f"""
WITH {SNAPSHOT}, wanted AS (
    SELECT * FROM unnest(%(kinds)s::text[], %(ids)s::bigint[]) AS w(object_kind, object_id)
) {_CHAIN}
"""

_NEWS = f"""
WITH {SNAPSHOT}, wanted AS MATERIALIZED (
    SELECT DISTINCT f.object_kind, f.object_id
    FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, after, upto)
    JOIN catalog_app_attributefacts f
      ON f.branch_id = r.branch_id AND f.version > r.after AND f.version <= r.upto
) {_CHAIN}
"""


_NEWEST = f"""
WITH {SNAPSHOT}, wanted AS (
    SELECT * FROM unnest(%(kinds)s::text[], %(ids)s::bigint[]) AS w(object_kind, object_id)
), newest AS (
    SELECT DISTINCT ON (f.object_kind, f.object_id, e.key) f.object_kind, f.object_id, e.key, e.value
    FROM wanted w CROSS JOIN snapshot l JOIN catalog_app_attributefacts f
      ON f.object_kind = w.object_kind AND f.object_id = w.object_id
     AND f.branch_id = l.branch_id AND f.version <= l.max_version
    CROSS JOIN LATERAL jsonb_each(f.facts) e
    ORDER BY f.object_kind, f.object_id, e.key, f.version DESC
)
SELECT object_kind, object_id, jsonb_object_agg(key, value) FROM newest GROUP BY object_kind, object_id
"""

_CHANGED = """
SELECT DISTINCT f.object_kind, f.object_id
FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, after, upto)
JOIN catalog_app_attributefacts f ON f.branch_id = r.branch_id AND f.version > r.after AND f.version <= r.upto
"""

Ranges = Iterable[tuple[int, int, int]]
"""Commits by branch: (branch, after, upto)."""


def newest_attributes(snapshot: Snapshot, objects: Collection[ObjectKey]) -> dict[ObjectKey, dict[str, AttributeFact]]:
    """By object the newest fact of each attribute on the chain."""
    if not objects:
        return {}
    rows = fetch_all(_NEWEST, {**snapshot.parameters, **_keys(objects)})
    return {(ObjectKind(row[0]), row[1]): facts_from_json(json_value(row[2])) for row in rows}


def objects_changed(ranges: Ranges) -> set[ObjectKey]:
    """The objects of which any fact came in these ranges."""
    asked = _of_ranges(ranges)
    return {(ObjectKind(row[0]), row[1]) for row in fetch_all(_CHANGED, asked)} if asked["branches"] else set()


def _keys(objects: Collection[ObjectKey]) -> dict[str, list[Any]]:
    return {"kinds": [kind.value for kind, _ in objects], "ids": [identity for _, identity in objects]}


def _of_ranges(ranges: Ranges) -> dict[str, list[int]]:
    found = list(ranges)
    return {name: [item[place] for item in found] for place, name in enumerate(("branches", "after", "upto"))}


def attribute_histories(snapshot: Snapshot, objects: Collection[ObjectKey]) -> dict[ObjectKey, History]:
    """All facts that these objects ever had on the chain."""
    if not objects:
        return {}
    kinds, ids = zip(*((kind.value, identity) for kind, identity in objects), strict=True)
    return _read(fetch_all(_NAMED, {**snapshot.parameters, "kinds": list(kinds), "ids": list(ids)}))


def attribute_news(
    snapshot: Snapshot, ranges: Iterable[tuple[int, int, int]]
) -> dict[ObjectKey, dict[str, AttributeFact]]:
    """The facts on the chain of each object of which any came in these ranges: (branch, after, upto)."""
    columns = tuple(zip(*ranges, strict=True))
    if not columns:
        return {}
    asked = dict(zip(("branches", "after", "upto"), map(list, columns), strict=True))
    found = _read(fetch_all(_NEWS, {**snapshot.parameters, **asked}, prepared=True))
    return {key: newest(history) for key, history in found.items()}


def newest(history: History, upto: int | None = None) -> dict[str, AttributeFact]:
    """By attribute its newest fact, or the newest up to a version."""
    found: dict[str, AttributeFact] = {}
    for version, facts in history:
        if upto is None or version <= upto:
            found |= facts
    return found


def _read(rows: Iterable[tuple[Any, ...]]) -> dict[ObjectKey, History]:
    found: dict[ObjectKey, History] = defaultdict(list)
    for kind, identity, version, facts in rows:
        found[ObjectKind(kind), identity].append((version, facts_from_json(json_value(facts))))
    return found


def facts_from_json(value: Mapping[str, list[Any]]) -> dict[str, AttributeFact]:
    return {attribute: AttributeFact(*fact) for attribute, fact in value.items()}
