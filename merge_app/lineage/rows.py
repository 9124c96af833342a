"""The rule of the pair on rows, and on their partitions, that both sides changed (lineage §3, R7, R10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.ascending import are_among
from merge_app.lineage.deciding import Compared, Concurrent, source_kinds, target_kinds
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Granularity, Ints, Kind, Mask, News, Scope, TableFacts
from merge_app.lineage.outcomes import CONFLICT, NO_BASE, Finding, MergeCells, Outcome, Pairs, taken
from merge_app.lineage.rules import (
    ACTS,
    DECIDERS,
    DECIDERS_BY_KEY,
    KEPT,
    NOTES,
    NOTES_OF_EQUALS,
    STAYS,
    WRITTEN,
    Act,
    Decider,
    Notes,
)


def rows_decide(
    facts: TableFacts, pairs: Pairs, compared: Compared, news: News, cells: MergeCells
) -> Iterator[Finding]:
    """Decide the images that §3 leaves to the rule of the pair. Findings name no object; the caller does."""
    left, outcome = compared.left, compared.decided.outcome
    if not facts.alive.is_judged:
        outcome[left.at] = Outcome.SOURCE_DECIDED
        return
    source_acts, target_acts = (_acts_by_key if facts.has_key else _acts)(left, news)
    deciders = _deciders_by_key(left, source_acts, target_acts) if facts.has_key else DECIDERS[source_acts, target_acts]
    outcome[left.at[deciders == Decider.SOURCE]] = Outcome.SOURCE_DECIDED
    outcome[left.at[(deciders == Decider.TARGET) | (deciders == Decider.SCOPE)]] = Outcome.TARGET_DECIDED
    both = deciders == Decider.BOTH
    yield from _both_wrote(facts, pairs, compared, left.where(both), cells)
    yield from _notes(pairs, left.where(~both).at, source_acts[~both], target_acts[~both], NOTES)
    yield from _notes(pairs, compared.equal.at, *_acts(compared.equal, news), NOTES_OF_EQUALS)


def rows_stay(facts: TableFacts, pairs: Pairs, compared: Compared, news: News) -> Iterator[Finding]:
    """Rows that the source deleted or overwrote and that stay as the target changed them, once its scopes acted."""
    left = compared.left.where(compared.decided.outcome[compared.left.at] == Outcome.TARGET_DECIDED)
    if not len(left):
        return
    source_acts, target_acts = (_acts_by_key if facts.has_key else _acts)(left, news)
    hit = np.zeros(len(left), dtype=np.bool_)
    for source, target in STAYS:
        hit |= (source_acts == source) & (target_acts == target)
    hit &= (left.source.value == ABSENT) & (left.target.value != ABSENT)
    if hit.any():
        yield Finding(VerdictCode.DISCARDED_DELETE, None, KEPT, rows=pairs.row_id[left.at[hit]])


def _acts(met: Concurrent, news: News) -> tuple[Array, Array]:
    source, target = source_kinds(met.source, news), target_kinds(met.target, news)
    return (
        ACTS[(met.source.value != ABSENT).astype(np.int8), source],
        ACTS[(met.target.value != ABSENT).astype(np.int8), target],
    )


def _acts_by_key(met: Concurrent, news: News) -> tuple[Array, Array]:
    source, target = _acts(met, news)
    return (
        np.where(met.source.is_rewritten_by(source_kinds(met.source, news)), Act.REWRITE, source),
        np.where(met.target.is_rewritten_by(target_kinds(met.target, news)), Act.REWRITE, target),
    )


def _deciders_by_key(met: Concurrent, source: Array, target: Array) -> Array:
    """A key that the source inserted is new: the target's overwrite never took it away (A4)."""
    deciders = DECIDERS_BY_KEY[source, target]
    is_inserted = (source == Act.UPDATE) & (target == Act.REWRITE) & (_bases(met) == NO_BASE)
    deciders[is_inserted] = Decider.BOTH
    deciders[(source == Act.REWRITE) & (met.target.value == ABSENT)] = Decider.SOURCE
    return deciders


def _notes(pairs: Pairs, at: Array, source_acts: Array, target_acts: Array, notes: Notes) -> Iterator[Finding]:
    for (source, target), (code, rule) in notes.items():
        hit = (source_acts == source) & (target_acts == target)
        if hit.any():
            yield Finding(code, None, rule, rows=pairs.row_id[at[hit]])


