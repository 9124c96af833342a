"""Stamps name commits; version vectors say which commits a branch knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Stamp(NamedTuple):
    """A commit: its version, unique in the catalog, and the branch that it was made on."""

    version: int
    branch: str


NEVER = Stamp(0, "")
"""The stamp of what is absent. Everybody knows it."""


class Vector:
    """What a branch knows (§2): the newest version per branch. Immutable.

    `dot` is a commit beside the vector: it is known, and nothing else of its branch is by it (R2).
    """

    __slots__ = ("dot", "newest")

    def __init__(self, newest: Mapping[str, int] | None = None, dot: Stamp | None = None) -> None:
        self.newest: Mapping[str, int] = newest or {}
        self.dot = dot

    def knows(self, stamp: Stamp) -> bool:
        return stamp[0] <= self.newest.get(stamp[1], 0) or stamp == self.dot

    def covers(self, other: Vector) -> bool:
        return all(version <= self.newest.get(branch, 0) for branch, version in other.newest.items())

    def join(self, other: Vector) -> Vector:
        both = dict(self.newest)
        for branch, version in other.newest.items():
            both[branch] = max(version, both.get(branch, 0))
        return Vector(both)

    def at(self, stamp: Stamp) -> Vector:
        """This vector after the commit `stamp`."""
        return Vector({**self.newest, stamp.branch: stamp.version})

    def beside(self, stamp: Stamp) -> Vector:
        return Vector(self.newest, stamp)
