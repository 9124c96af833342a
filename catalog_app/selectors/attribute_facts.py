"""Facts of attributes as branches have them: one query for many objects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from catalog_app.domain.attribute_facts import AttributeFact
from catalog_app.domain.operations import OBJECT_KINDS, ObjectKind
from catalog_app.selectors.rows import array_text, fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, SNAPSHOTS, Snapshot, snapshots_parameters

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
WITH {SNAPSHOTS}, wanted AS (
    SELECT * FROM unnest(%(kinds)s::text[], %(ids)s::bigint[]) AS w(object_kind, object_id)
), found AS (
    SELECT l.place, f.object_kind, f.object_id, f.branch_id, f.version, f.facts
    FROM wanted w CROSS JOIN snapshots l JOIN catalog_app_attributefacts f
      ON f.object_kind = w.object_kind AND f.object_id = w.object_id
     AND f.branch_id = l.branch_id AND f.version <= l.max_version
), newest AS (
    SELECT DISTINCT ON (place, object_kind, object_id, e.key) place, object_kind, object_id, e.key, e.value
    FROM found CROSS JOIN LATERAL jsonb_each(facts) e %(where)s
    ORDER BY place, object_kind, object_id, e.key, version DESC
)
SELECT place, object_kind, object_id, jsonb_object_agg(key, value) FROM newest GROUP BY place, object_kind, object_id
"""

_OF_SCHEMA = "(key LIKE 'column/%%' OR key IN ('primary_key', 'partition_by'))"

# A row that both chains show tells no difference between them.
_IF_SCHEMAS_DIFFER = f"""WHERE NOT {_OF_SCHEMA} OR (object_kind, object_id) IN (
    SELECT object_kind, object_id FROM found
    GROUP BY object_kind, object_id, branch_id, version
    HAVING count(*) = 1 AND bool_or(EXISTS (SELECT FROM jsonb_object_keys(facts) key WHERE {_OF_SCHEMA}))
)"""

_CHANGED = """
SELECT DISTINCT r.place, f.object_kind, f.object_id
FROM unnest(%(places)s::bigint[], %(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[])
    AS r(place, branch_id, after, upto)
JOIN catalog_app_attributefacts f ON f.branch_id = r.branch_id AND f.version > r.after AND f.version <= r.upto
"""

Ranges = Iterable[tuple[int, int, int]]
"""Commits by branch: (branch, after, upto)."""


def newest_attributes(snapshot: Snapshot, objects: Collection[ObjectKey]) -> dict[ObjectKey, dict[str, AttributeFact]]:
    """By object the newest fact of each attribute on the chain."""
    return _newest_of(objects, [snapshot], "")[0]


def attributes_to_compare(
    objects: Collection[ObjectKey], source: Snapshot, target: Snapshot, *, are_whole: bool = False
) -> list[dict[ObjectKey, dict[str, AttributeFact]]]:
    """The same on both chains, in one query. Facts of columns and keys are left out of an object of which both chains
    show the same ones, unless objects ``are_whole``.
    """
    return _newest_of(objects, [source, target], "" if are_whole else _IF_SCHEMAS_DIFFER)


def _newest_of(
    objects: Collection[ObjectKey], snapshots: Sequence[Snapshot], where: str
) -> list[dict[ObjectKey, dict[str, AttributeFact]]]:
    found: list[dict[ObjectKey, dict[str, AttributeFact]]] = [{} for _ in snapshots]
    if not objects:
        return found
    asked = {**snapshots_parameters(*snapshots), **object_arrays(objects)}
    for place, kind, identity, facts in fetch_all(_NEWEST.replace("%(where)s", where), asked):
        found[place][OBJECT_KINDS[kind], identity] = facts_from_json(json_value(facts))
    return found


def objects_changed(*ranges: Ranges) -> list[set[ObjectKey]]:
    """The objects of which any fact came in each of these ranges, in one query."""
    rows = [(place, *item) for place, of in enumerate(ranges) for item in of]
    asked = {name: [row[n] for row in rows] for n, name in enumerate(("places", "branches", "after", "upto"))}
    found: list[set[ObjectKey]] = [set() for _ in ranges]
    for place, kind, identity in fetch_all(_CHANGED, asked) if rows else ():
        found[place].add((OBJECT_KINDS[kind], identity))
    return found


def object_arrays(objects: Collection[ObjectKey]) -> dict[str, str]:
    """Objects as the parameters ``kinds`` and ``ids`` of a query."""
    return {"kinds": array_text(kind.value for kind, _ in objects), "ids": array_text(i for _, i in objects)}


def attribute_histories(snapshot: Snapshot, objects: Collection[ObjectKey]) -> dict[ObjectKey, History]:
    """All facts that these objects ever had on the chain."""
    if not objects:
        return {}
    return _read(fetch_all(_NAMED, {**snapshot.parameters, **object_arrays(objects)}))


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
        found[OBJECT_KINDS[kind], identity].append((version, facts_from_json(json_value(facts))))
    return found


def facts_from_json(value: Mapping[str, list[Any]]) -> dict[str, AttributeFact]:
    return {attribute: AttributeFact(*fact) for attribute, fact in value.items()}