def _both_wrote(
    facts: TableFacts, pairs: Pairs, compared: Compared, met: Concurrent, cells: MergeCells
) -> Iterator[Finding]:
    """A1, A3 and R10 on one row: images of both sides are merged by cells, or refused."""
    gone = (met.source.value == ABSENT) | (met.target.value == ABSENT)
    refused = np.ones(len(met), dtype=np.bool_)
    if facts.has_key or facts.granularity is Granularity.CELL:
        live = np.flatnonzero(~gone)
        images = _merged_images(met.where(~gone), cells)
        fits = images != CONFLICT
        refused[live[fits]] = False
        compared.decided.give(met.at[live[fits]], images[fits], Outcome.CELLS)
    deleted = VerdictCode.PRIMARY_KEY_CLASH if facts.has_key else VerdictCode.SAME_FILE_UPDATE_DELETE
    updated = VerdictCode.PRIMARY_KEY_CLASH if facts.has_key else VerdictCode.SAME_FILE_UPDATE_UPDATE
    for code, rule, hit in (
        (deleted, "R10" if facts.has_key else "A1", refused & gone),
        (updated, "R10" if facts.has_key else "A3", refused & ~gone),
    ):
        if hit.any():
            yield Finding(code, None, rule, rows=pairs.row_id[met.at[hit]])


def _merged_images(met: Concurrent, cells: MergeCells) -> Array:
    if not len(met):
        return np.zeros(0, dtype=np.int64)
    return cells(met.source.value, met.target.value, _bases(met))


def _bases(met: Concurrent) -> Ints:
    """The newest images that both sides know."""
    source, target = met.source, met.target
    base = np.where(_is_newer(met), source.was, target.was)
    base[~(source.was_known | target.was_known) | (base == ABSENT)] = NO_BASE
    return base


def _is_newer(met: Concurrent) -> Mask:
    """Where the source's past has the newest entry that both sides know."""
    newer = met.source.was_stamp >= met.target.was_stamp
    return np.asarray(met.source.was_known & (newer | ~met.target.was_known), dtype=np.bool_)


def partitions_decide(facts: TableFacts, pairs: Pairs, compared: Compared, news: News) -> Iterator[Finding]:
    """The row is live on both sides, or on none: then its partition says nothing (R7). A rename of the source is
    carried out as a scope, where it still applies. Where both sides wrote the row elsewhere, they wrote one cell.
    A key that the target's overwrite wrote stays with its image.
    """
    left, outcome = compared.left, compared.decided.outcome
    is_live = taken(facts.source.image.value, pairs.source_at[left.at], ABSENT) != ABSENT
    source, target = source_kinds(left.source, news), target_kinds(left.target, news)
    stays = ~is_live | (source == Kind.MOVE)
    outcome[left.at] = np.where(stays, Outcome.TARGET_DECIDED, Outcome.SOURCE_DECIDED)
    refused = ~stays & WRITTEN[source] & WRITTEN[target]
    if facts.has_key and facts.alive.is_judged and refused.any():
        kept = np.flatnonzero(refused)[_is_kept(facts, pairs, left.at[refused], news)]
        outcome[left.at[kept]] = Outcome.TARGET_DECIDED
        refused[kept] = False
    if facts.alive.is_judged and refused.any():
        code = VerdictCode.PRIMARY_KEY_CLASH if facts.has_key else VerdictCode.SAME_FILE_UPDATE_UPDATE
        rule, rows = "R10" if facts.has_key else "A3", pairs.row_id[left.at[refused]]
        if facts.has_key:
            # Scopes go by where the target has the row.
            outcome[left.at[refused]] = Outcome.TARGET
        yield Finding(code, None, rule, keys=(("partition",),), rows=rows)


