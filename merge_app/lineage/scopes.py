"""Scopes: what an operation says of rows that it never saw (lineage §4, §4a, R9, R12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.ascending import are_among
from merge_app.lineage.deciding import Compared, source_kinds, target_kinds
from merge_app.lineage.facts import (
    ABSENT,
    PREDICATES,
    Array,
    FactColumns,
    Ints,
    Kind,
    Mask,
    News,
    Scope,
    ScopeKind,
    TableFacts,
)
from merge_app.lineage.outcomes import Finding, Outcome, Pairs, TableOutcome, taken
from merge_app.lineage.rules import DELETES_OVERWRITTEN


def standing_scopes(scopes: Sequence[Scope], news: Ints) -> tuple[Scope, ...]:
    """The news among scopes, in order, without what was taken back or left out. Predicates go whose table was
    overwritten afterwards, by a commit that knew them or later in their own commit (R9).
    """
    versions = set(news.tolist())
    fresh = sorted((scope for scope in scopes if scope.stamp in versions), key=lambda scope: scope.stamp)
    restores: list[Scope] = []
    for scope in sorted(fresh, key=lambda scope: scope.stamp, reverse=True):
        if scope.then is not None and not any(other.takes_back(scope) for other in restores):
            restores.append(scope)
    left = [scope for scope in fresh if not any(restore.takes_back(scope) for restore in restores)]
    whole = [
        (at, scope) for at, scope in enumerate(left) if scope.kind is ScopeKind.OVERWRITE and scope.partition is None
    ]

    def is_overwritten(at: int, scope: Scope) -> bool:
        return any(other.saw(scope) or (other.stamp == scope.stamp and later > at) for later, other in whole)

    return tuple(
        scope for at, scope in enumerate(left) if scope.kind not in PREDICATES or not is_overwritten(at, scope)
    )


def predicates_judge(facts: TableFacts, pairs: Pairs, standing: Sequence[Scope], news: News) -> Iterator[Finding]:
    """R9: an update or delete of the source was never evaluated on rows that the target inserted. What a transaction
    inserts as not matched was never compared with rows that the target wrote.
    """
    predicates = tuple(scope for scope in standing if scope.kind in PREDICATES)
    not_matched = tuple(scope for scope in predicates if scope.kind is ScopeKind.NOT_MATCHED)
    if not_matched:
        yield from _maybe_matched(facts, pairs, not_matched, news)
    if len(predicates) == len(not_matched):
        return
    at = np.flatnonzero((pairs.source_at < 0) & (pairs.target_at >= 0))
    on_target = pairs.target_at[at]
    overwritten = np.fromiter(facts.overwritten, dtype=np.int64)
    hit = facts.target.image.value[on_target] != ABSENT
    inserted = facts.target.inserted[on_target]
    hit &= news.from_target(inserted) & ~are_among(inserted, overwritten)
    if hit.any():
        rows = pairs.row_id[at[hit]]
        yield Finding(VerdictCode.PREDICATE_DML_VS_INSERT, None, "R9", target_rows=rows, scopes=predicates)


def _maybe_matched(facts: TableFacts, pairs: Pairs, scopes: tuple[Scope, ...], news: News) -> Iterator[Finding]:
    at = np.flatnonzero(pairs.target_at >= 0)
    image = pairs.target_at[at]
    is_written = (facts.target.image.value[image] != ABSENT) & news.from_target(facts.target.image.stamp[image])
    if is_written.any():
        rows = pairs.row_id[at[is_written]]
        yield Finding(VerdictCode.PREDICATE_DML_VS_INSERT, None, "R9", target_rows=rows, scopes=scopes)


@dataclass(slots=True, eq=False)
class Reached:
    """Rows that a scope of the source may change: live on the target, with an image or partition that is news to the
    source. ``at``: their positions among the pairs; ``image``, ``partition``: how the result has them now;
    ``source_partition``: where the source shows them; ``source_image``: what the source wrote under the same key,
    ``ABSENT`` where it wrote nothing that is news to the target. ``place``: where the target's row lies now; of a key
    that the source wrote too, the result may have the source's place. ``source_stamp``: of an image that the source
    shows and the target knows, also where the source changed it and changed it back (P7); else 0.
    """

    at: Array
    row_is_news: Mask
    partition_is_news: Mask
    is_targets: Mask
    image: Array
    partition: Array
    source_image: Array
    source_partition: Array
    place: Array
    source_stamp: Ints

    @property
    def live(self) -> Mask:
        return np.asarray(self.image != ABSENT, dtype=np.bool_)

    def inside(self, partition: int | None) -> Mask:
        return self.live if partition is None else self.live & (self.partition == partition)

    def lies_inside(self, partition: int | None) -> Mask:
        return self.live if partition is None else self.live & (self.place == partition)

    def move(self, partition: int | None, to: int | None) -> Ints:
        """Put rows elsewhere; answers which of them lie there in the result."""
        moved = np.flatnonzero(self.inside(partition) & self.partition_is_news)
        self.place[self.lies_inside(partition) & (self.source_image != ABSENT)] = to
        self.partition[moved] = to
        self.place[moved[self.source_image[moved] == ABSENT]] = to
        return moved


def scopes_carry_out(
    facts: TableFacts,
    pairs: Pairs,
    rows: Compared,
    partitions: Compared,
    standing: Sequence[Scope],
    news: News,
    stamp: int,
) -> Iterator[Finding]:
    """Carry out the source's scopes in order, on rows that the source does not know, by where they are now."""
    carried = [scope for scope in standing if scope.kind in _CARRIED]
    if not carried:
        return
    reached = _reached(facts, pairs, rows, partitions, news, stamp)
    target = standing_scopes(facts.target_scopes, news.of_target)
    for scope in carried:
        if scope.kind is not ScopeKind.RENAME_PARTITION:
            kept = facts.since_scopes.unknown_to(scope.knows, reached.source_stamp)
            swept = _sweep(scope, reached, rows, partitions, kept)
            if len(swept):
                gone = pairs.row_id[swept]
                yield Finding(VerdictCode.DROPS_DEST_CHANGES, None, "§4", target_rows=gone, scopes=(scope,))
            continue
        if facts.alive.is_judged:
            yield from _rename_judge(scope, reached, pairs, target)
        moved = reached.move(scope.partition, scope.to)
        partitions.decided.give(reached.at[moved], np.full(len(moved), scope.to), Outcome.SCOPE)
    if any(scope.kind is ScopeKind.OVERWRITE and scope.partition is None for scope in carried):
        lost = pairs.row_id[_lost(facts, pairs, rows, reached, news)]
        if len(lost):
            yield Finding(VerdictCode.DROPS_DEST_CHANGES, None, "§4", target_rows=lost)


