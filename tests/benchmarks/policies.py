"""What it takes to judge the policies of a rule on a plan that exists. Nothing is read: facts of a plan are a value."""

from __future__ import annotations

import gc
import statistics
import time
from datetime import UTC, datetime

from catalog_app.domain.plan_facts import ChangedTable, LookedAt, PlanFacts, RowFinding
from catalog_app.domain.policies import Hours, Policy, PolicySet, RowRule
from catalog_app.domain.policy_judgement import policy_judge
from tests.benchmarks.lake import Figure

TARGET_MS = 50
POLICIES = 12
TABLES = 1_000
ROUNDS = 21
AT = datetime(2026, 3, 2, 10, tzinfo=UTC)


def policies() -> PolicySet:
    """Policies with every limit that there is. Each lets the plan through but for its share of rows: all are judged."""
    rule = RowRule("new.amount >= old.amount", ("shop.*",))
    made = (
        Policy(
            f"policy {number}",
            tables=("shop.*", "sales.*"),
            operations=("insert", "update", "delete"),
            max_rows=TABLES * 1_000,
            max_share=0.001,
            max_deleted=TABLES * 100,
            max_emptied=TABLES * 10,
            max_dropped_columns=0,
            refuse_stale_reads=True,
            rules=(rule,),
            hours=Hours("08:00", "18:00", "Europe/Berlin"),
            spot_check=5,
        )
        for number in range(POLICIES)
    )
    return PolicySet("main", 1, tuple(made))


def facts(asked: PolicySet) -> PlanFacts:
    """What is known of a plan that changes very many tables, rows looked at."""
    (rule,) = asked.policies[0].rules
    looked_at = LookedAt(emptied=1, rules={rule.key: RowFinding(0)})
    tables = (
        ChangedTable((f"shop.t{number}",), ("insert", "update"), 500, 100, 0, 10_000, looked_at=looked_at)
        for number in range(TABLES)
    )
    return PlanFacts("a" * 64, tuple(tables))


def figures() -> list[Figure]:
    """Milliseconds of one judgement: the median."""
    asked = policies()
    known = facts(asked)
    taken = []
    for _ in range(ROUNDS + 1):
        gc.collect()
        began = time.perf_counter()
        verdict = policy_judge(asked, known, AT)
        taken.append(1000 * (time.perf_counter() - began))
        assert len(verdict.judgements) == POLICIES
        assert all([r.is_met for r in item.reasons].count(False) == 1 for item in verdict.judgements)
    what = f"{POLICIES} policies judged on a plan of {TABLES:,} tables, ms"
    return [Figure(what, statistics.median(taken[1:]), at_most=TARGET_MS)]
