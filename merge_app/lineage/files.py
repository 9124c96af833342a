"""A1 and A3 by file (R8): a file is what one commit wrote of one range of row ids. Compactions do not change it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.ascending import are_among
from merge_app.lineage.deciding import Compared, kinds_for
from merge_app.lineage.facts import ABSENT, Array, Ints, Kind, Mask, News, RowFacts, TableFacts
from merge_app.lineage.outcomes import Finding, Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Touched:
    """Rows that one side changed, and the file of each: the stamp that the other side has, and the range.

    A row that the other side changed and restored lies where it lay: it has the stamp that this side knows.
    """

    row_id: Ints
    stamp: Array
    range_id: Array

    def where(self, mask: Mask) -> Touched:
        return Touched(self.row_id[mask], self.stamp[mask], self.range_id[mask])


def files_judge(facts: TableFacts, pairs: Pairs, compared: Compared, news: News) -> Iterator[Finding]:
    """The source updated rows of a file of which the target updated or deleted rows."""
    of_target = (pairs, compared.target_news, pairs.target_at, pairs.source_at, facts.target, facts.source)
    from_target, from_source = (news.from_target, news.from_source), (news.from_source, news.from_target)
    by_kind = {kind: _touched(*of_target, from_target, kind) for kind in (Kind.UPDATE, Kind.DELETE)}
    if not any(len(touched.row_id) for touched in by_kind.values()):
        return
    of_source = (pairs, compared.source_news, pairs.source_at, pairs.target_at, facts.source, facts.target)
    updated = _touched(*of_source, from_source, Kind.UPDATE)
    for code, rule, kind in (
        (VerdictCode.SAME_FILE_UPDATE_UPDATE, "A3", Kind.UPDATE),
        (VerdictCode.SAME_FILE_UPDATE_DELETE, "A1", Kind.DELETE),
    ):
        on_source, on_target = _same_files(updated, by_kind[kind])
        if len(on_source.row_id):
            yield Finding(code, None, rule, rows=on_source.row_id, target_rows=on_target.row_id)


def _touched(
    pairs: Pairs,
    is_news: Mask,
    side_at: Array,
    other_at: Array,
    side: RowFacts,
    other: RowFacts,
    are_news: tuple[Callable[[Array], Mask], Callable[[Array], Mask]],
    kind: Kind,
) -> Touched:
    """Net changes of one kind to rows that are live on the other side. ``are_news``: which stamps of facts of the side,
    and of the other, are news.
    """
    at = np.flatnonzero(is_news & (other_at >= 0) & (side_at >= 0))
    facts = side.image.take(side_at[at])
    hit = kinds_for(facts, are_news[0](facts.brings_stamp)) == kind
    hit &= ~facts.is_nothing & (other.image.value[other_at[at]] != ABSENT)
    at = at[hit]
    was = other.image.take(other_at[at])
    stamps = was.stamps_for(are_news[1](was.stamp), kinds_for(was, are_news[1](was.brings_stamp)))
    return Touched(pairs.row_id[at], stamps, side.range_id[side_at[at]])


def _same_files(source: Touched, target: Touched) -> tuple[Touched, Touched]:
    """The rows of either side in files that both touched."""
    source = source.where(are_among(source.range_id, target.range_id))
    target = target.where(are_among(target.range_id, source.range_id))
    stamps, stamp_codes = np.unique(np.concatenate([source.stamp, target.stamp]), return_inverse=True)
    _, range_codes = np.unique(np.concatenate([source.range_id, target.range_id]), return_inverse=True)
    files = range_codes * max(len(stamps), 1) + stamp_codes
    of_source, of_target = files[: len(source.row_id)], files[len(source.row_id) :]
    return source.where(are_among(of_source, of_target)), target.where(are_among(of_target, of_source))
