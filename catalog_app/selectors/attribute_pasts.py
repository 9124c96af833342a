"""What attributes were before their newest facts, as far as another branch knows it (lineage P7)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.attribute_facts import NO_FACT, AttributeFact, Knows
from catalog_app.domain.operations import OBJECT_KINDS
from catalog_app.selectors.attribute_facts import ObjectKey, object_arrays
from catalog_app.selectors.homes import Home
from catalog_app.selectors.rows import fetch_all, json_value

Attribute = tuple[ObjectKey, str]

_WANTED = """wanted AS MATERIALIZED (
    SELECT * FROM unnest(%(kinds)s::text[], %(ids)s::bigint[]) AS w(object_kind, object_id)
)"""

_SINCE = f"""
WITH {_WANTED}
SELECT f.branch_id, f.version, f.object_kind, f.object_id, e.key, e.value
FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, after, upto)
CROSS JOIN wanted w JOIN catalog_app_attributefacts f
  ON f.object_kind = w.object_kind AND f.object_id = w.object_id
 AND f.branch_id = r.branch_id AND f.version > r.after AND f.version <= r.upto
CROSS JOIN LATERAL jsonb_each(f.facts) e WHERE e.key = ANY(%(attributes)s)
ORDER BY f.version
"""

_BEFORE = f"""
WITH {_WANTED}, lines AS MATERIALIZED (
    SELECT r.branch_id AS line, r.branch_id, r.after AS upto
    FROM unnest(%(branches)s::bigint[], %(after)s::bigint[]) AS r(branch_id, after)
    UNION ALL
    SELECT b.id, a.branch_id, a.upto
    FROM catalog_app_branch b, unnest(b.ancestor_branches, b.ancestor_limits) AS a(branch_id, upto)
    WHERE b.id = ANY(%(branches)s)
)
SELECT DISTINCT ON (l.line, f.object_kind, f.object_id, e.key) l.line, f.object_kind, f.object_id, e.key, e.value
FROM lines l CROSS JOIN wanted w JOIN catalog_app_attributefacts f
  ON f.object_kind = w.object_kind AND f.object_id = w.object_id AND f.branch_id = l.branch_id AND f.version <= l.upto
