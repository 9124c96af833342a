"""What every branch of all catalogs knows at each of its versions, in memory: for checks and for one migration."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from catalog_app.selectors.rows import fetch_all

Value = TypeVar("Value")

_BRANCHES = """
SELECT id, catalog_id, name, head_version, ancestor_branches, ancestor_limits, dropped_at IS NULL
FROM catalog_app_branch WHERE %(catalog)s::bigint IS NULL OR catalog_id = %(catalog)s::bigint ORDER BY id
"""
_REACHES = """
SELECT r.branch_id, r.at_version, r.reached_branch_id, r.reached_version
FROM catalog_app_branchreach r JOIN catalog_app_branch b ON b.id = r.branch_id
WHERE %(catalog)s::bigint IS NULL OR b.catalog_id = %(catalog)s::bigint ORDER BY r.at_version
"""
_COMMITS = """
SELECT catalog_id, version, branch_id FROM catalog_app_commit
WHERE %(catalog)s::bigint IS NULL OR catalog_id = %(catalog)s::bigint
"""


@dataclass(frozen=True, slots=True)
class Line:
    branch_id: int
    catalog_id: int
    name: str
    head: int
    ancestors: tuple[tuple[int, int], ...]
    is_valid: bool


@dataclass(slots=True)
class Lines:
    """``makers``: by catalog and version, the branch of the commit."""

    lines: dict[int, Line]
    version_vectors: dict[int, list[tuple[int, int, int]]]
    makers: Mapping[tuple[int, int], int]
    _known: dict[tuple[int, int], dict[int, int]] = field(default_factory=dict)

    @classmethod
    def load(cls, catalog_id: int | None = None) -> Lines:
        """Of one catalog, or of all."""
        asked = {"catalog": catalog_id}
        lines = {
            identity: Line(identity, catalog, name, head, tuple(zip(ancestors, limits, strict=True)), is_valid)
            for identity, catalog, name, head, ancestors, limits, is_valid in fetch_all(_BRANCHES, asked)
        }
        version_vectors: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for branch_id, *version_vector in fetch_all(_REACHES, asked):
            version_vectors[branch_id].append((version_vector[0], version_vector[1], version_vector[2]))
        return cls(lines, version_vectors, {(row[0], row[1]): row[2] for row in fetch_all(_COMMITS, asked)})

    def chain(self, branch_id: int, version: int) -> tuple[tuple[int, int], ...]:
        """The branches to look in, nearest first, and of each the newest version that counts."""
        ancestors = self.lines[branch_id].ancestors
        return ((branch_id, version), *((ancestor, min(limit, version)) for ancestor, limit in ancestors))

    def version_vector(self, branch_id: int, version: int) -> dict[int, int]:
        found = self._known.get((branch_id, version))
        if found is None:
            chain = self.chain(branch_id, version)
            found = dict(chain)
            for line, limit in chain:
                for at, reached, upto in self.version_vectors.get(line, ()):
                    if at <= limit:
                        found[reached] = max(upto, found.get(reached, 0))
            self._known[branch_id, version] = found
        return found

    def knows(self, branch_id: int, version: int, catalog_id: int, stamp: int) -> bool:
        """Whether the branch at that version reaches the commit that a stamp of a catalog names."""
        made_on = self.makers.get((catalog_id, stamp), 0)
        return not stamp or self.version_vector(branch_id, version).get(made_on, 0) >= stamp


@dataclass(slots=True)
class Recorded(Generic[Value]):
    """What branches have of one thing, by branch in order of versions."""

    by_branch: dict[int, tuple[list[int], list[Value]]] = field(default_factory=dict)

    def add(self, branch_id: int, version: int, value: Value) -> None:
        versions, values = self.by_branch.setdefault(branch_id, ([], []))
        versions.append(version)
        values.append(value)

    def newest(self, chain: tuple[tuple[int, int], ...]) -> Value | None:
        return next((value for _, value in self.all_of(chain)), None)

    def all_of(self, chain: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, Value]]:
        """All on a chain with their versions, the newest first."""
        for branch_id, limit in chain:
            versions, values = self.by_branch.get(branch_id, ((), ()))
            for place in reversed(range(bisect_right(versions, limit))):
                yield versions[place], values[place]


def rows_of(query: str, catalog_id: int | None) -> list[tuple[Any, ...]]:
    return fetch_all(query, {"catalog": catalog_id})