def partitions_of_one_side(facts: TableFacts, pairs: Pairs, partitions: Compared, news: News) -> None:
    """A side that does not show the row, and has it again as the other knew it, says nothing of its partition (R7). A
    rename of the partition is about the row, wherever that lives (R12). *Example:* S inserts key 4 in c and restores it
    away, D has restored its own in a: it stays in a.
    """
    sides = facts.source, facts.target
    places = pairs.source_at, pairs.target_at
    live = [taken(side.image.value, at, ABSENT) != ABSENT for side, at in zip(sides, places, strict=True)]
    for own, is_news, kinds_of, stays in (
        (0, partitions.source_news, source_kinds, Outcome.TARGET),
        (1, partitions.target_news, target_kinds, Outcome.SOURCE),
    ):
        at = np.flatnonzero(is_news & ~live[own] & live[1 - own])
        image, placed = (column.take(places[own][at]) for column in (sides[own].image, sides[own].partition))
        says_nothing = image.is_nothing_by(kinds_of(image, news)) & (kinds_of(placed, news) != Kind.MOVE)
        partitions.decided.outcome[at[says_nothing]] = stays


def _is_kept(facts: TableFacts, pairs: Pairs, at: Array, news: News) -> Mask:
    """Where the target's overwrite wrote the row, which both sides have live, and the rule of the pair leaves it."""
    met = Concurrent(at, facts.source.image.take(pairs.source_at[at]), facts.target.image.take(pairs.target_at[at]))
    source, target = _acts_by_key(met, news)
    is_targets = _deciders_by_key(met, source, target) == Decider.TARGET
    return np.asarray((target == Act.REWRITE) & is_targets, dtype=np.bool_)


def partitions_follow(
    facts: TableFacts, pairs: Pairs, rows: Compared, partitions: Compared, renames: tuple[Sequence[Scope], ...]
) -> None:
    """Where both sides show a row, its partition goes with the image that stays (law 8): it is not where the image that
    is left out was written.

    ``renames``: of source and target, those that stand and are news. They keep a row that was written in a partition
    which they renamed. *Example:* S writes row 1 in partition 0, D has it in 8, renamed from 1: it lies in 0.
    """
    at = np.flatnonzero(
        (taken(facts.source.image.value, pairs.source_at, ABSENT) != ABSENT)
        & (taken(facts.target.image.value, pairs.target_at, ABSENT) != ABSENT)
    )
    if facts.has_key or facts.granularity is Granularity.CELL:
        # The partition is a cell: where the others are again as they were (P7), or equal, it speaks for itself.
        speaks = (rows.decided.outcome[at] >= Outcome.TARGET_DECIDED) | are_among(at, rows.equal.at)
        at = at[~speaks | are_among(at, rows.left.at)]
    source = facts.source.partition.take(pairs.source_at[at])
    target = facts.target.partition.take(pairs.target_at[at])
    image, outcome = rows.decided.outcome[at], partitions.decided.outcome
    moves = source.value != target.value
    # The rule left the row to one side.
    is_left = are_among(at, rows.left.at) & (image >= Outcome.TARGET_DECIDED)
    of_source = _is_of_image(source, facts.source.image.take(pairs.source_at[at])) | (is_left & WRITTEN[source.kind])
    of_target = _is_of_image(target, facts.target.image.take(pairs.target_at[at])) | (is_left & WRITTEN[target.kind])
    from_source = moves & np.isin(image, (Outcome.SOURCE, Outcome.SOURCE_DECIDED))
    is_source = of_source & (of_target | ~_are_renamed(source, target, renames[1]))
    outcome[at[from_source & (is_source | (of_target & is_left))]] = Outcome.SOURCE
    from_target = moves & np.isin(image, (Outcome.TARGET, Outcome.TARGET_DECIDED))
    is_target = of_source & (of_target | is_left)
    is_target |= of_target & is_left & ~_are_renamed(target, source, renames[0])
    outcome[at[from_target & is_target]] = Outcome.TARGET


def _is_of_image(partition: FactColumns, image: FactColumns) -> Mask:
    """Where no rename decided the partition: an image was written there, or came back to there. A restore that sets a
    rename again is that rename (§4b).
    """
    is_back = (partition.kind == Kind.RESTORE) & (image.kind == Kind.RESTORE) & (partition.stamp == image.stamp)
    is_renamed = partition.brings_kind == Kind.MOVE
    return np.asarray((partition.kind == Kind.UPDATE) | (is_back & ~is_renamed), dtype=np.bool_)


def _are_renamed(one: FactColumns, other: FactColumns, renames: Sequence[Scope]) -> Mask:
    """Where the other side's partition is what its renames made of this one."""
    named = one.value.copy()
    for rename in renames:
        named[named == rename.partition] = rename.to
    return np.asarray(named == other.value, dtype=np.bool_)