CROSS JOIN LATERAL jsonb_each(f.facts) e WHERE e.key = ANY(%(attributes)s)
ORDER BY l.line, f.object_kind, f.object_id, e.key, f.version DESC
"""

_AT = """
SELECT f.object_kind, f.object_id, e.key, e.value
FROM unnest(%(branches)s::bigint[], %(versions)s::bigint[]) AS m(branch_id, version)
JOIN catalog_app_attributefacts f ON f.branch_id = m.branch_id AND f.version = m.version
CROSS JOIN LATERAL jsonb_each(f.facts) e WHERE e.key = ANY(%(attributes)s)
"""

_MAKERS = """
SELECT c.version, c.branch_id, b.name
FROM unnest(%(catalogs)s::bigint[], %(after)s::bigint[]) AS h(catalog_id, after)
JOIN catalog_app_commit c ON c.catalog_id = h.catalog_id AND c.version = ANY(%(versions)s) AND c.version > h.after
JOIN catalog_app_branch b ON b.id = c.branch_id
"""

Makers = Mapping[int, tuple[int, str]]
"""By stamp, the branch that it was made on: its id and name."""


def makers_load(home: Home, stamps: Collection[int]) -> dict[int, tuple[int, str]]:
    """Of stamps of objects of one home."""
    asked = {"catalogs": [home.catalog_id, *home.joins], "after": [0, *home.joins.values()]}
    rows = fetch_all(_MAKERS, {**asked, "versions": list(stamps)}) if stamps else []
    return {row[0]: (row[1], row[2]) for row in rows}


@dataclass(slots=True)
class Pasts:
    """``since``: by attribute and branch the facts of the news, oldest first; ``before``: the newest one before the
    news on the branch; ``single``: facts by stamp. A fact came after the one before it on the branch that made it. A
    decision also after the fact that it joins.
    """

    makers: dict[int, tuple[int, str]]
    since: dict[tuple[Attribute, int], list[tuple[int, AttributeFact]]] = field(default_factory=dict)
    before: dict[tuple[Attribute, int], AttributeFact] = field(default_factory=dict)
    single: dict[tuple[Attribute, int], AttributeFact] = field(default_factory=dict)

    def known(self, attribute: Attribute, fact: AttributeFact, knows: Knows) -> list[AttributeFact]:
        """The first facts before ``fact``, on each way back from it, which a side knows; the newest is the last."""
        open_facts, seen = [fact], {fact.stamp}
        found = {NO_FACT.stamp: NO_FACT}
        while open_facts:
            for earlier in self._earlier(attribute, open_facts.pop()):
                if earlier.stamp in seen:
                    continue
                seen.add(earlier.stamp)
                if not knows(earlier.stamp):
                    open_facts.append(earlier)
                else:
                    found[earlier.stamp] = earlier
        return [found[stamp] for stamp in sorted(found)]

    def _earlier(self, attribute: Attribute, fact: AttributeFact) -> Iterable[AttributeFact]:
        branch_id = self.makers.get(fact.stamp, (0, ""))[0]
        own = self.since.get((attribute, branch_id), [])
        place = bisect_left(own, fact.stamp, key=lambda item: item[0])
        before = own[place - 1][1] if place else self.before.get((attribute, branch_id))
        if before is not None:
            yield before
        if fact.joins and (joined := self.single.get((attribute, fact.joins))) is not None:
            yield joined


def pasts_load(
    home: Home,
    ranges: Collection[tuple[int, int, int]],
    attributes: Collection[Attribute],
    makers: Mapping[int, tuple[int, str]],
) -> Pasts:
    """``ranges``: the news of both sides by branch. ``makers`` of the facts that are looked at."""
    found = Pasts(dict(makers))
    if not attributes or not ranges:
        return found
    objects = list(dict.fromkeys(key for key, _ in attributes))
    columns = tuple(zip(*ranges, strict=True))
    asked: dict[str, Any] = {
        **object_arrays(objects),
        "attributes": sorted({name for _, name in attributes}),
        **dict(zip(("branches", "after", "upto"), map(list, columns), strict=True)),
    }
    since: dict[tuple[Attribute, int], list[tuple[int, AttributeFact]]] = defaultdict(list)
    known: dict[str, AttributeFact] = {}
    for branch_id, version, *row in fetch_all(_SINCE, asked):
        attribute, fact = _fact(row, known)
        since[attribute, branch_id].append((version, fact))
        found.single[attribute, fact.stamp] = fact
    found.since = dict(since)
    for line, *row in fetch_all(_BEFORE, asked):
        attribute, fact = _fact(row, known)
        found.before[attribute, line] = fact
        found.single[attribute, fact.stamp] = fact
    joined = {(key[0], fact.joins) for key, fact in found.single.items() if fact.joins} - found.single.keys()
    stamps = {fact.stamp for fact in found.single.values()} | {stamp for _, stamp in joined}
    found.makers |= makers_load(home, stamps - found.makers.keys())
    if joined:
        made = [(found.makers[stamp][0], stamp) for _, stamp in joined if stamp in found.makers]
        at = {"branches": [item[0] for item in made], "versions": [item[1] for item in made]}
        for made_there in fetch_all(_AT, {**asked, **at}):
            attribute, fact = _fact(made_there, known)
            found.single.setdefault((attribute, fact.stamp), fact)
    return found


def _fact(row: Iterable[Any], known: dict[str, AttributeFact]) -> tuple[Attribute, AttributeFact]:
    """``known`` facts by their JSON are shared, and gain this one: a commit mostly does the same to many objects."""
    kind, identity, name, value = row
    fact = known.get(value)
    if fact is None:
        fact = known[value] = AttributeFact(*json_value(value))
    return ((OBJECT_KINDS[kind], identity), name), fact
