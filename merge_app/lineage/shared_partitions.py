"""In which partition a key lies as both sides name it, where partition columns are part of the key (R10, R12).

A rename of a partition renames the keys in it. One row has one key on both sides, whichever of them renamed: the
renames that the other side does not know are undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from merge_app.lineage.facts import Ints, Scope, ScopeKind
from merge_app.lineage.scopes import standing_scopes

NOW = (1 << 63) - 1
"""In place of a version: where a side has the file at its head."""

_LEVEL = 1 << 32
"""Partitions have smaller codes. A partition that was filled again after a rename is another one, a level higher."""


@dataclass(frozen=True, slots=True)
class SharedPartitions:
    """``renames``: those of one side that stand and that the other side does not know, in order."""

    renames: tuple[Scope, ...] = ()

    @classmethod
    def of_scopes(cls, scopes: Sequence[Scope], news: Ints) -> SharedPartitions:
        standing = standing_scopes(scopes, news)
        return cls(tuple(scope for scope in standing if scope.kind is ScopeKind.RENAME_PARTITION))

    def of(self, partitions: Ints, versions: Ints) -> Ints:
        """``versions``: when the rows lay in these partitions: ``NOW``, or when they were taken away."""
        if not (self.renames and len(partitions)):
            return partitions
        both, at = np.unique(np.stack([partitions, versions], axis=1), axis=0, return_inverse=True)
        found = np.array([self._undone(int(partition), int(version)) for partition, version in both], dtype=np.int64)
        return np.asarray(found[at.reshape(-1)], dtype=np.int64)

    def _undone(self, place: int, version: int) -> int:
        """No two partitions of a head have one place. Rows taken away may share the place of rows before them."""
        for rename in self._until(version):
            if place == rename.to:
                place = rename.partition or 0
            elif version == NOW and place % _LEVEL == rename.partition:
                place += _LEVEL
        return place

    def _until(self, version: int) -> Iterable[Scope]:
        return (rename for rename in reversed(self.renames) if rename.stamp <= version)