def deletes_overwritten(
    facts: TableFacts, pairs: Pairs, rows: Compared, standing: Sequence[Scope], news: News
) -> Iterator[Finding]:
    """Rows that the target deleted, also by a TRUNCATE, and the source overwrote by other rows. Without a key the
    result may show what the target deleted: a written row has another row id. With a key, the keys say it (R10).
    """
    met = rows.equal
    taken_by = target_kinds(met.target, news)
    is_deleted = (taken_by == Kind.DELETE) | (
        (taken_by == Kind.OVERWRITE) & ~_is_writing(facts.target_scopes, met.target.stamp)
    )
    hit = (met.source.value == ABSENT) & is_deleted & ~met.target.is_nothing
    hit &= (source_kinds(met.source, news) == Kind.OVERWRITE) & _is_writing(standing, met.source.stamp)
    if hit.any():
        yield Finding(VerdictCode.DROPS_DEST_CHANGES, None, DELETES_OVERWRITTEN, target_rows=pairs.row_id[met.at[hit]])


def _is_writing(scopes: Sequence[Scope], stamps: Ints) -> Mask:
    """Whether a scope of the stamp's commit wrote rows in place of those that it took."""
    return np.isin(stamps, np.array([scope.stamp for scope in scopes if scope.writes], dtype=np.int64))


