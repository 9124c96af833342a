"""The merge of the rows of one table: join, decide, judge, carry out scopes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.ascending import without
from merge_app.lineage.deciding import compare
from merge_app.lineage.facts import (
    ABSENT,
    Granularity,
    Ints,
    News,
    ObjectId,
    TableFacts,
)
from merge_app.lineage.files import files_judge
from merge_app.lineage.outcomes import Finding, MergeCells, TableOutcome, taken
from merge_app.lineage.rows import partitions_decide, partitions_follow, partitions_of_one_side, rows_decide, rows_stay
from merge_app.lineage.scopes import (
    deletes_overwritten,
    predicates_judge,
    renames_lost,
    scopes_carry_out,
    standing_scopes,
    swept_rows,
)
from merge_app.lineage.sorted_join import differing_rows


def table_merge(table: ObjectId, facts: TableFacts, news: News, *, stamp: int, cells: MergeCells) -> TableOutcome:
    """The rows of the source merged into the target's. ``stamp``: the merge's. ``cells`` is asked once at most, and
    only with a primary key or by ``cell``.
    """
    pairs = differing_rows(facts.source, facts.target)
    rows = compare(pairs, facts.source.image, facts.target.image, news)
    live = (
        taken(facts.source.image.value, pairs.source_at, ABSENT) != ABSENT,
        taken(facts.target.image.value, pairs.target_at, ABSENT) != ABSENT,
    )
    partitions = compare(pairs, facts.source.partition, facts.target.partition, news, live)
    partitions_of_one_side(facts, pairs, partitions, news)
    findings = [*rows_decide(facts, pairs, rows, news, cells), *partitions_decide(facts, pairs, partitions, news)]
    standing = standing_scopes(facts.source_scopes, news.of_source)
    both = standing, standing_scopes(facts.target_scopes, news.of_target)
    renames = tuple([scope for scope in scopes if scope.to is not None] for scopes in both)
    partitions_follow(facts, pairs, rows, partitions, renames)
    by_row = _rows_by_code(findings)
    if facts.alive.is_judged and not facts.has_key:
        findings += predicates_judge(facts, pairs, standing, news)
        findings += deletes_overwritten(facts, pairs, rows, standing, news)
        if facts.granularity is Granularity.FILE:
            findings += files_judge(facts, pairs, rows, news)
    if facts.alive.result and facts.alive.target:
        findings += scopes_carry_out(facts, pairs, rows, partitions, standing, news, stamp)
    if facts.alive.is_judged:
        findings += rows_stay(facts, pairs, rows, news)
        findings += renames_lost(facts, pairs, partitions, standing, news, stamp)
    if facts.has_key:
        findings = list(_without_swept(findings))
        by_row = _rows_by_code(findings)
    return TableOutcome(
        pairs,
        rows.decided,
        partitions.decided,
        tuple(replace(finding, object=table) for finding in findings),
        by_row,
    )


def _rows_by_code(findings: Sequence[Finding]) -> dict[VerdictCode, Ints]:
    """The rows in conflict, each once."""
    found: dict[VerdictCode, Ints] = {}
    for finding in findings:
        if finding.is_conflict and finding.rows is not None:
            found[finding.code] = np.union1d(found.get(finding.code, finding.rows[:0]), finding.rows)
    return found


def _without_swept(findings: Sequence[Finding]) -> Iterator[Finding]:
    """A key that a scope of the source took from the target does not clash (R10)."""
    swept = swept_rows(findings)
    for finding in findings:
        if finding.code is not VerdictCode.PRIMARY_KEY_CLASH or finding.rows is None:
            yield finding
        elif len(left := without(finding.rows, swept)):
            yield replace(finding, rows=left)
