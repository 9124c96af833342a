"""One sorted join of the rows of both sides, which keeps the rows whose facts differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from merge_app.lineage.facts import Array, Ints, RowFacts
from merge_app.lineage.outcomes import Pairs

BLOCK = 1 << 20
"""Rows of the source that are joined at once: it bounds the memory of the join."""


def differing_rows(source: RowFacts, target: RowFacts) -> Pairs:
    """Rows that one side alone has, or whose image or partition has another stamp."""
    blocks = list(_blocks(source, target))
    row_ids, source_at, target_at = (np.concatenate(column) for column in zip(*blocks, strict=True))
    return Pairs(row_ids, source_at, target_at)


def _blocks(source: RowFacts, target: RowFacts) -> Iterator[tuple[Ints, Array, Array]]:
    """Blocks in order of row ids. The last one takes what is left of the target."""
    first = 0
    for start in range(0, max(len(source), 1), BLOCK):
        end = min(start + BLOCK, len(source))
        is_last = end == len(source)
        after = len(target) if is_last else int(np.searchsorted(target.row_id, source.row_id[end]))
        yield _joined(source, target, (start, end), (first, after))
        first = after


def _joined(
    source: RowFacts, target: RowFacts, source_part: tuple[int, int], target_part: tuple[int, int]
) -> tuple[Ints, Array, Array]:
    source_ids, target_ids = source.row_id[slice(*source_part)], target.row_id[slice(*target_part)]
    at = np.searchsorted(target_ids, source_ids)
    met = np.zeros(len(source_ids), dtype=np.bool_)
    inside = np.flatnonzero(at < len(target_ids))
    met[inside] = target_ids[at[inside]] == source_ids[inside]
    both = np.flatnonzero(met)
    source_both, target_both = both + source_part[0], at[both] + target_part[0]
    unequal = (source.image.stamp[source_both] != target.image.stamp[target_both]) | (
        source.partition.stamp[source_both] != target.partition.stamp[target_both]
    )
    source_alone = np.flatnonzero(~met) + source_part[0]
    missed = np.ones(len(target_ids), dtype=np.bool_)
    missed[at[both]] = False
    target_alone = np.flatnonzero(missed) + target_part[0]
    return _in_order(source, target, (source_both[unequal], target_both[unequal]), source_alone, target_alone)


def _in_order(
    source: RowFacts, target: RowFacts, both: tuple[Array, Array], source_alone: Array, target_alone: Array
) -> tuple[Ints, Array, Array]:
    nothing = np.int32(-1)
    source_at = np.concatenate([both[0], source_alone, np.full(len(target_alone), nothing)]).astype(np.int32)
    target_at = np.concatenate([both[1], np.full(len(source_alone), nothing), target_alone]).astype(np.int32)
    row_ids = np.concatenate([source.row_id[both[0]], source.row_id[source_alone], target.row_id[target_alone]])
    order = np.argsort(row_ids, kind="stable")
    return row_ids[order], source_at[order], target_at[order]