def _lost(facts: TableFacts, pairs: Pairs, rows: Compared, reached: Reached, news: News) -> Array:
    """Positions of the rows that the target changed since, and that the result shows otherwise or not at all."""
    image = facts.target.image.take(pairs.target_at[reached.at])
    is_changed = reached.row_is_news & ~image.is_nothing_by(target_kinds(image, news))
    is_merged = rows.decided.outcome[reached.at] == Outcome.CELLS
    found: Array = reached.at[is_changed & ~is_merged & (reached.image != image.value)]
    return found


def _sweep(scope: Scope, reached: Reached, rows: Compared, partitions: Compared, kept: Mask) -> Array:
    """Positions of the rows that the scope takes. Where the source wrote the same key, its row takes the place of the
    target's (R10). What is alike on both sides stays as it is. ``kept``: rows that the source took in after the scope.
    """
    inside = reached.lies_inside(scope.partition) & reached.row_is_news & reached.is_targets & ~kept
    replaced = inside & (reached.source_image != ABSENT)
    swept = np.flatnonzero(inside & ~replaced)
    reached.image[swept] = ABSENT
    rows.decided.give(reached.at[swept], np.full(len(swept), ABSENT), Outcome.SCOPE)
    written = np.flatnonzero(replaced & (reached.image != reached.source_image))
    rows.decided.take(reached.at[written])
    placed = np.flatnonzero(replaced & (reached.partition != reached.source_partition))
    partitions.decided.take(reached.at[placed])
    reached.image[written], reached.partition[placed] = reached.source_image[written], reached.source_partition[placed]
    reached.place[replaced] = reached.source_partition[replaced]
    return np.unique(np.concatenate([reached.at[swept], reached.at[written], reached.at[placed]]))


SWEEPING = frozenset({ScopeKind.OVERWRITE, ScopeKind.DROP_PARTITION})
"""Scopes that take rows away."""
_CARRIED = SWEEPING | {ScopeKind.RENAME_PARTITION}


def _reached(facts: TableFacts, pairs: Pairs, rows: Compared, partitions: Compared, news: News, stamp: int) -> Reached:
    source, target = facts.source, facts.target
    on_target = taken(target.image.value, pairs.target_at, ABSENT) != ABSENT
    at = np.flatnonzero(on_target & (rows.target_news | partitions.target_news))
    few = Pairs(pairs.row_id[at], pairs.source_at[at], pairs.target_at[at])
    images = rows.decided.restricted(at).result(few, source.image, target.image, stamp, Kind.OVERWRITE)
    places = partitions.decided.restricted(at).result(few, source.partition, target.partition, stamp, Kind.MOVE)
    is_targets = (images.stamp == stamp) | (images.stamp == target.image.stamp[few.target_at])
    written, shared_stamp = _written(source.image, few.source_at, news)
    # Of an equal image that the source did not write, the fact may be the source's.
    is_targets |= written == ABSENT
    if not facts.has_key:
        written[:] = ABSENT
    return Reached(
        at,
        rows.target_news[at],
        partitions.target_news[at],
        is_targets,
        images.value,
        places.value,
        written,
        np.where(
            taken(source.image.value, few.source_at, ABSENT) != ABSENT,
            taken(source.partition.value, few.source_at, ABSENT),
            ABSENT,
        ),
        np.where(written != ABSENT, target.partition.value[few.target_at], places.value),
        shared_stamp,
    )


def _written(source: FactColumns, source_at: Array, news: News) -> tuple[Array, Ints]:
    """The images that the source wrote and the target does not know, and the stamps of those that it knows. What is as
    the target knows it is not written (P7).
    """
    images, stamps = np.full(len(source_at), ABSENT), np.zeros(len(source_at), dtype=np.int64)
    at = np.flatnonzero(source_at >= 0)
    shown = source.take(source_at[at])
    known = shown.stamps_for(news.from_source(shown.stamp), source_kinds(shown, news))
    is_written = news.from_source(known)
    images[at] = np.where(is_written, shown.value, ABSENT)
    stamps[at] = np.where(is_written | (shown.value == ABSENT), 0, known)
    return images, stamps


