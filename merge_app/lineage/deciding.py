"""Lineage §3 on columns of facts: who knows whose, and what is left to the rule of the pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Mask, News
from merge_app.lineage.outcomes import Decided, Outcome, Pairs, taken


class FactsContradict(Exception):
    """Each side knows the other's fact (§3 step 5). The catalog is damaged: ``check_catalog`` names the branches."""

    def __init__(self, row_ids: Ints) -> None:
        super().__init__(f"{len(row_ids)} rows have facts that each side knows of the other, the first is {row_ids[0]}")
        self.row_ids = row_ids


@dataclass(frozen=True, slots=True, eq=False)
class Concurrent:
    """Facts of which neither side knows the other's, and their positions among the pairs."""

    at: Array
    source: FactColumns
    target: FactColumns

    def __len__(self) -> int:
        return len(self.at)

    def where(self, mask: Mask) -> Concurrent:
        return Concurrent(self.at[mask], self.source.take(mask), self.target.take(mask))


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """``source_news``, ``target_news``: where the fact is unknown to the other side. ``equal``: concurrent facts of one
    value. ``left``: what the rule of the pair decides.
    """

    decided: Decided
    source_news: Mask
    target_news: Mask
    equal: Concurrent
    left: Concurrent


def compare(
    pairs: Pairs, source: FactColumns, target: FactColumns, news: News, has: tuple[Mask, Mask] | None = None
) -> Compared:
    """Steps 1 to 4 of §3 without the rule. What the rule decides stays the target's until then.

    ``has``: of facts that belong to rows, where each side has the row live. Where one side alone has it, that side's
    fact stays, before P7 is asked (R7).
    """
    source_stamps, target_stamps = taken(source.stamp, pairs.source_at, 0), taken(target.stamp, pairs.target_at, 0)
    differ = source_stamps != target_stamps
    source_news = news.from_source(source_stamps) & differ
    target_news = news.from_target(target_stamps) & differ
    # A side that lacks the row, and no fact of it, knows the other's removal: a merge may have copied that anew.
    are_gone = taken(source.value, pairs.source_at, ABSENT) == ABSENT
    are_gone &= taken(target.value, pairs.target_at, ABSENT) == ABSENT
    lacks = (pairs.source_at < 0) | (pairs.target_at < 0)
    wrong = differ & ~source_news & ~target_news & ~(are_gone & lacks)
    if wrong.any():
        raise FactsContradict(pairs.row_id[wrong])
    outcome = source_news.astype(np.int8)
    at = np.flatnonzero(source_news & target_news)
    outcome[at] = Outcome.TARGET
    met = Concurrent(at, source.take(pairs.source_at[at]), target.take(pairs.target_at[at]))
    same = met.source.value == met.target.value
    source_nothing = met.source.is_nothing_by(source_kinds(met.source, news))
    target_nothing = met.target.is_nothing_by(target_kinds(met.target, news))
    if has is not None:
        alike = has[0][at] == has[1][at]
        source_nothing = np.where(alike, source_nothing, has[1][at])
        target_nothing = np.where(alike, target_nothing, has[0][at])
    # Two values that both know, one on each side: two branches decided otherwise, and P7 speaks for neither.
    one_alone = ~same & (source_nothing != target_nothing)
    source_nothing &= one_alone
    target_nothing &= one_alone
    outcome[at[same & (met.source.stamp > met.target.stamp)]] = Outcome.SOURCE
    outcome[at[source_nothing]] = Outcome.TARGET_DECIDED
    outcome[at[target_nothing]] = Outcome.SOURCE_DECIDED
    left = met.where(~same & ~source_nothing & ~target_nothing)
    return Compared(Decided.of(outcome), source_news, target_news, met.where(same), left)


def kinds_for(facts: FactColumns, brought_is_news: Mask) -> Array:
    """§4b: a restored fact speaks for the change that it set again, where that one is unknown to the other side."""
    return np.where(brought_is_news & (facts.brings_stamp != 0), facts.brings_kind, facts.kind)


def source_kinds(facts: FactColumns, news: News) -> Array:
    return kinds_for(facts, news.from_source(facts.brings_stamp))


def target_kinds(facts: FactColumns, news: News) -> Array:
    return kinds_for(facts, news.from_target(facts.brings_stamp))