def _rename_judge(scope: Scope, reached: Reached, pairs: Pairs, target: Sequence[Scope]) -> Iterator[Finding]:
    """R12, when the turn of the rename comes. One rename on both sides is one rename."""
    if any((other.kind, other.partition, other.to) == (scope.kind, scope.partition, scope.to) for other in target):
        return
    taken_by = reached.inside(scope.to) & reached.partition_is_news & (reached.source_partition != scope.to)
    if scope.to is not None and taken_by.any():
        rows = pairs.row_id[reached.at[taken_by]]
        yield Finding(VerdictCode.PARTITION_EXISTS, None, "R12", target_rows=rows, scopes=(scope,))
    dropped = tuple(
        other for other in target if other.kind is ScopeKind.DROP_PARTITION and other.partition == scope.partition
    )
    if dropped:
        yield Finding(VerdictCode.PARTITION_DROPPED_ON_DEST, None, "R12", scopes=(scope, *dropped))


def renames_lost(
    facts: TableFacts, pairs: Pairs, partitions: Compared, standing: Sequence[Scope], news: News, stamp: int
) -> Iterator[Finding]:
    """Both sides renamed the partition of a row, and the result has not the source's name of it. The findings have the
    rename of the source, then that of the result, each from what the source called the partition first.
    """
    met = partitions.left
    is_live = taken(facts.source.image.value, pairs.source_at[met.at], ABSENT) != ABSENT
    both = (source_kinds(met.source, news) == Kind.MOVE) & (target_kinds(met.target, news) == Kind.MOVE)
    met = met.where(is_live & both)
    if not len(met):
        return
    few = Pairs(pairs.row_id[met.at], pairs.source_at[met.at], pairs.target_at[met.at])
    decided = partitions.decided.restricted(met.at)
    result = decided.result(few, facts.source.partition, facts.target.partition, stamp, Kind.MOVE).value
    began = {to: origin for origin, to in _net_renames(standing).items()}
    for source, stays in sorted(set(zip(met.source.value.tolist(), result.tolist(), strict=True))):
        if source != stays:
            rows = few.row_id[(met.source.value == source) & (result == stays)]
            yield Finding(
                VerdictCode.DISCARDED_RENAME,
                None,
                "R12",
                rows=rows,
                scopes=tuple(
                    Scope(stamp, None, ScopeKind.RENAME_PARTITION, {}, began.get(source), to) for to in (source, stays)
                ),
            )


def _net_renames(standing: Sequence[Scope]) -> dict[int | None, int | None]:
    """By the first name of a partition, the last one that these scopes gave it."""
    origins: dict[int | None, int | None] = {}
    for scope in standing:
        if scope.kind is ScopeKind.RENAME_PARTITION:
            origins[scope.to] = origins.pop(scope.partition, scope.partition)
    return {origin: name for name, origin in origins.items()}


def scopes_leave_out(merged: TableOutcome, facts: TableFacts, left: Sequence[Scope]) -> None:
    """What these scopes of the source did to rows that it knew is not taken over: the target's facts are decided."""
    for scope in left:
        is_rename = scope.kind is ScopeKind.RENAME_PARTITION
        decided, column = (
            (merged.partitions, facts.source.partition) if is_rename else (merged.rows, facts.source.image)
        )
        hit = (taken(column.stamp, merged.pairs.source_at, 0) == scope.stamp) & (merged.pairs.target_at >= 0)
        if not is_rename:
            hit &= taken(column.value, merged.pairs.source_at, ABSENT) == ABSENT
        hit &= np.isin(decided.outcome, (Outcome.SOURCE, Outcome.SOURCE_DECIDED))
        decided.outcome[hit] = Outcome.TARGET_DECIDED


def swept_rows(findings: Iterable[Finding]) -> Ints:
    """The rows that scopes of the source took from the target, by row id or key."""
    found = (item.target_rows for item in findings if item.code is VerdictCode.DROPS_DEST_CHANGES and item.scopes)
    empty = np.zeros(0, dtype=np.int64)
    return np.unique(np.concatenate([empty, *(rows for rows in found if rows is not None)]))
